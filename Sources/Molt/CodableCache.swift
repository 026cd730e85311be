public import Foundation

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
/// A cache may be used from any thread and any actor. Several caches, in one process or in many, may have the same file
/// open, and each sees the others' writes. When another process upgrades the file, every later call throws
/// ``MoltError`` with the code `storeChanged` until the cache is opened again.
///
/// Keys may contain any Unicode and have any length. They are compared by their bytes: two spellings of the same letter
/// are two keys. A value is stored with the name of its type, see `RecordType`, but can be read as any type that can
/// decode it.
public final class CodableCache: Sendable {
    /// The report of the upgrade when the cache was opened.
    public let report: MigrationReport
    /// The schema version that values are read and written at.
    public let schemaVersion: Int
    /// Whether the file can only be read, because a newer app has upgraded it; see
    /// ``MoltConfiguration/readsNewerStores``.
    ///
    /// Every writing call then throws ``MoltError`` with the code `readOnly`.
    public let isReadOnly: Bool
    /// The file's path, or ":memory:".
    public let path: String
    /// How the cache works.
    public let configuration: Configuration

    let core: CacheCore
    let hub = ChangeHub()
    /// Whether shapes of types are compared; false when no one would receive the result.
    let checksShapes: Bool
    let migrations: MigrationRegistry
    /// The coders of values: those of the registry.
    let coding: RecordCoding
    let documentUpgrade = Locked<DocumentUpgrade?>(nil)
    let knownTypes = KnownTypes()
    let lastTypeName = Locked(TypeNames())
    /// Lives as long as the cache: a test's copy of a file is removed with its last user.
    private let retained: (any Sendable)?
    /// Upgrades the records that still have to go through migrations on read; nil if there were none.
    let sweep: Backfill?
    /// `async` calls wait for the disk here, so that they block no thread of the cooperative pool.
    let queue = DispatchQueue(label: "molt.cache")

    /// Opens a cache file and upgrades it first; creates the file when there is none.
    ///
    /// Missing parent directories are created. An up-to-date file is not written to.
    ///
    /// - Parameters:
    ///   - url: The file. While it is open, SQLite keeps two more beside it, with the suffixes `-wal` and `-shm`.
    ///   - migrations: The migrations to run; none by default.
    ///   - configuration: How the cache works.
    /// - Throws: ``MoltError`` when the file cannot be used or upgraded; it is then unchanged, unless the error says
    ///   that changes outside it have not been applied yet.
    public convenience init(
        at url: URL,
        migrations: MigrationRegistry = MigrationRegistry(),
        configuration: Configuration = Configuration()
    ) throws {
        try self.init(
            StoreFile(at: url, configuration),
            migrations: migrations,
            configuration: configuration
        )
    }

    /// Opens a cache file that must exist, and upgrades it first.
    ///
    /// - Throws: ``MoltError`` as ``init(at:migrations:configuration:)`` does, or with the code `fileMissing`.
    public convenience init(
        existing url: URL,
        migrations: MigrationRegistry = MigrationRegistry(),
        configuration: Configuration = Configuration()
    ) throws {
        try self.init(
            StoreFile(at: url, configuration, createsFile: false),
            migrations: migrations,
            configuration: configuration
        )
    }

    /// Opens a cache file, and retains an object that the file needs.
    package convenience init(
        at url: URL,
        migrations: MigrationRegistry,
        configuration: Configuration,
        retaining retained: any Sendable
    ) throws {
        try self.init(
            StoreFile(at: url, configuration),
            migrations: migrations,
            configuration: configuration,
            retaining: retained
        )
    }

    /// Opens an empty cache in memory, for previews and tests; it runs the same code as a file.
    ///
    /// - Throws: ``MoltError`` when a step that imports data from elsewhere fails.
    public convenience init(
        inMemory migrations: MigrationRegistry,
        configuration: Configuration = Configuration()
    ) throws {
        var configuration = configuration
        // No other process could upgrade it.
        configuration.owner = .thisProcess
        try self.init(
            StoreFile(inMemoryWith: configuration.attachments),
            migrations: migrations,
            configuration: configuration
        )
    }

