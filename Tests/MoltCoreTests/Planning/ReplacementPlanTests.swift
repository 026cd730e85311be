import MoltCore
import Testing

@Suite("A migration that replaces earlier ones")
struct ReplacementPlanTests {
    private let registry: MigrationRegistry = [
        Migration(to: 1, "v1"),
        Migration(to: 4, "v2-to-v4", replacing: ["v2", "v3", "v4"]),
        Migration(to: 5, "v5"),
    ]

    @Test func `A store with all replaced migrations counts the replacement as applied`() throws {
        let plan = plan(registry, at: 4, ledger: [("v1", 1), ("v2", 2), ("v3", 3), ("v4", 4)])

        try plan.checkProblems()
        #expect(plan.entries.map(\.status) == [.applied, .replaced, .pending])
        #expect(plan.pending.map(\.name) == ["v5"])
        #expect(plan.completed.map(\.name) == ["v1", "v2-to-v4"])
    }

    @Test func `A store with none of the replaced migrations runs the replacement`() throws {
        let plan = plan(registry, at: 1, ledger: [("v1", 1)])

        try plan.checkProblems()
        #expect(plan.pending.map(\.name) == ["v2-to-v4", "v5"])
    }

    @Test(arguments: [["v2"], ["v3"], ["v2", "v3"], ["v2", "v4"]])
    func `A store with some of the replaced migrations is an error that names them`(applied: [String]) throws {
        let versions = ["v2": 2, "v3": 3, "v4": 4]
        let ledger = [("v1", 1)] + applied.map { ($0, versions[$0] ?? 0) }

        let plan = plan(registry, at: ledger.map(\.1).max() ?? 0, ledger: ledger)

        let error = try #require(throws: MigrationError.self) { try plan.checkProblems() }
        #expect(error.code == .partlyReplaced)
        #expect(error.migration?.name == "v2-to-v4")
        let missing = versions.keys.sorted().filter { !applied.contains($0) }
        func list(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ", ") }
        #expect(
            error.message.contains("replaces (\(list(applied))) but not all (missing: \(list(missing)))"),
            "\(error.message)"
        )
        #expect(!plan.entries[1].willRun)
    }

    @Test func `A store that ran the replacement itself has it applied`() throws {
        let plan = plan(registry, at: 5, ledger: [("v1", 1), ("v2-to-v4", 4), ("v5", 5)])

        try plan.checkProblems()
        #expect(!plan.needsUpgrade)
    }

    @Test func `A store at the last version with all replaced migrations needs no upgrade`() throws {
        let registry = try registry.upTo("v2-to-v4")

        let plan = plan(registry, at: 4, ledger: [("v1", 1), ("v2", 2), ("v3", 3), ("v4", 4)])

        try plan.checkProblems()
        #expect(!plan.needsUpgrade)
    }

    // MARK: Named like a replaced migration

    @Test(arguments: [
        ([("v1", 1)], MigrationPlan.Status.pending),
        ([("v1", 1), ("v2", 2), ("v3", 3), ("v4", 4)], .applied),
        ([("v1", 1), ("v4", 4)], .applied),
    ])
    func `A replacement may keep the name of the last migration`(ledger: [(String, Int)], status: MigrationPlan.Status)
        throws
    {
        let registry: MigrationRegistry = [
            Migration(to: 1, "v1"), Migration(to: 4, "v4", replacing: ["v2", "v3", "v4"]),
        ]

        let plan = plan(registry, at: ledger.map(\.1).max() ?? 0, ledger: ledger)

        try plan.checkProblems()
        #expect(plan.entries[1].status == status)
    }

    @Test func `A replacement named like the first replaced migration is not applied by that one alone`() throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "v1"), Migration(to: 4, "v2", replacing: ["v2", "v3", "v4"]),
        ]

        let some = plan(registry, at: 2, ledger: [("v1", 1), ("v2", 2)])
        let all = plan(registry, at: 4, ledger: [("v1", 1), ("v2", 2), ("v3", 3), ("v4", 4)])
        let replacement = plan(registry, at: 4, ledger: [("v1", 1), ("v2", 4)])

        let error = try #require(throws: MigrationError.self) { try some.checkProblems() }
        #expect(error.code == .partlyReplaced)
        #expect(error.message.contains("replaces (\"v2\") but not all (missing: \"v3\", \"v4\")"), "\(error.message)")
        #expect(all.entries[1].status == .applied)
        #expect(replacement.entries[1].status == .applied)
    }
}
