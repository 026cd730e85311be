/// Reads the last commit while a transaction writes, on connections of its own.
///
/// The transaction has the write lock, so until it commits there is no later one.
final class LastCommit {
    private let writer: Connection
    private let storeName: String
    /// Whether readers write the log to disk, because the commit must survive a power loss.
    private let isDurable: Bool
    private let deadline: Instant?
    /// Reads for another thread; opened at its first use.
    private var snapshot: Connection?
    /// The writer's change count when the transaction began to change records.
    private var firstChange: Int64
    /// The cutoff at which expired records were deleted before the first change; nil when none were.
    private var expiredAt: Double?

    init(beside writer: Connection, storeName: String, isDurable: Bool, deadline: Instant?) {
        self.writer = writer
        self.storeName = storeName
        self.isDurable = isDurable
        self.deadline = deadline
        firstChange = writer.totalChanges
    }

    /// Whether the transaction has not changed records yet, except those that readers skip.
    var isCurrent: Bool { writer.totalChanges == firstChange }

    /// Skips the records that had expired at a time, in seconds since 1970: the transaction has just deleted them.
    func skipExpired(at time: Double) {
        expiredAt = time
        firstChange = writer.totalChanges
    }

    /// A reader of the records of some types, up to an id; the previous reader must have ended.
    ///
    /// - Returns: Nil if the transaction has made changes, which readers would not see, or no connection can be opened.
    func makeReader(of types: WantedTypes, through last: Int64) throws(SQLiteError) -> SnapshotReader? {
        if snapshot == nil, isCurrent { snapshot = open() }
        guard let snapshot else { return nil }
        let reader = try SnapshotReader(types, through: last, expiredAt: expiredAt, on: snapshot, storeName: storeName)
        if isDurable { reader.flusher = writer.filePath.map { LogFlusher(StoreFiles($0).log) } }
        return reader
    }

    /// Another connection, which reads the last commit; nil if there can be none.
    func open() -> Connection? {
        guard let path = writer.filePath, let opened = try? Connection(path, mode: .readOnly) else { return nil }
        do throws(SQLiteError) {
            try opened.set(.cacheSize, to: -1_000)
            // A read transaction begins with the first page read.
            try opened.begin()
            _ = try opened.integer(.userVersion)
        } catch {
            return nil
        }
        // SQLite reports the open file's path; unless that file has moved, the path leads to the same file.
        guard !writer.hasMoved else { return nil }
        opened.interrupt(at: deadline)
        return opened
    }

    /// Closes the connection of the readers, so that the commit can checkpoint the log.
    func endReading() {
        snapshot?.close()
        snapshot = nil
    }
}
