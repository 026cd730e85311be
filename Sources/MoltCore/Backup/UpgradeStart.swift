internal import Foundation

/// What a store was when an upgrade of it began: tries of the same upgrade have the same.
package struct UpgradeStart: Hashable {
    private var version: Int
    /// A migration that was late, or is of another branch, leaves the version as it is.
    ///
    /// With when each was applied: a store that was removed and made anew has the same names.
    private var migrations: [String: Date]

    /// What a backup's file says of it.
    package init(_ state: StoreState) {
        version = state.version
        // One that waits is tried by every opening, and no release needs to know it.
        let applied = state.ledger.filter { $0.outcome != .deferred }.map { ($0.name, $0.appliedAt) }
        migrations = Dictionary(applied) { first, _ in first }
    }

    /// What is known of a backup that cannot be looked into.
    package init(_ backup: StoreBackup) {
        version = backup.schemaVersion
        migrations = [:]
    }
}
