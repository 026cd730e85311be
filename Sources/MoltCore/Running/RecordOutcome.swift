/// What the steps of a pass did to one record.
struct RecordOutcome {
    /// The version of the last migration that changed the record; nil when none did.
    var changedAt: Int?
    /// Whether there is nothing to write: a step dropped the record, or deletes its type.
    var isGone = false
    /// What waits for the end of the pass.
    var deferred: [DeferredChange] = []
    /// What a step threw.
    var failure: (any Error)?
}

/// What the steps of a pass did to many records: counts by migration and by step.
struct PassCounts {
    var migrations: [RecordCounts]
    /// By the place of the step in the pass.
    var stages: [RecordCounts]

    init(migrations: Int, stages: Int) {
        self.migrations = Array(repeating: RecordCounts(), count: migrations)
        self.stages = Array(repeating: RecordCounts(), count: stages)
    }

    /// Counts for the same steps, all of them 0.
    var zeroed: PassCounts {
        PassCounts(migrations: migrations.count, stages: stages.count)
    }

    static func += (counts: inout PassCounts, other: PassCounts) {
        for index in counts.migrations.indices { counts.migrations[index] += other.migrations[index] }
        for index in counts.stages.indices { counts.stages[index] += other.stages[index] }
    }
}
