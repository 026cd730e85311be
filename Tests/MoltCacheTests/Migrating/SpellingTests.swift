import Molt
import Testing

@Suite("Unicode spellings of a name")
struct SpellingTests {
    @Test(arguments: EntryPoint.allCases)
    func `Type names and keys that differ only in their Unicode spelling are distinct`(entry: EntryPoint) async throws {
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

    @Test(arguments: EntryPoint.allCases)
    func `A type and a property can be renamed to another spelling`(entry: EntryPoint) async throws {
        let after = try await OldStore([StoredRecord("Caf\u{E9}", "a", "{\"th\u{E9}\":1}")], through: entry).upgraded(
            registry(
                .renameProperty("Caf\u{E9}", "th\u{E9}", to: "the\u{301}"),
                .renameType("Caf\u{E9}", to: "Cafe\u{301}")
            )
        )

        #expect(after.records.map { Array($0.type.utf8) } == [Array("Cafe\u{301}".utf8)])
        #expect(after.records.map { Array($0.text.utf8) } == [Array("{\"the\u{301}\":1}".utf8)])
    }

    @Test(arguments: EntryPoint.allCases)
    func `A block that renames two types to two spellings of a name still sees each record's old type`(
        entry: EntryPoint
    ) async throws {
        let names = Log<String>()

        _ = try await OldStore([StoredRecord("A", "a", "{}"), StoredRecord("B", "b", "{}")], through: entry).upgraded(
            registry(
                .run { migration in
                    try migration.renameType("A", to: "Caf\u{E9}")
                    try migration.renameType("B", to: "Cafe\u{301}")
                    for type in ["Caf\u{E9}", "Cafe\u{301}"] {
                        try migration.enumerate(type) { old, _ in names.append("\(old.typeName) \(old.key)") }
                    }
                }
            )
        )

        #expect(names.all == ["A a", "B b"])
    }
}
