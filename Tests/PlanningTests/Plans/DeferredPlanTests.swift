import Foundation
import Molt
import TestSupport
import Testing

@Suite("Plans for a store with a deferred migration")
struct DeferredPlanTests {
    private func plan(_ registry: MigrationRegistry) -> MigrationPlan {
        let date = Date(timeIntervalSince1970: 0)
        let ledger = [
            LedgerEntry(name: "settings", version: 2, outcome: .deferred, appliedAt: date),
            LedgerEntry(name: "people", version: 5, appliedAt: date),
        ]
        let state = StoreState(version: 5, isFresh: false, ledger: ledger)
        return registry.plan(for: state, of: "store")
    }

    private func settings(_ name: String, replacing replaced: [String] = [], usesRecords: Bool = false) -> Migration {
        let suite = Suite("molt.test.deferred")
        let step: MigrationStep =
            if usesRecords {
                .moveToRecords(.setting("theme", in: suite), ofType: "Theme")
            } else {
                .renameSetting("theme", to: "style", in: suite)
            }
        return Migration(to: 2, name, replacing: replaced, step)
    }

    private let people = Migration(to: 5, "people")

    @Test func `A deferred migration is pending although a later version is applied`() throws {
        let plan = plan([settings("settings"), people])
        try plan.expectPending("settings")
        #expect(plan.completed.isEmpty)
        #expect(plan.applied.map(\.name) == ["people"])
    }

    @Test func `A replacement of a deferred migration is pending, or late if it uses records`() throws {
        try plan([settings("better", replacing: ["settings"]), people]).expectPending("better")
        let late = plan([settings("better", replacing: ["settings"], usesRecords: true), people])
        #expect(late.problems.map(\.code) == [.lateMigration])
    }

    @Test func `A deferred migration that is missing from the registry is an error, unless it is retired`() throws {
        #expect(plan([people]).problems.map(\.code) == [.migrationMissing])
        try plan(MigrationRegistry([people]).oldestVersion(2)).expectPending()
    }

    @Test func `A fresh store skips migrations of records, since settings bring no records in`() {
        let registry: MigrationRegistry = [settings("settings"), Migration(to: 5, "people", .renameType("A", to: "B"))]
        let plan = registry.plan(for: .fresh, of: "store")
        #expect(plan.entries.map(\.action) == [.run, .record(.createdAtVersion)])
    }
}
