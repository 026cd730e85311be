public import Foundation
public import MoltCore

/// `Codable` values under string keys, in one file that is upgraded when it is opened.
///
/// ```swift
/// let migrations: MigrationRegistry = [
///     Migration(to: 1, "alien-becomes-person", .renameType("Alien", to: "Person")),
/// ]
/// let cache = try CodableCache(at: url, migrations: migrations)
/// try cache.set(person, forKey: "john")
/// let john = try cache.value(Person.self, forKey: "john")
/// ```
///
/// A cache may be used from any thread and any actor. Several caches, in one process or in many, may have the same
/// file open: each sees what the others write. When another process upgrades the file, the next call throws
/// ``MigrationError`` with the code `storeChanged`, and so does every call until the cache is opened again.
///
/// Keys may hold any Unicode and be of any length. They are compared by their bytes: two spellings of the same
/// letter are two keys. A value is stored with the name of its type, see `RecordType`, but it can be read as any
/// type that can decode it.
public final class CodableCache: Sendable {
    /// What was done to the file when it was opened.
    public let report: MigrationReport
    /// The schema version that values are read and written at.
    public let schemaVersion: Int
    /// Whether a newer app has upgraded the file, so that it can only be read; see ``Configuration/downgrade``.
    ///
    /// Everything that writes throws ``CacheError`` with the code `readOnly` then.
    public let isReadOnly: Bool
    /// The file's path, or ":memory:".
    public let path: String
    /// How the cache works.
    public let configuration: Configuration

    let core: CacheCore
    let hub = ChangeHub()
    /// Whether the shapes of types are compared: not for nothing, when nobody would be told.
    let checksShapes: Bool
    /// The types whose shapes were compared.
    let knownTypes = KnownTypes()
    /// The name of the type that was set last by itself.
    let lastTypeName = Locked(TypeNames())
    /// What must live as long as the cache: a test's copy of a file is removed when nobody uses it.
    private let retained: (any Sendable)?
    /// Where `async` calls wait for the disk, so that they block no thread of the cooperative pool.
    let queue = DispatchQueue(label: "molt.cache")

    /// Opens a cache file, and upgrades it first; makes the file when there is none.
    ///
    /// Directories that are missing on the way to the file are made. An up-to-date file is not written to.
    ///
    /// - Parameters:
    ///   - url: The file. SQLite keeps two more beside it while it is open, with `-wal` and `-shm` after its name.
    ///   - migrations: Brings the file to today's version; none by default.
    ///   - configuration: How the cache works.
    /// - Throws: ``CacheError`` when the file cannot be used, and it is untouched then; ``MigrationError`` when it
    ///   cannot be upgraded. It is as it was then, but for batches that a migration has committed, and unless the error
    ///   says that changes outside the file are still to be made.
    public convenience init(
        at url: URL,
        migrations: MigrationRegistry = MigrationRegistry(),
        configuration: Configuration = Configuration()
    ) throws {
        try self.init(
            CacheStore(at: url, configuration),
            migrations: migrations,
            configuration: configuration
        )
    }

    /// Opens a cache file, and keeps something alive that the file needs.
    package convenience init(
        at url: URL,
        migrations: MigrationRegistry,
        configuration: Configuration,
        retaining retained: any Sendable
    ) throws {
        try self.init(
            CacheStore(at: url, configuration),
            migrations: migrations,
            configuration: configuration,
            retaining: retained
        )
    }

    /// Opens an empty cache in memory, for previews and tests; it runs the same code as a file.
    ///
    /// - Throws: ``MigrationError`` when a step that brings data in from elsewhere fails.
    public convenience init(
        inMemory migrations: MigrationRegistry,
        configuration: Configuration = Configuration()
    ) throws {
        var configuration = configuration
        // Nobody else could make it.
        configuration.duty = .opener
        try self.init(
            CacheStore(inMemory: configuration.coding, attachments: configuration.attached.stores),
            migrations: migrations,
            configuration: configuration
        )
    }

    /// Opens a store that is at hand, as one in memory that has records already.
    package init(
        _ store: sending CacheStore,
        migrations: MigrationRegistry,
        configuration: Configuration,
        isCancelled: @escaping @Sendable () -> Bool = { false },
        retaining retained: (any Sendable)? = nil
    ) throws {
        var options = configuration.migrationOptions
        options.isCancelled = isCancelled
        // What may only be read is not opened for writing, and takes no lock.
        let reading =
            configuration.downgrade == .openReadOnly ? try Downgrade(migrations, options).reading(store) : nil
        isReadOnly = reading != nil
        report = try reading ?? Migrator(migrations, options: options).migrate(store)
        schemaVersion = report.to
        path = store.storeName
        self.configuration = configuration
        self.retained = retained
        checksShapes = configuration.checksShapes
        core = try CacheCore(
            store,
            version: report.to,
            configuration: configuration,
            knownTypes: knownTypes,
            isReadOnly: isReadOnly
        )
    }

    deinit {
        close()
    }

    /// Closes the cache.
    ///
    /// Later calls throw ``CacheError`` with the code `closed`. Closing again does nothing.
    ///
    /// When the last connection to a file is closed, everything is moved into the file itself, which can then be
    /// copied. A read that another thread has begun keeps the file open until it has ended, also when this call has
    /// returned. Sequences of changes end.
    public func close() {
        core.close()
        hub.finish()
    }
}

extension CodableCache {
    /// Opens a cache file on a queue of its own, so that no thread of the caller's pool is blocked.
    ///
    /// An upgrade of a task that is cancelled stops before the next record and is rolled back.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - migrations: Brings the file to today's version; none by default.
    ///   - configuration: How the cache works; its monitor reports the progress.
    /// - Throws: ``CacheError`` and ``MigrationError`` as ``init(at:migrations:configuration:)`` does, and
    ///   ``MigrationError`` with the code `cancelled`.
    public static func open(
        at url: URL,
        migrations: MigrationRegistry = MigrationRegistry(),
        configuration: Configuration = Configuration()
    ) async throws -> CodableCache {
        try await DispatchQueue(label: "molt.open").runCancellable { isCancelled in
            try CodableCache(
                CacheStore(at: url, configuration),
                migrations: migrations,
                configuration: configuration,
                isCancelled: isCancelled
            )
        }
    }
}

extension CacheStore {
    /// Creates the store of a cache that works as a configuration says.
    fileprivate convenience init(at url: URL, _ configuration: CodableCache.Configuration) {
        self.init(
            at: url,
            coding: configuration.coding,
            createsFile: configuration.createsFile,
            attachments: configuration.attached.stores
        )
        pageLimit = configuration.pageLimit
        isDurable = configuration.isDurable
    }
}
