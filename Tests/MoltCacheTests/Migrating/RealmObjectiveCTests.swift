import Foundation
import Molt
import Testing

/// Part D of Realm's migration tests, where it applies to a cache.
///
/// A primary key is a record's key, a link a nested object.
@Suite("Realm's Objective-C migration tests")
struct RealmObjectiveCTests {
    private static let people = (0..<4).map { StoredRecord("Person", "p\($0)", #"{"id":\#($0),"name":"n\#($0)"}"#) }

    private static func after(
        _ entry: EntryPoint,
        _ records: [StoredRecord] = people,
        _ steps: MigrationStep...
    ) async throws -> Snapshot {
        try await OldStore(records, through: entry)
            .upgraded(MigrationRegistry([Migration(to: 1, "change", steps: steps)]))
    }

    // MARK: Schema versions

    @Test func `D1: the version is unset, then 0, then 1, and the block sees 0 as the old version`() throws {
        let url = try ScratchDirectory()
        let file = url.file()
        #expect(try CacheStore.state(at: file).isFresh)
        try CodableCache(at: file).close()
        #expect(try CacheStore.state(at: file).version == 0)
        let seen = Log<Int>()

        try CodableCache(at: file, migrations: registry(.run { seen.append($0.oldVersion) })).close()

        #expect(try CacheStore.state(at: file).version == 1)
        #expect(seen.all == [0])
    }

    @Test(arguments: EntryPoint.allCases)
    func `D2: the version cannot decrease`(entry: EntryPoint) async throws {
        let store = try OldStore([], version: 10, ledger: [("ten", 10)], through: entry)

        let error = try await store.failure([Migration(to: 5, "five")])

        #expect(error.code == .superseded)
        #expect(error.storeVersion == 10)
        #expect(error.registryVersion == 5)
        #expect(error.message.contains("version 10"))
    }

    @Test func `D3: each file has its own version`() async throws {
        let first = try OldStore(Self.people)
        let second = try OldStore(Self.people)

        try await first.upgrade([Migration(to: 4, "a")])

        #expect(try first.snapshot().version == 4)
        #expect(try second.snapshot().version == 0)
        try await second.upgrade([Migration(to: 2, "b")])
        #expect(try first.snapshot().version == 4)
        #expect(try second.snapshot().version == 2)
    }

    // MARK: Calls of a block

    @Test(arguments: [EntryPoint.initializer, .asyncOpen, .migrator])
    func `D23: no block is called for a new store`(entry: EntryPoint) async throws {
        let directory = try ScratchDirectory()
        let url = directory.file()
        let migrations = registry(.run { _ in throw Refusal() }, .transform("Person") { _ in throw Refusal() })

        switch entry {
        case .asyncOpen: try await CodableCache.open(at: url, migrations: migrations).close()
        case .migrator: _ = try Migrator(migrations).migrate(CacheStore(at: url))
        default: try CodableCache(at: url, migrations: migrations).close()
        }

        #expect(try CacheStore.state(at: url).version == 1)
    }

    @Test(arguments: EntryPoint.allCases)
    func `D24: no block is called when the version is unchanged`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.people, version: 1, ledger: [("change", 1)], through: entry)

        let report = try await store.upgrade(registry(.run { _ in throw Refusal() }))

        #expect(report.isEmpty)
    }

    @Test func `D25: the block is called at each new version, however the store is opened`() async throws {
        let seen = Log<String>()
        var migrations = MigrationRegistry()
        let store = try OldStore(Self.people)
        for version in 1...3 {
            migrations.register(to: version, "v\(version)") { seen.append("\($0.oldVersion)>\($0.version)") }
            switch version {
            case 1: try CodableCache(at: store.url, migrations: migrations).close()
            case 2: try await CodableCache.open(at: store.url, migrations: migrations).close()
            default: _ = try Migrator(migrations).migrate(CacheStore(at: store.url))
            }
        }

        #expect(seen.all == ["0>1", "1>2", "2>3"])
    }

