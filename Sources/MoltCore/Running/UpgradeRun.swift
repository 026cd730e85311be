/// One upgrade, inside its transaction: goes through the pending steps in order, and counts what they do.
final class UpgradeRun {
    private let plan: MigrationPlan
    private let transaction: any MigrationTransaction
    private let coding: RecordCoding
    private let options: MigrationOptions
    /// The migrations that run.
    private let migrations: [Migration]
    /// For each of them, the version that the store had before it.
    private let oldVersions: [Int]
    /// For each of them, the version that a record is at when it has changed the record.
    private let recordVersions: [Int]
    private let schedule: UpgradeSchedule
    private let meter: ProgressMeter
    private var entries: [MigrationReport.Entry]

    init(
        plan: MigrationPlan,
        registry: MigrationRegistry,
        transaction: any MigrationTransaction,
        coding: RecordCoding,
        options: MigrationOptions
    ) {
        self.plan = plan
        self.transaction = transaction
        self.coding = coding
        self.options = options
        let pending = Set(plan.pending.map(\.name))
        migrations = registry.migrations.filter { pending.contains($0.name) }
        oldVersions = migrations.map { migration in
            // A late migration.
            if plan.from > migration.version { return plan.from }
            // Not the version of the file: a block must see the same whichever version the upgrade began at.
            let before = registry.migrations.map(\.version).filter { $0 < migration.version }.max() ?? 0
            return max(before, plan.from < migration.version ? plan.from : 0)
        }
        // A late migration changes records of a later version, and they stay at that version.
        recordVersions = migrations.map { max($0.version, plan.from) }
        schedule = UpgradeSchedule(migrations, isFresh: plan.isFresh)
        meter = ProgressMeter(monitor: options.monitor)
        entries = migrations.map { migration in
            MigrationReport.Entry(
                migration: migration.id,
                outcome: plan.isFresh ? .bornFresh : .ran,
                duration: 0,
                counts: RecordCounts(),
                steps: migration.steps.map { MigrationReport.Step(words: $0.description, counts: RecordCounts()) }
            )
        }
    }

    /// Runs the pending steps.
    ///
    /// - Returns: An entry for each migration that is to have a row in the ledger, in the registry's order.
    func run() throws -> [MigrationReport.Entry] {
        meter.expect(try expectedWork())
        for (index, group) in schedule.groups.enumerated() {
            tellStarted(at: index)
            switch group {
            case .pass(let steps): try run(pass: steps, index)
            case .block(let step, let block): try run(block: block, of: step, index)
            }
            tellEnded(at: index)
        }
        if schedule.groups.isEmpty {
            tellStarted(at: 0)
            tellEnded(at: 0)
        }
        return entriesInOrder()
    }

    private func tellStarted(at group: Int) {
        for (index, span) in schedule.spans.enumerated() where span.lowerBound == group {
            options.monitor?.send(.started(migrations[index].id))
        }
    }

    private func tellEnded(at group: Int) {
        for (index, span) in schedule.spans.enumerated() where span.upperBound == group {
            options.monitor?.send(.ended(entry(of: index)))
        }
    }

    /// What a migration has done, with those of its steps that run.
    private func entry(of migration: Int) -> MigrationReport.Entry {
        var entry = entries[migration]
        guard plan.isFresh else { return entry }
        entry.steps = zip(entry.steps, migrations[migration].steps).filter(\.1.runsOnFreshStore).map(\.0)
        return entry
    }

    /// What ran, and the migrations that do not run but get a row in the ledger.
    private func entriesInOrder() -> [MigrationReport.Entry] {
        var ran = entries.indices.map(entry(of:))[...]
        return plan.entries.compactMap { entry in
            if entry.willRun { return ran.popFirst() }
            guard entry.status == .skippedFresh || entry.status == .replaced else { return nil }
            return MigrationReport.Entry(
                migration: entry.migration,
                outcome: entry.status == .replaced ? .replaced : .bornFresh,
                duration: 0,
                counts: RecordCounts(),
                steps: []
            )
        }
    }

    // MARK: Groups

    private func run(pass steps: [UpgradeSchedule.Step], _ group: Int) throws {
        let start = ContinuousClock.now
        let pass = RecordPass(
            steps,
            migrations: migrations,
            recordVersions: recordVersions,
            transaction: transaction,
            storeName: plan.store,
            coding: coding,
            options: options,
            meter: meter
        )
        let types = try pass.typesToRead()
        let work = try types.reduce(0) { try $0 + transaction.count(ofType: $1) }
        meter.begin(
            group: group,
            weight: work,
            migrations: Set(steps.map(\.migration)).sorted().map { migrations[$0].id }
        )
        try pass.run(types: types)
        meter.end()
        for (stage, step) in steps.enumerated() {
            entries[step.migration].steps[step.number].counts += pass.counts.stages[stage]
        }
        for index in migrations.indices {
            entries[index].counts += pass.counts.migrations[index]
        }
        share(start.duration(to: .now).seconds, among: steps, pass.counts)
    }

    /// Shares the time of a pass among its migrations, by how many records each looked at.
    private func share(_ seconds: Double, among steps: [UpgradeSchedule.Step], _ counts: PassCounts) {
        let total = counts.migrations.reduce(0) { $0 + $1.read }
        let indices = Set(steps.map(\.migration))
        for index in indices {
            let part = total > 0 ? Double(counts.migrations[index].read) / Double(total) : 1 / Double(indices.count)
            entries[index].duration += seconds * part
        }
    }

    private func run(
        block: @Sendable (MigrationContext) throws -> Void,
        of step: UpgradeSchedule.Step,
        _ group: Int
    ) throws {
        let start = ContinuousClock.now
        let migration = migrations[step.migration]
        meter.begin(group: group, weight: max(1, try transaction.count(ofType: nil)), migrations: [migration.id])
        let context = try MigrationContext(
            oldVersion: oldVersions[step.migration],
            version: migration.version,
            recordVersion: recordVersions[step.migration],
            transaction: transaction,
            storeName: plan.store,
            coding: coding,
            options: options,
            meter: meter
        )
        defer { context.expire() }
        do {
            try block(context)
            try context.finish()
        } catch {
            throw StepFailure.error(error, migration, step.number, store: plan.store)
        }
        meter.end()
        entries[step.migration].steps[step.number].counts += context.counts
        entries[step.migration].counts += context.counts
        entries[step.migration].duration += start.duration(to: .now).seconds
    }

    // MARK: Expected work

    /// How many records each group will look at, as far as it can be known before the first one runs.
    private func expectedWork() throws -> [Int] {
        var counts: [String: Int] = [:]
        var total: Int?
        var names = try transaction.typeNames().map { (current: $0, stored: $0 as String) }
        return try schedule.groups.map { group in
            switch group {
            case .pass(let steps):
                let chains = StepChains(steps)
                var work = 0
                for name in names where !chains.chain(typeName: name.current).links.isEmpty {
                    let count = try counts[name.stored] ?? transaction.count(ofType: name.stored)
                    counts[name.stored] = count
                    work += count
                }
                names = names.compactMap { name in
                    chains.finalName(of: name.current).map { (current: $0, stored: name.stored) }
                }
                return work
            case .block:
                let count = try total ?? transaction.count(ofType: nil)
                total = count
                return max(1, count)
            }
        }
    }
}
