internal import Foundation
internal import MoltCore

/// Sends records of the quarantine through the migrations that they have missed, in a store in memory.
struct QuarantineTrial {
    /// What came of a record.
    enum Result: Sendable {
        case converted(StoreContents.StoredRecord)
        case dropped
        /// With what the record was before the migration that it failed in this time.
        case failed(StoreContents.StoredRecord, RecordFailure)
        case notTried
    }

    /// What came of some records.
    struct Results: Sendable {
        /// By the place of the record.
        var results: [Result]
        /// What blocks have created.
        var created: [StoreContents.StoredRecord] = []
    }

    private let migrations: MigrationRegistry
    private let ledger: [LedgerEntry]
    private let configuration: CodableCache.Configuration

    /// - Parameters:
    ///   - migrations: The registry of a release that can convert them.
    ///   - ledger: That of the store.
    init(_ migrations: MigrationRegistry, ledger: [LedgerEntry], _ configuration: CodableCache.Configuration) {
        self.migrations = migrations
        self.ledger = ledger
        self.configuration = configuration
    }

    /// Rows that can be tried together: that failed in the same migration, and have different keys.
    static func groups(_ rows: [QuarantineRow]) -> [[QuarantineRow]] {
        var groups: [[QuarantineRow]] = []
        var keys: Set<[UInt8]> = []
        for row in rows {
            let isSame = groups.last?.last.map {
                $0.failure.migration == row.failure.migration && $0.failure.firstStep == row.failure.firstStep
            }
            if isSame != true || keys.contains(Array(row.record.key.utf8)) {
                groups.append([])
                keys.removeAll()
            }
            groups[groups.count - 1].append(row)
            keys.insert(Array(row.record.key.utf8))
        }
        return groups
    }

    /// Tries rows of one group.
    func run(_ rows: [QuarantineRow]) -> Results {
        guard let failure = rows.first?.failure, let registry = registry(from: failure) else {
            return Results(results: rows.map { _ in .notTried })
        }
        do {
            return try run(rows, registry, failure)
        } catch {
            guard rows.count == 1, let row = rows.first else {
                // One of them stops the others: two get the same key, or a block throws.
                return rows.map { run([$0]) }.reduce(into: Results(results: [])) { all, one in
                    all.results += one.results
                    all.created += one.created
                }
            }
            return Results(results: [.failed(row.record, self.failure(of: error, row))])
        }
    }

    private func run(
        _ rows: [QuarantineRow],
        _ registry: MigrationRegistry,
        _ failure: RecordFailure
    ) throws -> Results {
        let store = CacheStore(inMemory: configuration.coding, attachments: configuration.attached)
        defer { store.close() }
        let before = ledger.prefix { $0.name != failure.migration.name || $0.outcome == .deferred }
        let known = Set(registry.migrations.flatMap { [$0.name] + $0.replaces })
        let versions = before.map(\.version) + rows.map(\.record.version)
        let contents = StoreContents(
            version: versions.max() ?? 0,
            ledger: before.filter { known.contains($0.name) && $0.outcome != .deferred },
            records: rows.map(\.record)
        )
        try contents.write(to: store)
        var options = configuration.migrationOptions
        options.monitor = nil
        options.atPoint = nil
        options.deadline = nil
        options.isDryRun = true
        options.editedMigrations = .ignore
        options.policyOfAllSteps = .quarantine(upTo: .none)
        _ = try Migrator(registry, options: options).migrate(store)
        return try results(of: rows, in: store)
    }

    private func results(of rows: [QuarantineRow], in store: CacheStore) throws -> Results {
        let failed = Dictionary(try store.quarantineRows().map { ($0.recordID, $0) }) { $1 }
        let converted = try store.recordsByID()
        let results = rows.indices.map { index -> Result in
            let id = Int64(index + 1)
            if let row = failed[id] { return .failed(row.record, row.failure) }
            return converted[id].map { .converted($0) } ?? .dropped
        }
        let created = converted.filter { $0.key > Int64(rows.count) }.sorted { $0.key < $1.key }.map(\.value)
        return Results(results: results, created: created)
    }

    /// The migrations that the store counts as applied, without what was done to the records already; nil when the one
    /// that failed is not there.
    ///
    /// What brings data in from elsewhere has done so when the store was upgraded.
    private func registry(from failure: RecordFailure) -> MigrationRegistry? {
        let applied = Set(ledger.filter { $0.outcome != .deferred }.map(\.name))
        guard applied.contains(failure.migration.name) else { return nil }
        var isFound = false
        let kept = migrations.migrations.compactMap { migration -> Migration? in
            guard applied.contains(migration.name) else { return nil }
            let isFailed = migration.name == failure.migration.name
            if isFailed, migration.steps.count >= failure.firstStep - 1 { isFound = true }
            // In their places, so that the others keep their numbers.
            let steps = migration.steps.enumerated().map { index, step in
                let isDone = isFailed && index + 1 < failure.firstStep || step.runsOnFreshStore
                return isDone ? .run("done before") { _ in } : step
            }
            return Migration(to: migration.version, migration.name, replacing: migration.replaces, steps: steps)
        }
        guard isFound else { return nil }
        return MigrationRegistry(kept, allowsLateMigrations: true)
    }

    /// Why a record failed when it was not by itself that it did, as when a block threw; what was kept of it stays.
    private func failure(of error: any Error, _ row: QuarantineRow) -> RecordFailure {
        var failure = row.failure
        failure.property = nil
        guard let error = error as? MigrationError else {
            failure.code = .storeFailed
            failure.reason = ErrorSummary.line(of: error)
            return failure
        }
        let place = error.migration.map { migration in
            "Migration \(migration)\(error.step.map { ", step \($0.number) (\($0.words))" } ?? ""): "
        }
        let cause = error.code == .stepFailed ? error.underlying : nil
        failure.code = error.code
        failure.reason = (place ?? "") + (cause.map { ErrorSummary.line(of: $0) } ?? error.message)
        return failure
    }
}

/// What a store in memory holds after a trial.
extension CacheStore {
    fileprivate func quarantineRows() throws -> [QuarantineRow] {
        let connection = try ready(busyMilliseconds: 0)
        guard try connection.hasTable(QuarantineTable.name) else { return [] }
        let statement = try connection.prepare(QuarantineRow.page)
        try statement.bind(0, at: 1)
        try statement.bind(.max, at: 2)
        try statement.bind(-1, at: 3)
        var rows: [QuarantineRow] = []
        try statement.eachRow { row throws(SQLiteError) in rows.append(QuarantineRow(row)) }
        return rows
    }

    fileprivate func recordsByID() throws -> [Int64: StoreContents.StoredRecord] {
        let ids = try ready(busyMilliseconds: 0).prepare("SELECT id FROM molt_record ORDER BY id")
        var all: [Int64] = []
        try ids.eachRow { row throws(SQLiteError) in all.append(row.integer(0)) }
        // Both are in the order of the ids.
        return Dictionary(zip(all, try contents().records)) { $1 }
    }
}
