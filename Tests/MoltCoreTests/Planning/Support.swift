import Foundation
import MoltCore

/// The plan for a store with these migrations in its ledger.
func plan(
    _ registry: MigrationRegistry,
    at version: Int,
    ledger: [(String, Int)] = [],
    isFresh: Bool = false
) -> MigrationPlan {
    let ledger = ledger.map { LedgerEntry(name: $0.0, version: $0.1, appliedAt: Date(timeIntervalSince1970: 0)) }
    let state = StoreState(version: version, isFresh: isFresh, ledger: ledger)
    return MigrationPlan(state: state, storeName: "/tmp/people.molt", migrations: registry)
}
