/// The steps that are to run, in groups: steps that look at one record at a time are fused, a block stands alone.
struct UpgradeSchedule {
    /// A step with its place.
    struct Step: Sendable {
        /// The place of its migration among those that run.
        var migration: Int
        /// Its place among the steps of that migration.
        var number: Int
        /// Whether it brings data in from elsewhere, so that it also runs on a fresh store.
        var isImport: Bool
        /// Whether it may look at records.
        var usesRecords: Bool
        var action: MigrationStep.Action
        /// What happens to a record that the step cannot convert; nil when the opening says so.
        var onFailure: RecordFailurePolicy?

        /// Whether it looks at one record at a time.
        var isEdit: Bool {
            if case .edit = action { true } else { false }
        }
    }

    /// What runs in one go.
    enum Group {
        /// One pass over the records, through all these steps.
        case pass([Step])
        /// A block over the whole store.
        case block(Step, @Sendable (MigrationContext) throws -> Void)
    }

    private(set) var groups: [Group] = []
    /// For each group, the migrations that begin before it has ended, and have not ended before it; a migration without
    /// steps stands in the group of those before it.
    private(set) var members: [[Int]]
    /// For each migration, the group in which it ends.
    private(set) var lastGroups: [Int] = []

    /// Puts steps into groups.
    ///
    /// - Parameter migrations: The migrations that run.
    init(_ migrations: [Migration]) {
        var pass: [Step] = []
        var spans: [ClosedRange<Int>] = []
        func closePass(_ groups: inout [Group]) {
            if !pass.isEmpty { groups.append(.pass(pass)) }
            pass = []
        }
        for (migration, steps) in migrations.map(\.steps).enumerated() {
            var first: Int?
            for (number, step) in steps.enumerated() {
                let place = Step(
                    migration: migration,
                    number: number,
                    isImport: step.runsOnFreshStore,
                    usesRecords: step.usesRecords,
                    action: step.action,
                    onFailure: step.failurePolicy
                )
                if case .run(let block) = step.action {
                    closePass(&groups)
                    first = first ?? groups.count
                    groups.append(.block(place, block))
                } else {
                    first = first ?? groups.count
                    pass.append(place)
                }
            }
            let last = pass.isEmpty ? max(groups.count - 1, 0) : groups.count
            spans.append((first ?? last)...last)
        }
        closePass(&groups)
        members = Array(repeating: [], count: max(1, groups.count))
        for (index, span) in spans.enumerated() {
            for group in span { members[group].append(index) }
        }
        lastGroups = spans.map(\.upperBound)
    }
}
