/// What the steps of a pass did to many records: counts by migration and by step.
struct PassCounts {
    var migrations: [RecordCounts]
    /// By the place of the step in the pass.
    var stages: [RecordCounts]

    init(migrations: Int, stages: Int) {
        self.migrations = Array(repeating: RecordCounts(), count: migrations)
        self.stages = Array(repeating: RecordCounts(), count: stages)
    }

    static func += (counts: inout PassCounts, other: PassCounts) {
        for index in counts.migrations.indices { counts.migrations[index] += other.migrations[index] }
        for index in counts.stages.indices { counts.stages[index] += other.stages[index] }
    }
}
