internal import Foundation

/// The state of a store from which an upgrade began; all attempts at that upgrade have the same one.
package struct UpgradeStart: Hashable {
    private var version: Int
    /// The applied migrations: a late one, or one of another branch, does not change the version.
    ///
    /// The times are included because a store that was deleted and created again has the same names.
    private var migrations: [String: Date]

    package init(_ state: StoreState) {
        version = state.version
        // Every opening retries a deferred migration, and no release needs to know it.
        let applied = state.ledger.filter { $0.outcome != .deferred }.map { ($0.name, $0.appliedAt) }
        migrations = Dictionary(applied) { first, _ in first }
    }

    /// Creates the state of a backup that cannot be read, from its version alone.
    package init(_ backup: StoreBackup) {
        version = backup.schemaVersion
        migrations = [:]
    }
}
