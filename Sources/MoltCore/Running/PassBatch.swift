/// A batch of records on its way through a pass, with what its steps did to them.
final class PassBatch {
    let batch: RecordBatch
    /// By the place of the record in the batch.
    var outcomes: [RecordOutcome]
    /// One for each thread that sends records through their steps.
    var workers: [Worker]

    /// What one thread has of its own.
    struct Worker {
        /// What the steps did to all records of all batches that this thread had.
        var counts: PassCounts
        /// The new contents of the current batch, one behind the other; the buffer is kept from batch to batch.
        var contents: [UInt8] = []
    }

    init(_ batch: RecordBatch, workers: Int, counts: PassCounts) {
        self.batch = batch
        self.workers = Array(repeating: Worker(counts: counts), count: workers)
        outcomes = Array(repeating: RecordOutcome(), count: batch.capacity)
    }
}