    @Test func `D26: an asynchronous opening runs the block, and leaves no connection open`() async throws {
        let store = try OldStore(Self.people)
        let cache = try await CodableCache.open(
            at: store.url,
            migrations: registry(.run { try $0.enumerate("Person") { _, new in new["x"] = 1 } })
        )

        #expect(try cache.count() == 4)
        cache.close()
        // The last connection to close removes the files beside the store.
        #expect(try store.directory.names() == ["cache.molt"])
        #expect(try store.snapshot()["p3"]?.text == #"{"id":3,"name":"n3","x":1}"#)
    }

    // MARK: Correctness

    @Test(arguments: EntryPoint.allCases)
    func `D27: all records of a type that the code no longer has are deleted, and so are new ones of such a type`(
        entry: EntryPoint
    ) async throws {
        let after = try await Self.after(
            entry,
            Self.people + [StoredRecord("Gone", "g", "{}")],
            .run { migration in
                try migration.create("Gone", forKey: "h", ["a": 1])
                try migration.create("Made", forKey: "m", ["a": 1])
                let counts = try ["Gone", "Made", "Unknown"].map { try migration.deleteAll(ofType: $0) }
                #expect(counts == [2, 1, 0])
            }
        )

        #expect(after.keys == Self.people.map(\.key))
    }

    @Test(arguments: EntryPoint.allCases)
    func `D28: an added property is missing in the old record, and is stored with the new one`(
        entry: EntryPoint
    ) async throws {
        let after = try await Self.after(
            entry,
            Self.people,
            .run { migration in
                try migration.enumerate("Person") { old, new in
                    let error = #expect(throws: MigrationError.self) { try old.value("mail") }
                    #expect(error?.code == .propertyMissing)
                    new["mail"] = .string(try old.string("name") + "@x")
                }
            }
        )

        #expect(after["p2"]?.text == #"{"id":2,"name":"n2","mail":"n2@x"}"#)
    }

    @Test(arguments: EntryPoint.allCases)
    func `D29: a property that comes first in the new model does not mix up values`(entry: EntryPoint) async throws {
        struct Person: Codable, Equatable {
            var mail: String
            var id: Int
            var name: String
        }

        let after = try await Self.after(entry, Self.people, .addProperty("Person", "mail", default: "none"))

        #expect(try after["p1"]?.decoded(as: Person.self) == Person(mail: "none", id: 1, name: "n1"))
    }

    @Test(arguments: EntryPoint.allCases)
    func `D30: a removed property can be read from the old record, but no longer from the new one`(
        entry: EntryPoint
    ) async throws {
        let after = try await Self.after(
            entry,
            Self.people,
            .run { migration in
                try migration.enumerate("Person") { old, new in
                    try new.remove("name")
                    #expect(try old.string("name").hasPrefix("n"))
                    #expect(throws: MigrationError.self) { try new.string("name") }
                }
            },
            .run { migration in
                try migration.enumerate("Person") { old, _ in
                    #expect(throws: MigrationError.self) { try old.value("name") }
                }
            }
        )

        #expect(after["p0"]?.text == #"{"id":0}"#)
    }

    @Test(arguments: EntryPoint.allCases)
    func `D31: removing one property and adding another is no rename`(entry: EntryPoint) async throws {
        let after = try await Self.after(
            entry,
            Self.people,
            .removeProperty("Person", "name"),
            .addProperty("Person", "title", default: "")
        )

        #expect(after["p3"]?.text == #"{"id":3,"title":""}"#)
    }

    @Test(arguments: EntryPoint.allCases)
    func `D32: a property can be changed from a number to a string`(entry: EntryPoint) async throws {
        let after = try await Self.after(
            entry,
            Self.people,
            .run { migration in
                try migration.enumerate("Person") { old, new in
                    new["id"] = .string("\(try old.int("id"))")
                    #expect(throws: MigrationError.self) { try new.int("id") }
                }
            }
        )

        #expect(after["p2"]?.text == #"{"id":"2","name":"n2"}"#)
    }

