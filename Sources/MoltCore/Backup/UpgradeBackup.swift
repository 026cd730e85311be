internal import Foundation

/// The backup of one opening: made before its upgrade writes, and put back when the upgrade did what cannot be undone.
///
/// That is when the store's file is damaged afterwards, or when a migration that commits in batches failed for good. What
/// an earlier opening has left half done is not put back: what was written since its backup cannot be known.
package final class UpgradeBackup {
    private let store: (any BackedUpStore)?
    /// The store, also when no backup is asked for.
    private let markedStore: (any BackedUpStore)?
    private let options: MigrationOptions
    /// What was made in an earlier opening, of which this one goes on with the upgrade; by the name of its file.
    private var earlier: String?
    /// What was made in this opening.
    package private(set) var backup: StoreBackup?
    /// What the store said of itself then.
    private var state: StoreState?

    /// Makes nothing yet.
    package init(of store: any MigrationStore, _ options: MigrationOptions) {
        markedStore = options.isDryRun ? nil : store as? any BackedUpStore
        self.store = options.backup != nil ? markedStore : nil
        self.options = options
    }

    /// Makes the backup, where one is wanted; inside the upgrade's transaction, before anything was written.
    ///
    /// An upgrade of several transactions makes it in the first one, and another one when others have written to the store
    /// between two of them: what is put back must have that.
    func make(for plan: MigrationPlan, _ state: StoreState, attached: () throws -> [JournalEntry]) throws {
        guard !plan.isFresh else { return }
        let marked = try markedStore?.upgradeBackup()
        if let backup, backup.url.lastPathComponent == marked { return }
        // The store is not any more what it was made of, or has been left.
        backup = nil
        earlier = marked
        // What is half done is no state that anyone would go back to.
        guard state.unfinished == nil, let store, let policy = options.backup else { return }
        // Nor is a version that the upgrade only passes: the backup is the one of the version that it began from.
        if let earlier, try store.backups().contains(where: { $0.url.lastPathComponent == earlier }) { return }
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

    /// Has a transaction of the upgrade keep which backup was made before it; at its end, before the commit.
    func portionWillCommit(hasMore: Bool) throws {
        try markedStore?.keepUpgradeBackup(hasMore ? backup?.url.lastPathComponent ?? earlier : nil)
    }

    /// What the upgrade began from before which a backup was made.
    private func start(of backup: StoreBackup, in store: any BackedUpStore) -> UpgradeStart {
        (try? store.storeState(in: backup)).map { UpgradeStart($0) } ?? UpgradeStart(backup)
    }

    /// The upgrade is committed, or there was nothing to do: removes the backups that are not to be kept any longer.
    func upgradeDidEnd() {
        guard backup != nil || earlier != nil, let store, let policy = options.backup else { return }
        // One that cannot be removed, or looked at, stays; the next upgrade tries again.
        let excess = policy.excess(of: (try? store.backups()) ?? []) { start(of: $0, in: store) }
        // The one of this upgrade stays whatever its date is: the clock may have been put back.
        let own = backup?.url.lastPathComponent ?? earlier
        for backup in excess where backup.url.lastPathComponent != own { try? store.remove(backup) }
    }

    /// The upgrade failed: puts the backup back when the transaction could not undo what was done.
    ///
    /// - Parameter apply: Makes the changes to attached stores that the store's journal has.
    /// - Returns: The error to throw, which says what was done.
    func upgradeDidFail(with error: any Error, applying apply: () throws -> Void) -> any Error {
        guard let backup, let store else { return error }
        // A store that cannot say how it is may be damaged, and is looked at next.
        let found = try? store.state()
        if found == nil || Self.mayBeDamage(error), store.isDamaged() {
            return restore(because: error, applying: apply) { _ in
                // Another process may have put it right meanwhile.
                guard store.isDamaged() else { throw NotNeeded() }
            }
        }
        // Batches were committed, and no later opening would come further: nobody could use the store as it is.
        if let unfinished = found?.unfinished, Self.isForGood(error) {
            return restore(because: error, applying: apply) { state in
                guard state?.unfinished == unfinished else { throw NotNeeded() }
            }
        }
        // Rolled back: a copy of what is there is of no use, and each try would leave another one. Batches of a migration
        // to the version that the store has change neither the version nor the ledger.
        if let found, let state, found.unfinished == nil, found.version == state.version, found.ledger == state.ledger {
            // One that cannot be removed stays as one of those to keep; what is to be told is the failure.
            try? store.remove(backup)
            self.backup = nil
        }
        return error
    }

    /// Puts back the backup that was made in this opening, after a failure that no transaction undoes.
    ///
    /// - Parameters:
    ///   - apply: Makes the changes to attached stores that the store's journal has.
    ///   - isExpected: Called with the lock held; throws when the store is not as the failure left it.
    /// - Returns: The error to throw, which says what was done: unchanged when there is no backup.
    package func restore(
        because error: any Error,
        applying apply: () throws -> Void,
        checking isExpected: (StoreState?) throws -> Void = { _ in }
    ) -> any Error {
        guard let backup, let store else { return error }
        do {
            try store.verify(backup)
            var lock = LockWait(options: options, attempt: AttemptNote(store, options), isCancellable: false)
            try store.restore(backup, checking: isExpected) { try lock.wait() }
        } catch is NotNeeded {
            return error
        } catch let failure {
            let reason = (failure as? any DescribedError)?.message ?? "\(type(of: failure))"
            var error =
                error as? MigrationError ?? MigrationError(.storeFailed, "The upgrade failed.", underlying: error)
            error.problem +=
                " The backup made before, \(backup.url.path), could not be put back; it was kept. \(reason)"
            return error
        }
        // What cannot be applied now stays in the journal, and is when the store is next opened.
        try? apply()
        options.monitor?.send(.restored(backup))
        return error.with(.restored(from: backup.url))
    }

    /// The store was found to be well after all.
    private struct NotNeeded: Error {}

    /// Whether the same upgrade would fail again, whenever it is tried.
    private static func isForGood(_ error: any Error) -> Bool {
        guard let error = error as? MigrationError else { return false }
        let passing: [MigrationError.Code] = [
            .cancelled, .deadlinePassed, .busy, .storeFailed, .attachedStoreFailed, .journalPending, .deferred,
            .superseded, .migrationMissing,
        ]
        guard !passing.contains(error.code) else { return false }
        // A closure that was asked to stop, as by its task, stops at another place the next time, or not at all.
        var cause = error.underlying
        while let found = cause {
            if found is CancellationError { return false }
            cause = (found as? MigrationError)?.underlying
        }
        return true
    }

    /// Whether an error may come from a file that is not whole, and not from a closure or from the store's contents.
    private static func mayBeDamage(_ error: any Error) -> Bool {
        guard let error = error as? MigrationError else { return true }
        return error.code == .storeFailed
    }
}
