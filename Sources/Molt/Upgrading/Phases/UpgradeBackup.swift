internal import Foundation

/// The backup of one opening: made before the upgrade writes, and removed if the upgrade is rolled back.
final class UpgradeBackup {
    private let store: StoreFile?
    private let configuration: MoltConfiguration
    private var backup: StoreBackup?
    /// The state of the store at that time.
    private var state: StoreState?

    init(of store: StoreFile, _ configuration: MoltConfiguration, _ mode: RunMode) {
        self.store = configuration.effectiveBackup != nil && !mode.isOnCopy && !store.isInMemory ? store : nil
        self.configuration = configuration
    }

    /// Whether the configuration asks for a backup, and the store can have one.
    var isWanted: Bool { store != nil }

    /// The size of the backup that was made, in bytes.
    var byteCount: Int64? { backup.map { Int64($0.size) } }

    /// Makes the backup if one is wanted; called in the upgrade's transaction, before anything is written.
    func make(for plan: MigrationPlan, _ state: StoreState, attached: () throws -> [JournalEntry]) throws {
        guard let store, let policy = configuration.effectiveBackup else { return }
        try configuration.reach(.beforeBackup)
        let entries = try attached()
        var request = BackupRequest(.automatic, version: plan.from, attached: entries)
        request.policy = policy
        request.step = { [configuration] in
            try configuration.checkCancellation()
            try configuration.reach(.copyForBackup)
        }
        let made = try store.makeBackup(request)
        backup = made
        self.state = state
        // Removal is best effort: the upgrade has the backup that it needs.
        let leftovers = policy.leftovers(of: (try? store.backups()) ?? [], before: made)
        for leftover in leftovers { try? store.remove(leftover) }
        configuration.monitor?.send(.backedUp(made))
        try configuration.reach(.afterBackup)
    }

    /// Removes excess backups after a commit, or if there was nothing to do.
    func removeExcess() {
        guard let backup, let store, let policy = configuration.effectiveBackup else { return }
        // Removal is best effort; the next upgrade tries again.
        let excess = policy.excess(of: (try? store.backups()) ?? [])
        // Keep this upgrade's backup whatever its date, as the clock may have been set back.
        let own = backup.url.lastPathComponent
        for backup in excess where backup.url.lastPathComponent != own { try? store.remove(backup) }
    }

    /// Handles a failed upgrade: removes the backup if the store is unchanged, and names it in the error if the store
    /// is damaged.
    ///
    /// - Returns: The error to throw.
    func finish(after error: any Error) -> any Error {
        guard let backup, let store else { return error }
        // A store whose state cannot be read may be damaged.
        let found = try? store.state()
        if found == nil || Self.mayBeDamage(error), store.isDamaged() {
            var error =
                error as? MoltError ?? MoltError(.storeFailed, "The upgrade failed.", underlying: error)
            error.outcome = nil
            error.advice =
                "A backup was made before the upgrade: \(backup.url.path). Restore it, and open the store again."
            return error
        }
        // The commit may be on disk although SQLite does not see it.
        if let error = error as? MoltError, error.mayBeCommitted, error.outcome != .rolledBack { return error }
        // After a rollback, a copy of the current state is useless, and each attempt would leave another one.
        if let found, let state, found.version == state.version, found.ledger == state.ledger {
            // Removal is best effort: the failure of the upgrade is the error to report.
            try? store.remove(backup)
        }
        return error
    }

    /// Whether an error may come from a damaged file, and not from a closure or from the store's contents.
    private static func mayBeDamage(_ error: any Error) -> Bool {
        guard let error = error as? MoltError else { return true }
        return [.storeFailed, .notADatabase, .foreignFile, .settingUnreadable].contains(error.code)
    }
}
