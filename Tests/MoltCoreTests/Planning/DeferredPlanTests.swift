import Foundation
import Testing

@testable import Molt

@Suite("Plans for a store with a deferred migration")
struct DeferredPlanTests {
    private func plan(_ registry: MigrationRegistry) -> MigrationPlan {
        var state = StoreState(version: 5, isFresh: false, ledger: [])
        let date = Date(timeIntervalSince1970: 0)
        state.ledger = [
            LedgerEntry(name: "settings", version: 2, outcome: .deferred, appliedAt: date),
            LedgerEntry(name: "people", version: 5, appliedAt: date),
        ]
        return MigrationPlan(state: state, storeName: "store", migrations: registry)
    }

    private func settings(_ name: String, replacing replaced: [String] = [], usesRecords: Bool = false) -> Migration {
        let step = MigrationStep(kind: "s", summary: "s", parameters: [], attaching: [], usesRecords: usesRecords) {
            _ in
        }
        return Migration(to: 2, name, replacing: replaced, step)
    }

    private let people = Migration(to: 5, "people")

    @Test func `A deferred migration is pending although a later version is applied`() {
        let plan = plan([settings("settings"), people])
        #expect(plan.problems.isEmpty)
        #expect(plan.pending.map(\.name) == ["settings"])
        #expect(plan.completed.isEmpty)
        #expect(plan.applied.map(\.name) == ["people"])
    }

    @Test func `A replacement of a deferred migration is pending, or late if it uses records`() {
        let pending = plan([settings("better", replacing: ["settings"]), people])
        #expect(pending.problems.isEmpty)
        #expect(pending.pending.map(\.name) == ["better"])
        let late = plan([settings("better", replacing: ["settings"], usesRecords: true), people])
        #expect(late.problems.map(\.code) == [.lateMigration])
    }

    @Test func `A deferred migration that is missing from the registry is an error, unless it has been retired`() {
        #expect(plan([people]).problems.map(\.code) == [.migrationMissing])
        let retired = plan(MigrationRegistry([people], oldestSupportedVersion: 2))
        #expect(retired.problems.isEmpty)
        #expect(!retired.needsUpgrade)
    }

    @Test func `A fresh store skips migrations of records, since settings bring no records in`() {
        let plan = MigrationPlan(
            state: .fresh,
            storeName: "store",
            migrations: [settings("settings"), Migration(to: 5, "people", .renameType("A", to: "B"))]
        )
        #expect(plan.entries.map(\.action) == [.run(), .recordOnly(.createdAtVersion)])
    }
}
