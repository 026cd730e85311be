public import Foundation
public import MoltCore

extension CodableCache {
    /// The backups of a cache file, the newest first.
    ///
    /// ```swift
    /// for backup in try CodableCache.backups(at: url) { print(backup) }
    /// ```
    ///
    /// A file that looks like a backup and cannot be read is not among them.
    ///
    /// - Throws: ``CacheError`` with the code `notAFile` when there can be no cache at the URL; `noPermission` or
    ///   `storeFailed` when its directory cannot be listed.
    public static func backups(at url: URL) throws -> [StoreBackup] {
        let path = FileStatus.path(of: url)
        try FileStatus.checkPath(path)
        return try CacheStore(at: url).backups()
    }

    /// The files beside a cache file that are no backups, and that Molt has kept; the newest first.
    ///
    /// By the end of the file's name: `aside` for a store that was started afresh, `damaged` for a file that could not be
    /// read when something took its place, and `replaced` for a whole store when a backup did. Molt removes none of them. ``restore(_:at:attaching:fromAnotherStore:keepsReplaced:timeout:)`` puts one back,
    /// `CodableCache.salvage(from:to:)` of the product MoltSalvage reads a damaged one, and ``removeBackup(_:at:)`` removes
    /// one.
    ///
    /// - Throws: ``CacheError`` with the code `notAFile` when there can be no cache at the URL, and `noPermission` or
    ///   `storeFailed` when its directory cannot be listed.
    public static func filesAside(at url: URL) throws -> [StoreBackup] {
        let path = FileStatus.path(of: url)
        try FileStatus.checkPath(path)
        return try BackupFiles(path).list(BackupName.Kind.filesAside)
    }

    /// Copies a cache file as it is now; others may read and write it meanwhile.
    ///
    /// The copy is beside the file and stays until ``removeBackup(_:at:)``: upgrades never remove it.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - attached: Suites that are to be in the backup as they are now, too; none by default.
    /// - Throws: ``CacheError`` with the code `fileMissing`, or that of a file that cannot be read; `MigrationError` with
    ///   the code `noSpaceForBackup` or `backupFailed`.
    @discardableResult
    public static func backUp(at url: URL, attaching attached: [any Attachable] = []) throws -> StoreBackup {
        let store = CacheStore(at: url)
        let state = try store.state()
        guard !state.isFresh else {
            var error = CacheError(.fileMissing, "There is no cache at \(store.storeName) that could be copied.")
            error.path = store.storeName
            throw error
        }
        guard state.journal.isEmpty else {
            throw MigrationError.backupFailed(
                "changes of an upgrade to \(state.journal.joined(separator: ", ")) are still to be made. Open it first, "
                    + "which makes them.",
                store: store.storeName
            )
        }
        let entries = try attached.stores.changesRestoringNow()
        return try store.makeBackup(
            BackupRequest(.manual, version: state.version, attached: entries.isEmpty ? nil : entries)
        )
    }

