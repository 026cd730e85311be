package import Foundation
package import Molt
package import Testing

/// A store as an earlier release left it.
package final class OldStore {
    package let directory: ScratchDirectory
    package let url: URL
    private let entry: EntryPoint
    private let memory: StoreFile?

    /// - Parameter ledger: Names and versions of the migrations that were applied.
    package init(
        _ records: [StoredRecord],
        version: Int = 0,
        ledger: [(String, Int)] = [],
        through entry: EntryPoint = .current
    ) throws {
        directory = try ScratchDirectory()
        url = directory.file()
        self.entry = entry
        memory = entry == .inMemory ? StoreFile(inMemoryWith: []) : nil
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
                    version: record.version
                )
            }
        )
        try contents.write(to: memory ?? StoreFile(at: url))
    }

    /// Upgrades the store through the test's entry point, and closes it.
    @discardableResult
    package func upgrade(
        _ registry: MigrationRegistry,
        _ configuration: MoltConfiguration = MoltConfiguration()
    ) async throws -> MigrationReport {
        var configuration = configuration
        configuration.hooks.findsUnmatchedNames = true
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
            configuration.hooks.batchSize = 2
            return try Migrator(registry, configuration: configuration).migrate(StoreFile(at: url))
        case .inMemory:
            configuration.hooks.batchSize = 3
            return try Migrator(registry, configuration: configuration).migrate(try #require(memory))
        }
    }

    /// Upgrades the store with one migration.
    @discardableResult
    package func upgrade(_ steps: MigrationStep...) async throws -> MigrationReport {
        try await upgrade([Migration(to: 1, "change", steps: steps)])
    }

    package func upgraded(_ registry: MigrationRegistry) async throws -> Snapshot {
        try await upgrade(registry)
        return try snapshot()
    }

    package func upgraded(_ steps: MigrationStep...) async throws -> Snapshot {
        try await upgraded([Migration(to: 1, "change", steps: steps)])
    }

    /// The error that the upgrade throws, which must leave the store unchanged.
    package func failure(_ registry: MigrationRegistry, sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> MoltError
    {
        let before = try snapshot()
        let error = await #expect(throws: MoltError.self, sourceLocation: sourceLocation) {
            try await upgrade(registry)
        }
        #expect(try snapshot() == before, "The store was changed.", sourceLocation: sourceLocation)
        return try #require(error, sourceLocation: sourceLocation)
    }

    package func failure(_ steps: MigrationStep..., sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> MoltError
    {
        try await failure([Migration(to: 1, "change", steps: steps)], sourceLocation: sourceLocation)
    }

    package func snapshot() throws -> Snapshot {
        if let memory { return Snapshot(try memory.contents()) }
        return try Snapshot(of: url)
    }
}

extension OldStore {
    package typealias Block = @Sendable (MigrationContext) throws -> Void

    /// Upgrades the store with a block.
    @discardableResult
    package func upgrade(_ block: @escaping Block) async throws -> MigrationReport {
        try await upgrade(.run { try block($0) })
    }

    package func upgraded(_ block: @escaping Block) async throws -> Snapshot {
        try await upgraded(.run { try block($0) })
    }

    package func failure(sourceLocation: SourceLocation = #_sourceLocation, _ block: @escaping Block) async throws
        -> MoltError
    {
        try await failure(.run { try block($0) }, sourceLocation: sourceLocation)
    }
}

/// A migration to version 1 with these steps.
package func registry(_ steps: MigrationStep...) -> MigrationRegistry {
    MigrationRegistry([Migration(to: 1, "change", steps: steps)])
}
