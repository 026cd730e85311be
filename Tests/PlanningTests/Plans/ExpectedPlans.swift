import Foundation
import Molt
import TestSupport
import Testing

/// The plan for a store with these migrations in its ledger.
func plan(
    _ registry: MigrationRegistry,
    at version: Int,
    ledger: [(String, Int)] = [],
    isFresh: Bool = false
) -> MigrationPlan {
    let ledger = ledger.map { LedgerEntry(name: $0.0, version: $0.1, appliedAt: Date(timeIntervalSince1970: 0)) }
    let state = StoreState(version: version, isFresh: isFresh, ledger: ledger)
    return registry.plan(for: state, of: "/tmp/people.molt")
}

/// Expects that a plan cannot run, and that the error names the store, the versions and the migration.
func expectProblem(
    _ plan: MigrationPlan,
    _ code: MoltError.Code,
    _ migration: MigrationID? = nil,
    registryVersion: Int,
    says words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let error = MoltError.thrown(sourceLocation: sourceLocation) { try plan.checkProblems() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.store == "/tmp/people.molt", sourceLocation: sourceLocation)
    #expect(error?.migration == migration, sourceLocation: sourceLocation)
    #expect(error?.storeVersion == plan.from, sourceLocation: sourceLocation)
    #expect(error?.registryVersion == registryVersion, sourceLocation: sourceLocation)
    for word in words {
        #expect(error?.message.contains(word) == true, "\(error as Any)", sourceLocation: sourceLocation)
    }
}

extension MigrationPlan {
    /// Expects that the plan can run, and which migrations it would run.
    func expectPending(_ names: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        try checkProblems()
        #expect(pending.map(\.name) == names, sourceLocation: sourceLocation)
        #expect(needsUpgrade == !names.isEmpty, sourceLocation: sourceLocation)
    }
}
