internal import Foundation
public import MoltCore

extension Suite {
    /// The backups of a suite that is a store, the newest first.
    ///
    /// They are made by an upgrade whose options ask for it, and by ``backUp(attaching:)``.
    ///
    /// - Throws: ``DefaultsError`` with the code `invalidSuite` or `notWritable`; `noPermission` or `unreadable` when
    ///   the directory that they are in cannot be listed.
    public func backups() throws -> [StoreBackup] {
        try DefaultsStore(self).backups()
    }

    /// What restores have replaced, as the settings were then, the newest first; empty when there was none.
    ///
    /// ``restore(_:attaching:fromAnotherStore:keepsReplaced:)`` puts it back, and ``removeBackup(_:)`` removes it.
    ///
    /// - Throws: ``DefaultsError`` with the code `invalidSuite` or `notWritable`.
    public func filesAside() throws -> [StoreBackup] {
        try validate()
        return try DefaultsStore(self).files.backups(BackupName.Kind.filesAside)
    }

    /// Copies the suite as it is now into a file of Molt's, which stays until ``removeBackup(_:)``.
    ///
    /// ```swift
    /// let backup = try Suite.standard.backUp()
    /// try Suite.standard.restore(backup)
    /// ```
    ///
    /// - Parameter attached: Other suites that are to be in the backup; none by default.
    /// - Throws: `MigrationError` with the code `noSpaceForBackup`, `backupFailed` or `busy`; ``DefaultsError`` for a
    ///   suite that cannot be read.
    @discardableResult
    public func backUp(attaching attached: [any Attachable] = []) throws -> StoreBackup {
        try validate()
        let store = DefaultsStore(self, attaching: attached.stores)
        let lock = try store.files.lock(waiting: Self.patience(for: self))
        let state = try store.state()
        let entries = try attached.stores.changesBackToNow()
        let backup = try store.makeBackup(BackupRequest(.manual, version: state.version, attached: entries))
        _ = consume lock
        return backup
    }

    /// Puts a backup in the place of what the suite holds: all its settings, and its version.
    ///
    /// A process that is killed in the middle leaves a journal, and the next upgrade finishes it; it must name the same
    /// suites. Settings of other suites that the backup has are put back, too. They must be named here:
    /// ``StoreBackup/attachedStores`` has the names.
    ///
    /// The settings as they were, and those of the suites that are named, are kept in a file beside the backups until
    /// ``removeBackup(_:)``: ``filesAside()`` has it.
    ///
    /// - Important: What was set since the backup was made is not in the suite any more.
    /// - Parameters:
    ///   - backup: One of ``backups()``, or of ``filesAside()``.
    ///   - attached: The other suites that the backup has; none by default.
    ///   - fromAnotherStore: Whether the backup may be of another suite, or stand elsewhere than this one's; not by
    ///     default.
    ///   - keepsReplaced: Whether a copy of the settings as they are is kept; by default.
    /// - Throws: `MigrationError` with the code `notAttached`, `backupUnusable`, `noSpaceForBackup`, `backupFailed` or
    ///   `busy`; ``DefaultsError`` for a suite that cannot be written.
    public func restore(
        _ backup: StoreBackup,
        attaching attached: [any Attachable] = [],
        fromAnotherStore: Bool = false,
        keepsReplaced: Bool = true
    ) throws {
        var request = RestoreRequest()
        request.isFromAnotherStore = fromAnotherStore
        request.attached = Set(attached.stores.map(\.attachedName) + [attachedName])
        if keepsReplaced {
            request.keeping = BackupRequest(.replaced, version: 0)
            request.keep(attached.stores)
        }
        try DefaultsStore(self, attaching: attached.stores)
            .restore(backup, request, waiting: Self.patience(for: self))
    }

    /// Removes a backup of the suite, or one of ``filesAside()``.
    ///
    /// - Throws: `MigrationError` with the code `backupUnusable` when it is none of this suite's.
    public func removeBackup(_ backup: StoreBackup) throws {
        try DefaultsStore(self).remove(backup)
    }

    /// Waits five seconds for another process.
    private static func patience(for suite: Suite) -> () throws -> Void {
        let deadline = ContinuousClock.now + .seconds(5)
        return {
            guard ContinuousClock.now >= deadline else { return }
            throw MigrationError(
                .busy,
                "Another process is upgrading the settings in \(suite). Try again. Nothing was changed."
            )
        }
    }
}
