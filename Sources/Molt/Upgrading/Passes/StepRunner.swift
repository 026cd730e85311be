internal import Foundation

/// Runs the pending steps of a plan in order, inside the upgrade's transaction, and counts their results.
final class StepRunner {
    let records: StoreTransaction
    let storeName: String
    let registry: MigrationRegistry
    let attachedWork: AttachedWork
    let configuration: MoltConfiguration
    /// Whether to look for names in steps that match nothing in the store.
    let findsUnmatchedNames: Bool
    /// The time at which the upgrade began: the app's clock must not be asked while the lock is held.
    let now: Date
    let meter: ProgressMeter
    let failures: FailureTally
    /// The notes of a dry run; nil for an upgrade.
    let notes: DryRunNotes?

    private let plan: MigrationPlan
    /// The migrations that have a row in the ledger.
    private let recorded: Set<String>
    /// Those of them that count as applied.
    let applied: Set<String>
    private let schedule: UpgradeSchedule
    private var results: [String: Result] = [:]
    /// Whether the store has no data from an earlier release or a step.
    private var isEmpty: Bool

    /// What a migration has done so far.
    private struct Result {
        var entry: MigrationReport.Entry
        var ranSteps: Set<Int> = []
        /// The suites that it has worked on, so that they are through it.
        var suites: Set<String> = []
        /// Whether a group of its steps has begun.
        var isStarted = false
    }

    init(
        _ plan: MigrationPlan,
        _ ledger: [LedgerEntry],
        _ transaction: StoreTransaction,
        of upgrade: UpgradeTransaction
    ) {
        let migrator = upgrade.migrator
        records = transaction
        storeName = transaction.storeName
        registry = migrator.registry
        attachedWork = upgrade.attachedWork
        configuration = migrator.configuration
        findsUnmatchedNames = migrator.mode.findsUnmatchedNames(configuration)
        now = upgrade.startedAt
        meter = ProgressMeter(monitor: configuration.monitor)
        failures = FailureTally(registry.failurePolicy)
        notes = DryRunNotes(migrator.mode)
        self.plan = plan
        recorded = Set(ledger.map(\.name))
        applied = Set(ledger.filter(\.outcome.isApplied).map(\.name))
        isEmpty = plan.isFresh
        schedule = UpgradeSchedule(of: plan, registry)
    }

    func missedSteps(after step: ScheduledStep) -> MissedSteps { MissedSteps(after: step, of: plan, registry) }

    /// The suites that a migration has worked on, so that they are through it.
    func suites(of migration: String) -> Set<String> { results[migration]?.suites ?? [] }

    /// Runs the pending steps.
    ///
    /// On a fresh store only steps that import records run; once one has done so, all later steps run too.
    ///
    /// - Returns: An entry for each migration that gets a row in the ledger, in the registry's order.
    func run() throws -> [MigrationReport.Entry] {
        if schedule.hasSteps { meter.expect(try expectedCounts()) }
        for (index, group) in schedule.groups.enumerated() {
            switch group.work {
            case .pass(let steps) where steps.isEmpty:
                sendStarted(group)
            case .pass where isEmpty:
                meter.skip(group: index)
            case .block(let step)
            where isEmpty && !step.declared.runsOnFreshStore && !plan.blocksOnSuites.contains(step.id):
                meter.skip(group: index)
            case .pass(let steps):
                try run(group, index, steps) { try run(pass: steps) }
            case .block(let step):
                try run(group, index, [step]) { try run(block: step) }
            }
            for pending in group.ending {
                let entry = self[pending.migration].entry
                let counts = entry.steps.map(\.counts)
                try failures.check(pending.migration, entry.counts, steps: counts, atMost: recordCount())
            }
            for pending in group.ending where self[pending.migration].isStarted {
                configuration.monitor?.send(.ended(entry(of: pending.migration)))
            }
        }
        return entriesInOrder()
    }

    private func run(
        _ group: UpgradeSchedule.Group,
        _ index: Int,
        _ steps: [ScheduledStep],
        _ body: () throws -> Void
    ) throws {
        sendStarted(group)
        try configuration.reach(.beforeSteps, name(of: steps))
        var names: Set<String> = []
        let migrations = steps.filter { names.insert($0.migration.name).inserted }.map(\.migration.id)
        meter.begin(group: index, weight: try recordCount(of: group), migrations: migrations)
        try body()
        meter.end()
        try configuration.reach(.afterSteps, name(of: steps))
    }

    private subscript(migration: Migration) -> Result {
        get {
            results[migration.name]
                ?? Result(
                    entry: MigrationReport.Entry(
                        migration.id,
                        plan.isFresh ? .createdAtVersion : .ran,
                        steps: migration.steps.map { MigrationReport.Step(summary: $0.description) }
                    )
                )
        }
        set { results[migration.name] = newValue }
    }

