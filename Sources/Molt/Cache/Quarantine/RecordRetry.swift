/// Sends single records in quarantine through the migrations that they missed.
///
/// Only steps that change single records run, and those that give records new keys. A block may read and
/// change any record, so a record whose way leads through one cannot be retried.
struct RecordRetry {
    enum RetryResult: Sendable {
        case converted(StoreContents.StoredRecord)
        case dropped
        /// The record as it is at the step that takes it out of the store.
        case handedOver(StoreContents.StoredRecord, HandoverSource)
        /// The record as it was before the migration that failed this time.
        case failed(StoreContents.StoredRecord, MigrationReport.RecordFailure)
        /// The reason why it could not be tried.
        case notTried(String)
    }

    private let migrations: MigrationRegistry
    /// The ledger's rows of migrations that were applied.
    private let applied: [LedgerEntry]

    /// - Parameter migrations: The registry of a release that can convert the records.
    init(_ migrations: MigrationRegistry, ledger: [LedgerEntry]) {
        self.migrations = migrations
        applied = ledger.filter { $0.outcome.isApplied }
    }

    /// Sends a record through the step that it failed in and all that were applied since, or through the migrations
    /// that were applied since a write has quarantined it.
    ///
    /// - Throws: The error of a closure that was cancelled.
    func run(_ stored: StoreContents.StoredRecord, after cause: QuarantineCause) throws -> RetryResult {
        do {
            return try run(stored, through: way(from: cause))
        } catch let obstacle as Obstacle {
            return .notTried(obstacle.reason)
        } catch {
            guard !Self.isStop(error) else { throw error }
            return .notTried(ErrorSummary.oneLine(ErrorSummary.line(of: error)))
        }
    }

    private func run(_ stored: StoreContents.StoredRecord, through way: Way) throws -> RetryResult {
        let pending = PendingMigration.all(
            way.migrations.map { ($0, .init(.run)) },
            in: migrations,
            from: applied[..<way.start].map(\.version).max() ?? 0,
            // A check in which it has failed runs again.
            changedFrom: 0
        )
        let upgrader = RecordUpgrader(
            try steps(of: pending, on: way),
            of: way.migrations,
            storeName: nil,
            for: .upgrade(.quarantine(upTo: .unlimited))
        )
        var record = Record(stored)
        switch try upgrader.upgradeUnderPolicy(&record) {
        case .upgraded(let result):
            let content = content(of: record, result, stored)
            switch result.fate {
            case .kept:
                // As it is, its type cannot read it.
                let isSame = result.changedAt == nil && ExactName.isSame(content.typeName, stored.typeName)
                if way.failure == nil, isSame { throw Self.unchanged }
                return .converted(content)
            case .dropped: return .dropped
            case .handedOver(let index): return .handedOver(content, HandoverSource(upgrader.steps[index]))
            }
        case .unconverted(let failed):
            return .failed(content(of: failed.record, failed.result, stored), failed.failure)
        }
    }

    // MARK: The record

    private func content(
        of record: Record,
        _ result: RecordResult,
        _ old: StoreContents.StoredRecord
    ) -> StoreContents.StoredRecord {
        var new = old
        new.key = record.key
        new.typeName = record.typeName
        guard let version = result.changedAt else { return new }
        new.content = record.writtenContent
        new.isData = record.isData
        new.expiration = record.expirationSeconds
        new.version = max(old.version, version)
        return new
    }

    // MARK: The migrations

    /// The reason why a record cannot be tried.
    private struct Obstacle: Error {
        var reason: String
    }

    private static let unchanged = Obstacle(
        reason: "No migration that has run since a write quarantined it changes it. Add one that converts it, or put a "
            + "value in its place with `restoreQuarantined(_:as:)`."
    )

    /// The migrations that a record in quarantine has missed.
    private struct Way {
        /// The first row of the ledger that the record has not been through.
        var start: Int
        /// The failure of the record in the first migration; nil if it has missed that one as a whole.
        var failure: MigrationReport.RecordFailure?
        var migrations: [Migration] = []
    }

