/// One upgrade inside its transaction: runs the pending steps in order, and counts their results.
final class UpgradeRun {
    private let plan: MigrationPlan
    private let scope: UpgradeScope
    private let pending: [PendingMigration]
    private let schedule: UpgradeSchedule
    private var entries: [MigrationReport.Entry]
    /// The steps that have run, by migration.
    private var ranSteps: [Set<Int>]
    private var started: Set<Int> = []
    /// The suites that each migration has worked on, by its name, so that they are through it.
    private(set) var changedSuites: [String: Set<String>] = [:]
    /// Whether the store has no data from an earlier release or a step.
    private var isEmpty: Bool

    init(plan: MigrationPlan, registry: MigrationRegistry, scope: UpgradeScope) {
        self.plan = plan
        self.scope = scope
        let running = plan.entries.filter(\.runsSteps)
        let rest = Set(running.filter { $0.status == .onRead }.map(\.migration.name))
        let names = Set(running.map(\.migration.name)).subtracting(rest)
        // The backfill comes first, because its migrations count as applied.
        let backfilled = registry.migrations.filter { rest.contains($0.name) }
        let newMigrations = registry.migrations.filter { names.contains($0.name) }
        let migrations = backfilled + newMigrations
        pending =
            backfilled.map { PendingMigration(backfilling: $0) }
            + PendingMigration.all(newMigrations, in: registry, from: plan.from)
        let planned = Dictionary(plan.entries.map { ($0.migration.name, $0) }) { first, _ in first }
        schedule = UpgradeSchedule(migrations) { planned[$0.name]?.runs($1) ?? true }
        isEmpty = plan.isFresh
        ranSteps = Array(repeating: [], count: migrations.count)
        entries = migrations.map { migration in
            MigrationReport.Entry(
                migration.id,
                plan.isFresh ? .bornFresh : .ran,
                steps: migration.steps.map {
                    MigrationReport.Step(summary: $0.description)
                }
            )
        }
    }

    /// Runs the pending steps.
    ///
    /// On a fresh store only steps that import records run; once one has done so, all later steps run too.
    ///
    /// - Returns: An entry for each migration that gets a row in the ledger, in the registry's order.
    func run() throws -> [MigrationReport.Entry] {
        scope.meter.expect(try schedule.groups.map(work(of:)))
        for (index, group) in schedule.groups.enumerated() {
            switch group {
            case .pass where isEmpty:
                scope.meter.skip(group: index)
            case .block(let step, _) where isEmpty && !step.isImport:
                scope.meter.skip(group: index)
            case .pass(let steps):
                sendStarted(at: index)
                try scope.configuration.reach(.beforeSteps, name(of: steps))
                try run(pass: steps, index)
                try scope.configuration.reach(.afterSteps, name(of: steps))
            case .block(let step, let block):
                sendStarted(at: index)
                try scope.configuration.reach(.beforeSteps, name(of: [step]))
                try run(block: block, of: step, index)
                try scope.configuration.reach(.afterSteps, name(of: [step]))
            }
            try checkFailures(at: index)
            sendEnded(at: index)
        }
        if schedule.groups.isEmpty {
            sendStarted(at: 0)
            sendEnded(at: 0)
        }
        return entriesInOrder()
    }

    /// The number of records that a group will process, as the store is now.
    private func work(of group: UpgradeSchedule.Group) throws -> Int {
        switch group {
        case .pass(let steps):
            return try StepChains(steps).all().reduce(0) { try $0 + scope.records.count(ofType: $1.typeName) }
        case .block(let step, _):
            // A block may read any record, so it counts as one reading of each.
            return step.usesRecords ? max(1, try scope.records.count(ofType: nil)) : 0
        }
    }

    /// The name of a group's steps in tests.
    private func name(of steps: [UpgradeSchedule.Step]) -> String {
        let numbers = Dictionary(grouping: steps, by: \.migration).sorted { $0.key < $1.key }
        return "of "
            + numbers.map { migration, steps in
                "\(pending[migration].migration.name) (\(steps.map { String($0.number + 1) }.joined(separator: ", ")))"
            }.joined(separator: ", ")
    }

    private func sendStarted(at group: Int) {
        for index in schedule.members[group] {
            guard started.insert(index).inserted else { continue }
            scope.configuration.monitor?.send(.started(pending[index].migration.id))
        }
    }

    /// Checks the failure limits of migrations that end with a group.
    private func checkFailures(at group: Int) throws {
        for index in schedule.members[group] where schedule.lastGroups[index] == group {
            let entry = entries[index]
            try scope.failures.check(index, entry.counts, steps: entry.steps.map(\.counts), atMost: recordCount())
        }
    }

    /// The number of records, including those that steps removed.
    private func recordCount() throws -> Int {
        try entries.reduce(scope.records.count(ofType: nil)) { $0 + $1.counts.dropped + $1.counts.quarantined }
    }

    private func sendEnded(at group: Int) {
        for index in schedule.members[group] where schedule.lastGroups[index] == group && started.contains(index) {
            scope.configuration.monitor?.send(.ended(entry(of: index)))
        }
    }

    /// The results of a migration, with those of its steps that ran.
    private func entry(of migration: Int) -> MigrationReport.Entry {
        var entry = entries[migration]
        let ran = ranSteps[migration]
        // A suite may have been through a step already.
        entry.steps = entry.steps.indices.filter(ran.contains).map { entry.steps[$0] }
        guard plan.isFresh else { return entry }
        let isWhole = ran.count == pending[migration].migration.steps.count
        let lacksRecords = isEmpty && pending[migration].migration.steps.contains(where: \.usesRecords)
        if isWhole, started.contains(migration), !lacksRecords { entry.outcome = .ran }
        return entry
    }

