import Molt
import Testing

@Suite("Spellings of a letter")
struct SpellingTests {
    @Test(arguments: EntryPoint.allCases)
    func `Type names and keys that differ only in how they spell a letter are two names`(entry: EntryPoint) async throws
    {
        let composed = "Caf\u{E9}"
        let decomposed = "Cafe\u{301}"
        let registry: MigrationRegistry = [
            Migration(to: 1, "type", .renameType(composed, to: "Bar")),
            Migration(to: 2, "mark", .transform("Bar") { $0["bar"] = true }),
            Migration(to: 3, "key", .transform("Bar") { $0.key = composed }),
            Migration(to: 4, "key again", .transform("Bar") { $0.key = decomposed }),
        ]

        let after = try await OldStore(
            [StoredRecord(composed, "a", "{}"), StoredRecord(decomposed, "b", "{}")],
            through: entry
        )
        .upgraded(registry)

        #expect(after.records.map { Array($0.type.utf8) } == [Array("Bar".utf8), Array(decomposed.utf8)])
        #expect(after.records.map { Array($0.key.utf8) } == [Array(decomposed.utf8), Array("b".utf8)])
        #expect(after.records.map(\.text) == [#"{"bar":true}"#, "{}"])
    }
}
