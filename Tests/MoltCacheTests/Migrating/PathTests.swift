import Molt
import Testing

@Suite("The path does not matter")
struct PathTests {
    @Test(arguments: 0..<120)
    func `All migrations at once give, byte for byte, what one after the other gives`(seed: Int) async throws {
        var random = RandomRegistry(seed)
        let records = random.records()
        let registry = random.registry()
        try registry.validate()
        let atOnce = try OldStore(records, through: .migrator)
        let stepByStep = try OldStore(records, through: .migrator)

        let whole = await Self.outcome { try await atOnce.upgrade(registry) }
        let steps = await Self.outcome {
            for name in registry.names { try await stepByStep.upgrade(registry.upTo(name)) }
        }

        // Which of several failures is met first depends on the path; that there is one does not.
        #expect((whole == nil) == (steps == nil), "\(String(describing: whole)) \(String(describing: steps))")
        guard whole == nil, steps == nil else { return }
        let one = try atOnce.snapshot()
        let other = try stepByStep.snapshot()
        #expect(one.records == other.records)
        #expect(one.version == other.version)
        #expect(one.ledger.map(\.name) == other.ledger.map(\.name))
        #expect(one.ledger.map(\.counts) == other.ledger.map(\.counts))
    }

    private static func outcome(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: EntryPoint.allCases)
    func `Names that differ only in how they spell a letter are two names`(entry: EntryPoint) async throws {
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
