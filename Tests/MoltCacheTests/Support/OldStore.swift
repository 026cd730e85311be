import Foundation
import MoltCache
import MoltCore
import Testing

/// The ways in which an app upgrades its store; as in Realm's tests, many tests run through all of them.
enum EntryPoint: String, CaseIterable, Sendable {
    case initializer
    case asyncOpen
    /// A migrator on a cache file, with batches of two records, so that small stores have several.
    case migrator
    /// A migrator on an in-memory store, with batches of three records.
    case inMemory
}

/// A store as an earlier release left it.
final class OldStore {
    let directory: ScratchDirectory
    let url: URL
    private let entry: EntryPoint
    private let memory: CacheStore?

    /// - Parameter ledger: Names and versions of the migrations that were applied.
    init(
        _ records: [StoredRecord],
        version: Int = 0,
        ledger: [(String, Int)] = [],
        through entry: EntryPoint = .initializer
    ) throws {
        directory = try ScratchDirectory()
        url = directory.file()
        self.entry = entry
        let store: CacheStore
        if entry == .inMemory {
            store = CacheStore(inMemoryWith: [])
            memory = store
        } else {
            store = CacheStore(at: url)
            memory = nil
        }
        try Self.fill(store, records, version, ledger)
    }

    private static func fill(
        _ store: CacheStore,
        _ records: [StoredRecord],
        _ version: Int,
        _ ledger: [(String, Int)]
    ) throws {
        let contents = StoreContents(
            version: version,
            ledger: ledger.map { LedgerEntry(name: $0.0, version: $0.1, appliedAt: Date(timeIntervalSince1970: 1)) },
            records: records.map { record in
                StoreContents.StoredRecord(
                    key: record.key,
                    typeName: record.type,
                    content: record.content,
                    isData: record.isData,
                    expiration: record.expiration,
                    version: record.version ?? version
                )
            }
        )
        try contents.write(to: store)
    }

    /// Upgrades the store through the test's entry point, and closes it.
    @discardableResult
    func upgrade(
        _ registry: MigrationRegistry,
        _ configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) async throws -> MigrationReport {
        var options = MigrationOptions(
            appVersion: configuration.appVersion,
            monitor: configuration.monitor,
            lockTimeout: configuration.lockTimeout
        )
        var configuration = configuration
        configuration.findsUnmatchedNames = true
        options.findsUnmatchedNames = true
        switch entry {
        case .initializer:
            let cache = try CodableCache(at: url, migrations: registry, configuration: configuration)
            defer { cache.close() }
            return cache.report
        case .asyncOpen:
            let cache = try await CodableCache.open(at: url, migrations: registry, configuration: configuration)
            defer { cache.close() }
            return cache.report
        case .migrator:
            options.batchSize = 2
            return try Migrator(registry, options: options).migrate(CacheStore(at: url))
        case .inMemory:
            options.batchSize = 3
            return try Migrator(registry, options: options).migrate(try #require(memory))
        }
    }

    func upgraded(_ registry: MigrationRegistry) async throws -> Snapshot {
        try await upgrade(registry)
        return try snapshot()
    }

    /// The error that the upgrade throws, which must leave the store unchanged.
    func failure(_ registry: MigrationRegistry, sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> MigrationError
    {
        let before = try snapshot()
        let error = await #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
            try await upgrade(registry)
        }
        #expect(try snapshot() == before, "The store was changed.", sourceLocation: sourceLocation)
        return try #require(error, sourceLocation: sourceLocation)
    }

    func snapshot() throws -> Snapshot {
        if let memory { return try Snapshot(of: memory) }
        return try Snapshot(of: url)
    }
}

/// A migration to version 1 with these steps.
func registry(_ steps: MigrationStep...) -> MigrationRegistry {
    MigrationRegistry([Migration(to: 1, "change", steps: steps)])
}
