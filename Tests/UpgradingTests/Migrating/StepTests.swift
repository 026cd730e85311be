import Foundation
import Molt
import Testing

/// Their changes of single records are tested in RecordTests; these tests are about whole stores.
@Suite("Steps that change a property of each record", .through(.migrator))
struct PropertyStepTests {
    private static let records = [
        StoredRecord("Person", "ada", #"{"mail":"a@x","home":{"zip":1,"city":"London"},"age":36,"fax":1}"#),
        StoredRecord("Person", "bob", #"{"age":null,"home":null}"#),
        StoredRecord("City", "rome", #"{"mail":"office"}"#),
    ]

    @Test func `A step changes the records of its type that have the property, and no others`() async throws {
        let after = try await OldStore(Self.records).upgraded(
            .renameProperty("Person", "mail", to: "email"),
            .renameProperty("Person", ["home", "zip"], to: "code"),
            .moveProperty("Person", "email", to: ["contact", "mail"]),
            .removeProperty("Person", "fax"),
            .removeProperty("Person", ["home", "city"]),
            .addProperty("Person", "age", default: ["UK", 44])
        )
        after.expect(
            #"Person ada {"home":{"code":1},"age":36,"contact":{"mail":"a@x"}}"#,
            #"Person bob {"age":["UK",44],"home":null}"#,
            #"City rome {"mail":"office"}"#
        )
    }

    @Test func `A step fails when the new place is taken`() async throws {
        let error = try await OldStore(Self.records).failure(.renameProperty("Person", "mail", to: "age"))
        error.expect(.propertyExists, says: "to \"age\": the record has another value with that name already")
    }

    @Test func `A record that is no object fails steps that must write to it, and others skip it`() async throws {
        let store = try OldStore(["[1]", "3", #""text""#, "null"].map { StoredRecord("P", $0, $0) })
        try await store.failure(.addProperty("P", "a", default: 1)).expect(.typeMismatch, key: "[1]")
        let skipped = try await store.upgraded(.renameProperty("P", "a", to: "b"), .removeProperty("P", "c"))
        skipped.expect("P [1] [1]", "P 3 3", #"P "text" "text""#, "P null null")
    }

    @Test func `A record that is not JSON fails only the steps that read it`() async throws {
        let records = [StoredRecord("Person", "bad", #"{"a":1,}"#)]
        let store = try OldStore(records)
        try await store.failure(.removeProperty("Person", "a")).expect(.malformedContent, key: "bad")
        try await store.upgraded(.removeProperty("City", "a")).expect(#"Person bad {"a":1,}"#)
        for step: MigrationStep in [.deleteType("Person"), .run { try $0.delete("bad") }] {
            try await OldStore(records).upgraded(step).expect(keys: "")
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
        ("subscript", .transform("T") { $0[path] = 7 }),
        ("set", .transform("T") { try $0.set(path, to: 7) }),
    ]

    /// Everything that adds 7 at the path where its object is, and then where it is not, too.
    private static let adding: [(String, where: MigrationStep, anywhere: MigrationStep)] = [
        ("add", .addProperty("T", path, default: 7), .addProperty("T", path, default: 7, creatingObjects: true)),
        (
            "add in a closure", .transform("T") { try $0.add(path, default: 7) },
            .transform("T") { try $0.add(path, default: 7, creatingObjects: true) }
        ),
    ]

    /// Everything that moves 1 to the path.
    private static let moving: [(String, MigrationStep)] = [
        ("move", .moveProperty("T", "x", to: path)),
        ("move in a closure", .transform("T") { try $0.move("x", to: path) }),
    ]

    /// Upgrades a document, which goes through the same steps as a record.
    private func upgraded(_ content: String, _ step: MigrationStep) throws -> String {
        let output = try DocumentUpgrade([Migration(to: 1, "change", step)])
            .upgrade(Data(content.utf8), ofType: "T", writtenAt: 0, forKey: "odd")
        return String(decoding: output.content, as: UTF8.self)
    }

    /// Expects the content that a step leaves, or this error.
    private func check(
        _ content: String,
        _ name: String,
        _ step: MigrationStep,
        becomes expected: String?,
        or code: MoltError.Code
    ) throws {
        let comment: Comment = "\(name) in \(content)"
        if let expected {
            let found = try upgraded(content, step)
            #expect(found == expected, comment)
        } else {
            let error = #expect(throws: MoltError.self, comment) { try upgraded(content, step) }
            error?.expect(code, key: "odd", property: "a.b")
        }
    }

    @Test func `is treated as missing by everything that reads, renames, moves or removes a property`() throws {
        for (content, _) in Self.contents {
            for (name, step) in Self.lenient { try check(content, name, step, becomes: content, or: .propertyMissing) }
            for (name, step) in Self.strict { try check(content, name, step, becomes: nil, or: .propertyMissing) }
        }
    }

    @Test func `is added where its object is, and elsewhere only if the step says so`() throws {
        for (content, written) in Self.contents {
            let hasObject = content.contains("{}")
            for (name, step, creating) in Self.adding {
                // There is nothing in null to which a property could be added.
                let added = content == "null" || written != nil && !hasObject ? content : written
                try check(content, name, step, becomes: added, or: .typeMismatch)
                try check(content, name, creating, becomes: content == "null" ? content : written, or: .typeMismatch)
            }
        }
    }

    @Test func `can be written or moved to where there is nothing or null, and replaces nothing else`() throws {
        for (content, written) in Self.contents {
            for (name, step) in Self.writing { try check(content, name, step, becomes: written, or: .typeMismatch) }
            guard content.hasPrefix("{") else { continue }
            let moved = written?.replacing(#""x":1,"#, with: "").replacing("7", with: "1")
            for (name, step) in Self.moving { try check(content, name, step, becomes: moved, or: .typeMismatch) }
        }
    }

    @Test func `is explained in the error by what the record has in its place`() {
        let cases: [(content: String, words: String)] = [
            (#"{}"#, #"The record has no property "a". "#),
            (#"{"a":{}}"#, #"The record has no property "a.b". "#),
            (#"{"a":[1]}"#, #"The record has no property "a.b": "a" is not an object. "#),
            (#"{"a":null}"#, #"The record has no property "a.b": "a" is not an object. "#),
            ("[1]", #"The record has no property "a.b": the content is not an object. "#),
        ]
        let step = MigrationStep.removeProperty("T", Self.path, ifMissing: .fail)
        for (content, words) in cases {
            let message = MoltError.thrown { try upgraded(content, step) }?.message ?? ""
            #expect(message.hasPrefix(words), "\(message)")
        }
    }
}

@Suite("Steps that change types", .through(.migrator))
struct TypeStepTests {
    private static let records = [
        StoredRecord("Alien", "zork", #"{ "name" : "Zork" }"#),
        StoredRecord("Person", "ada", #"{"name":"Ada"}"#),
        StoredRecord("Alien", "quux", #"{"name":"Quux"}"#),
    ]

    @Test func `renameType renames all records of a type, if there are any, and keeps their bytes`() async throws {
        let cases: [(steps: [MigrationStep], alien: String, person: String)] = [
            ([.renameType("Alien", to: "Being")], "Being", "Person"),
            (
                [
                    .renameType("Alien", to: "Third"), .renameType("Person", to: "Alien"),
                    .renameType("Third", to: "Person"),
                ],
                "Person", "Alien"
            ),
            ([.renameType("Robot", to: "Person")], "Alien", "Person"),
            ([.renameType("Alien", to: "Person")], "Person", "Person"),
        ]
        for (steps, alien, person) in cases {
            let after = try await OldStore(Self.records).upgraded([Migration(to: 1, "change", steps: steps)])
            after.expect(
                #"\#(alien) zork { "name" : "Zork" }"#,
                #"\#(person) ada {"name":"Ada"}"#,
                #"\#(alien) quux {"name":"Quux"}"#
            )
            #expect(after.version == 1)
        }
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
        try store.snapshot().expect(keys: "ada")
        let counts = report.entries[0].steps.map { "\($0.counts)" }
        #expect(counts == ["2 dropped", "none"])
    }

    @Test func `Steps follow a type through its renames, also to another type, until its deletion`() async throws {
        let renamed = try await OldStore(Self.records).upgraded([
            Migration(to: 1, "a", .renameProperty("Alien", "name", to: "title")),
            Migration(to: 2, "b", .renameType("Alien", to: "Being"), .addProperty("Being", "legs", default: 3)),
            Migration(to: 3, "c", .transform("Alien") { _ in throw Refusal() }),
            Migration(to: 4, "d", .deleteType("Person")),
            Migration(to: 5, "e", .transform("Person") { _ in throw Refusal() }),
        ])
        renamed.expect(#"Being zork { "title" : "Zork","legs":3 }"#, #"Being quux {"title":"Quux","legs":3}"#)
        #expect(renamed.version == 5)

        let merged = try await OldStore(Self.records).upgraded(
            .renameType("Alien", to: "Person"),
            .addProperty("Person", "isHuman", default: true)
        )
        merged.expect(
            #"Person zork { "name" : "Zork","isHuman":true }"#,
            #"Person ada {"name":"Ada","isHuman":true}"#,
            #"Person quux {"name":"Quux","isHuman":true}"#
        )
    }
}

/// Strings that differ only in their spelling are equal, so their bytes are compared.
@Suite("Unicode spellings of a name")
struct SpellingTests {
    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"

    @Test func `Names and keys that differ only in their Unicode spelling are distinct`() async throws {
        let store = try OldStore([
            StoredRecord(Self.composed, "a", "{\"\(Self.composed)\":1}"), StoredRecord(Self.decomposed, "b", "{}"),
        ])
        func upgraded(_ registry: MigrationRegistry) async throws -> [[UInt8]] {
            try await store.upgraded(registry).records.map { Array("\($0.type) \($0.key) \($0.text)".utf8) }
        }
        var registry: MigrationRegistry = [
            Migration(to: 1, "type", .renameType(Self.composed, to: "Bar")),
            Migration(to: 2, "key", .transform("Bar") { $0.key = Self.composed }),
            Migration(to: 3, "key again", .transform("Bar") { $0.key = Self.decomposed }),
            Migration(to: 4, "property", .renameProperty("Bar", PropertyPath(Self.composed), to: Self.decomposed)),
        ]
        let first = Array("Bar \(Self.decomposed) {\"\(Self.decomposed)\":1}".utf8)
        let found = try await upgraded(registry)
        #expect(found == [first, Array("\(Self.decomposed) b {}".utf8)])

        registry.register(Migration(to: 5, "spelling", .renameType(Self.decomposed, to: Self.composed)))
        let renamed = try await upgraded(registry)
        #expect(renamed == [first, Array("\(Self.composed) b {}".utf8)])
    }

    @Test func `Old records keep their types if two types are renamed to two spellings of a name`() async throws {
        let names = Log<String>()
        _ = try await OldStore([StoredRecord("A", "a", "{}"), StoredRecord("B", "b", "{}")]).upgraded { migration in
            try migration.renameType("A", to: Self.composed)
            try migration.renameType("B", to: Self.decomposed)
            for type in [Self.composed, Self.decomposed] {
                try migration.enumerate(type) { old, _ in names.append("\(old.typeName) \(old.key)") }
            }
        }
        names.expect("A a", "B b")
    }

    // MARK: Blocks over two spellings of a type's name

    /// The records of the type that is read last have the lower ids.
    private static let records = [
        StoredRecord(composed, "a", "{}"), StoredRecord(composed, "b", "{}"),
        StoredRecord(decomposed, "c", "{}"), StoredRecord(decomposed, "d", "{}"),
    ]

    @Test func `A step can change a record's type name to the other spelling`() async throws {
        let steps: [(name: String, step: MigrationStep)] = [
            ("transform", .transform(Self.composed) { $0.typeName = Self.decomposed }),
            ("enumerate", .run { try $0.enumerate(Self.composed) { _, new in new.typeName = Self.decomposed } }),
            ("renameType", .run { try $0.renameType(Self.composed, to: Self.decomposed) }),
            (
                "update",
                .run { context in
                    for key in ["a", "b"] {
                        guard var record = try context.record(forKey: key) else { continue }
                        record.typeName = Self.decomposed
                        try context.update(record)
                    }
                }
            ),
        ]
        let expected = Array(repeating: Array(Self.decomposed.utf8), count: 4)
        for (name, step) in steps {
            let types = try await OldStore(Self.records).upgraded(step).records.map { Array($0.type.utf8) }
            #expect(types == expected, "\(name)")
        }
    }

    @Test func `A block deletes only records of the given spelling`() async throws {
        let after = try await OldStore(Self.records).upgraded { context in
            try context.enumerate(Self.composed) { _, new in
                try context.deleteAll(ofType: Self.decomposed)
                new["seen"] = true
            }
        }
        after.expect("\(Self.composed) a {\"seen\":true}", "\(Self.composed) b {\"seen\":true}")
    }
}
