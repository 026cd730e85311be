/// Reads the records of a type through its own connection, as they were before the transaction's changes.
///
/// Another thread may read while the transaction writes; one thread at a time.
///
/// In WAL mode, such a connection sees the last commit, whatever the transaction has written since. As the transaction
/// holds the write lock, that is the state it began with.
final class SnapshotReader {
    private var types: WantedTypes
    private let storeName: String
    /// Nil once the reader has ended; a queue may keep the reader a little longer.
    private var statement: Statement?
    private var last = Int64.min
    private var isAtEnd = false
    /// Called between batches to write the log to disk; nil for none.
    var flusher: LogFlusher?

    /// - Parameters:
    ///   - expiredAt: Records that had expired by this time are skipped; nil skips none.
    ///   - connection: Used only by this reader until it ends.
    init(
        _ types: WantedTypes,
        through: Int64,
        expiredAt: Double?,
        on connection: Connection,
        storeName: String
    ) throws(SQLiteError) {
        self.types = types
        self.storeName = storeName
        let statement = try connection.prepare(RowQuery.snapshot(of: types, expiredAt: expiredAt))
        if let id = types.onlyID { try statement.bind(id, at: 1) }
        try statement.bind(through, at: 2)
        if let expiredAt { try statement.bind(expiredAt, at: 3) }
        self.statement = statement
    }

    /// Fills a batch with the next records, in the order of their ids; the batch stays empty at the end.
    func read(into batch: RecordBatch) throws {
        batch.removeAll()
        guard let statement else { return }
        flusher?.flush()
        // Local, because each access to a stored property of a class checks for exclusivity.
        var (types, last) = (types, last)
        defer { (self.types, self.last) = (types, last) }
        do throws(SQLiteError) {
            while !batch.isFull, !isAtEnd {
                // Stepping past the last row would make SQLite begin again.
                guard try statement.step() else {
                    isAtEnd = true
                    return
                }
                let id = statement.integer(0)
                guard id > last else { throw .disorder }
                last = id
                if let name = try types.name(of: statement.integer(2)) { batch.append(statement, name) }
            }
        } catch {
            // Stepping again would make SQLite begin again.
            self.statement = nil
            throw MoltError(error, store: storeName)
        }
    }

    /// Ends the reading; this is the last call.
    func end() {
        statement = nil
    }
}