    /// The steps that the record has not been through, except those that ran with the upgrade.
    private func steps(of migrations: [PendingMigration], on way: Way) throws(Obstacle) -> [ScheduledStep] {
        let schedule = UpgradeSchedule(migrations) { migration, number in
            let isDone = way.failure.map { migration.id == $0.migration && number + 1 < $0.firstStep } ?? false
            return !isDone && RunMode.retry.use(of: migration.steps[number]) != .skipped
        }
        var steps: [ScheduledStep] = []
        for group in schedule.groups {
            switch group.work {
            case .pass(let pass): steps += pass.map { ScheduledStep($0, doing: $0.recordWork, onFailure: nil) }
            case .block(let step):
                guard case .store(let work) = step.declared.work, case .change(let change) = work.alone else {
                    throw Obstacle(
                        reason: "Step \(step.number + 1) of migration \(step.migration.id) (\(step.declared)) needs "
                            + "the whole store. Put the record back as it is with `restoreQuarantined(_:)`, or a value in "
                            + "its place with `restoreQuarantined(_:as:)`."
                    )
                }
                steps.append(ScheduledStep(step, doing: change, onFailure: nil))
            }
        }
        return steps
    }

    /// The migrations that were applied to the store since a record went into quarantine, with the one that it failed
    /// in.
    private func way(from cause: QuarantineCause) throws(Obstacle) -> Way {
        let positions = Dictionary(firstOf: applied.enumerated().map { ($1.name, $0) })
        func position(of migration: MigrationID) throws(Obstacle) -> Int {
            if let position = positions[migration.name] { return position }
            throw Obstacle(reason: "The store does not count migration \(migration) as applied.")
        }
        switch cause {
        case .migration(let failure):
            var way = Way(start: try position(of: failure.migration), failure: failure)
            try check(failure)
            way.migrations = try migrations(from: way, positions)
            return way
        case .write(let record):
            var way = Way(start: try record.last.map { last throws(Obstacle) in try position(of: last) + 1 } ?? 0)
            way.migrations = try migrations(from: way, positions)
            if way.migrations.isEmpty { throw Self.unchanged }
            return way
        }
    }

    /// Makes sure that the registry still has the migration that a record failed in.
    private func check(_ failure: MigrationReport.RecordFailure) throws(Obstacle) {
        guard let failed = migrations.migrations.first(where: { $0.id == failure.migration }) else {
            throw Obstacle(reason: "The registry does not have migration \(failure.migration).")
        }
        guard failed.steps.count >= failure.firstStep - 1 else {
            throw Obstacle(reason: "Migration \(failure.migration) has fewer steps than when the record failed.")
        }
        let position = failure.step.number - 1
        if failed.steps.indices.contains(position), failed.steps[position].isImport {
            throw Obstacle(
                reason:
                    "Migration \(failure.migration) could not import it, and it is as its source had it. Put a value in "
                    + "its place with `restoreQuarantined(_:as:)`."
            )
        }
    }

    /// The migrations that were applied to the store from a row of its ledger on.
    ///
    /// - Parameter positions: The positions of the rows, by their names.
    private func migrations(from way: Way, _ positions: [String: Int]) throws(Obstacle) -> [Migration] {
        let (names, allReplaced) = (Set(migrations.names), migrations.allReplaced)
        var known: Set<String> = []
        var since: [(migration: Migration, position: Int)] = []
        for migration in migrations.migrations {
            guard var position = positions[migration.name] else { continue }
            known.formUnion([migration.name] + migrations.replaced(by: migration))
            // No other record went through it, unless the record failed in it.
            if applied[position].outcome == .marked, migration.name != way.failure?.migration.name { continue }
            if applied[position].outcome == .replaced {
                // The migrations that a shortcut replaces are in the registry.
                if migration.isShortcut(among: names, allReplaced) { continue }
                // The migrations that it replaces ran, before the ledger got its own row.
                position = migration.replaces.compactMap { positions[$0] }.max() ?? position
            }
            if position >= way.start { since.append((migration, position)) }
        }
        let missing = applied[way.start...].filter { !known.contains($0.name) }.map { "\"\($0.name)\"" }
        guard missing.isEmpty else {
            let names = missing.joined(separator: ", ")
            throw Obstacle(reason: "The registry lacks migrations that were applied since: \(names).")
        }
        // The store may have run a late migration after migrations that follow it in the registry.
        guard since.map(\.position) == since.map(\.position).sorted() else {
            throw Obstacle(
                reason: "The store has run late migrations since, and not in the order of the registry. Put a value in "
                    + "the record's place with `restoreQuarantined(_:as:)`."
            )
        }
        return since.map(\.migration)
    }

    private static func isStop(_ error: any Error) -> Bool {
        guard let error = error as? MoltError else { return error is CancellationError }
        return error.code == .cancelled || error.underlying.map(isStop) ?? false
    }
}
