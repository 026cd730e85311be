internal import Foundation
internal import MoltCore

/// Runs records in quarantine through the migrations that they missed, in an in-memory store.
struct QuarantineTrial {
    enum Result: Sendable {
        case converted(StoreContents.StoredRecord)
        case dropped
        /// The record as it was before the migration that failed this time.
        case failed(StoreContents.StoredRecord, RecordFailure)
        /// The reason.
        case notTried(String)
    }

    struct Results: Sendable {
        /// The results, in the order of the records.
        var results: [Result]
        /// The records that blocks created.
        var created: [StoreContents.StoredRecord] = []
    }

    private let migrations: MigrationRegistry
    private let ledger: [LedgerEntry]
    private let configuration: CodableCache.Configuration

    /// - Parameter migrations: The registry of a release that can convert the records.
    init(_ migrations: MigrationRegistry, ledger: [LedgerEntry], _ configuration: CodableCache.Configuration) {
        self.migrations = migrations
        self.ledger = ledger
        self.configuration = configuration
    }

    /// Groups rows that can be tried together: they failed in the same migration and have different keys.
    static func groups(_ rows: [QuarantineRow]) -> [[QuarantineRow]] {
        var groups: [[QuarantineRow]] = []
        var keys: Set<[UInt8]> = []
        for row in rows {
            let isSame = groups.last?.last.map {
                $0.failure.migration == row.failure.migration && $0.failure.firstStep == row.failure.firstStep
                    && $0.isSound == row.isSound
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

    /// Tries the rows of one group.
    ///
    /// - Throws: The error of a cancellation.
    func run(_ rows: [QuarantineRow]) throws -> Results {
        guard let failure = rows.first?.failure else { return Results(results: []) }
        do {
            guard rows.allSatisfy(\.isSound) else {
                throw Obstacle(reason: "Its row in the file is damaged: there is no such step or version.")
            }
            return try run(rows, registry(behind: failure), failure)
        } catch let obstacle as Obstacle {
            return Results(results: rows.map { _ in .notTried(obstacle.reason) })
        } catch {
            guard !Self.isStop(error) else { throw error }
            guard rows.count == 1, let row = rows.first else {
                // One row fails the others: two rows get the same key, or a block throws.
                return try rows.map { try run([$0]) }.reduce(into: Results(results: [])) { all, one in
                    all.results += one.results
                    all.created += one.created
                }
            }
            return Results(results: [result(of: error, row)])
        }
    }

    private func run(
        _ rows: [QuarantineRow],
        _ registry: MigrationRegistry,
        _ failure: RecordFailure
    ) throws -> Results {
        let store = CacheStore(inMemory: configuration.coding, attachments: configuration.attached.stores)
        defer { store.close() }
        let before = ledger.prefix { $0.name != failure.migration.name || $0.outcome == .deferred }
        let known = Set(registry.migrations.flatMap { [$0.name] + $0.replaces })
        let versions = before.map(\.version) + rows.map(\.record.version)
        let contents = StoreContents(
            version: versions.max() ?? 0,
            ledger: before.filter { known.contains($0.name) && $0.outcome != .deferred }.map(\.completed),
            records: rows.map(\.record)
        )
        try contents.write(to: store)
        var options = configuration.migrationOptions
        options.monitor = nil
        options.atPoint = nil
        options.wrapTransaction = nil
        options.deadline = nil
        options.now = nil
        options.duty = .opener
        options.backup = nil
        options.isDryRun = true
        options.editedMigrations = .ignore
        options.policyOfAllSteps = .quarantine(upTo: .none)
        // Rows are identified by their ids afterwards.
        options.lastReservedID = Int64(rows.count)
        _ = try Migrator(registry, options: options).migrate(store)
        return try results(of: rows, in: store)
    }

    private func results(of rows: [QuarantineRow], in store: CacheStore) throws -> Results {
        let failed = Dictionary(try store.quarantineRows().map { ($0.recordID, $0) }) { first, _ in first }
        let converted = try store.recordsByID()
        let results = rows.indices.map { index -> Result in
            let id = Int64(index + 1)
            if let row = failed[id] { return .failed(row.record, row.failure) }
            return converted[id].map { .converted($0) } ?? .dropped
        }
        let isStuck = rows.enumerated().allSatisfy { index, row in
            failed[Int64(index + 1)].map {
                $0.failure.migration == row.failure.migration && $0.failure.firstStep == row.failure.firstStep
            } ?? false
        }
        // The store already has the records that blocks create without these rows.
        if isStuck { return Results(results: results) }
        if let created = failed.values.filter({ $0.recordID > Int64(rows.count) }).min(by: { $0.id < $1.id }) {
            // The store's quarantine has no place for it, so it would be lost.
            var error = MigrationError(
                created.failure.code,
                "A record that a block created could not be converted: \(created.failure.reason)"
            )
            error.migration = created.failure.migration
            error.step = created.failure.step
            error.property = created.failure.property
            throw error
        }
        let created = converted.filter { $0.key > Int64(rows.count) }.sorted { $0.key < $1.key }.map(\.value)
        return Results(results: results, created: created)
    }

    // MARK: The migrations

    /// The reason why rows cannot be tried.
    private struct Obstacle: Error {
        var reason: String
    }

    /// The migrations that the ledger counts as applied, without the steps that already ran on the records.
    ///
    /// Steps that import data from elsewhere are left out: they ran when the store was upgraded.
    private func registry(behind failure: RecordFailure) throws(Obstacle) -> MigrationRegistry {
        let applied = ledger.filter { $0.outcome != .deferred }
        let places = Dictionary(applied.enumerated().map { ($1.name, $0) }) { first, _ in first }
        guard let first = places[failure.migration.name] else {
            throw Obstacle(reason: "The store does not count migration \(failure.migration) as applied.")
        }
        guard let failed = migrations.migrations.first(where: { $0.id == failure.migration }) else {
            throw Obstacle(reason: "The registry does not have migration \(failure.migration).")
        }
        guard failed.steps.count >= failure.firstStep - 1 else {
            throw Obstacle(reason: "Migration \(failure.migration) has fewer steps than when the record failed.")
        }
        var kept: [(migration: Migration, place: Int)] = []
        for migration in migrations.migrations {
            guard var place = places[migration.name] else { continue }
            if applied[place].outcome == .replaced {
                // The migrations that it replaces ran, before the ledger got its own row.
                place = migration.replaces.compactMap { places[$0] }.max() ?? place
            }
            let isFailed = migration.id == failed.id
            // A no-op takes the place of each skipped step, so that the others keep their numbers.
            let steps = migration.steps.enumerated().map { index, step in
                let isDone = isFailed && index + 1 < failure.firstStep || step.runsOnFreshStore
                return isDone ? step.withoutEffect : step
            }
            let rest = Migration(to: migration.version, migration.name, replacing: migration.replaces, steps: steps)
            kept.append((migration.isOnRead ? rest.onRead() : rest, place))
        }
        let known = Set(kept.flatMap { [$0.migration.name] + $0.migration.replaces })
        let missing = applied[first...].filter { !known.contains($0.name) }.map { "\"\($0.name)\"" }
        guard missing.isEmpty else {
            let names = missing.joined(separator: ", ")
            throw Obstacle(reason: "The registry lacks migrations that were applied since: \(names).")
        }
        // The store may have run a late migration after migrations that follow it in the registry.
        let rest = kept.map(\.place).filter { $0 >= first }
        guard rest == rest.sorted() else {
            throw Obstacle(
                reason:
                    "The store has run late migrations since, and not in the order of the registry. Put a value in the "
                    + "record's place with restoreQuarantined(_:as:)."
            )
        }
        return MigrationRegistry(kept.map(\.migration), allowsLateMigrations: true)
    }

    // MARK: Errors

    /// Whether an error is a cancellation.
    private static func isStop(_ error: any Error) -> Bool {
        guard let error = error as? MigrationError else { return error is CancellationError }
        return error.code == .cancelled || error.underlying.map(isStop) ?? false
    }

    /// Returns the result for a row that failed alone.
    ///
    /// Only a failure of a migration replaces the record's reason. A store that cannot be read now must not.
    private func result(of error: any Error, _ row: QuarantineRow) -> Result {
        guard let error = error as? MigrationError, error.isAboutRecord else {
            return .notTried(ErrorSummary.oneLine(ErrorSummary.line(of: error)))
        }
        return .failed(row.record, failure(of: error, row))
    }

    /// Returns the failure for an error that is not about a single record, for example when a block throws.
    private func failure(of error: MigrationError, _ row: QuarantineRow) -> RecordFailure {
        let place = error.migration.map { migration in
            "Migration \(migration)\(error.step.map { ", step \($0.number) (\($0.summary))" } ?? ""): "
        }
        let cause = error.code == .stepFailed ? error.underlying : nil
        var failure = row.failure
        failure.property = nil
        failure.code = error.code
        failure.reason = (place ?? "") + (cause.map { ErrorSummary.line(of: $0) } ?? error.message)
        return failure
    }
}

/// The contents of the in-memory store after a trial.
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
        // Both are in the order of ids.
        return Dictionary(zip(all, try contents().records)) { $1 }
    }
}
