internal import Foundation

/// The backup of one opening: made before its upgrade writes, and removed again when the upgrade was rolled back.
final class UpgradeBackup {
    private let store: (any BackedUpStore)?
    private let options: MigrationOptions
    /// What was made in this opening.
    private var backup: StoreBackup?
    /// What the store said of itself then.
    private var state: StoreState?

    /// Makes nothing yet.
    init(of store: any MigrationStore, _ options: MigrationOptions) {
        self.store = options.backup != nil && !options.isDryRun ? store.backedUp : nil
        self.options = options
    }

    /// Makes the backup, where one is wanted; inside the upgrade's transaction, before anything was written.
    func make(for plan: MigrationPlan, _ state: StoreState, attached: () throws -> [JournalEntry]) throws {
        guard !plan.isFresh, let store, let policy = options.backup else { return }
        try options.reach(.beforeBackup)
        let entries = try attached()
        let request = BackupRequest(.automatic, version: plan.from, attached: entries, policy: policy) { [options] in
            try options.checkCancellation()
            try options.reach(.copyForBackup)
        }
        let made = try store.makeBackup(request)
        backup = made
        self.state = state
        // One that cannot be removed, or looked at, stays: the upgrade has the backup that it needs.
        let leftovers = policy.leftovers(of: (try? store.backups()) ?? [], before: made) { start(of: $0, in: store) }
        for leftover in leftovers { try? store.remove(leftover) }
        options.monitor?.send(.backedUp(made))
        try options.reach(.afterBackup)
    }

    /// What the upgrade began from before which a backup was made.
    private func start(of backup: StoreBackup, in store: any BackedUpStore) -> UpgradeStart {
        (try? store.storeState(in: backup)).map { UpgradeStart($0) } ?? UpgradeStart(backup)
    }

    /// The upgrade is committed, or there was nothing to do: removes the backups that are not to be kept any longer.
    func upgradeDidEnd() {
        guard let backup, let store, let policy = options.backup else { return }
        // One that cannot be removed, or looked at, stays; the next upgrade tries again.
        let excess = policy.excess(of: (try? store.backups()) ?? []) { start(of: $0, in: store) }
        // The one of this upgrade stays whatever its date is: the clock may have been put back.
        let own = backup.url.lastPathComponent
        for backup in excess where backup.url.lastPathComponent != own { try? store.remove(backup) }
    }

    /// The upgrade failed: removes the backup if the store is as it was, and names it if the store is damaged.
    ///
    /// - Returns: The error to throw.
    func upgradeDidFail(with error: any Error) -> any Error {
        guard let backup, let store else { return error }
        // A store that cannot say how it is may be damaged, and is looked at next.
        let found = try? store.state()
        if found == nil || Self.mayBeDamage(error), store.isDamaged() {
            var error =
                error as? MigrationError ?? MigrationError(.storeFailed, "The upgrade failed.", underlying: error)
            error.outcome = nil
            error.advice =
                "A backup was made before the upgrade: \(backup.url.path). Restore it, and open the store again."
            return error
        }
        // Rolled back: a copy of what is there is of no use, and each try would leave another one.
        if let found, let state, found.version == state.version, found.ledger == state.ledger {
            // One that cannot be removed stays as one of those to keep; what is to be told is the failure.
            try? store.remove(backup)
        }
        return error
    }

    /// Whether an error may come from a file that is not whole, and not from a closure or from the store's contents.
    private static func mayBeDamage(_ error: any Error) -> Bool {
        guard let error = error as? MigrationError else { return true }
        return error.code == .storeFailed
    }
}
