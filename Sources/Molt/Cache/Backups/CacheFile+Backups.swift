import Foundation

extension CacheFile {
    /// Returns the backups of the file, newest first.
    ///
    /// ```swift
    /// for backup in try CacheFile(at: url).backups() { print(backup) }
    /// ```
    ///
    /// A file that looks like a backup but cannot be read is left out.
    ///
    /// - Throws: ``MoltError`` with the code `notAFile` when the URL cannot be that of a cache; `noPermission` or
    ///   `storeFailed` when its directory cannot be listed.
    public func backups() throws -> [StoreBackup] {
        try FileStatus.checkPath(path)
        return try StoreFile(at: url).backups()
    }

    /// Returns the files that Molt has set aside beside the file, newest first; backups are not among them.
    ///
    /// The end of the file's name tells its kind: `aside` for a store that was started afresh, `damaged` for an
    /// unreadable file that was replaced, and `replaced` for an intact store that a backup replaced. Molt never removes
    /// them.
    ///
    /// Use ``restore(_:suites:leavingOthers:fromAnotherStore:keepingReplaced:timeout:)`` to put one back,
    /// `salvage(_:to:)` of the product MoltSalvage to read a damaged one, and ``remove(_:)``
    /// to remove one.
    ///
    /// - Throws: ``MoltError`` with the code `notAFile` when the URL cannot be that of a cache; `noPermission` or
    ///   `storeFailed` when its directory cannot be listed.
    public func filesAside() throws -> [StoreBackup] {
        try FileStatus.checkPath(path)
        return try StoreFiles(path).backups(BackupName.Kind.filesAside)
    }

    /// Copies the file to a backup beside it, even while other processes read and write the file.
    ///
    /// The backup stays until ``remove(_:)``. Upgrades never remove it.
    ///
    /// - Parameter suites: Suites to include in the backup. The default is none.
    /// - Throws: ``MoltError`` with the code `fileMissing`, `noSpaceForBackup` or `backupFailed`, or that of an
    ///   unreadable file.
    @discardableResult
    public func backUp(suites: [Suite] = []) throws -> StoreBackup {
        let store = StoreFile(at: url)
        let state = try store.state()
        guard !state.isFresh else {
            throw MoltError.noCache(at: store.storeName)
        }
        guard state.journal.isEmpty else {
            throw MoltError.backupFailed(
                "changes to \(state.journal.joined(separator: ", ")) from an earlier upgrade have not been applied yet.",
                advice: "Open it first, which applies them.",
                store: store.storeName
            )
        }
        let entries = try suites.map { try $0.patchRestoringCurrentState() }
        return try store.makeBackup(
            BackupRequest(.manual, version: state.version, attached: entries.isEmpty ? nil : entries)
        )
    }

