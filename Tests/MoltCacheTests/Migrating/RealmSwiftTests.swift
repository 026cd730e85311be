import Foundation
import Molt
import Testing

/// Part C of Realm's migration tests, where it applies to a cache; a class is a type name, an object a record.
@Suite("Realm Swift's migration tests")
struct RealmSwiftTests {
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

    private static func everything() throws -> StoredRecord {
        let json = try RecordCoding.standard.encoder.encode(Everything())
        return StoredRecord("Everything", "e", String(decoding: json, as: UTF8.self))
    }

    private static let people = (0..<4).map { StoredRecord("Person", "p\($0)", #"{"age":\#($0)}"#) }

    @Test func `C1: a file's version can be read without opening the file, whether it exists or not`() throws {
        let directory = try ScratchDirectory()
        let url = directory.file()

        #expect(try CacheStore.state(at: url) == .fresh)
        #expect(try directory.names().isEmpty)
        try CodableCache(at: url).close()
        #expect(try CacheStore.state(at: url).version == 0)
        #expect(try !CacheStore.state(at: url).isFresh)
        try CodableCache(at: url, migrations: [Migration(to: 3, "a")]).close()
        #expect(try CacheStore.state(at: url).version == 3)

        let error = #expect(throws: CacheError.self) { try CacheStore.state(at: URL(fileURLWithPath: "/dev/null")) }
        #expect(error?.code == .notAFile)
    }

    @Test(arguments: EntryPoint.allCases)
    func `C2: a new version without a change of shape runs the block once`(entry: EntryPoint) async throws {
        let runs = Log<Int>()
        let migrations = registry(.run { runs.append($0.oldVersion) })
        let store = try OldStore(Self.people, through: entry)

        try await store.upgrade(migrations)
        try await store.upgrade(migrations)

        #expect(runs.all == [0])
        #expect(try store.snapshot().version == 1)
    }

    @Test(arguments: EntryPoint.allCases)
    func `C4: an empty store and an unknown type have no records to enumerate, and reading a missing property throws`(
        entry: EntryPoint
    ) async throws {
        let visits = Log<String>()
        try await OldStore([], through: entry).upgrade(
            registry(.run { try $0.enumerate("Person") { _, _ in visits.append("person") } })
        )
        #expect(visits.all.isEmpty)

        let record = StoredRecord("Person", "p", #"{"tags":[{"a":1}],"map":{"k":{"b":2}}}"#)
        try await OldStore([record], through: entry).upgrade(
            registry(
                .run { migration in
                    try migration.enumerate("Nobody") { _, _ in visits.append("nobody") }
                    try migration.enumerate("Person") { old, new in
                        visits.append(old.key + new.key)
                        #expect(throws: MigrationError.self) { try old.value("missing") }
                        #expect(throws: MigrationError.self) { try new.value("missing") }
                        // The contents of arrays and dictionaries can be read without any type of the app.
                        #expect(old["tags"]?.array?.first?.object?["a"] == 1)
                        #expect(new[["map", "k", "b"]] == 2)
                    }
                }
            )
        )
        #expect(visits.all == ["pp"])
    }

    @Test(arguments: EntryPoint.allCases)
    func `C5: every kind of value can be read from the old and the new record`(entry: EntryPoint) async throws {
        let store = try OldStore([Self.everything()], through: entry)
        let expected = Everything()

        try await store.upgrade(
            registry(
                .run { migration in
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
            )
        )

        #expect(try store.snapshot()["e"]?.decoded(as: Everything.self) == expected)
    }

    @Test(arguments: EntryPoint.allCases)
    func `C7: optionals can be read from both records, whether all are nil or all are set`(entry: EntryPoint)
        async throws
    {
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
        let store = try OldStore(
            [
                StoredRecord("Optionals", "missing", "{}"),
                StoredRecord("Optionals", "null", nulls),
                StoredRecord("Optionals", "set", full),
            ],
            through: entry
        )
        let seen = Log<[Bool]>()

        let after = try await store.upgraded(
            registry(
                .run { migration in
                    try migration.enumerate("Optionals") { old, new throws in
                        let expected = old.key == "set" ? all : Optionals()
                        #expect(try old.decoded(as: Optionals.self) == expected)
                        #expect(try new.decoded(as: Optionals.self) == expected)
                        seen.append([old.contains("int"), old["int"] == nil, old["int"]?.isNull ?? false])
                    }
                }
            )
        )

        #expect(seen.all == [[false, true, false], [true, false, true], [true, false, false]])
        #expect(after.texts == ["missing": "{}", "null": nulls, "set": full])
    }

    @Test(arguments: EntryPoint.allCases)
    func `C8: after deletions, a second enumeration visits the remaining records, old and new still paired`(
        entry: EntryPoint
    ) async throws {
        let seen = Log<String>()
        let types = ["Person", "City", "Robot"]
        let records = types.flatMap { type in
            (0..<4).map { StoredRecord(type, "\(type)\($0)", #"{"number":\#($0)}"#) }
        }

        let after = try await OldStore(records, through: entry).upgraded(
            registry(
                .run { migration in
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
            )
        )

        #expect(seen.all == types.flatMap { ["\($0) 0", "\($0) 3"] })
        #expect(after.keys == types.flatMap { ["\($0)0", "\($0)3"] })
    }

    @Test(arguments: EntryPoint.allCases)
    func `C9: records created during the migration are not enumerated, and deleted ones are skipped`(
        entry: EntryPoint
    ) async throws {
        let seen = Log<String>()

        let after = try await OldStore(Self.people, through: entry).upgraded(
            registry(
                .run { migration in
                    try migration.enumerate("Person") { old, new in
                        if try old.int("age") == 1 { new.drop() }
                        if try old.int("age") == 2 {
                            new.drop()
                            try migration.create("Person", forKey: "new", ["age": -1])
                        }
                    }
                    try migration.enumerate("Person") { old, _ in seen.append(old.key) }
                }
            )
        )

        #expect(seen.all == ["p0", "p3"])
        #expect(after.keys == ["p0", "p3", "new"])
    }

    @Test(arguments: EntryPoint.allCases)
    func `C10: after deleting all records of a type and creating one, none is enumerated`(entry: EntryPoint)
        async throws
    {
        let after = try await OldStore(Self.people, through: entry).upgraded(
            registry(
                .run { migration in
                    try migration.deleteAll(ofType: "Person")
                    try migration.create("Person", forKey: "new", ["age": 1])
                    try migration.enumerate("Person") { _, _ in throw Refusal() }
                }
            )
        )

        #expect(after.keys == ["new"])
    }

    @Test(arguments: EntryPoint.allCases)
    func `C11: records can be created from values of any type, from properties, and with defaults`(
        entry: EntryPoint
    ) async throws {
        enum Color: String, Codable { case red }
        struct Car: Codable, Equatable {
            var color = Color.red
            var doors: Int? = nil
        }

        let after = try await OldStore([], through: entry).upgraded(
            registry(
                .run { migration in
                    try migration.create("List", forKey: "array", [1, 2])
                    try migration.create("Map", forKey: "dictionary", ["a": 1])
                    try migration.create("Color", forKey: "enum", Color.red)
                    try migration.create("Car", forKey: "struct", Car())
                    try migration.create("Car", forKey: "properties", ["color": "red", "doors": 5])
                    let error = #expect(throws: MigrationError.self) {
                        try migration.create("Number", forKey: "infinite", Double.infinity)
                    }
                    #expect(error?.code == .typeMismatch)
                }
            )
        )

        #expect(
            after.texts == [
                "array": "[1,2]", "dictionary": #"{"a":1}"#, "enum": #""red""#, "struct": #"{"color":"red"}"#,
                "properties": #"{"color":"red","doors":5}"#,
            ]
        )
        #expect(try after["properties"]?.decoded(as: Car.self) == Car(doors: 5))
    }

    @Test(arguments: EntryPoint.allCases)
    func `C12: deleting one of two records leaves the other`(entry: EntryPoint) async throws {
        let after = try await OldStore(Array(Self.people.prefix(2)), through: entry).upgraded(
            registry(
                .run { migration in
                    try migration.enumerate("Person") { old, new in
                        if try old.int("age") == 0 { new.drop() }
                    }
                    #expect(try migration.count(ofType: "Person") == 1)
                }
            )
        )

        #expect(after.keys == ["p1"])
    }

    @Test(arguments: EntryPoint.allCases)
    func `C13: deleting a type returns the number of its records, and the type can be used again`(
        entry: EntryPoint
    ) async throws {
        let after = try await OldStore(Self.people, through: entry).upgraded(
            registry(
                .run { migration in
                    let counts = try ["Person", "Unknown", "Person"].map { try migration.deleteAll(ofType: $0) }
                    #expect(counts == [4, 0, 0])
                    #expect(try migration.types.isEmpty)
                    try migration.create("Person", forKey: "p0", ["age": 9])
                    #expect(try migration.types == ["Person"])
                }
            )
        )

        #expect(after.texts == ["p0": #"{"age":9}"#])
    }

    @Test(arguments: EntryPoint.allCases, [false, true])
    func `C14: a renamed property keeps its value`(entry: EntryPoint, inBlock: Bool) async throws {
        let step: MigrationStep =
            inBlock
            ? .run { try $0.renameProperty("Everything", "string", to: "text") }
            : .renameProperty("Everything", "string", to: "text")
        let before = try Self.everything()

        let after = try await OldStore([before], through: entry).upgraded(registry(step))

        #expect(after["e"]?.text == before.text.replacingOccurrences(of: #""string":"#, with: #""text":"#))
    }

    // MARK: Custom names

    private struct Custom: Codable, Equatable {
        var number: Int
        var child: Child
        var list: [Child]

        struct Child: Codable, Equatable {
            var text: String
            enum CodingKeys: String, CodingKey { case text = "custom_text" }
        }
        enum CodingKeys: String, CodingKey {
            case number = "custom_number"
            case child = "custom_child"
            case list
        }
        static let value = Custom(number: 1, child: Child(text: "a"), list: [Child(text: "b")])
    }

    @Test func `C21: both records use the stored names, which are those of the coding keys`() async throws {
        let directory = try ScratchDirectory()
        let old = try CodableCache(at: directory.file())
        try old.set(Custom.value, forKey: "c")
        old.close()

        let cache = try CodableCache(
            at: directory.file(),
            migrations: registry(
                .run { migration in
                    try migration.enumerate("Custom") { old, new throws in
                        #expect(try old.int("custom_number") == 1)
                        #expect(!old.contains("number"))
                        #expect(try new.string(["custom_child", "custom_text"]) == "a")
                        #expect(new["list"]?.array?.first?.object?["custom_text"] == "b")
                        new["custom_number"] = 2
                    }
                }
            )
        )

        #expect(try cache.value(Custom.self, forKey: "c")?.number == 2)
        #expect(try cache.value(Custom.self, forKey: "c")?.list == Custom.value.list)
        cache.close()
    }

    @Test func `C22: values with custom names are unchanged by a new version without a block`() throws {
        let directory = try ScratchDirectory()
        let old = try CodableCache(at: directory.file())
        try old.set(Custom.value, forKey: "c")
        old.close()

        let cache = try CodableCache(at: directory.file(), migrations: [Migration(to: 1, "bump")])

        #expect(try cache.value(Custom.self, forKey: "c") == .value)
        cache.close()
    }

    @Test func `C23: a stored name can be renamed to another stored name`() throws {
        struct Renamed: Codable {
            var number: Int
            enum CodingKeys: String, CodingKey { case number = "renamed_number" }
        }
        let directory = try ScratchDirectory()
        let old = try CodableCache(at: directory.file())
        try old.set(Custom.value, forKey: "c")
        old.close()

        let cache = try CodableCache(
            at: directory.file(),
            migrations: registry(.renameProperty("Custom", "custom_number", to: "renamed_number"))
        )

        #expect(try cache.value(Renamed.self, forKey: "c")?.number == 1)
        cache.close()
    }
}
