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
