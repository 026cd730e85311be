extension StoreTransaction {
    /// Creates a reader of the records of some types, up to an id; the previous reader must have ended.
    ///
    /// The first one takes a snapshot of the records, which another thread can read while the transaction writes.
    ///
    /// - Returns: Nil if the caller must use ``read(into:types:after:through:)``: the transaction has made changes, which
    ///   readers would not see, or the store does not support a second reader at the moment.
    func makeReader(ofTypes types: [String], through: Int64) throws -> SnapshotReader? {
        try mapped { () throws(SQLiteError) in
            let types = try wantedTypes(types)
            guard !types.isEmpty, let snapshot = try openSnapshot() else { return nil }
            return try SnapshotReader(
                types,
                through: through,
                expiredAt: expiredAt,
                on: snapshot,
                flushing: isDurable ? connection.filePath.map { LogFlusher($0 + "-wal") } : nil,
                storeName: storeName
            )
        }
    }

    /// The connection to the snapshot, opened at its first use; nil if there can be none.
    private func openSnapshot() throws(SQLiteError) -> Connection? {
        if let snapshot { return snapshot }
        guard connection.totalChanges == firstChange, let path = connection.filePath,
            let opened = try? Connection(path, mode: .readOnly)
        else { return nil }
        do throws(SQLiteError) {
            // A read transaction begins with the first page read.
            try opened.execute("PRAGMA cache_size = -1000; BEGIN")
            _ = try opened.integer("PRAGMA user_version")
        } catch {
            return nil
        }
        // SQLite reports the open file's path; unless that file has moved, the path leads to the same file.
        guard !connection.hasMoved else { return nil }
        opened.interrupt(at: deadline)
        snapshot = opened
        return opened
    }

    /// Discards the snapshot.
    func endReading() {
        closeSnapshot()
    }

    /// Closes the readers' connection, so that the commit can checkpoint the log.
    func closeSnapshot() {
        snapshot?.close()
        snapshot = nil
    }
}