    /// The number of records that a group will process, as the store is now; 0 if progress is not reported.
    private func recordCount(of group: UpgradeSchedule.Group) throws -> Int {
        guard configuration.monitor != nil else { return 0 }
        switch group.work {
        case .pass(let steps):
            return try StepsByType(steps).all().reduce(0) { try $0 + records.count(ofType: $1.typeName) }
        case .block(let step):
            // A block may read any record, so it counts as one reading of each.
            return step.declared.usesRecords ? max(1, try records.count(ofType: nil)) : 0
        }
    }

    /// The numbers of records that the groups will probably process: records of a type that an earlier group renames
    /// have its new name then.
    private func expectedCounts() throws -> [Int] {
        guard configuration.monitor != nil else { return schedule.groups.map { _ in 0 } }
        var counts: [ExactName: Int] = [:]
        func count(_ type: String) throws -> Int {
            if let cached = counts[ExactName(type)] { return cached }
            let count = try records.count(ofType: type)
            counts[ExactName(type)] = count
            return count
        }
        return try schedule.groups.map { group in
            guard case .pass(let steps) = group.work else { return try recordCount(of: group) }
            let expected = try StepsByType(steps).all().reduce(0) { try $0 + count($1.typeName) }
            for step in steps {
                switch step.recordWork {
                case .renameType(let name, let newName) where !ExactName.isSame(name, newName):
                    counts[ExactName(newName)] = try count(newName) + count(name)
                    counts[ExactName(name)] = 0
                case .deleteType(let name, _), .handOver(let name, _): counts[ExactName(name)] = 0
                case .renameType, .edit, nil: break
                }
            }
            return expected
        }
    }

    /// The number of records, including those that steps removed.
    private func recordCount() throws -> Int {
        try results.values.reduce(records.count(ofType: nil)) {
            $0 + $1.entry.counts.dropped + $1.entry.counts.quarantined
        }
    }

    /// The name of a group's steps in tests.
    private func name(of steps: [ScheduledStep]) -> String {
        var names: [(migration: String, steps: [String])] = []
        for step in steps {
            if names.last?.migration != step.migration.name { names.append((step.migration.name, [])) }
            names[names.count - 1].steps.append(String(step.number + 1))
        }
        return "of " + names.map { "\($0.migration) (\($0.steps.joined(separator: ", ")))" }.joined(separator: ", ")
    }

    private func sendStarted(_ group: UpgradeSchedule.Group) {
        for migration in group.migrations.map(\.migration) where !self[migration].isStarted {
            self[migration].isStarted = true
            configuration.monitor?.send(.started(migration.id))
        }
    }

    // MARK: Results

    /// The results of a migration, with those of its steps that ran.
    private func entry(of migration: Migration) -> MigrationReport.Entry {
        let result = self[migration]
        var entry = result.entry
        // A suite may have been through a step already.
        entry.steps = entry.steps.indices.filter(result.ranSteps.contains).map { entry.steps[$0] }
        guard plan.isFresh else { return entry }
        let isWhole = result.ranSteps.isSuperset(of: migration.changes.indices)
        let isWithoutRecords = isEmpty && migration.changes.contains(where: \.usesRecords)
        if isWhole, result.isStarted, !isWithoutRecords { entry.outcome = .ran }
        return entry
    }

    /// The entries of the migrations that ran, and of those that only get a row in the ledger.
    private func entriesInOrder() -> [MigrationReport.Entry] {
        plan.entries.compactMap { planned in
            let id = planned.migration
            switch planned.actions.store {
            case .none where !planned.actions.runsAgain: return nil
            case .none, .run, .runIfRecordsArrive, .continueOnRead:
                var entry = entry(of: planned.declaration)
                entry.neededBy = planned.neededBy
                // A later migration may have quarantined what this one has imported.
                if failures.hasRecords { entry.isSourceWhole = false }
                return entry
            case .startOnRead: return MigrationReport.Entry(id, .onRead)
            case .record(let outcome): return MigrationReport.Entry(id, outcome)
            case .wait: return recorded.contains(id.name) ? nil : MigrationReport.Entry(id, .deferred)
            }
        }
    }

    /// The types of checks that no migration runs, and that are probably misspelled.
    func notesOnChecks() throws -> [String] {
        let types = findsUnmatchedNames && schedule.hasSteps ? registry.typesOfIdleChecks : []
        guard !types.isEmpty else { return [] }
        let names = try records.typeNames()
        return types.filter { type in !names.contains { ExactName.isSame($0, type) } }
            .map { MigrationReport.UnmatchedName(type: $0, among: names) }
            // A type may have no records yet.
            .filter { $0.nearest != nil }
            .map { "checkingDecodes: \($0)" }
    }

    // MARK: Passes

    private func run(pass steps: [ScheduledStep]) throws {
        let start = Instant.now
        let pass = RecordPass(steps, self)
        let typeNames = findsUnmatchedNames ? try records.typeNames() : []
        try pass.run()
        let unmatched = try UnmatchedNames.find(in: steps, pass.counts, typeNames: typeNames, self)
        for (stepIndex, step) in steps.enumerated() {
            let counts = pass.counts.steps[stepIndex]
            note(step) { result in
                result.unmatched += unmatched[stepIndex] ?? []
                result.counts += counts
                result.losses += losses(of: step, counts)
            }
            self[step.migration].entry.counts += pass.counts.migrations[stepIndex]
        }
        share(start.duration(to: .now).seconds, among: steps, pass.counts)
    }

