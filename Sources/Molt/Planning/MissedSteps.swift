/// The steps after one that brings in records or settings which will not run on what it brings in.
///
/// A step may run when the store has been through later steps already: on a suite that was put back from an older copy,
/// or in a migration that is late. What it brings in then goes through those steps by itself, so that the result is the
/// same whenever it comes. Where that is not possible, it is not brought in.
struct MissedSteps: Sendable {
    private let migrations: [Migration]
    private let steps: Set<ScheduledStep.ID>

    /// - Parameters:
    ///   - step: A step that runs.
    ///   - plan: The plan of the upgrade.
    init(after step: ScheduledStep, of plan: MigrationPlan, _ registry: MigrationRegistry) {
        let entries = plan.entries.drop { $0.migration.name != step.migration.name }
        // Those that a shortcut replaces do the same as the shortcut.
        let replacedByShortcuts = registry.replacedByShortcuts
        let replacedNames = replacedByShortcuts[step.migration.name] ?? []
        var migrations: [Migration] = []
        var steps: Set<ScheduledStep.ID> = []
        for entry in entries {
            let migration = entry.declaration
            let isOwn = migration.name == step.migration.name
            let isReplaced =
                entry.status == .notNeeded || replacedNames.contains(migration.name)
                || replacedByShortcuts[migration.name] != nil
            guard isOwn || !isReplaced, entry.actions.store.isOver else { continue }
            // A backfill comes first.
            let runsLater = { entry.actions.store != .continueOnRead && entry.actions.runs($0) }
            let missed = migration.steps.indices.filter { number in
                !(isOwn && number <= step.number) && !runsLater(migration.steps[number])
            }
            guard !missed.isEmpty else { continue }
            migrations.append(migration)
            steps.formUnion(missed.map { ScheduledStep.ID(migration: migration.name, number: $0) })
        }
        self.migrations = migrations
        self.steps = steps
    }

    /// Those that change records, and do not bring any in themselves.
    ///
    /// It is nil if there are none.
    var onRecords: UpgradeSchedule? {
        let schedule = schedule { $0.usesRecords && !$0.isCheck && !$0.runsOnFreshStore }
        return schedule.hasSteps ? schedule : nil
    }

    /// The first one that changes records and needs the whole store.
    var blocking: ScheduledStep? {
        onRecords?.groups.lazy.compactMap { group -> ScheduledStep? in
            if case .block(let step) = group.work, step.declared.isBlock { step } else { nil }
        }.first
    }

    func first(changing key: String, of suite: Suite) -> ScheduledStep? {
        let schedule = schedule { step in
            guard case .settings(let work) = step.work else { return false }
            return work.suite.attachedName == suite.attachedName && work.mayChange(key)
        }
        return schedule.groups.lazy.compactMap { if case .block(let step) = $0.work { step } else { nil } }.first
    }

    private func schedule(where isIncluded: (MigrationStep) -> Bool) -> UpgradeSchedule {
        UpgradeSchedule(migrations.map { PendingMigration(backfilling: $0) }) { migration, number in
            steps.contains(ScheduledStep.ID(migration: migration.name, number: number))
                && isIncluded(migration.steps[number])
        }
    }
}

extension MigrationPlan.TargetAction {
    /// Whether the store counts a migration as applied, or does once this upgrade ends.
    fileprivate var isOver: Bool {
        switch self {
        case .startOnRead, .wait: false
        case .none, .run, .runIfRecordsArrive, .continueOnRead, .record: true
        }
    }
}

extension ScheduledStep {
    /// The step's place, as a reason in reports names it.
    var positionInReason: String { "step \(number + 1) of migration \(migration.id)" }
}
