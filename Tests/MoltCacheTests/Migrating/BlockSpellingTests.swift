import Molt
import Testing

@Suite("Blocks over two spellings of a type's name")
struct BlockSpellingTests {
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
    func `can change a record's type name to the other spelling`(index: Int) async throws {
        let (name, step) = Self.retyping[index]
        let after = try await OldStore(Self.records).upgraded(registry(step))
        let types = after.records.map { Array($0.type.utf8) }
        #expect(types == Array(repeating: Array(Self.decomposed.utf8), count: 4), "\(name)")
    }

    @Test func `delete only records of the given spelling`() async throws {
        let step = MigrationStep.run { context in
            try context.enumerate(Self.composed) { _, new in
                try context.deleteAll(ofType: Self.decomposed)
                new["seen"] = true
            }
        }
        let after = try await OldStore(Self.records).upgraded(registry(step))
        #expect(after.keys == ["a", "b"])
        #expect(after.records.map(\.text) == Array(repeating: #"{"seen":true}"#, count: 2))
    }
}