    /// Puts a backup in the place of a cache file, whole or not at all.
    ///
    /// ```swift
    /// if let backup = try CodableCache.backups(at: url).first {
    ///     try CodableCache.restore(backup, at: url, attaching: configuration.attached)
    /// }
    /// let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
    /// ```
    ///
    /// Other processes may have the file open: they see the old values until it is done, and then get an error with the
    /// code `storeChanged` until they open it again. A process that is killed in the middle leaves the file as it was.
    ///
    /// Settings of suites that the backup has are put back when the cache is next opened. That opening must attach those
    /// suites, which ``StoreBackup/attachedStores`` names, in the configuration's `attached`. Otherwise it fails with the
    /// code `notAttached`, and so do later ones. So a backup that has suites is refused unless they are named here, too.
    ///
    /// What was there is kept beside: with `replaced` at the end of its name, or with `damaged` when it is not whole.
    /// ``filesAside(at:)`` lists both; they stay until ``removeBackup(_:at:)``. The first has the settings of the suites
    /// that are named in `attaching`, too.
    ///
    /// - Important: What was written since the backup was made is not in the file any more.
    /// - Parameters:
    ///   - backup: One of ``backups(at:)``, or of ``filesAside(at:)``.
    ///   - url: The file; it need not exist, nor its directory.
    ///   - attached: The suites that the backup has (``StoreBackup/attachedStores``), and others that are to be in the copy
    ///     of what is there. None by default.
    ///   - fromAnotherStore: Whether the backup may be of another file, or stand in another directory than the file; not
    ///     by default, as the values of one user would replace those of another.
    ///   - keepsReplaced: Whether a copy of what is there is kept; by default. It takes the space of the file.
    ///   - timeout: How long to wait while another process writes; 5 seconds by default.
    /// - Throws: `MigrationError` with the code `notAttached`, `backupUnusable`, `restoreFailed`, `noSpaceForBackup`,
    ///   `backupFailed` or `busy`; ``CacheError`` for a file that is not a cache.
    public static func restore(
        _ backup: StoreBackup,
        at url: URL,
        attaching attached: [any Attachable] = [],
        fromAnotherStore: Bool = false,
        keepsReplaced: Bool = true,
        timeout: Duration = .seconds(5)
    ) throws {
        let path = FileStatus.path(of: url)
        try FileStatus.checkPath(path)
        var request = RestoreRequest()
        request.isFromAnotherStore = fromAnotherStore
        request.attached = Set(attached.stores.map(\.attachedName))
        if keepsReplaced {
            request.keeping = BackupRequest(.replaced, version: 0)
            request.keep(attached.stores)
        }
        try CacheStore(at: url).restore(backup, request, waiting: patience(timeout, path))
    }

    /// Keeps a cache file aside under another name, and leaves an empty cache in its place, whole or not at all.
    ///
    /// ```swift
    /// if let aside = try CodableCache.startAfresh(at: url) { print("The old store is \(aside.url.path) now.") }
    /// let cache = try CodableCache(at: url, migrations: migrations)
    /// ```
    ///
    /// It is for a file that this release cannot open: a newer app has upgraded it, it is older than the registry
    /// supports, its upgrade fails or is cut off each time, or it is damaged. The next opening makes a new store, as where
    /// there was no file. Settings of suites stay as they are.
    ///
    /// Nothing is deleted. The old store is in ``filesAside(at:)`` until ``removeBackup(_:at:)``, and
    /// ``restore(_:at:attaching:fromAnotherStore:keepsReplaced:timeout:)`` puts it back. Backups stay, too. Other processes
    /// may have the file open: their next read or write throws `storeChanged` or ``CacheError/Code/fileReplaced``. A
    /// process that is killed in the middle leaves the file as it was.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - timeout: How long to wait while another process writes; 5 seconds by default.
    /// - Returns: Where the old store is: a file whose name ends in `aside` or, when it cannot be read, in `damaged`. nil
    ///   when there was no file, or nothing in it.
    /// - Throws: `MigrationError` with the code `noSpaceForBackup`, `backupFailed` or `busy`; ``CacheError`` for a file that
    ///   is not a cache.
    @discardableResult
    public static func startAfresh(at url: URL, timeout: Duration = .seconds(5)) throws -> StoreBackup? {
        let path = FileStatus.path(of: url)
        try FileStatus.checkPath(path)
        guard try FileStatus.of(path) != nil || FileStatus.hasContent(path + "-wal") else { return nil }
        return try CacheStore(at: url).startAfresh(waiting: patience(timeout, path))
    }

    /// Waits for another process that writes, up to a time.
    private static func patience(_ timeout: Duration, _ path: String) -> () throws -> Void {
        let deadline = ContinuousClock.now + timeout
        return {
            guard ContinuousClock.now >= deadline else { return }
            throw MigrationError(
                .busy,
                "Another process wrote to the cache at \(path) for more than \(timeout). Try again. Nothing was changed."
            )
        }
    }

    /// Removes a backup of a cache file, or one of ``filesAside(at:)``.
    ///
    /// - Throws: `MigrationError` with the code `backupUnusable` when it is none of this file's.
    public static func removeBackup(_ backup: StoreBackup, at url: URL) throws {
        try CacheStore(at: url).remove(backup)
    }
}
