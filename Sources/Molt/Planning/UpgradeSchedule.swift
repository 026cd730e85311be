/// The pending steps in groups: per-record steps are fused, and each block is a group of its own.
struct UpgradeSchedule {
    struct Step: Sendable {
        /// The position of its migration among the pending ones.
        var migration: Int
        /// Its position in that migration.
        var number: Int
        /// Whether it imports data, and so also runs on a fresh store.
        var isImport: Bool
        var usesRecords: Bool
        var action: MigrationStep.Action
        /// The step's policy for records that it cannot convert; nil for that of the registry.
        var onFailure: RecordFailurePolicy?
        /// The coders of its migration.
        var coding: RecordCoding

        /// The type that it changes or deletes; nil for a block.
        var typeName: String? {
            switch action {
            case .renameType(let name, _), .deleteType(let name): name
            case .edit(let edit): edit.typeName
            case .run: nil
            }
        }
    }

    enum Group {
        /// One pass over the records.
        case pass([Step])
        /// A block over the whole store.
        case block(Step, @Sendable (MigrationContext) throws -> Void)
    }

    private(set) var groups: [Group] = []
    /// For each group, the migrations in progress during it; a migration without steps belongs to the group before it.
    private(set) var members: [[Int]]
    /// The last group of each migration.
    private(set) var lastGroups: [Int] = []

    /// Groups the steps of the pending migrations.
    ///
    /// - Parameter runs: Whether a step runs: a suite may have been through it already.
    init(_ migrations: [Migration], runs: (Migration, MigrationStep) -> Bool = { _, _ in true }) {
        var pass: [Step] = []
        var spans: [ClosedRange<Int>] = []
        func closePass(_ groups: inout [Group]) {
            if !pass.isEmpty { groups.append(.pass(pass)) }
            pass = []
        }
        for (index, migration) in migrations.enumerated() {
            var first: Int?
            for (number, step) in migration.steps.enumerated() where runs(migration, step) {
                let place = Step(
                    migration: index,
                    number: number,
                    isImport: step.runsOnFreshStore,
                    usesRecords: step.usesRecords,
                    action: step.action,
                    onFailure: step.failurePolicy,
                    coding: migration.coding
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
