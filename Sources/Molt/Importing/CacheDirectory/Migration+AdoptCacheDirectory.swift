internal import Foundation

extension Migration {
    /// Adopts the entries of a directory of the library Cache (hyperoslo, version 7) as records.
    ///
    /// ```swift
    /// let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0].appending(path: "Floppy")
    /// let migrations: MigrationRegistry = [
    ///     .adoptCacheDirectory(to: 1, directory: CacheDirectory(at: caches, keys: .list(["john", "jane"]), type:
    ///     "Alien")), Migration(to: 2, "alien-becomes-person", .renameType("Alien", to: "Person")),
    /// ]
    /// ```
    ///
    /// A value is stored byte for byte as Cache wrote it, and keeps its expiry; expired entries are skipped. The
    /// directory is not changed before the commit. The migration also runs on a newly created store, and later
    /// migrations convert the adopted records.
    ///
    /// The report gives the outcome of each listed key. It names the files whose keys are not listed, and those that
    /// could not be adopted, which stay in place and do not prevent the adoption of the others. If the directory has
    /// two files of one key, the record is that of the file that today's Cache reads, and the report names the other.
    ///
    /// A missing directory is treated as empty. An app extension cannot see the app's own directories: without a
    /// directory, opening the store there fails with the code `deferred` until the app has opened it.
    ///
    /// - Important: Files of the protection class `complete` cannot be read while a device is locked. Set `strict` for
    ///   them, so that an upgrade at such a time fails and a later one adopts them.
    ///
    /// An upgrade fails with the code `suiteFailed` when the path is not a directory or cannot be listed, and
    /// with `notConvertible` when `strict` is set and a file cannot be adopted.
    ///
    /// - Parameters:
    ///   - version: The schema version that the migration brings a store to.
    ///   - name: The migration's name; each directory needs its own.
    ///   - directory: The directory, its keys and its types.
    ///   - policy: Which content stays when the store already has a record under the key; the store's by default.
    ///   - removingSource: Whether the adopted files that were not modified since are removed after the commit, and the
    ///     directory if it is then empty; false by default. A kill in between loses nothing: the remaining files are
    ///     removed when the store is next opened. A file that cannot be removed is left in place.
    ///   - strict: Whether a file that cannot be adopted fails the upgrade, which is then rolled back. The default is
    ///     false.
    public static func adoptCacheDirectory(
        to version: Int,
        _ name: String = "adopt-cache-directory",
        directory: CacheDirectory,
        onConflict policy: ConflictPolicy<CacheDirectory> = .keep,
        removingSource: Bool = false,
        strict: Bool = false
    ) -> Migration {
        let attached = AttachedDirectory(
            name: "the Cache directory of \"\(name)\"",
            path: FileStatus.path(of: directory.url)
        )
        let declaration = AttachedStoreStep(
            name: "adoptCacheDirectory",
            summary: "adopt the Cache directory \(directory.url.lastPathComponent)",
            parameters: [policy.identity, removingSource ? "remove" : "keep", "strict: \(strict)"]
        )
        let work = BringWork(source: .directory(attached)) { migration in
            let adoption = CacheDirectoryAdoption(
                migration: migration,
                directory: attached,
                session: try migration.directory(attached),
                keys: directory.keys,
                content: directory.content,
                policy: policy,
                removesSource: removingSource,
                isStrict: strict
            )
            try adoption.run()
        }
        return Migration(to: version, name, MigrationStep(declaration, .bring(work)))
    }
}
