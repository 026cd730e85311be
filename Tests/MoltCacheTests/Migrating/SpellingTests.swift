import Testing

@testable import Molt

@Suite("Unicode spellings of a name", .throughEveryEntryPoint)
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

    @Test(.through(.initializer), arguments: retyping.indices)
    func `A block can change a record's type name to the other spelling`(index: Int) async throws {
        let (name, step) = Self.retyping[index]
        let after = try await OldStore(Self.records).upgraded(step)
        let types = after.records.map { Array($0.type.utf8) }
        #expect(types == Array(repeating: Array(Self.decomposed.utf8), count: 4), "\(name)")
    }

    @Test(.through(.initializer)) func `A block deletes only records of the given spelling`() async throws {
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
