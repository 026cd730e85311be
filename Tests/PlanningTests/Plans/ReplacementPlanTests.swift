import Molt
import TestSupport
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
        try plan.expectPending("v5")
        #expect(plan.entries.map(\.action) == [.applied(.ran), .record(.replaced), .run])
        #expect(plan.completed.map(\.name) == ["v1", "v2-to-v4"])
    }

    @Test func `A store with none of the replaced migrations runs the replacement`() throws {
        try plan(registry, at: 1, ledger: [("v1", 1)]).expectPending("v2-to-v4", "v5")
    }

    @Test(arguments: [["v2"], ["v3"], ["v2", "v3"], ["v2", "v4"]])
    func `A store with some of the replaced migrations is an error that names them`(applied: [String]) {
        let versions = ["v2": 2, "v3": 3, "v4": 4]
        let ledger = [("v1", 1)] + applied.map { ($0, versions[$0] ?? 0) }
        let plan = plan(registry, at: ledger.map(\.1).max() ?? 0, ledger: ledger)
        let missing = versions.keys.sorted().filter { !applied.contains($0) }
        func list(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ", ") }
        let words = "replaces (\(list(applied))) but not all (missing: \(list(missing)))"
        expectProblem(plan, .partlyReplaced, MigrationID(name: "v2-to-v4", version: 4), registryVersion: 5, says: words)
        #expect(!plan.entries[1].willRun && plan.entries[1].action == .partlyReplaced)
    }

    @Test func `A store that ran the replacement, or all replaced migrations, needs no upgrade`() throws {
        try plan(registry, at: 5, ledger: [("v1", 1), ("v2-to-v4", 4), ("v5", 5)]).expectPending()
        let ledger = [("v1", 1), ("v2", 2), ("v3", 3), ("v4", 4)]
        try plan(registry.upTo("v2-to-v4"), at: 4, ledger: ledger).expectPending()
    }

    // MARK: Named like a replaced migration

    @Test func `A replacement may keep the name of the last migration`() throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "v1"), Migration(to: 4, "v4", replacing: ["v2", "v3", "v4"]),
        ]
        try plan(registry, at: 1, ledger: [("v1", 1)]).expectPending("v4")
        try plan(registry, at: 4, ledger: [("v1", 1), ("v2", 2), ("v3", 3), ("v4", 4)]).expectPending()
        try plan(registry, at: 4, ledger: [("v1", 1), ("v4", 4)]).expectPending()
    }

    @Test func `A replacement named like the first replaced migration is not applied by that one alone`() throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "v1"), Migration(to: 4, "v2", replacing: ["v2", "v3", "v4"]),
        ]
        let some = plan(registry, at: 2, ledger: [("v1", 1), ("v2", 2)])
        let words = "replaces (\"v2\") but not all (missing: \"v3\", \"v4\")"
        expectProblem(some, .partlyReplaced, MigrationID(name: "v2", version: 4), registryVersion: 4, says: words)
        try plan(registry, at: 4, ledger: [("v1", 1), ("v2", 2), ("v3", 3), ("v4", 4)]).expectPending()
        try plan(registry, at: 4, ledger: [("v1", 1), ("v2", 4)]).expectPending()
    }
}
