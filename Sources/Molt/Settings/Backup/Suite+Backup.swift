internal import Foundation

extension Suite {
    /// The backups of a suite that is a store, newest first.
    ///
    /// They are made by upgrades whose options request it, and by ``backUp(attaching:)``.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite` or `notWritable`; `noPermission` or `unreadable` if
    ///   their directory cannot be listed.
    public func backups() throws -> [StoreBackup] {
        try DefaultsStore(self).backups()
    }

    /// Copies of the settings that restores have replaced, newest first.
    ///
    /// ``restore(_:attaching:leavingUnattached:fromAnotherStore:keepsReplaced:)`` restores a copy, and ``removeBackup(_:)`` removes it.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite` or `notWritable`.
    public func filesAside() throws -> [StoreBackup] {
        try validate()
        return try DefaultsStore(self).files.backups(BackupName.Kind.filesAside)
    }

    /// Makes a backup of the suite, which is kept until ``removeBackup(_:)``.
    ///
    /// ```swift
    /// let backup = try Suite.standard.backUp()
    /// try Suite.standard.restore(backup)
    /// ```
    ///
    /// - Parameter attached: Other suites to include in the backup; none by default.
    /// - Throws: `MoltError` with the code `noSpaceForBackup`, `backupFailed` or `busy`; ``MoltError`` for a
    ///   suite that cannot be read.
    @discardableResult
    public func backUp(attaching attached: [any Attachable] = []) throws -> StoreBackup {
        try validate()
        let store = DefaultsStore(self, attaching: attached.stores)
        let lock = try store.files.lock(waiting: Self.patience(for: self))
        let state = try store.state()
        let entries = try attached.stores.changesRestoringCurrentState()
        let backup = try store.makeBackup(BackupRequest(.manual, version: state.version, attached: entries))
        _ = consume lock
        return backup
    }

    /// Replaces the suite's settings and its schema version with those of a backup.
    ///
    /// If the process is killed during the restore, a journal remains, and the next upgrade finishes the restore; it
    /// must attach the same suites. The backup's settings of other suites are restored, too. Pass these suites, whose
    /// names are in ``StoreBackup/attachedStores``.
    ///
    /// The replaced settings, including those of the attached suites, are kept in a file beside the backups until
    /// ``removeBackup(_:)``; ``filesAside()`` lists it.
    ///
    /// - Important: Settings made since the backup are no longer in the suite.
    /// - Parameters:
    ///   - backup: A backup from ``backups()`` or ``filesAside()``.
    ///   - attached: The other suites in the backup; none by default.
    ///   - leavesUnattached: Whether other suites in the backup that are not in `attached` stay as they are; false by
    ///     default: the backup is refused.
    ///   - fromAnotherStore: Whether the backup may belong to another suite or be in another directory; false by
    ///     default.
    ///   - keepsReplaced: Whether a copy of the replaced settings is kept; true by default.
    /// - Returns: The names of the suites in the backup that were left as they are.
    /// - Throws: `MoltError` with the code `notAttached`, `backupUnusable`, `noSpaceForBackup`, `backupFailed` or
    ///   `busy`; ``MoltError`` for a suite that cannot be written.
    @discardableResult
    public func restore(
        _ backup: StoreBackup,
        attaching attached: [any Attachable] = [],
        leavingUnattached leavesUnattached: Bool = false,
        fromAnotherStore: Bool = false,
        keepsReplaced: Bool = true
    ) throws -> [String] {
        var request = RestoreRequest()
        request.leavesUnattached = leavesUnattached
        request.isFromAnotherStore = fromAnotherStore
        request.attached = Set(attached.stores.map(\.attachedName) + [attachedName])
        if keepsReplaced {
            request.keeping = BackupRequest(.replaced, version: 0)
            request.keep(attached.stores)
        }
        return try DefaultsStore(self, attaching: attached.stores)
            .restore(backup, request, waiting: Self.patience(for: self))
    }

    /// Removes a backup of the suite, or a copy from ``filesAside()``.
    ///
    /// - Throws: `MoltError` with the code `backupUnusable` if the backup does not belong to this suite.
    public func removeBackup(_ backup: StoreBackup) throws {
        try DefaultsStore(self).remove(backup)
    }

    private static func patience(for suite: Suite) -> () throws -> Void {
        let deadline = ContinuousClock.now + .seconds(5)
        return {
            guard ContinuousClock.now >= deadline else { return }
            throw MoltError(
                .busy,
                "Another process is upgrading the settings in \(suite). Try again. Nothing was changed."
            )
        }
    }
}
