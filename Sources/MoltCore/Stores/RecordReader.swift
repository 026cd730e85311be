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
    /// Takes a snapshot of the records for readers.
    ///
    /// - Returns: False where ``read(into:type:after:through:)`` is to be used: when the transaction has changed something,
    ///   which the readers would not see, or when the store cannot be read a second time just now.
    func beginReading() throws -> Bool

    /// A reader of the records of a type in the snapshot, up to an id; who ends it before the next one is made.
    ///
    /// Who reads to the end compares how many records there were with ``count(ofType:)``, because a damaged store may end
    /// them early.
    func makeReader(ofType type: String, through: Int64) throws -> any RecordReader

    /// Gives the snapshot up, where there is one.
    func endReading()
}
