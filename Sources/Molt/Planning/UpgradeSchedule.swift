/// A step that an upgrade runs.
///
/// A class, because several passes, batches and errors have the same one.
final class ScheduledStep: Sendable {
    let pending: PendingMigration
    /// Its position in that migration.
    let number: Int
    /// What it does to records one by one; nil for work on the whole store or a suite, and for a move of the file.
    let recordWork: RecordWork?
    /// The step's policy for records that it cannot convert; nil for that of the registry.
    let onFailure: FailurePolicy?

    init(_ step: MigrationStep, _ number: Int, of pending: PendingMigration) {
        self.pending = pending
        self.number = number
        recordWork = if case .records(let work) = step.work { work } else { nil }
        onFailure = step.failurePolicy
    }

    /// Creates the same step with other work or another policy.
    init(_ step: ScheduledStep, doing work: RecordWork?, onFailure policy: FailurePolicy?) {
        (pending, number) = (step.pending, step.number)
        (recordWork, onFailure) = (work, policy)
    }

    var migration: Migration { pending.migration }
    var id: ID { ID(migration: migration.name, number: number) }
    var declared: MigrationStep { migration.steps[number] }

    /// The name of its migration, and its position there.
    struct ID: Hashable {
        var migration: String
        var number: Int
    }

    /// The type that it changes or deletes; nil for a block.
    var typeName: String? { recordWork?.typeName }
}

/// The steps of an upgrade in groups: per-record steps are fused, and each block is a group of its own.
struct UpgradeSchedule {
    enum Work {
        /// One pass over the records.
        case pass([ScheduledStep])
        /// A step over the whole store, or over a suite.
        case block(ScheduledStep)
    }

    struct Group {
        var work: Work
        /// The migrations in progress during it; one without steps belongs to the group before it.
        var migrations: [PendingMigration] = []
        /// Those of them that end with it.
        var ending: [PendingMigration] = []
    }

    /// At least one, if there are migrations.
    private(set) var groups: [Group] = []
    let hasSteps: Bool

    /// Groups the steps that a plan runs.
    ///
    /// - Parameter isIncluded: Whether a step is one of them, if the plan runs it; by default all are.
    init(
        of plan: MigrationPlan,
        _ registry: MigrationRegistry,
        where isIncluded: (MigrationStep) -> Bool = { _ in true }
    ) {
        let running = plan.entries.filter(\.actions.runSteps).map { ($0.declaration, $0.actions) }
        // The backfill comes first, because its migrations count as applied.
        let backfilled = running.filter { $1.store == .continueOnRead }.map(PendingMigration.init(backfilling:_:))
        let others = PendingMigration.all(running.filter { $1.store != .continueOnRead }, in: registry, from: plan.from)
        self.init(backfilled + others) { isIncluded($0.steps[$1]) }
    }

    /// Groups the steps of migrations that their actions run.
    ///
    /// - Parameter isIncluded: Whether the step at a position of a migration is one of them; by default all are.
    init(_ migrations: [PendingMigration], where isIncluded: (Migration, Int) -> Bool = { _, _ in true }) {
        self.init(
            running: migrations.map { pending in
                let (migration, actions) = (pending.migration, pending.actions)
                let numbers = migration.steps.indices.filter {
                    actions.runs(migration.steps[$0]) && isIncluded(migration, $0)
                }
                return (pending, numbers)
            }
        )
    }

    /// Groups steps of migrations, given by their positions.
    @inline(never)
    private init(running: [(migration: PendingMigration, steps: [Int])]) {
        var pass: [ScheduledStep] = []
        var spans: [ClosedRange<Int>] = []
        func closePass(_ groups: inout [Group]) {
            if !pass.isEmpty { groups.append(Group(work: .pass(pass))) }
            pass = []
        }
        for (pending, steps) in running {
            var first: Int?
            for number in steps {
                let step = pending.migration.steps[number]
                let scheduled = ScheduledStep(step, number, of: pending)
                switch step.work {
                case .records:
                    first = first ?? groups.count
                    pass.append(scheduled)
                case .store, .settings, .bring, .block, .check:
                    closePass(&groups)
                    first = first ?? groups.count
                    groups.append(Group(work: .block(scheduled)))
                }
            }
            let last = pass.isEmpty ? max(groups.count - 1, 0) : groups.count
            spans.append((first ?? last)...last)
        }
        closePass(&groups)
        hasSteps = !groups.isEmpty
        if !hasSteps, !running.isEmpty { groups.append(Group(work: .pass([]))) }
        for (pending, span) in zip(running.map(\.migration), spans) {
            for group in span { groups[group].migrations.append(pending) }
            groups[span.upperBound].ending.append(pending)
        }
    }
}
