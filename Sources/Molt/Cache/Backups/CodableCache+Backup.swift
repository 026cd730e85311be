public import Foundation

extension CodableCache {
    /// Returns the backups of a cache file, newest first.
    ///
    /// ```swift
    /// for backup in try CodableCache.backups(at: url) { print(backup) }
    /// ```
    ///
    /// A file that looks like a backup but cannot be read is left out.
    ///
    /// - Throws: ``MoltError`` with the code `notAFile` when the URL cannot be that of a cache; `noPermission` or
    ///   `storeFailed` when its directory cannot be listed.
    public static func backups(at url: URL) throws -> [StoreBackup] {
        let path = FileStatus.path(of: url)
        try FileStatus.checkPath(path)
        return try StoreFile(at: url).backups()
    }

    /// Returns the files that Molt has set aside beside a cache file, newest first; backups are not among them.
    ///
    /// The end of the file's name tells its kind: `aside` for a store that was started afresh, `damaged` for an
    /// unreadable file that was replaced, and `replaced` for an intact store that a backup replaced. Molt never removes
    /// them.
    ///
    /// Use ``restore(_:at:attaching:leavingUnattached:fromAnotherStore:keepsReplaced:timeout:)`` to put one back,
    /// `CodableCache.salvage(from:to:)` of the product MoltSalvage to read a damaged one, and ``removeBackup(_:at:)``
    /// to remove one.
    ///
    /// - Throws: ``MoltError`` with the code `notAFile` when the URL cannot be that of a cache; `noPermission` or
    ///   `storeFailed` when its directory cannot be listed.
    public static func filesAside(at url: URL) throws -> [StoreBackup] {
        let path = FileStatus.path(of: url)
        try FileStatus.checkPath(path)
        return try StoreFiles(path).backups(BackupName.Kind.filesAside)
    }

    /// Copies a cache file to a backup beside it, even while other processes read and write the file.
    ///
    /// The backup stays until ``removeBackup(_:at:)``. Upgrades never remove it.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - attached: Suites to include in the backup. The default is none.
    /// - Throws: ``MoltError`` with the code `fileMissing`, `noSpaceForBackup` or `backupFailed`, or that of an
    ///   unreadable file.
    @discardableResult
    public static func backUp(at url: URL, attaching attached: [Suite] = []) throws -> StoreBackup {
        let store = StoreFile(at: url)
        let state = try store.state()
        guard !state.isFresh else {
            throw MoltError(
                .fileMissing,
                "There is no cache at \(store.storeName) that could be copied.",
                store: store.storeName
            )
        }
        guard state.journal.isEmpty else {
            throw MoltError.backupFailed(
                "changes to \(state.journal.joined(separator: ", ")) from an earlier upgrade have not been applied yet.",
                advice: "Open it first, which applies them.",
                store: store.storeName
            )
        }
        let entries = try attached.map { try $0.patchRestoringCurrentState() }
        return try store.makeBackup(
            BackupRequest(.manual, version: state.version, attached: entries.isEmpty ? nil : entries)
        )
    }

