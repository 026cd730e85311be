internal import Foundation

extension Suite {
    /// The backups of the suite, newest first.
    ///
    /// They are made by upgrades of the suite without a cache, if their configuration requests it, and by
    /// ``backUp(suites:)``. A backup of a cache contains the settings that its migrations work on.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite` or `suiteNotWritable`;
    ///   `noPermission` or `storeFailed` if their directory cannot be listed.
    public func backups() throws -> [StoreBackup] {
        try validate()
        return try StoreFile(upgrading: self).backups().map(withoutOwnName)
    }

    /// Copies of the settings that restores have replaced, newest first.
    ///
    /// ``restore(_:suites:leavingOthers:fromAnotherStore:keepingReplaced:)`` restores a copy, and
    /// ``remove(_:)`` removes it.
    ///
    /// - Throws: The same errors as ``backups()``.
    public func filesAside() throws -> [StoreBackup] {
        try validate()
        return try CacheFile(at: SuiteFiles(self).store).filesAside().map(withoutOwnName)
    }

    private func withoutOwnName(_ backup: StoreBackup) -> StoreBackup {
        var backup = backup
        backup.suites.removeAll { $0 == attachedName }
        return backup
    }

    /// Makes a backup of the suite, which is kept until ``remove(_:)``.
    ///
    /// ```swift
    /// let backup = try Suite.standard.backUp()
    /// try Suite.standard.restore(backup)
    /// ```
    ///
    /// - Parameter suites: Other suites to include in the backup; none by default.
    /// - Throws: `MoltError` with the code `noSpaceForBackup`, `backupFailed` or `busy`; ``MoltError`` for a
    ///   suite that cannot be read.
    @discardableResult
    public func backUp(suites: [Suite] = []) throws -> StoreBackup {
        try validate()
        return try withStore(suites) { store in
            try withoutOwnName(keepCopy(.manual, of: store, [self] + suites))
        }
    }

    /// Replaces the suite's settings and its ledger with those of a backup.
    ///
    /// If the process is killed during the restore, the next upgrade of the suite finishes it; its configuration must
    /// name the same suites. The backup's settings of other suites are restored, too. Pass these suites, whose names
    /// are in ``StoreBackup/suites``.
    ///
    /// The replaced settings, including those of the other suites, are kept in a file beside the backups until
    /// ``remove(_:)``; ``filesAside()`` lists it.
    ///
    /// - Important: Settings made since the backup are no longer in the suite.
    /// - Parameters:
    ///   - backup: A backup from ``backups()`` or ``filesAside()``.
    ///   - suites: The other suites in the backup; none by default.
    ///   - leavesOthers: Whether other suites in the backup that are not in `suites` stay as they are; false by
    ///     default: the backup is refused.
    ///   - fromAnotherStore: Whether the backup may be another store's or in another directory; false by default. The
    ///     settings go back to the suites that they are from.
    ///   - keepsReplaced: Whether a copy of the replaced settings is kept; true by default.
    /// - Returns: The names of the suites in the backup that were left as they are.
    /// - Throws: `MoltError` with the code `suiteNotNamed`, `backupUnusable`, `noSpaceForBackup`, `backupFailed` or
    ///   `busy`; ``MoltError`` for a suite that cannot be written.
    @discardableResult
    public func restore(
        _ backup: StoreBackup,
        suites: [Suite] = [],
        leavingOthers leavesOthers: Bool = false,
        fromAnotherStore: Bool = false,
        keepingReplaced keepsReplaced: Bool = true
    ) throws -> [String] {
        try validate()
        var request = RestoreRequest()
        request.leavesOthers = leavesOthers
        request.isFromAnotherStore = fromAnotherStore
        request.attached = Set(([self] + suites).map(\.attachedName))
        return try withStore(suites) { store in
            // Changes of an interrupted upgrade belong to what is replaced.
            try applyJournal(of: store, .unchanged)
            var kept: StoreBackup?
            if keepsReplaced, try !isUnreadable() { kept = try keepCopy(.replaced, of: store, [self] + suites) }
            let left: [String]
            do {
                let patience = Patience(.seconds(5))
                left = try store.restore(backup, request) { try wait(patience) }
            } catch {
                // The copy is useless while the original exists.
                if let kept, (error as? MoltError)?.mayBeCommitted != true { try? store.remove(kept) }
                throw error
            }
            try applyJournal(of: store, .committed)
            return left
        }
    }

    /// Removes a backup of the suite, or a copy from ``filesAside()``.
    ///
    /// - Throws: `MoltError` with the code `backupUnusable` if the backup does not belong to this suite.
    public func remove(_ backup: StoreBackup) throws {
        try StoreFile(upgrading: self).remove(backup)
    }

    /// Runs a closure with the suite's store, while no upgrade works on the suites.
    private func withStore<Result>(_ suites: [Suite], _ body: (StoreFile) throws -> Result) throws -> Result {
        let store = try StoreFile(upgrading: self, attaching: suites)
        let patience = Patience(.seconds(5))
        let locks = try SuiteLock.all(of: [self] + suites) { try $0.wait(patience) }
        defer { withExtendedLifetime(locks) { store.removeIfDone() } }
        return try advisingOnDamage { try body(store) }
    }

    /// Makes the changes to the suites that are in the store's journal, if there are any.
    ///
    /// - Parameter outcome: What the restore has done if the store stays busy.
    private func applyJournal(of store: StoreFile, _ outcome: MoltError.Outcome) throws {
        guard try !store.state().journal.isEmpty else { return }
        let patience = Patience(.seconds(5))
        let stores = AttachedStores(store, MigrationRegistry(), MoltConfiguration())
        try store.withWriteTransaction(until: nil) { transaction in
            try AttachedWork(stores).apply(transaction.journal(), MoltConfiguration())
            try transaction.clearJournal()
            return true
        } waiting: {
            try wait(patience, outcome)
        }
    }

    /// Copies the current settings of suites into a file beside the store.
    private func keepCopy(_ kind: BackupName.Kind, of store: StoreFile, _ suites: [Suite]) throws -> StoreBackup {
        let ledger = try ledger()
        let contents = StoreContents(version: ledger?.version ?? 0, ledger: ledger?.history.rows ?? [])
        let patience = Patience(.seconds(5))
        try store.mirror(contents) { try wait(patience) }
        let entries = try suites.map { try $0.patchRestoringCurrentState() }
        return try store.makeBackup(BackupRequest(kind, version: contents.version, attached: entries))
    }

    private func isUnreadable() throws -> Bool {
        do {
            _ = try ledger()
            return false
        } catch let error as MoltError where error.code == .settingUnreadable || error.code == .newerFormat {
            return true
        }
    }

    /// Called repeatedly while an upgrade has the suite.
    ///
    /// - Parameter outcome: What has been done if it keeps the suite.
    private func wait(_ patience: Patience, _ outcome: MoltError.Outcome = .unchanged) throws {
        try patience.wait(
            orThrow: MoltError(
                .busy,
                "Another process is upgrading the settings in \(self).",
                advice: "Try again.",
                outcome: outcome,
                store: domainName
            )
        )
    }
}
