public import Foundation
public import MoltCache
internal import MoltCore

/// Fixtures of apps that used the library Cache, and adopt its directory.
extension StoreFixture {
    /// Takes the records that adopting a directory of Cache gives, as a cache of version 0.
    ///
    /// ```swift
    /// let fixture = try StoreFixture(adopting: directory, keys: .list(keys), type: "Person")
    /// ```
    ///
    /// It is for testing the migrations that follow the adoption. The directory is only read.
    ///
    /// - Parameters:
    ///   - directory: The directory of one storage.
    ///   - keys: Which files, and under which keys. Those that are taken by their files' names keep these.
    ///   - type: What the files hold, and the type name that it is stored as.
    ///   - now: Entries that have expired by then are left out; by default none are.
    /// - Throws: `MigrationError` with the code `notConvertible` for a file that cannot be adopted.
    public init(
        adopting directory: URL,
        keys: CacheDirectory.Keys,
        type: CacheDirectory.Content,
        now: Date = .distantPast
    ) throws {
        try self.init(adopting: directory, keys: keys, now: now) { _ in type }
    }

    /// Takes the records that adopting a directory of Cache gives, with a type for each key.
    ///
    /// - Parameters:
    ///   - directory: The directory of one storage.
    ///   - keys: Which files, and under which keys. Those that are taken by their files' names keep these.
    ///   - now: Entries that have expired by then are left out; by default none are.
    ///   - type: Gets a key, or the name of a file whose key is not known, and says what the file holds.
    /// - Throws: `MigrationError` with the code `notConvertible` for a file that cannot be adopted.
    public init(
        adopting directory: URL,
        keys: CacheDirectory.Keys,
        now: Date = .distantPast,
        type: @escaping @Sendable (_ key: String) -> CacheDirectory.Content
    ) throws {
        let adoption = Migration.adoptCacheDirectory(
            to: 1,
            directory: directory,
            keys: keys,
            type: type,
            strict: true,
            now: { now }
        )
        let store = CacheStore(inMemory: .standard)
        defer { store.close() }
        _ = try Migrator([adoption]).migrate(store)
        var contents = try store.contents()
        contents.version = 0
        contents.ledger = []
        for index in contents.records.indices { contents.records[index].version = 0 }
        self.init(contents)
    }
}