    /// Replaces the contents of a cache file with a backup, completely or not at all.
    ///
    /// ```swift
    /// if let backup = try CodableCache.backups(at: url).first {
    ///     try CodableCache.restore(backup, at: url, attaching: configuration.attached)
    /// }
    /// let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
    /// ```
    ///
    /// Other processes may have the file open. They see the old values until the restore is done, and then get errors
    /// with the code `storeChanged` until they reopen it. A process that is killed midway leaves the file unchanged.
    ///
    /// A suite's settings in the backup are restored when the cache is next opened. The configuration's `attached` must
    /// then include the suites that ``StoreBackup/attachedStores`` names. Otherwise this and every later opening fails
    /// with the code `notAttached`. A backup with suites is therefore refused unless they are passed here, too.
    ///
    /// An older release cannot know a suite that a newer one has introduced, such as that of an app group. It restores
    /// the records with `leavingUnattached: true`; the settings of such a suite stay as they are.
    ///
    /// Upgrades that did not attach all suites may have left backups that lack some. To go back several versions then,
    /// restore these backups one after another, the newest first, and open the store after each, with
    /// ``MigrationRegistry/upTo(version:)``.
    ///
    /// The replaced contents are kept in a file whose name ends with `replaced`, or with `damaged` when they are not
    /// intact. ``filesAside(at:)`` lists both kinds, and they stay until ``removeBackup(_:at:)``. A `replaced` file
    /// includes the settings of the suites in `attaching`.
    ///
    /// - Important: Values that were written after the backup was made are no longer in the file.
    /// - Parameters:
    ///   - backup: A file of ``backups(at:)`` or ``filesAside(at:)``.
    ///   - url: The file; neither it nor its directory has to exist.
    ///   - attached: The suites in the backup (``StoreBackup/attachedStores``), and others to include in the copy of
    ///     the replaced contents. The default is none.
    ///   - leavesUnattached: Whether suites in the backup that are not in `attached` stay as they are. The default is
    ///     false: the backup is refused.
    ///   - fromAnotherStore: Whether the backup may belong to another file or be in another directory. The default is
    ///     false, because one user's values could replace another's.
    ///   - keepsReplaced: Whether to keep a copy of the replaced contents, which takes the space of the file. The
    ///     default is true.
    ///   - timeout: The time to wait while another process writes. The default is 5 seconds.
    /// - Returns: The names of the suites in the backup that were left as they are.
    /// - Throws: ``MoltError`` with the code `notAttached`, `backupUnusable`, `restoreFailed`, `noSpaceForBackup`,
    ///   `backupFailed` or `busy`, or that of a file that is not a cache.
    @discardableResult
    public static func restore(
        _ backup: StoreBackup,
        at url: URL,
        attaching attached: [Suite] = [],
        leavingUnattached leavesUnattached: Bool = false,
        fromAnotherStore: Bool = false,
        keepsReplaced: Bool = true,
        timeout: Duration = .seconds(5)
    ) throws -> [String] {
        let path = FileStatus.path(of: url)
        try FileStatus.checkPath(path)
        var request = RestoreRequest()
        request.leavesUnattached = leavesUnattached
        request.isFromAnotherStore = fromAnotherStore
        request.attached = Set(attached.map(\.attachedName))
        if keepsReplaced {
            request.keeping = BackupRequest(.replaced, version: 0)
            request.keep(attached)
        }
        let patience = Patience(timeout)
        return try StoreFile(at: url).restore(backup, request) { try patience.wait(forWriterOf: path) }
    }

    /// Sets the contents of a cache file aside, and leaves an empty cache, completely or not at all.
    ///
    /// ```swift
    /// if let aside = try CodableCache.startAfresh(at: url) { print("The old store is \(aside.url.path) now.") }
    /// let cache = try CodableCache(at: url, migrations: migrations)
    /// ```
    ///
    /// Use it for a file that this release cannot open: a newer release has upgraded it, it is older than the registry
    /// supports, its upgrade fails or is interrupted each time, or it is damaged. The next opening creates a new store,
    /// as for a missing file. The settings of suites do not change.
    ///
    /// Nothing is deleted. ``filesAside(at:)`` lists the old store until ``removeBackup(_:at:)``, and
    /// ``restore(_:at:attaching:leavingUnattached:fromAnotherStore:keepsReplaced:timeout:)`` puts it back. Backups
    /// stay, too. Other processes may have the file open: their next read or write throws `storeChanged` or
    /// ``MoltError/Code/fileReplaced``. A process that is killed midway leaves the file unchanged.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - timeout: The time to wait while another process writes. The default is 5 seconds.
    /// - Returns: The file with the old store. Its name ends with `aside` or, when it cannot be read, with `damaged`.
    ///   nil when there was no file or no content.
    /// - Throws: ``MoltError`` with the code `noSpaceForBackup`, `backupFailed` or `busy`, or that of a file that is
    ///   not a cache.
    @discardableResult
    public static func startAfresh(at url: URL, timeout: Duration = .seconds(5)) throws -> StoreBackup? {
        let path = FileStatus.path(of: url)
        try FileStatus.checkPath(path)
        guard try FileStatus.of(path) != nil || StoreFiles(path).hasLog else { return nil }
        let patience = Patience(timeout)
        return try StoreFile(at: url).startAfresh { try patience.wait(forWriterOf: path) }
    }

    /// Removes a backup of a cache file, or one of ``filesAside(at:)``.
    ///
    /// - Throws: `MoltError` with the code `backupUnusable` when the backup does not belong to this file.
    public static func removeBackup(_ backup: StoreBackup, at url: URL) throws {
        try StoreFile(at: url).remove(backup)
    }
}