    private static let family = [
        StoredRecord(
            "Person",
            "ada",
            #"{"pet":{"name":"Rex"},"pets":[{"name":"Tom"}],"tags":["a"],"friends":[{"name":"Bob"}]}"#
        )
    ]

    @Test(arguments: EntryPoint.allCases)
    func `D33: a nested object can be emptied, and the rest is kept`(entry: EntryPoint) async throws {
        let after = try await Self.after(
            entry,
            Self.family,
            .run { migration in
                try migration.enumerate("Person") { old, new throws in
                    new["pet"] = .null
                    #expect(try old.string(["pet", "name"]) == "Rex")
                    #expect(new["pet"]?.isNull == true)
                }
            }
        )

        #expect(
            after["ada"]?.text == #"{"pet":null,"pets":[{"name":"Tom"}],"tags":["a"],"friends":[{"name":"Bob"}]}"#
        )
    }

    @Test(arguments: EntryPoint.allCases, ["pets", "tags"])
    func `D34 and D35: emptying one collection empties no other`(entry: EntryPoint, name: String) async throws {
        let after = try await Self.after(entry, Self.family, .transform("Person") { $0[PropertyPath(name)] = [] })

        let emptied = name == "pets" ? #"[{"name":"Tom"}]"# : #"["a"]"#
        #expect(
            after["ada"]?.text
                == Self.family[0].text.replacingOccurrences(of: "\"\(name)\":\(emptied)", with: "\"\(name)\":[]")
        )
    }

    // MARK: Keys

    @Test(arguments: EntryPoint.allCases)
    func `D37: duplicate keys fail the upgrade, and removing the duplicates first makes it succeed`(
        entry: EntryPoint
    ) async throws {
        let records = [
            StoredRecord("Person", "a", #"{"id":1}"#), StoredRecord("Person", "b", #"{"id":1}"#),
            StoredRecord("Person", "c", #"{"id":2}"#),
        ]
        let byID = MigrationStep.transform("Person") { $0.key = "\(try $0.int("id"))" }
        let store = try OldStore(records, through: entry)

        let error = try await store.failure(registry(byID))
        #expect(error.code == .keyExists)
        #expect(error.recordKey == "a")

        let after = try await store.upgraded(
            registry(
                .run("remove doubles") { migration in
                    var seen: Set<Int> = []
                    try migration.enumerate("Person") { old, new in
                        if try !seen.insert(old.int("id")).inserted { new.drop() }
                    }
                },
                byID
            )
        )
        #expect(after.texts == ["1": #"{"id":1}"#, "2": #"{"id":2}"#])
    }

    @Test(arguments: EntryPoint.allCases)
    func `D38: a failed migration leaves a store that opens with the old registry`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.people, through: entry)

        _ = try await store.failure(
            registry(
                .run { migration in
                    try migration.enumerate("Person") { _, new in new["name"] = 1 }
                    try migration.deleteAll(ofType: "Person")
                    throw Refusal()
                }
            )
        )
        let report = try await store.upgrade([])

        #expect(report.isEmpty)
        #expect(try store.snapshot().records.map(\.text) == Self.people.map(\.text))
    }

    @Test(arguments: EntryPoint.allCases)
    func `D39: a record that a block creates persists`(entry: EntryPoint) async throws {
        let after = try await Self.after(
            entry,
            Self.people,
            .run { try $0.create("Person", forKey: "new", ["id": 9]) }
        )

        #expect(after.keys == Self.people.map(\.key) + ["new"])
    }

    // MARK: Enumerating and deleting

    @Test(arguments: EntryPoint.allCases)
    func `D41: after deletions, a second enumeration visits the remaining records`(entry: EntryPoint) async throws {
        let seen = Log<String>()

        _ = try await Self.after(
            entry,
            Self.people,
            .run { migration in
                try migration.enumerate("Person") { old, new in if try old.int("id") == 1 { new.drop() } }
                try migration.enumerate("Person") { old, new in seen.append(old.key + new.key) }
            }
        )

        #expect(seen.all == ["p0p0", "p2p2", "p3p3"])
    }

    @Test(arguments: EntryPoint.allCases)
    func `D42: after deletions and insertions, a second enumeration visits only records from before the block`(
        entry: EntryPoint
    ) async throws {
        let seen = Log<String>()

        _ = try await Self.after(
            entry,
            Self.people,
            .run { migration in
                try migration.enumerate("Person") { old, new in
                    if old.key != "p0" { new.drop() }
                    try migration.create("Person", forKey: "new-\(old.key)", ["id": -1])
                }
                try migration.enumerate("Person") { old, _ in seen.append(old.key) }
            }
        )

        #expect(seen.all == ["p0"])
    }

    @Test(arguments: EntryPoint.allCases)
    func `D43: a type that the code no longer has can be enumerated`(entry: EntryPoint) async throws {
        let seen = Log<String>()

        let after = try await Self.after(
            entry,
            Self.people,
            .run { migration in
                try migration.enumerate("Person") { old, new in
                    seen.append(try old.string("name"))
                    new.drop()
                }
                #expect(try migration.types.isEmpty)
            }
        )

        #expect(seen.all == ["n0", "n1", "n2", "n3"])
        #expect(after.records.isEmpty)
    }

    @Test(arguments: EntryPoint.allCases)
    func `D44: after all records of a type were deleted, none is enumerated`(entry: EntryPoint) async throws {
        let after = try await Self.after(
            entry,
            Self.people,
            .run { migration in
                try migration.deleteAll(ofType: "Person")
                try migration.enumerate("Person") { _, _ in throw Refusal() }
            }
        )

        #expect(after.records.isEmpty)
    }

    @Test(arguments: EntryPoint.allCases)
    func `D45: records can be deleted by their contents`(entry: EntryPoint) async throws {
        let after = try await Self.after(
            entry,
            Self.people,
            .transform("Person") { if try $0.int("id") > 1 { $0.drop() } }
        )

        #expect(after.keys == ["p0", "p1"])
    }

    @Test(arguments: EntryPoint.allCases)
    func `D46: the deletions of two enumerations are both applied`(entry: EntryPoint) async throws {
        let after = try await Self.after(
            entry,
            Self.people,
            .run { migration in
                try migration.enumerate("Person") { old, new in if old.key == "p0" { new.drop() } }
                try migration.enumerate("Person") { old, new in if old.key == "p2" { new.drop() } }
            }
        )

        #expect(after.keys == ["p1", "p3"])
    }

    @Test(arguments: EntryPoint.allCases)
    func `D47: records can be deleted one by one and created again under the same keys`(entry: EntryPoint) async throws
    {
        let after = try await Self.after(
            entry,
            Self.people,
            .run { migration in
                try migration.enumerate("Person") { old, _ in
                    try migration.delete(old.key)
                    try migration.create("Person", forKey: old.key, ["again": .int(try old.int("id"))])
                }
            }
        )

        #expect(after.keys == ["p0", "p1", "p2", "p3"])
        #expect(after["p3"]?.text == #"{"again":3}"#)
    }

    @Test(arguments: EntryPoint.allCases)
    func `D48: all records of a type can be deleted and created again under the same keys`(entry: EntryPoint)
        async throws
    {
        let after = try await Self.after(
            entry,
            Self.people,
            .run { migration in
                try migration.deleteAll(ofType: "Person")
                for number in 0..<4 { try migration.create("Person", forKey: "p\(number)", ["again": .int(number)]) }
            }
        )

        #expect(after.keys == ["p0", "p1", "p2", "p3"])
        #expect(after["p3"]?.text == #"{"again":3}"#)
    }

    // MARK: Optionals

    @Test(arguments: EntryPoint.allCases)
    func `D49: when a required property becomes optional, a new version alone keeps the values`(entry: EntryPoint)
        async throws
    {
        struct Person: Codable { var name: String? }

        let after = try await Self.after(entry, Self.people)

        #expect(try after["p1"]?.decoded(as: Person.self).name == "n1")
        #expect(after.version == 1)
    }

    /// Realm resets every value of such a property, even existing ones.
    @Test(arguments: EntryPoint.allCases)
    func `D50: when an optional property becomes required, existing values are kept`(entry: EntryPoint) async throws {
        struct Person: Codable, Equatable { var name: String }
        let records = [
            StoredRecord("Person", "set", #"{"name":"Ada"}"#), StoredRecord("Person", "null", #"{"name":null}"#),
            StoredRecord("Person", "missing", "{}"),
        ]

        let after = try await Self.after(entry, records, .addProperty("Person", "name", default: ""))

        #expect(try after.records.map { try $0.decoded(as: Person.self).name } == ["Ada", "", ""])
    }

    @Test(arguments: EntryPoint.allCases)
    func `D52: when the format of the keys changes, records are found by the new keys`(entry: EntryPoint) async throws {
        let after = try await Self.after(
            entry,
            Self.people,
            .run { migration in
                try migration.enumerate("Person") { old, new in
                    new["id"] = .string("id-\(try old.int("id"))")
                    new.key = "person/\(try old.int("id"))"
                }
                #expect(try migration.record(forKey: "person/3")?.string("id") == "id-3")
                #expect(try migration.record(forKey: "p3") == nil)
            }
        )

        #expect(after["person/2"]?.text == #"{"id":"id-2","name":"n2"}"#)
    }

    // MARK: Renaming properties

    private static let kinds: [(String, String)] = [
        ("int", "-1"), ("big", "18446744073709551615"), ("real", "0.1"), ("exponent", "1E+2"), ("true", "true"),
        ("null", "null"), ("string", #""a\u0041\/\n""#), ("empty", #""""#), ("array", "[1, 2 ,[]]"),
        ("object", #"{ "a" : {"b":1} }"#), ("date", "12.5"), ("data", #""AP8=""#), ("long", "0.1000000000000000055"),
        ("negative", "-0.0"), ("unicode", #""Zoë 🐙""#), ("emptyObject", "{}"),
    ]

    @Test(arguments: EntryPoint.allCases)
    func `D60: properties of every kind can be renamed, and old and new records have equal values`(
        entry: EntryPoint
    ) async throws {
        func json(_ prefix: String) -> String {
            "{" + Self.kinds.map { "\"\(prefix)\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}"
        }

        let after = try await Self.after(
            entry,
            [StoredRecord("Kinds", "k", json(""))],
            .run { migration in
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
        )

        #expect(after["k"]?.text == json("new-"))
    }

    @Test(arguments: EntryPoint.allCases)
    func `D61: the renames of several versions are applied in order`(
        entry: EntryPoint
    ) async throws {
        let store = try OldStore(Self.people, through: entry)

        let after = try await store.upgraded([
            Migration(to: 1, "a", .renameProperty("Person", "name", to: "between")),
            Migration(to: 2, "b", .renameProperty("Person", "between", to: "title")),
        ])

        #expect(after["p0"]?.text == #"{"id":0,"title":"n0"}"#)
        #expect(after["p0"]?.version == (entry == .inMemory ? nil : 2))
    }

    @Test(arguments: EntryPoint.allCases)
    func `D68: a renamed property may become optional`(entry: EntryPoint) async throws {
        struct Person: Codable { var title: String? }

        let after = try await Self.after(entry, Self.people, .renameProperty("Person", "name", to: "title"))

        #expect(try after["p1"]?.decoded(as: Person.self).title == "n1")
    }

    /// Realm refuses such a rename; here, the step may fail for a record without a value, which the error names.
    @Test(arguments: EntryPoint.allCases)
    func `D69: a rename to a required property fails for a record without a value`(entry: EntryPoint) async throws {
        let records = Self.people + [StoredRecord("Person", "anonymous", #"{"id":5}"#)]
        let store = try OldStore(records, through: entry)

        let error = try await store.failure(
            registry(.renameProperty("Person", "name", to: "title", ifMissing: .fail))
        )

        #expect(error.code == .propertyMissing)
        #expect(error.recordKey == "anonymous")
        #expect(error.property == "name")
        #expect(error.message.contains("no property \"name\""))
    }

    @Test(arguments: EntryPoint.allCases)
    func `D70: a rename to a property of another type fails when the value is read as that type`(
        entry: EntryPoint
    ) async throws {
        struct Renamed: Codable { var number: String }

        let error = try await OldStore(Self.people, through: entry).failure(
            registry(
                .renameProperty("Person", "id", to: "number"),
                .convert("Person", from: Renamed.self, to: Renamed.self) { $0 }
            )
        )

        #expect(error.code == .typeMismatch)
        #expect(error.recordKey == "p0")
        #expect(error.message.hasPrefix(#""number": String expected, number found. "#))
        #expect(error.step?.number == 2)
    }

    @Test(arguments: EntryPoint.allCases, [["pet", "id"], ["pets", "id"]])
    func `D71: a rename inside a value that is no object is skipped, or fails when asked to`(
        entry: EntryPoint,
        path: [String]
    ) async throws {
        let records = [StoredRecord("Person", "ada", #"{"pet":"Rex","pets":[{"id":1}]}"#)]
        let isLink = path[0] == "pet"
        func step(_ missing: MigrationStep.MissingProperty) -> MigrationStep {
            isLink
                ? .renameProperty("Person", ["pet", "id"], to: "number", ifMissing: missing)
                : .renameProperty("Person", ["pets", "id"], to: "number", ifMissing: missing)
        }

        let skipped = try await OldStore(records, through: entry).upgraded(registry(step(.skip)))
        let error = try await OldStore(records, through: entry).failure(registry(step(.fail)))

        #expect(skipped["ada"]?.text == records[0].text)
        #expect(error.code == .propertyMissing)
        #expect(error.property == path.joined(separator: "."))
        #expect(error.message.contains(path.joined(separator: ".")))
    }

    @Test(arguments: EntryPoint.allCases)
    func `D72: a missing property, a taken name and a deleted type are errors that name them`(
        entry: EntryPoint
    ) async throws {
        let missing = try await OldStore(Self.people, through: entry).failure(
            registry(.renameProperty("Person", "nothing", to: "title", ifMissing: .fail))
        )
        #expect(missing.code == .propertyMissing)
        #expect(missing.message.contains("no property \"nothing\""))

        let exists = try await OldStore(Self.people, through: entry).failure(
            registry(.renameProperty("Person", "id", to: "name"))
        )
        #expect(exists.code == .propertyExists)
        #expect(exists.property == "name")
        #expect(exists.message.contains("to \"name\": the record has a property with that name already"))

        let gone = try await OldStore(Self.people, through: entry).failure(
            registry(.deleteType("Person"), .renameProperty("Person", "name", to: "title"))
        )
        #expect(gone.code == .invalidRegistry)
        #expect(gone.message.contains("The type Person was deleted by an earlier step."))

        let kept = try await OldStore(Self.people, through: entry).failure(
            registry(.renameProperty("Person", "name", to: "title"), .removeProperty("Person", "name"))
        )
        #expect(kept.code == .invalidRegistry)
        #expect(kept.message.contains("The property Person.name was renamed to title by an earlier step."))
    }
}
