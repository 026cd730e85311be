import Foundation

/// One transaction of a migration that commits in batches: goes on where the one before it stopped.
///
/// Changes to keys, types and the existence of records wait in the store until all records were read, so what comes out
/// is what one transaction would have given, byte for byte.
struct BatchedRun {
    private let migration: Migration
    private let pending: [PendingMigration]
    private let steps: [UpgradeSchedule.Step]
    private let unfinished: UnfinishedMigration?
    private let scope: UpgradeScope
    /// What the migration has done in all; right once it has come to its end.
    private(set) var entry: MigrationReport.Entry

    /// Prepares one batch.
    ///
    /// - Parameters:
    ///   - version: The version that the store has.
    ///   - unfinished: How far the migration has come; nil when it begins.
    init(
        _ migration: Migration,
        from version: Int,
        registry: MigrationRegistry,
        unfinished: UnfinishedMigration?,
        scope: UpgradeScope
    ) {
        self.migration = migration
        self.unfinished = unfinished
        self.scope = scope
        pending = PendingMigration.all([migration], in: registry, from: version)
        steps = UpgradeSchedule([migration]).groups.flatMap { group in
            if case .pass(let steps) = group { steps } else { [] as [UpgradeSchedule.Step] }
        }
        entry = MigrationReport.Entry(
            migration.id,
            .ran,
            steps: migration.steps.map {
                MigrationReport.Step(words: $0.description)
            }
        )
    }

    /// Sends the next records through the steps.
    ///
    /// - Returns: How far the migration has come; nil when it is complete.
    mutating func run() throws -> UnfinishedMigration? {
        let start = ContinuousClock.now
        let pass = RecordPass(steps, pending, scope)
        let types = pass.typesToRead(of: try scope.records.typeNames())
        let total = try unfinished?.total ?? types.reduce(0) { try $0 + scope.records.count(ofType: $1) }
        if unfinished == nil { scope.options.monitor?.send(.started(migration.id)) }
        scope.meter.begin(group: 0, weight: total, migrations: [migration.id])
        scope.meter.advance(by: unfinished?.counts.read ?? 0)
        scope.failures.resume(unfinished?.failures ?? [], steps, of: migration, store: scope.storeName)
        try scope.options.reach(.beforeSteps, "of \(migration.name)")
        // Types are sorted by their bytes, and nobody else changes the store meanwhile.
        let first = unfinished?.position.type ?? ""
        let rest = types.drop { $0.utf8.lexicographicallyPrecedes(first.utf8) }
        let position = try pass.change(types: Array(rest), after: unfinished?.position, limit: migration.commitSize)
        if position == nil {
            // Other steps may look at other records: nothing is known of how many these should have seen.
            if let unfinished, unfinished.fingerprint == migration.fingerprint {
                try pass.checkAll(readBefore: unfinished.counts.read, of: total)
            }
            try pass.finish(stages: Set(steps.indices))
        }
        try scope.options.reach(.afterSteps, "of \(migration.name)")
        add(pass.counts, seconds: start.duration(to: .now).seconds)
        for step in steps { entry.steps[step.number].failedRecords = scope.failures.records(of: step) }
        guard let position else {
            try scope.failures.check(0, entry, atMost: .max)
            scope.meter.end()
            scope.options.monitor?.send(.ended(entry))
            return nil
        }
        return UnfinishedMigration(
            migration,
            startedAt: unfinished?.startedAt ?? Date(),
            total: total,
            counts: entry.counts,
            stepCounts: entry.steps.map(\.counts),
            duration: entry.duration,
            position: position,
            failures: scope.failures.all(of: 0)
        )
    }

    /// Adds what this batch did to what those before it have done.
    private mutating func add(_ counts: PassCounts, seconds: Double) {
        entry.duration = seconds + (unfinished?.duration ?? 0)
        entry.counts = counts.migrations[0]
        if let unfinished { entry.counts += unfinished.counts }
        for (stage, step) in steps.enumerated() { entry.steps[step.number].counts += counts.stages[stage] }
        guard let unfinished else { return }
        for (number, counts) in unfinished.stepCounts.enumerated() where entry.steps.indices.contains(number) {
            entry.steps[number].counts += counts
        }
    }
}
