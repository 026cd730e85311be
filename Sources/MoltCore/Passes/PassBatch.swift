/// A batch of records on its way through a pass, with what its steps did to them.
final class PassBatch {
    let batch: RecordBatch
    /// By the place of the record in the batch.
    var outcomes: [RecordOutcome]
    /// One for each thread that sends records through their steps.
    var workers: [Worker]
    /// How many of the threads had a part of the current batch.
    var usedWorkers = 0
    /// Why the batch could not be read.
    var readFailure: (any Error)?

    /// What one thread has of its own.
    struct Worker {
        /// What the steps did to all records of all batches that this thread had.
        var counts: PassCounts
        /// The new contents of the current batch, one behind the other; the buffer is kept from batch to batch.
        var contents: [UInt8] = []
        /// The changes of the current batch, when it has no other kind of work.
        var rows: [RecordContents.Row] = []
        /// Whether the store is to be told nothing of the current batch but its new contents.
        var isPlain = true

        /// Begins with the next batch, and keeps the memory.
        mutating func start() {
            contents.removeAll(keepingCapacity: true)
            rows.removeAll(keepingCapacity: true)
            isPlain = true
        }
    }

    init(_ batch: RecordBatch, workers: Int, counts: PassCounts) {
        self.batch = batch
        self.workers = Array(repeating: Worker(counts: counts), count: workers)
        outcomes = Array(repeating: RecordOutcome(), count: batch.capacity)
    }
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

    static func += (counts: inout PassCounts, other: PassCounts) {
        for index in counts.migrations.indices { counts.migrations[index] += other.migrations[index] }
        for index in counts.stages.indices { counts.stages[index] += other.stages[index] }
    }
}

/// What the steps of a pass did to one record: all that the store has to be told.
struct RecordOutcome {
    /// The record.
    var id: Int64 = 0
    /// The version of the last migration that changed the record; nil when none did.
    var changedAt: Int?
    /// Whether there is nothing to write: a step dropped the record, or deletes its type.
    var isGone = false
    /// Whether the content is raw data.
    var isData = false
    /// The content as it is to be stored, in the bytes of the worker that changed the record.
    var content = 0..<0
    /// Which worker that was.
    var worker = 0
    /// When the record expires, in seconds since 1970 or nil for never, where a step has set it.
    var newExpiration: Double??
    /// What waits for the end of the pass.
    var deferred: [DeferredChange] = []
    /// What a step threw.
    var failure: (any Error)?
    /// The step, by its place in the pass, when the others may go on without the record; nil when the upgrade stops.
    var failedStage: Int?
}
