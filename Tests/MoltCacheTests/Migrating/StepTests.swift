import Foundation
import Testing

@testable import Molt

/// Their changes of single records are tested in MoltCoreTests; these tests are about whole stores.
@Suite("Steps that change a property of each record", .through(.migrator))
struct PropertyStepTests {
    private static let ada = #"{"mail":"a@x","home":{"zip":1,"city":"London"},"age":36}"#
    private static let bob = #"{"age":null,"home":null}"#
    private static let rome = #"{"mail":"office"}"#
    private static let records = [
        StoredRecord("Person", "ada", ada), StoredRecord("Person", "bob", bob), StoredRecord("City", "rome", rome),
    ]

    /// Steps, each with what becomes of Ada and Bob.
    private static let changes: [(steps: [MigrationStep], ada: String, bob: String)] = [
        (
            [.renameProperty("Person", "mail", to: "email")],
            #"{"email":"a@x","home":{"zip":1,"city":"London"},"age":36}"#, bob
        ),
        (
            [.renameProperty("Person", ["home", "zip"], to: "code")],
            #"{"mail":"a@x","home":{"code":1,"city":"London"},"age":36}"#, bob
        ),
        (
            [.moveProperty("Person", "mail", to: ["contact", "mail"])],
            #"{"home":{"zip":1,"city":"London"},"age":36,"contact":{"mail":"a@x"}}"#, bob
        ),
        (
            [.removeProperty("Person", "age"), .removeProperty("Person", ["home", "city"])],
            #"{"mail":"a@x","home":{"zip":1}}"#, #"{"home":null}"#
        ),
        ([.addProperty("Person", "age", default: ["UK", 44])], ada, #"{"age":["UK",44],"home":null}"#),
    ]

    @Test(arguments: changes.indices)
    func `A step changes the records of its type that have the property, and no others`(index: Int) async throws {
        let (steps, ada, bob) = Self.changes[index]
        let after = try await OldStore(Self.records).upgraded([Migration(to: 1, "change", steps: steps)])
        #expect(after.texts == ["ada": ada, "bob": bob, "rome": Self.rome])
    }

    @Test(arguments: [
        (MigrationStep.renameProperty("Person", "mail", to: "new", ifMissing: .fail), "mail"),
        (.renameProperty("Person", ["home", "zip"], to: "new", ifMissing: .fail), "home.zip"),
    ])
    func `A step fails on a record without the property when asked to`(step: MigrationStep, path: String) async throws {
        let error = try await OldStore(Self.records).failure(step)
        error.expect(.propertyMissing, key: "bob", type: "Person", property: path)
        error.expect(id: MigrationID(name: "change", version: 1), step: 1, summary: step.description)
    }

    @Test func `A step fails when the new place is taken, and names the record`() async throws {
        let store = try OldStore(Self.records)
        let error = try await store.failure(.renameProperty("Person", "mail", to: "age"))
        error.expect(.propertyExists, key: "ada", property: "age", migration: "change")
        error.expect(says: "to \"age\": the record has a property with that name already")
        try await store.failure(.moveProperty("Person", "mail", to: ["home", "zip"]))
            .expect(.propertyExists, key: "ada", property: "home.zip")
    }

    @Test func `A record that is no object fails the steps that must write to it, and the others skip it`()
        async throws
    {
        let contents = ["[1]", "3", #""text""#, "null"]
        let store = try OldStore(contents.map { StoredRecord("Person", $0, $0) })
        try await store.failure(.addProperty("Person", "a", default: 1)).expect(.typeMismatch, key: "[1]")
        let skipped = try await store.upgraded(
            .renameProperty("Person", "a", to: "b"),
            .removeProperty("Person", "c")
        )
        #expect(skipped.records.map(\.text) == contents)
    }

    @Test func `A record that is not JSON fails only the steps that read it`() async throws {
        let records = [StoredRecord("Person", "bad", #"{"a":1,}"#)]
        let store = try OldStore(records)
        try await store.failure(.removeProperty("Person", "a"))
            .expect(.malformedContent, key: "bad", migration: "change")
        let untouched = try await store.upgraded(.removeProperty("City", "a"))
        #expect(untouched["bad"]?.text == #"{"a":1,}"#)
        for step: MigrationStep in [.deleteType("Person"), .run { try $0.delete("bad") }] {
            #expect(try await OldStore(records).upgraded(step).records.isEmpty)
        }
    }
}

/// One rule for everything that names a place in a record: see "Change a record in place" in the guide.
@Suite("A path to a missing property")
struct MissingPlaceTests {
    private static let path: PropertyPath = ["a", "b"]

    /// Contents without a property at the path, each with the result of writing to the path, or nil where that fails.
    private static let contents: [(content: String, written: String?)] = [
        (#"{"x":1}"#, #"{"x":1,"a":{"b":7}}"#),
        (#"{"x":1,"a":null}"#, #"{"x":1,"a":{"b":7}}"#),
        (#"{"x":1,"a":{}}"#, #"{"x":1,"a":{"b":7}}"#),
        (#"{"x":1,"a":true}"#, nil),
        (#"{"x":1,"a":5}"#, nil),
        (#"{"x":1,"a":"text"}"#, nil),
        (#"{"x":1,"a":[{"b":1}]}"#, nil),
        ("null", nil),
        ("5", nil),
        (#""text""#, nil),
        (#"[{"a":{"b":1}}]"#, nil),
    ]

    /// Everything that leaves a record unchanged.
    private static let lenient: [(String, MigrationStep)] = [
        ("rename", .renameProperty("T", path, to: "c")),
        ("move", .moveProperty("T", path, to: "c")),
        ("remove", .removeProperty("T", path)),
        ("subscript", .transform("T") { #expect($0[path] == nil) }),
        ("subscript, nil", .transform("T") { $0[path] = nil }),
        ("contains", .transform("T") { #expect(!$0.contains(path)) }),
    ]

    /// Everything that fails because the property is missing.
    private static let strict: [(String, MigrationStep)] = [
        ("rename", .renameProperty("T", path, to: "c", ifMissing: .fail)),
        ("move", .moveProperty("T", path, to: "c", ifMissing: .fail)),
        ("remove", .removeProperty("T", path, ifMissing: .fail)),
        ("value", .transform("T") { _ = try $0.value(path) }),
        ("value as", .transform("T") { _ = try $0.value(path, as: [Int].self) }),
        ("string", .transform("T") { _ = try $0.string(path) }),
        ("rename", .transform("T") { try $0.rename(path, to: "c") }),
        ("move", .transform("T") { try $0.move(path, to: "c") }),
        ("remove", .transform("T") { try $0.remove(path) }),
        ("remove as", .transform("T") { _ = try $0.remove(path, as: Int.self) }),
    ]

    /// Everything that writes 7 to the path.
    private static let writing: [(String, MigrationStep)] = [
        ("add", .addProperty("T", path, default: 7)),
        ("subscript", .transform("T") { $0[path] = 7 }),
        ("set", .transform("T") { try $0.set(path, to: 7) }),
    ]

    /// Upgrades a document, which goes through the same steps as a record.
    private func upgraded(_ content: String, _ step: MigrationStep) throws -> String {
        let output = try DocumentUpgrade([Migration(to: 1, "change", step)])
            .upgrade(Data(content.utf8), ofType: "T", writtenAt: 0, forKey: "odd")
        return String(decoding: output.content, as: UTF8.self)
    }

    private func expectFailure(
        _ code: MoltError.Code,
        _ content: String,
        _ name: String,
        _ step: MigrationStep
    ) {
        let error = #expect(throws: MoltError.self, "\(name)") { try upgraded(content, step) }
        error?.expect(code, key: "odd", property: "a.b")
    }

    @Test(arguments: contents)
    func `is treated as missing by everything that reads, renames, moves or removes a property`(
        content: String,
        written: String?
    ) throws {
        for (name, step) in Self.lenient { #expect(try upgraded(content, step) == content, "\(name)") }
        for (name, step) in Self.strict { expectFailure(.propertyMissing, content, name, step) }
    }

    @Test(arguments: contents)
    func `can be written where there is nothing or null, and replaces nothing else`(
        content: String,
        written: String?
    ) throws {
        for (name, step) in Self.writing {
            if let written {
                #expect(try upgraded(content, step) == written, "\(name)")
            } else {
                expectFailure(.typeMismatch, content, name, step)
            }
        }
    }

    @Test(arguments: contents.filter { $0.content.hasPrefix("{") })
    func `can be the target of a move under the same rule`(content: String, written: String?) throws {
        for step: MigrationStep in [
            .moveProperty("T", "x", to: Self.path), .transform("T") { try $0.move("x", to: Self.path) },
        ] {
            if let written {
                let moved = written.replacing(#""x":1,"#, with: "").replacing("7", with: "1")
                #expect(try upgraded(content, step) == moved)
            } else {
                expectFailure(.typeMismatch, content, "move", step)
            }
        }
    }

    @Test(arguments: [
        (#"{}"#, #"The record has no property "a". "#),
        (#"{"a":{}}"#, #"The record has no property "a.b". "#),
        (#"{"a":[1]}"#, #"The record has no property "a.b": "a" is not an object. "#),
        (#"{"a":null}"#, #"The record has no property "a.b": "a" is not an object. "#),
        ("[1]", #"The record has no property "a.b": the content is not an object. "#),
    ])
    func `is explained in the error by what the record has in its place`(content: String, words: String) {
        let step = MigrationStep.removeProperty("T", Self.path, ifMissing: .fail)
        let error = #expect(throws: MoltError.self) { try upgraded(content, step) }

        #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
    }
}

@Suite("Steps that change types", .through(.migrator))
struct TypeStepTests {
    private static let records = [
        StoredRecord("Alien", "zork", #"{ "name" : "Zork" }"#),
        StoredRecord("Person", "ada", #"{"name":"Ada"}"#),
        StoredRecord("Alien", "quux", #"{"name":"Quux"}"#),
    ]

    /// Steps, each with the types of the three records afterwards.
    @Test(
        arguments: [
            ([.renameType("Alien", to: "Being")], ["Being", "Person", "Being"]),
            (
                [
                    .renameType("Alien", to: "Third"), .renameType("Person", to: "Alien"),
                    .renameType("Third", to: "Person"),
                ],
                ["Person", "Alien", "Person"]
            ),
            ([.renameType("Robot", to: "Person")], ["Alien", "Person", "Alien"]),
        ] as [([MigrationStep], [String])]
    )
    func `renameType renames all records of a type, if there are any, and changes no byte of them`(
        steps: [MigrationStep],
        types: [String]
    ) async throws {
        let after = try await OldStore(Self.records).upgraded([Migration(to: 1, "change", steps: steps)])

        #expect(after.records.map(\.type) == types)
        #expect(after.records.map(\.text) == Self.records.map(\.text))
        #expect(after.version == 1)
    }

    @Test func `renameType to an existing type merges the two`() async throws {
        let after = try await OldStore(Self.records).upgraded(
            .renameType("Alien", to: "Person"),
            .addProperty("Person", "isHuman", default: true)
        )

        #expect(Set(after.types.values) == ["Person"])
        #expect(after["zork"]?.text == #"{ "name" : "Zork","isHuman":true }"#)
        #expect(after["ada"]?.text == #"{"name":"Ada","isHuman":true}"#)
    }

    @Test func `A closure cannot give a record an empty type name`() async throws {
        let store = try OldStore(Self.records)
        for step: MigrationStep in [
            .transform("Alien") { $0.typeName = "" },
            .run { migration in try migration.enumerate("Alien") { _, new in new.typeName = "" } },
            .run { try $0.create("", forKey: "new", 1) },
        ] {
            try await store.failure(step).expect(.stepFailed)
        }
    }

    @Test func `deleteType deletes only the records of that type`() async throws {
        let store = try OldStore(Self.records)

        let report = try await store.upgrade(.deleteType("Alien"), .deleteType("Robot"))

        #expect(try store.snapshot().keys == ["ada"])
        #expect(report.counts.dropped == 2)
        #expect(report.entries[0].steps.map(\.counts.dropped) == [2, 0])
    }

    @Test func `Steps follow a type through its renames until its deletion`() async throws {
        let after = try await OldStore(Self.records).upgraded([
            Migration(to: 1, "a", .renameProperty("Alien", "name", to: "title")),
            Migration(to: 2, "b", .renameType("Alien", to: "Being"), .addProperty("Being", "legs", default: 3)),
            Migration(to: 3, "c", .transform("Alien") { _ in throw Refusal() }),
            Migration(to: 4, "d", .deleteType("Person")),
            Migration(to: 5, "e", .transform("Person") { _ in throw Refusal() }),
        ])

        #expect(after.texts == ["zork": #"{ "title" : "Zork","legs":3 }"#, "quux": #"{"title":"Quux","legs":3}"#])
        #expect(after.version == 5)
    }
}

@Suite("Unicode spellings of a name")
struct SpellingTests {
    @Test func `Type names and keys that differ only in their Unicode spelling are distinct`() async throws {
        let composed = "Caf\u{E9}"
        let decomposed = "Cafe\u{301}"
        let registry: MigrationRegistry = [
            Migration(to: 1, "type", .renameType(composed, to: "Bar")),
            Migration(to: 2, "mark", .transform("Bar") { $0["bar"] = true }),
            Migration(to: 3, "key", .transform("Bar") { $0.key = composed }),
            Migration(to: 4, "key again", .transform("Bar") { $0.key = decomposed }),
        ]

        let after = try await OldStore([StoredRecord(composed, "a", "{}"), StoredRecord(decomposed, "b", "{}")])
            .upgraded(registry)

        #expect(after.records.map { Array($0.type.utf8) } == [Array("Bar".utf8), Array(decomposed.utf8)])
        #expect(after.records.map { Array($0.key.utf8) } == [Array(decomposed.utf8), Array("b".utf8)])
        #expect(after.records.map(\.text) == [#"{"bar":true}"#, "{}"])
    }

    @Test func `A type and a property can be renamed to another spelling`() async throws {
        let after = try await OldStore([StoredRecord("Caf\u{E9}", "a", "{\"th\u{E9}\":1}")]).upgraded(
            .renameProperty("Caf\u{E9}", "th\u{E9}", to: "the\u{301}"),
            .renameType("Caf\u{E9}", to: "Cafe\u{301}")
        )

        #expect(after.records.map { Array($0.type.utf8) } == [Array("Cafe\u{301}".utf8)])
        #expect(after.records.map { Array($0.text.utf8) } == [Array("{\"the\u{301}\":1}".utf8)])
    }

    @Test func `A block that renames two types to two spellings of a name still sees each record's old type`()
        async throws
    {
        let names = Log<String>()

        _ = try await OldStore([StoredRecord("A", "a", "{}"), StoredRecord("B", "b", "{}")]).upgraded { migration in
            try migration.renameType("A", to: "Caf\u{E9}")
            try migration.renameType("B", to: "Cafe\u{301}")
            for type in ["Caf\u{E9}", "Cafe\u{301}"] {
                try migration.enumerate(type) { old, _ in names.append("\(old.typeName) \(old.key)") }
            }
        }

        #expect(names.all == ["A a", "B b"])
    }

    // MARK: Blocks over two spellings of a type's name

    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"

    /// The records of the type that is read last have the lower ids.
    private static let records = [
        StoredRecord(composed, "a", "{}"), StoredRecord(composed, "b", "{}"),
        StoredRecord(decomposed, "c", "{}"), StoredRecord(decomposed, "d", "{}"),
    ]

    private static let retyping: [(String, MigrationStep)] = [
        ("transform", .transform(composed) { $0.typeName = decomposed }),
        ("enumerate", .run { try $0.enumerate(composed) { _, new in new.typeName = decomposed } }),
        ("renameType", .run { try $0.renameType(composed, to: decomposed) }),
        (
            "update",
            .run { context in
                for key in ["a", "b"] {
                    guard var record = try context.record(forKey: key) else { continue }
                    record.typeName = decomposed
                    try context.update(record)
                }
            }
        ),
    ]

    @Test(arguments: retyping.indices)
    func `A block can change a record's type name to the other spelling`(index: Int) async throws {
        let (name, step) = Self.retyping[index]
        let after = try await OldStore(Self.records).upgraded(step)
        let types = after.records.map { Array($0.type.utf8) }
        #expect(types == Array(repeating: Array(Self.decomposed.utf8), count: 4), "\(name)")
    }

    @Test func `A block deletes only records of the given spelling`() async throws {
        let after = try await OldStore(Self.records).upgraded { context in
            try context.enumerate(Self.composed) { _, new in
                try context.deleteAll(ofType: Self.decomposed)
                new["seen"] = true
            }
        }
        #expect(after.keys == ["a", "b"])
        #expect(after.records.map(\.text) == Array(repeating: #"{"seen":true}"#, count: 2))
    }
}
