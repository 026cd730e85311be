/// A batch of records on its way through a pass, with what its steps did to them.
final class PassBatch {
    let batch: RecordBatch
    /// By the place of the record in the batch.
    var outcomes: [RecordOutcome]
    /// What the steps did to all records of all batches that were here.
    var counts: PassCounts

    init(_ batch: RecordBatch, counts: PassCounts) {
        self.batch = batch
        self.counts = counts
        outcomes = Array(repeating: RecordOutcome(), count: batch.capacity)
    }
}
