/// Reads the records of one type on another thread, while the transaction writes.
///
/// It gives them as they were when the transaction began. One thread uses it at a time.
package protocol RecordReader: AnyObject {
    /// Fills a batch with the next records, in the order of their ids; it stays empty when all were read.
    func read(into batch: RecordBatch) throws

    /// Ends the reading; the last call.
    func end()
}

/// A transaction whose records can be read on another thread while it writes.
package protocol ParallelTransaction: MigrationTransaction {
    /// A reader of the records of a type, up to an id; nil where ``read(into:type:after:through:)`` is to be used.
    ///
    /// It is nil when the transaction has changed something: the reader would not see it. Who reads to the end compares
    /// how many records there were with ``count(ofType:)``, because a damaged store may end them early.
    func makeReader(ofType type: String, through: Int64) throws -> (any RecordReader)?
}
