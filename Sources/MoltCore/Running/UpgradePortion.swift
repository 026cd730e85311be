/// What of a plan is run in one transaction.
struct UpgradePortion {
    /// The plan with that part of its migrations only, and the version that they lead to.
    private(set) var plan: MigrationPlan
    /// The migration of which a batch is run; nil when it is not one that commits in batches.
    private(set) var batched: Migration?
    /// Whether something is pending behind it.
    private(set) var hasMore = false
    /// The groups of its steps, and behind them those of the portions that follow it.
    private(set) var groupsToCome: [UpgradeSchedule.Group] = []

    /// Finds the part that comes next.
    ///
    /// A migration that commits in batches is a portion by itself; what stands before it is committed first. One that is
    /// half done comes before all others, wherever it stands: the records that it has not seen are of another shape.
    ///
    /// - Parameter commitsInBatches: Whether the store can commit in batches at all.
    init(of plan: MigrationPlan, _ registry: MigrationRegistry, commitsInBatches: Bool) {
        self.plan = plan
        defer { findGroups(plan, registry, commitsInBatches: commitsInBatches) }
        // A fresh store has no record that an earlier release wrote.
        guard commitsInBatches, !plan.isFresh else { return }
        let migrations = Dictionary(uniqueKeysWithValues: registry.migrations.map { ($0.name, $0) })
        func isBatched(_ entry: MigrationPlan.Entry) -> Bool {
            entry.willRun && migrations[entry.migration.name]?.isBatched == true
        }
        let unfinished = plan.unfinished?.migration.name
        let half = plan.entries.firstIndex { isBatched($0) && $0.migration.name == unfinished }
        guard let index = half ?? plan.entries.firstIndex(where: isBatched) else { return }
        let before = plan.entries[..<index]
        if half == nil, before.contains(where: { $0.willRun || $0.needsRow }) {
            self.plan.entries = Array(before)
            self.plan.to = before.map(\.migration.version).reduce(plan.from, max)
            hasMore = true
        } else {
            batched = migrations[plan.entries[index].migration.name]
            hasMore =
                plan.entries.indices.contains { $0 != index && (plan.entries[$0].willRun || plan.entries[$0].needsRow) }
                || plan.to > max(plan.from, plan.entries[index].migration.version)
        }
    }

    /// Finds the groups of all that is pending, as the portions will have them.
    private mutating func findGroups(
        _ whole: MigrationPlan,
        _ registry: MigrationRegistry,
        commitsInBatches: Bool
    ) {
        func names(_ plan: MigrationPlan) -> Set<String> {
            Set(plan.entries.filter { $0.willRun || $0.status == .afterImport }.map(\.migration.name))
        }
        let first = batched.map { Set([$0.name]) } ?? names(plan)
        var portions = [registry.migrations.filter { first.contains($0.name) }]
        let rest = names(whole).subtracting(first)
        var isAlone = true
        for migration in registry.migrations where rest.contains(migration.name) {
            let isBatched = migration.isBatched && commitsInBatches && !whole.isFresh
            if isAlone || isBatched {
                portions.append([migration])
            } else {
                portions[portions.count - 1].append(migration)
            }
            isAlone = isBatched
        }
        groupsToCome = portions.flatMap { UpgradeSchedule($0).groups }
    }
}

extension MigrationPlan.Entry {
    /// Whether it gets a row in the ledger without being run.
    fileprivate var needsRow: Bool {
        status == .replaced || status == .deferred && !isRecorded
    }
}
