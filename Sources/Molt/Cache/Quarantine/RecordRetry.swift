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

    /// Sends a record through the step that it failed in and all that were applied since.
    ///
    /// - Throws: The error of a closure that was cancelled.
    func run(_ stored: StoreContents.StoredRecord, after failure: MigrationReport.RecordFailure) throws -> RetryResult {
        do {
            return try run(stored, through: migrations(from: failure), after: failure)
        } catch let obstacle as Obstacle {
            return .notTried(obstacle.reason)
        } catch {
            guard !Self.isStop(error) else { throw error }
            return .notTried(ErrorSummary.oneLine(ErrorSummary.line(of: error)))
        }
    }

    private func run(
        _ stored: StoreContents.StoredRecord,
        through migrations: [Migration],
        after failure: MigrationReport.RecordFailure
    ) throws -> RetryResult {
        let versionBefore = applied.prefix { $0.name != failure.migration.name }.map(\.version).max() ?? 0
        let pending = PendingMigration.all(
            migrations.map { ($0, .init(.run)) },
            in: self.migrations,
            from: versionBefore
        )
        let upgrader = RecordUpgrader(
            try steps(of: pending, after: failure),
            of: migrations,
            storeName: nil,
            for: .upgrade(.quarantine(upTo: .unlimited))
        )
        var record = Record(stored)
        switch try upgrader.upgradeUnderPolicy(&record) {
        case .upgraded(let result):
            let content = content(of: record, result, stored)
            return switch result.fate {
            case .kept: .converted(content)
            case .dropped: .dropped
            case .handedOver(let index): .handedOver(content, HandoverSource(upgrader.steps[index]))
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

    /// The steps that the record has not been through, except those that ran with the upgrade.
    private func steps(
        of migrations: [PendingMigration],
        after failure: MigrationReport.RecordFailure
    ) throws(Obstacle) -> [ScheduledStep] {
        let schedule = UpgradeSchedule(migrations) { migration, number in
            let isDone = migration.id == failure.migration && number + 1 < failure.firstStep
            return !isDone && RunMode.retry.use(of: migration.steps[number]) != .skipped
        }
        var steps: [ScheduledStep] = []
        for group in schedule.groups {
            switch group.work {
            case .pass(let pass): steps += pass
            case .block(var step):
                guard case .store(let work) = step.declared.work, case .change(let change) = work.alone else {
                    throw Obstacle(
                        reason: "Step \(step.number + 1) of migration \(step.migration.id) (\(step.declared)) needs "
                            + "the whole store. Put the record back as it is with `restoreQuarantined(_:)`, or a value in "
                            + "its place with `restoreQuarantined(_:as:)`."
                    )
                }
                step.recordWork = change
                steps.append(step)
            }
        }
        for index in steps.indices { steps[index].onFailure = nil }
        return steps
    }

    /// The migrations that were applied to the store since a failure, with the failed one.
    private func migrations(from failure: MigrationReport.RecordFailure) throws(Obstacle) -> [Migration] {
        let positions = Dictionary(applied.enumerated().map { ($1.name, $0) }) { first, _ in first }
        guard let first = positions[failure.migration.name] else {
            throw Obstacle(reason: "The store does not count migration \(failure.migration) as applied.")
        }
        guard let failed = migrations.migrations.first(where: { $0.id == failure.migration }) else {
            throw Obstacle(reason: "The registry does not have migration \(failure.migration).")
        }
        guard failed.steps.count >= failure.firstStep - 1 else {
            throw Obstacle(reason: "Migration \(failure.migration) has fewer steps than when the record failed.")
        }
        let (names, allReplaced) = (Set(migrations.names), migrations.allReplaced)
        var known: Set<String> = []
        var since: [(migration: Migration, position: Int)] = []
        for migration in migrations.migrations {
            guard var position = positions[migration.name] else { continue }
            known.formUnion([migration.name] + migrations.replaced(by: migration))
            // No other record went through it, unless the record failed in it.
            if applied[position].outcome == .marked, migration.name != failure.migration.name { continue }
            if applied[position].outcome == .replaced {
                // The migrations that a shortcut replaces are in the registry.
                if migration.isShortcut(among: names, allReplaced) { continue }
                // The migrations that it replaces ran, before the ledger got its own row.
                position = migration.replaces.compactMap { positions[$0] }.max() ?? position
            }
            if position >= first { since.append((migration, position)) }
        }
        let missing = applied[first...].filter { !known.contains($0.name) }.map { "\"\($0.name)\"" }
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