    /// Opens an existing store, for example one in memory that already has records.
    package init(
        _ store: sending StoreFile,
        migrations: MigrationRegistry,
        configuration: Configuration,
        isCancelled: @escaping @Sendable () -> Bool = { false },
        retaining retained: (any Sendable)? = nil
    ) throws {
        var opening = configuration
        opening.cancel(when: isCancelled)
        // A store that may only be read is not opened for writing and takes no lock.
        let reading =
            configuration.readsNewerStores ? try Downgrade(migrations, opening).reading(store) : nil
        isReadOnly = reading != nil
        let migrator = Migrator(
            migrations,
            configuration: opening,
            onlyRecordsOnRead: configuration.hooks.onlyRecordsOnRead
        )
        report = try reading ?? migrator.migrate(store)
        schemaVersion = report.to
        path = store.storeName
        self.migrations = migrations
        self.configuration = configuration
        coding = migrations.coding
        self.retained = retained
        checksShapes = configuration.checksShapes
        do {
            core = try CacheCore(
                store,
                version: report.to,
                configuration: configuration,
                knownTypes: knownTypes,
                isReadOnly: isReadOnly
            )
        } catch {
            configuration.monitor?.openingFailed(with: error)
            throw error
        }
        opening.isCancelled = { false }
        let onRead = Set(report.onRead.map(\.name))
        let unfinished = migrations.migrations.filter { onRead.contains($0.name) }
        let upgrader = RecordUpgrader(
            unfinished,
            storeName: path,
            configuration: opening,
            onFailure: migrations.failurePolicy
        )
        sweep = unfinished.isEmpty ? nil : Backfill(upgrader, core, hub, configuration)
        if configuration.runsBackfill, configuration.owner == .thisProcess, !isReadOnly { sweep?.start() }
    }

    deinit {
        close()
    }

    /// Closes the cache.
    ///
    /// Later calls throw ``MoltError`` with the code `closed`. Closing again does nothing.
    ///
    /// Closing the last connection moves everything from the log into the file, which can then be copied. A read in
    /// progress on another thread keeps the file open until it ends, even after this call has returned. Sequences of
    /// changes end.
    public func close() {
        core.close()
        hub.finish()
        sweep?.stop()
    }
}

extension CodableCache: CustomStringConvertible {
    /// The path and the schema version.
    public var description: String { "CodableCache(\(path), version \(schemaVersion))" }
}

extension CodableCache {
    /// Opens a cache file on a queue of its own, so that no thread of the caller's pool is blocked.
    ///
    /// Cancelling the task stops the upgrade before the next record and rolls it back.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - migrations: The migrations to run; none by default.
    ///   - configuration: How the cache works; its monitor reports the progress.
    /// - Throws: ``MoltError`` as ``init(at:migrations:configuration:)`` does, or with the code `cancelled`.
    public static func open(
        at url: URL,
        migrations: MigrationRegistry = MigrationRegistry(),
        configuration: Configuration = Configuration()
    ) async throws -> CodableCache {
        try await DispatchQueue(label: "molt.open").runCancellable { isCancelled in
            try CodableCache(
                StoreFile(at: url, configuration),
                migrations: migrations,
                configuration: configuration,
                isCancelled: isCancelled
            )
        }
    }
}

extension StoreFile {
    fileprivate convenience init(at url: URL, _ configuration: CodableCache.Configuration, createsFile: Bool = true) {
        self.init(at: url, createsFile: createsFile, attachments: configuration.attachments)
        readsLaterLayouts = configuration.readsNewerStores
        pageLimit = configuration.hooks.pageLimit
        isDurable = configuration.hooks.isDurable
    }
}
