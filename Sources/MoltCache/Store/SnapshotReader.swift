internal import MoltCore

/// Reads the records of a type through a connection of its own, as they were before the transaction changed any.
///
/// In WAL mode such a connection sees what was committed last, whatever the transaction has written since. As the
/// transaction has the write lock, that is what the transaction itself has begun with.
final class SnapshotReader: RecordReader {
    private let type: String
    private let storeName: String
    /// Nil when the reader has ended: the queue that ran it may keep the reader a little longer than that.
    private var statement: Statement?
    private var last: Int64 = 0
    private var isAtEnd = false
    private let flusher: LogFlusher?

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - expiredAt: Passes over records that had expired then; nil for none.
    ///   - isScanned: Whether to go through all records, which is faster when the type has a large part of them.
    ///   - connection: Used by nobody else until the reader has ended.
    ///   - flusher: Is asked between two batches to have the log written to the disk; nil for nobody.
    init(
        _ type: String,
        id: Int64,
        through: Int64,
        isScanned: Bool,
        expiredAt: Double?,
        on connection: Connection,
        flushing flusher: LogFlusher?,
        storeName: String
    ) throws(SQLiteError) {
        self.type = type
        self.storeName = storeName
        self.flusher = flusher
        let source = isScanned ? "molt_record WHERE +type_id" : "molt_record INDEXED BY molt_record_type WHERE type_id"
        let statement = try connection.prepare(
            """
            SELECT id, key, content, expires_at FROM \(source) = ?1 AND id <= ?2
                \(expiredAt == nil ? "" : "AND (expires_at IS NULL OR expires_at > ?3)") ORDER BY id
            """
        )
        try statement.bind(id, at: 1)
        try statement.bind(through, at: 2)
        if let expiredAt { try statement.bind(expiredAt, at: 3) }
        self.statement = statement
    }

    func read(into batch: RecordBatch) throws {
        batch.removeAll()
        guard let statement else { return }
        flusher?.flush()
        do throws(SQLiteError) {
            while !batch.isFull, !isAtEnd {
                // Asked for a row behind the last one, SQLite would begin again.
                guard try statement.step() else {
                    isAtEnd = true
                    return
                }
                let id = statement.integer(0)
                guard id > last else { throw .disorder }
                last = id
                let expiration = statement.real(3)
                batch.append(
                    id: id,
                    typeName: type,
                    key: statement.bytes(1),
                    content: statement.bytes(2),
                    isData: statement.isBlob(2),
                    expiration: expiration
                )
            }
        } catch {
            // Stepped once more it would begin again.
            self.statement = nil
            throw MigrationError(error, store: storeName)
        }
    }

    func end() {
        statement = nil
    }
}