    /// Notes the results of a step.
    ///
    /// - Parameter suites: The attached suites that it has used.
    private func note(
        _ step: ScheduledStep,
        using suites: Set<String> = [],
        _ body: (inout MigrationReport.Step) -> Void
    ) {
        var result = self[step.migration]
        result.ranSteps.insert(step.number)
        body(&result.entry.steps[step.number])
        result.entry.steps[step.number].failedRecords = failures.records(of: step)
        if let notes, notes.sampleCount > 0 {
            result.entry.steps[step.number].samples =
                notes.samples(of: step.id) + attachedWork.samples(of: suites, limit: notes.sampleCount)
        }
        self[step.migration] = result
    }

    private func losses(of step: ScheduledStep, _ counts: MigrationReport.Counts) -> [MigrationReport.DataLoss] {
        var losses = counts.changed > 0 ? step.declared.declaration.losses.filter { $0.kind != .records } : []
        // Most records have one value, and conflicts are not counted.
        for index in losses.indices where losses[index].kind != .conflicts { losses[index].count = counts.changed }
        guard let type = step.typeName else { return losses }
        if counts.dropped > 0 { losses.append(MigrationReport.DataLoss(.records, type, count: counts.dropped)) }
        return losses + lostByClosure(of: step)
    }

    /// Divides the time of a pass among its migrations, in proportion to the records that each read.
    private func share(_ seconds: Double, among steps: [ScheduledStep], _ counts: PassCounts) {
        let total = counts.migrations.reduce(0) { $0 + $1.read }
        let firstSteps = Set(StepsByType(steps).firstStepIndices)
        for index in firstSteps {
            let part = total > 0 ? Double(counts.migrations[index].read) / Double(total) : 1 / Double(firstSteps.count)
            self[steps[index].migration].entry.duration += seconds * part
        }
    }

    // MARK: Blocks

    private func run(block step: ScheduledStep) throws {
        let start = Instant.now
        records.stepVersion = step.pending.recordVersion
        let context = try MigrationContext(step, self)
        defer { context.expire() }
        let ownSuite = step.declared.settings?.attachedName
        let done = ownSuite == nil ? step.pending.actions.suites(with: .none) : []
        let edits = attachedWork.edits(of: done)
        do {
            try context.run(step.declared.work)
            try context.finish()
        } catch {
            // The error of an exceeded limit names the first failed record; a block may have caught it.
            let failure = context.failure as? MoltError
            let error = failure?.code == .tooManyFailures ? failure ?? error : error
            throw MoltError(error, in: step, store: storeName)
        }
        attachedWork.restore(edits, of: done)
        if context.counts.created > 0 { isEmpty = false }
        note(step, using: context.usedStores) { result in
            result.counts += context.counts
            result.keys += context.keys
            result.unmatched += context.unmatchedNames
            result.losses += context.losses + lostByBlock(step)
        }
        var result = self[step.migration]
        for index in 0..<step.number where !context.unconvertedKeys.isEmpty {
            result.entry.steps[index].takeBack(context.unconvertedKeys, of: ownSuite)
        }
        result.suites.formUnion(ownSuite.map { [$0] } ?? context.usedSuites.subtracting(done))
        result.entry.counts += context.counts
        if context.missingCount > 0 { result.entry.isSourceWhole = false }
        result.entry.attachedCounts.merge(attachedWork.counts(of: context.usedStores)) { $1 }
        result.entry.duration += start.duration(to: .now).seconds
        self[step.migration] = result
    }

    /// The data that closures of a block, or of a step on settings, have lost in a dry run.
    private func lostByBlock(_ step: ScheduledStep) -> [MigrationReport.DataLoss] {
        guard step.declared.settings != nil else { return notes?.losses(of: step.id) ?? [] }
        // The counts are those of records.
        return lostByClosure(of: step).map { MigrationReport.DataLoss($0.kind, $0.name) }
    }

    /// The data that the closure of a step has lost in a dry run, with the number of records.
    private func lostByClosure(of step: ScheduledStep) -> [MigrationReport.DataLoss] {
        notes?.losses(step.declared.work.edit?.kindOfLoss ?? .property, of: step.id) ?? []
    }
}

extension MigrationReport.Step {
    /// Removes the results for settings that a later step of the migration could not convert.
    fileprivate mutating func takeBack(_ left: Set<String>, of suite: String?) {
        let count = keys.count
        keys.removeAll { $0.store == suite && left.contains($0.key) }
        if keys.count < count, !keys.contains(where: { $0.outcome == .changed }) {
            losses.removeAll { [.property, .values, .converted].contains($0.kind) }
        }
    }
}