    /// The entries of the migrations that ran, and of those that only get a row in the ledger.
    private func entriesInOrder() -> [MigrationReport.Entry] {
        let ran = Dictionary(uniqueKeysWithValues: pending.indices.map { (pending[$0].migration.name, $0) })
        return plan.entries.compactMap { planned in
            if let index = ran[planned.migration.name] { return entry(of: index) }
            if planned.isPutOff { return MigrationReport.Entry(planned.migration, .onRead) }
            return switch planned.status {
            case .skippedFresh: MigrationReport.Entry(planned.migration, .bornFresh)
            case .replaced: MigrationReport.Entry(planned.migration, .replaced)
            case .deferred where !planned.isRecorded: MigrationReport.Entry(planned.migration, .deferred)
            default: nil
            }
        }
    }

    // MARK: Groups

    private func run(pass steps: [UpgradeSchedule.Step], _ group: Int) throws {
        let start = ContinuousClock.now
        let pass = RecordPass(steps, pending, scope)
        let typeNames = try scope.records.typeNames()
        let runningMigrations = Set(steps.map(\.migration)).sorted().map { pending[$0].migration.id }
        scope.meter.begin(group: group, weight: try work(of: schedule.groups[group]), migrations: runningMigrations)
        try pass.run()
        scope.meter.end()
        let unmatched = try UnmatchedNames.find(in: steps, pass.counts, typeNames: typeNames, scope)
        for (stage, step) in steps.enumerated() {
            ranSteps[step.migration].insert(step.number)
            entries[step.migration].steps[step.number].unmatchedNames += unmatched[stage] ?? []
            entries[step.migration].steps[step.number].counts += pass.counts.stages[stage]
            entries[step.migration].steps[step.number].failedRecords = scope.failures.records(of: step)
            entries[step.migration].steps[step.number].losses += losses(of: step, pass.counts.stages[stage])
            addSamples(of: step)
        }
        for index in pending.indices {
            entries[index].counts += pass.counts.migrations[index]
        }
        share(start.duration(to: .now).seconds, among: steps, pass.counts)
    }

    /// The data that a step of a pass has removed.
    private func losses(of step: UpgradeSchedule.Step, _ counts: MigrationReport.Counts) -> [MigrationReport.DataLoss] {
        let declaration = pending[step.migration].migration.steps[step.number].declaration
        var losses = counts.changed > 0 ? declaration.losses.filter { $0.kind != .records } : []
        for index in losses.indices { losses[index].count = counts.changed }
        guard let type = step.typeName else { return losses }
        if counts.dropped > 0 { losses.append(MigrationReport.DataLoss(.records, type, count: counts.dropped)) }
        let kind: MigrationReport.DataLoss.Kind = declaration is ConvertStep ? .converted : .property
        return losses + (scope.notes?.losses(kind, migration: step.migration, step: step.number) ?? [])
    }

    private func addSamples(of step: UpgradeSchedule.Step, _ attachments: Set<String> = []) {
        guard let notes = scope.notes, notes.sampleCount > 0 else { return }
        entries[step.migration].steps[step.number].samples =
            notes.samples(migration: step.migration, step: step.number)
            + scope.attachments.samples(of: attachments, limit: notes.sampleCount)
    }

    /// Divides the time of a pass among its migrations, in proportion to the records that each read.
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
        let pending = pending[step.migration]
        let work = try work(of: schedule.groups[group])
        scope.meter.begin(group: group, weight: work, migrations: [pending.migration.id])
        let context = try MigrationContext(pending, step, scope)
        defer { context.expire() }
        let declared = pending.migration.steps[step.number]
        let entry = plan.entries.first { $0.migration.name == pending.migration.name }
        let settled = declared.settings == nil ? entry?.settledSuites ?? [] : []
        let edits = scope.attachments.edits(of: settled)
        do {
            try block(context)
            try context.finish()
        } catch {
            // The error of an exceeded limit names the first failed record; a block may have caught it.
            let failure = context.failure as? MoltError
            let error = failure?.code == .tooManyFailures ? failure ?? error : error
            throw MoltError(error, in: pending.migration, step: step.number, store: scope.storeName)
        }
        scope.attachments.restore(edits, of: settled)
        let used = declared.settings.map { [$0.attachedName] } ?? context.usedSuites.subtracting(settled)
        changedSuites[pending.migration.name, default: []].formUnion(used)
        scope.meter.end()
        if context.counts.created > 0 { isEmpty = false }
        ranSteps[step.migration].insert(step.number)
        entries[step.migration].steps[step.number].counts += context.counts
        entries[step.migration].steps[step.number].keys += context.keys
        entries[step.migration].steps[step.number].unmatchedNames += context.unmatchedNames
        entries[step.migration].steps[step.number].failedRecords = scope.failures.records(of: step)
        entries[step.migration].steps[step.number].losses +=
            context.losses + (scope.notes?.losses(migration: step.migration, step: step.number) ?? [])
        addSamples(of: step, context.usedAttachments)
        entries[step.migration].counts += context.counts
        entries[step.migration].attachedCounts.merge(scope.attachments.counts(of: context.usedAttachments)) { $1 }
        entries[step.migration].duration += start.duration(to: .now).seconds
    }
}
