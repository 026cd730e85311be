import Foundation
import Testing

@testable import Molt

/// The cases of Realm's migration tests that no other test has: part C is Realm Swift's, part D Realm's in Objective-C.
///
/// A class is a type name, an object a record, a primary key a record's key, and a link a nested object.
@Suite("Realm's migration tests")
struct RealmTests {
    private struct Everything: Codable, Equatable {
        var bool = true
        var int8 = Int8.min
        var int16 = Int16.min
        var int32 = Int32.min
        var int64 = Int64.min
        var uint64 = UInt64.max
        var float: Float = 1.5
        var double = 0.1
        var decimal = Decimal(string: "123456789.000000001")
        var string = "text \"quoted\" \u{1}"
        var date = Date(timeIntervalSinceReferenceDate: 12.5)
        var data = Data([0, 255])
        var uuid = UUID(uuidString: "137DECC8-B300-4954-A233-F89909F4FD89")
        var list = [1, 2]
        var map = ["a": 1]
        var link = Link(name: "nested")
    }

    private struct Link: Codable, Equatable { var name: String }

    private static let people = (0..<4).map { StoredRecord("Person", "p\($0)", #"{"id":\#($0),"name":"n\#($0)"}"#) }

    // MARK: Versions

    @Test func `C1: a file's version can be read without opening the file, whether it exists or not`() throws {
        let directory = try ScratchDirectory()
        let url = directory.file()

        #expect(try StoreFile.state(at: url) == .fresh)
        #expect(try StoreFile(at: url).state() == .fresh)
        #expect(try directory.names().isEmpty)
        try CodableCache(at: url).close()
        #expect(try StoreFile.state(at: url).version == 0)
        #expect(try !StoreFile.state(at: url).isFresh)
        try CodableCache(at: url, migrations: [Migration(to: 3, "a")]).close()
        #expect(try StoreFile.state(at: url).version == 3)

        let error = #expect(throws: MoltError.self) { try StoreFile.state(at: URL(fileURLWithPath: "/dev/null")) }
        #expect(error?.code == .notAFile)
    }

    @Test(.throughEveryEntryPoint) func `C2: a new version without a change of shape runs the block once`() async throws
    {
        let runs = Log<Int>()
        let migrations = registry(.run { runs.append($0.oldVersion) })
        let store = try OldStore(Self.people)

        try await store.upgrade(migrations)
        try await store.upgrade(migrations)

        #expect(runs.all == [0])
        #expect(try store.snapshot().version == 1)
    }

    @Test func `D3: each file has its own version`() async throws {
        let stores = [try OldStore(Self.people), try OldStore(Self.people)]
        try await stores[0].upgrade([Migration(to: 4, "a")])
        #expect(try stores.map { try $0.snapshot().version } == [4, 0])
        try await stores[1].upgrade([Migration(to: 2, "b")])
        #expect(try stores.map { try $0.snapshot().version } == [4, 2])
    }

    @Test func `D26: an asynchronous opening runs the block, and leaves no connection open`() async throws {
        let store = try OldStore(Self.people, through: .asyncOpen)
        let after = try await store.upgraded { try $0.enumerate("Person") { _, new in new["x"] = 1 } }
        #expect(after["p3"]?.text == #"{"id":3,"name":"n3","x":1}"#)
        // The last connection to close removes the files beside the store.
        #expect(try store.directory.names() == ["cache.molt"])
    }

    // MARK: Values

    @Test(.throughEveryEntryPoint)
    func `C5: every kind of value can be read from the old and the new record`() async throws {
        let expected = Everything()
        let json = try RecordCoding.standard.encoder.encode(expected)
        let store = try OldStore([StoredRecord("Everything", "e", String(decoding: json, as: UTF8.self))])

        let after = try await store.upgraded { migration in
            try migration.enumerate("Everything") { old, new throws in
                for record in [old, new] {
                    #expect(try record.decoded(as: Everything.self) == expected)
                    #expect(try record.bool("bool"))
                    #expect(try record.value("int8", as: Int8.self) == .min)
                    #expect(try record.value("int16", as: Int16.self) == .min)
                    #expect(try record.value("int32", as: Int32.self) == .min)
                    #expect(try record.value("int64", as: Int64.self) == .min)
                    #expect(try record.value("uint64", as: UInt64.self) == .max)
                    #expect(record["uint64"]?.number?.text == "18446744073709551615")
                    #expect(try record.value("float", as: Float.self) == 1.5)
                    #expect(try record.double("double") == 0.1)
                    #expect(try record.value("decimal", as: Decimal?.self) == expected.decimal)
                    #expect(try record.string("string") == expected.string)
                    #expect(try record.value("date", as: Date.self) == expected.date)
                    #expect(try record.value("data", as: Data.self) == expected.data)
                    #expect(try record.value("uuid", as: UUID?.self) == expected.uuid)
                    #expect(try record.value("list", as: [Int].self) == [1, 2])
                    #expect(try record.value("map", as: [String: Int].self) == ["a": 1])
                    #expect(try record.value("link", as: Link.self) == expected.link)
                }
                new["touched"] = true
            }
        }

        #expect(try after["e"]?.decoded(as: Everything.self) == expected)
    }

    @Test(.throughEveryEntryPoint)
    func `C7: optionals can be read from both records, whether all are nil or all are set`() async throws {
        struct Optionals: Codable, Equatable {
            var int: Int?
            var string: String?
            var bool: Bool?
            var date: Date?
            var list: [Int?]?
        }
        let all = Optionals(int: 1, string: "s", bool: false, date: Date(timeIntervalSince1970: 0), list: [nil, 1])
        let full = String(decoding: try JSONEncoder().encode(all), as: UTF8.self)
        let nulls = #"{"int":null,"string":null,"bool":null,"date":null,"list":null}"#
        let contents = ["missing": "{}", "null": nulls, "set": full]
        let seen = Log<[Bool]>()

        let after = try await OldStore(contents.sorted { $0.key < $1.key }.map { StoredRecord("Optionals", $0, $1) })
            .upgraded { migration in
                try migration.enumerate("Optionals") { old, new throws in
                    let expected = old.key == "set" ? all : Optionals()
                    #expect(try old.decoded(as: Optionals.self) == expected)
                    #expect(try new.decoded(as: Optionals.self) == expected)
                    seen.append([old.contains("int"), old["int"] == nil, old["int"]?.isNull ?? false])
                }
            }

        #expect(seen.all == [[false, true, false], [true, false, true], [true, false, false]])
        #expect(after.texts == contents)
    }

    @Test(.throughEveryEntryPoint)
    func `D30: a removed property can be read from the old record, but no longer from the new one`() async throws {
        let after = try await OldStore(Self.people).upgraded(
            .run { migration in
                try migration.enumerate("Person") { old, new in
                    try new.remove("name")
                    #expect(try old.string("name").hasPrefix("n"))
                    #expect(throws: MoltError.self) { try new.string("name") }
                }
            },
            .run { migration in
                try migration.enumerate("Person") { old, _ in
                    #expect(throws: MoltError.self) { try old.value("name") }
                }
            }
        )

        #expect(after["p0"]?.text == #"{"id":0}"#)
    }

    @Test(.throughEveryEntryPoint)
    func `D33 to D35: emptying a nested object or a collection leaves the others as they are`() async throws {
        let json = #"{"pet":{"name":"Rex"},"pets":[{"name":"Tom"}],"tags":["a"],"friends":[{"name":"Bob"}]}"#

        let after = try await OldStore([StoredRecord("Person", "ada", json)]).upgraded { migration in
            try migration.enumerate("Person") { old, new throws in
                new["pet"] = .null
                new["pets"] = []
                #expect(try old.string(["pet", "name"]) == "Rex")
                #expect(new["pet"]?.isNull == true)
            }
        }

        #expect(after["ada"]?.text == #"{"pet":null,"pets":[],"tags":["a"],"friends":[{"name":"Bob"}]}"#)
    }

    // MARK: Creating and deleting

    @Test(.throughEveryEntryPoint)
    func `C8: after deletions, a second enumeration visits the remaining records, old and new still paired`()
        async throws
    {
        let seen = Log<String>()
        let types = ["Person", "City", "Robot"]
        let records = types.flatMap { type in
            (0..<4).map { StoredRecord(type, "\(type)\($0)", #"{"number":\#($0)}"#) }
        }

        let after = try await OldStore(records).upgraded { migration in
            for type in types {
                try migration.enumerate(type) { old, new in
                    if try old.int("number") == 1 { new.drop() }
                    if try old.int("number") == 2 { try migration.delete(old.key) }
                    new["number"] = .int(try old.int("number") + 10)
                }
                try migration.enumerate(type) { old, new in
                    let (was, number) = (try old.int("number"), try new.int("number"))
                    #expect(old.key == new.key)
                    #expect(number == was + 10)
                    seen.append("\(type) \(was)")
                }
            }
        }

        #expect(seen.all == types.flatMap { ["\($0) 0", "\($0) 3"] })
        #expect(after.keys == types.flatMap { ["\($0)0", "\($0)3"] })
    }

    @Test(.throughEveryEntryPoint)
    func `C9, D42 and D46: created records are not enumerated, and the deletions of two enumerations are both applied`()
        async throws
    {
        let seen = Log<String>()

        let after = try await OldStore(Self.people).upgraded { migration in
            try migration.enumerate("Person") { old, new in
                if try old.int("id") == 1 { new.drop() }
                if try old.int("id") == 2 {
                    new.drop()
                    try migration.create("Person", forKey: "new", ["id": -1])
                }
            }
            try migration.enumerate("Person") { old, new in
                seen.append(old.key)
                if old.key == "p3" { new.drop() }
            }
        }

        #expect(seen.all == ["p0", "p3"])
        #expect(after.keys == ["p0", "new"])
    }

    @Test(.throughEveryEntryPoint)
    func `C11: records can be created from values of any type, from properties, and with defaults`() async throws {
        enum Color: String, Codable { case red }
        struct Car: Codable, Equatable {
            var color = Color.red
            var doors: Int? = nil
        }

        let after = try await OldStore([]).upgraded { migration in
            try migration.create("List", forKey: "array", [1, 2])
            try migration.create("Map", forKey: "dictionary", ["a": 1])
            try migration.create("Color", forKey: "enum", Color.red)
            try migration.create("Car", forKey: "struct", Car())
            try migration.create("Car", forKey: "properties", ["color": "red", "doors": 5])
            #expect(throws: MoltError.self) {
                try migration.create("N", forKey: "n", Double.infinity)
            }?.expect(.typeMismatch)
        }

        #expect(
            after.texts == [
                "array": "[1,2]", "dictionary": #"{"a":1}"#, "enum": #""red""#, "struct": #"{"color":"red"}"#,
                "properties": #"{"color":"red","doors":5}"#,
            ]
        )
        #expect(try after["properties"]?.decoded(as: Car.self) == Car(doors: 5))
    }

    @Test(.throughEveryEntryPoint)
    func `C13: deleting a type returns the number of its records, and the type can be used again`() async throws {
        let after = try await OldStore(Self.people).upgraded { migration in
            let counts = try ["Person", "Unknown", "Person"].map { try migration.deleteAll(ofType: $0) }
            #expect(counts == [4, 0, 0])
            #expect(try migration.types.isEmpty)
            try migration.create("Person", forKey: "p0", ["id": 9])
            #expect(try migration.types == ["Person"])
        }

        #expect(after.texts == ["p0": #"{"id":9}"#])
    }

    @Test(.throughEveryEntryPoint)
    func `D27 and D43: a type that the code no longer has can be enumerated and deleted, even with new records`()
        async throws
    {
        let seen = Log<String>()

        let after = try await OldStore(Self.people + [StoredRecord("Gone", "g", "{}")]).upgraded { migration in
            try migration.create("Gone", forKey: "h", ["a": 1])
            try migration.create("Made", forKey: "m", ["a": 1])
            let counts = try ["Gone", "Made", "Unknown"].map { try migration.deleteAll(ofType: $0) }
            #expect(counts == [2, 1, 0])
            try migration.enumerate("Person") { old, new in
                seen.append(try old.string("name"))
                new.drop()
            }
            #expect(try migration.types.isEmpty)
        }

        #expect(seen.all == ["n0", "n1", "n2", "n3"])
        #expect(after.records.isEmpty)
    }

    @Test(.throughEveryEntryPoint)
    func `D37: removing duplicates first makes a change of keys succeed`() async throws {
        let contents = [("a", 1), ("b", 1), ("c", 2)].map { StoredRecord("Person", $0, #"{"id":\#($1)}"#) }

        let after = try await OldStore(contents).upgraded(
            .run("remove doubles") { migration in
                var seen: Set<Int> = []
                try migration.enumerate("Person") { old, new in
                    if try !seen.insert(old.int("id")).inserted { new.drop() }
                }
            },
            .transform("Person") { $0.key = "\(try $0.int("id"))" }
        )

        #expect(after.texts == ["1": #"{"id":1}"#, "2": #"{"id":2}"#])
    }

    @Test(.throughEveryEntryPoint, arguments: [true, false])
    func `D47 and D48: records can be deleted and created again under the same keys, one by one or all`(
        isOneByOne: Bool
    ) async throws {
        let after = try await OldStore(Self.people).upgraded { migration in
            if isOneByOne {
                try migration.enumerate("Person") { old, _ in
                    try migration.delete(old.key)
                    try migration.create("Person", forKey: old.key, ["again": .int(try old.int("id"))])
                }
            } else {
                try migration.deleteAll(ofType: "Person")
                for number in 0..<4 { try migration.create("Person", forKey: "p\(number)", ["again": .int(number)]) }
            }
        }

        #expect(after.keys == ["p0", "p1", "p2", "p3"])
        #expect(after["p3"]?.text == #"{"again":3}"#)
    }

    // MARK: Renaming properties

    private static let kinds: [(String, String)] = [
        ("int", "-1"), ("big", "18446744073709551615"), ("real", "0.1"), ("exponent", "1E+2"), ("true", "true"),
        ("null", "null"), ("string", #""a\u0041\/\n""#), ("empty", #""""#), ("array", "[1, 2 ,[]]"),
        ("object", #"{ "a" : {"b":1} }"#), ("date", "12.5"), ("data", #""AP8=""#), ("long", "0.1000000000000000055"),
        ("negative", "-0.0"), ("unicode", #""Zoë 🐙""#), ("emptyObject", "{}"),
    ]

    @Test(.throughEveryEntryPoint)
    func `D60: properties of every kind can be renamed, and old and new records have equal values`() async throws {
        func json(_ prefix: String) -> String {
            "{" + Self.kinds.map { "\"\(prefix)\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}"
        }

        let after = try await OldStore([StoredRecord("Kinds", "k", json(""))]).upgraded { migration in
            for (name, _) in Self.kinds {
                try migration.renameProperty("Kinds", PropertyPath(name), to: "new-\(name)")
            }
            try migration.enumerate("Kinds") { old, new throws in
                for (name, _) in Self.kinds {
                    #expect(try old.value(PropertyPath(name)) == new.value("new-\(name)"))
                    #expect(!new.contains(PropertyPath(name)))
                    #expect(!old.contains("new-\(name)"))
                }
            }
        }

        #expect(after["k"]?.text == json("new-"))
    }

    @Test(.throughEveryEntryPoint)
    func `D70: a rename to a property of another type fails when the value is read as that type`() async throws {
        struct Renamed: Codable { var number: String }

        let error = try await OldStore(Self.people).failure(
            .renameProperty("Person", "id", to: "number"),
            .convert("Person", from: Renamed.self, to: Renamed.self) { $0 }
        )

        error.expect(.typeMismatch, key: "p0", step: 2)
        #expect(error.message.hasPrefix(#""number": String expected, number found. "#))
    }

    // MARK: Custom names

    private struct Custom: Codable, Equatable {
        var number = 1
        var child = Child(text: "a")
        var list = [Child(text: "b")]

        struct Child: Codable, Equatable {
            var text: String
            enum CodingKeys: String, CodingKey { case text = "custom_text" }
        }
        enum CodingKeys: String, CodingKey {
            case number = "custom_number"
            case child = "custom_child"
            case list
        }
    }

    @Test func `C21 to C23: records have the stored names, which are those of the coding keys and can be renamed`()
        throws
    {
        struct Renamed: Codable {
            var number: Int
            enum CodingKeys: String, CodingKey { case number = "renamed_number" }
        }
        let directory = try ScratchDirectory()
        var migrations = MigrationRegistry()
        func open() throws -> CodableCache { try CodableCache(at: directory.file(), migrations: migrations) }
        try open().set(Custom(), forKey: "c")
        migrations.register(Migration(to: 1, "bump"))
        #expect(try open().value(Custom.self, forKey: "c") == Custom())
        migrations.register(to: 2, "change") { migration in
            try migration.enumerate("Custom") { old, new throws in
                #expect(try old.int("custom_number") == 1)
                #expect(!old.contains("number"))
                #expect(try new.string(["custom_child", "custom_text"]) == "a")
                #expect(new["list"]?.array?.first?.object?["custom_text"] == "b")
                new["custom_number"] = 2
            }
        }
        #expect(try open().value(Custom.self, forKey: "c") == Custom(number: 2))
        let rename = MigrationStep.renameProperty("Custom", "custom_number", to: "renamed_number")
        migrations.register(Migration(to: 3, "rename", rename))
        #expect(try open().value(Renamed.self, forKey: "c")?.number == 2)
    }
}