    /// Replaces the contents of the file with a backup, completely or not at all.
    ///
    /// Neither the file nor its directory has to exist.
    ///
    /// ```swift
    /// if let backup = try CacheFile(at: url).backups().first {
    ///     try CacheFile(at: url).restore(backup, suites: configuration.suites)
    /// }
    /// let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
    /// ```
    ///
    /// Other processes may have the file open. They see the old values until the restore is done, and then get errors
    /// with the code `storeChanged` until they reopen it. A process that is killed midway leaves the file unchanged.
    ///
    /// A suite's settings in the backup are restored when the cache is next opened. The configuration's `suites` must
    /// then include the suites that ``StoreBackup/suites`` names. Otherwise this and every later opening fails
    /// with the code `suiteNotNamed`. A backup with suites is therefore refused unless they are passed here, too.
    ///
    /// An older release cannot know a suite that a newer one has introduced, such as that of an app group. It restores
    /// the records with `leavingOthers: true`; the settings of such a suite stay as they are.
    ///
    /// Upgrades whose configuration did not name all suites may have left backups that lack some. To go back several
    /// versions then, restore these backups one after another, the newest first, and open the store after each, with
    /// ``MigrationRegistry/upTo(version:)``.
    ///
    /// The replaced contents are kept in a file whose name ends with `replaced`, or with `damaged` when they are not
    /// intact. ``filesAside()`` lists both kinds, and they stay until ``remove(_:)``. A `replaced` file
    /// includes the settings of the suites that are passed.
    ///
    /// - Important: Values that were written after the backup was made are no longer in the file.
    /// - Parameters:
    ///   - backup: A file of ``backups()`` or ``filesAside()``.
    ///   - suites: The suites in the backup (``StoreBackup/suites``), and others to include in the copy of
    ///     the replaced contents. The default is none.
    ///   - leavesOthers: Whether suites in the backup that are not in `suites` stay as they are. The default is
    ///     false: the backup is refused.
    ///   - fromAnotherStore: Whether the backup may belong to another file or be in another directory. The default is
    ///     false, because one user's values could replace another's.
    ///   - keepsReplaced: Whether to keep a copy of the replaced contents, which takes the space of the file. The
    ///     default is true.
    ///   - timeout: The time to wait while another process writes. The default is 5 seconds.
    /// - Returns: The names of the suites in the backup that were left as they are.
    /// - Throws: ``MoltError`` with the code `suiteNotNamed`, `backupUnusable`, `restoreFailed`, `noSpaceForBackup`,
    ///   `backupFailed` or `busy`, or that of a file that is not a cache.
    @discardableResult
    public func restore(
        _ backup: StoreBackup,
        suites: [Suite] = [],
        leavingOthers leavesOthers: Bool = false,
        fromAnotherStore: Bool = false,
        keepingReplaced keepsReplaced: Bool = true,
        timeout: Duration = .seconds(5)
    ) throws -> [String] {
        try FileStatus.checkPath(path)
        var request = RestoreRequest()
        request.leavesOthers = leavesOthers
        request.isFromAnotherStore = fromAnotherStore
        request.attached = Set(suites.map(\.attachedName))
        if keepsReplaced {
            request.keeping = BackupRequest(.replaced, version: 0)
            request.keep(suites)
        }
        let patience = Patience(timeout)
        return try StoreFile(at: url).restore(backup, request) { try patience.wait(forWriterOf: path) }
    }

    /// Sets the contents of the file aside, and leaves an empty cache, completely or not at all.
    ///
    /// ```swift
    /// if let aside = try CacheFile(at: url).startAfresh() { print("The old store is \(aside.url.path) now.") }
    /// let cache = try CodableCache(at: url, migrations: migrations)
    /// ```
    ///
    /// Use it for a file that this release cannot open: a newer release has upgraded it, it is older than the registry
    /// supports, its upgrade fails or is interrupted each time, or it is damaged. The next opening creates a new store,
    /// as for a missing file. The settings of suites do not change.
    ///
    /// Nothing is deleted. ``filesAside()`` lists the old store until ``remove(_:)``, and
    /// ``restore(_:suites:leavingOthers:fromAnotherStore:keepingReplaced:timeout:)`` puts it back. Backups
    /// stay, too. Other processes may have the file open: their next read or write throws `storeChanged` or
    /// ``MoltError/Code/fileReplaced``. A process that is killed midway leaves the file unchanged.
    ///
    /// - Parameter timeout: The time to wait while another process writes. The default is 5 seconds.
    /// - Returns: The file with the old store. Its name ends with `aside` or, when it cannot be read, with `damaged`.
    ///   nil when there was no file or no content.
    /// - Throws: ``MoltError`` with the code `noSpaceForBackup`, `backupFailed` or `busy`, or that of a file that is
    ///   not a cache.
    @discardableResult
    public func startAfresh(timeout: Duration = .seconds(5)) throws -> StoreBackup? {
        try FileStatus.checkPath(path)
        guard try FileStatus.of(path) != nil || StoreFiles(path).hasLog else { return nil }
        let patience = Patience(timeout)
        return try StoreFile(at: url).startAfresh { try patience.wait(forWriterOf: path) }
    }

    /// Removes a backup of the file, or one of ``filesAside()``.
    ///
    /// - Throws: `MoltError` with the code `backupUnusable` when the backup does not belong to this file.
    public func remove(_ backup: StoreBackup) throws {
        try StoreFile(at: url).remove(backup)
    }
}
