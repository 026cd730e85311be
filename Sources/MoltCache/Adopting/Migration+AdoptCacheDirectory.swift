public import Foundation
public import MoltCore

extension Migration {
    /// Brings the entries of a directory of the library Cache (hyperoslo, version 7) into the store, as records.
    ///
    /// ```swift
    /// let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0].appending(path: "Floppy")
    /// let migrations: MigrationRegistry = [
    ///     .adoptCacheDirectory(to: 1, directory: caches, keys: .list(["john", "jane"]), type: "Alien"),
    ///     Migration(to: 2, "alien-becomes-person", .renameType("Alien", to: "Person")),
    /// ]
    /// ```
    ///
    /// A value is stored byte for byte as Cache wrote it, and expires when Cache would have let it expire; what has
    /// expired already is left behind. The directory is only read until everything is committed. It also runs on a
    /// store that was just created, and the migrations that follow run on what it brought in.
    ///
    /// The report says what became of each key that is named. It names the files that could not be read, too: those are
    /// left where they are, and do not keep the others from being adopted. A directory that does not exist has nothing
    /// to bring in. An app extension cannot see the app's own directories: there, opening the store fails with the code
    /// `deferred` when there is no directory, until the app has opened it.
    ///
    /// - Important: Files of the protection class `complete` cannot be read while a device is locked. Set `strict` for
    ///   those, so that an upgrade at such a time fails, and a later one adopts them.
    ///
    /// Upgrades that run it fail with the code `attachedStoreFailed` when what is at the path is not a directory or
    /// cannot be listed, and `notConvertible` when `strict` is set and a file cannot be adopted.
    ///
    /// - Parameters:
    ///   - version: The schema version that it brings a store to.
    ///   - name: The migration's name; give one for each directory.
    ///   - directory: The directory of one storage: Cache's `DiskConfig.directory`, or the caches directory, and in it
    ///     the `DiskConfig.name`.
    ///   - keys: Which files, and under which keys.
    ///   - type: What the files hold, and the type name that it is stored as; as text, the name of the type alone.
    ///   - existing: Which wins when the store has a record under the key already; by default the store's own.
    ///   - afterwards: What becomes of the directory; by default it is kept.
    ///   - strict: Whether a file that cannot be adopted fails the upgrade, which is rolled back then.
    public static func adoptCacheDirectory(
        to version: Int,
        _ name: String = "adopt-cache-directory",
        directory: URL,
        keys: CacheDirectory.Keys,
        type: CacheDirectory.Content,
        existing: CacheDirectory.Existing = .keep,
        afterwards: CacheDirectory.Afterwards = .keep,
        strict: Bool = false
    ) -> Migration {
        adoptCacheDirectory(
            to: version,
            name,
            directory: directory,
            keys: keys,
            type: { _ in type },
            existing: existing,
            afterwards: afterwards,
            strict: strict,
            now: { Date() }
        )
    }

    /// Brings the entries of a directory of the library Cache into the store, with a type for each key.
    ///
    /// ```swift
    /// .adoptCacheDirectory(to: 1, directory: caches, keys: .list(keys)) { key in
    ///     key.hasPrefix("photo-") ? .data : "Person"
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - version: The schema version that it brings a store to.
    ///   - name: The migration's name; give one for each directory.
    ///   - directory: The directory of one storage.
    ///   - keys: Which files, and under which keys.
    ///   - existing: Which wins when the store has a record under the key already; by default the store's own.
    ///   - afterwards: What becomes of the directory; by default it is kept.
    ///   - strict: Whether a file that cannot be adopted fails the upgrade, which is rolled back then.
    ///   - type: Gets a key, or the name of a file whose key is not known, and says what the file holds.
    public static func adoptCacheDirectory(
        to version: Int,
        _ name: String = "adopt-cache-directory",
        directory: URL,
        keys: CacheDirectory.Keys,
        existing: CacheDirectory.Existing = .keep,
        afterwards: CacheDirectory.Afterwards = .keep,
        strict: Bool = false,
        type: @escaping @Sendable (_ key: String) -> CacheDirectory.Content
    ) -> Migration {
        adoptCacheDirectory(
            to: version,
            name,
            directory: directory,
            keys: keys,
            type: type,
            existing: existing,
            afterwards: afterwards,
            strict: strict,
            now: { Date() }
        )
    }

    /// As the other two, with a clock of its own.
    ///
    /// - Parameter now: What the times at which entries expire are compared with.
    package static func adoptCacheDirectory(
        to version: Int,
        _ name: String = "adopt-cache-directory",
        directory: URL,
        keys: CacheDirectory.Keys,
        type: @escaping @Sendable (_ key: String) -> CacheDirectory.Content,
        existing: CacheDirectory.Existing = .keep,
        afterwards: CacheDirectory.Afterwards = .keep,
        strict: Bool = false,
        now: @escaping @Sendable () -> Date
    ) -> Migration {
        let store = CacheDirectoryStore(migration: name, path: FileStatus.path(of: directory))
        let adoption = CacheDirectoryAdoption(
            store: store,
            keys: keys,
            content: type,
            existing: existing,
            afterwards: afterwards,
            isStrict: strict,
            now: now
        )
        let step = MigrationStep(
            kind: "adoptCacheDirectory",
            words: "adopt the Cache directory \(directory.lastPathComponent)",
            parameters: [existing.identity, afterwards.identity, "strict: \(strict)"],
            attaching: [store],
            usesRecords: true,
            { try adoption.run($0) }
        )
        return Migration(to: version, name, step)
    }
}
