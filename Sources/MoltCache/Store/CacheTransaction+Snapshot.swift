internal import MoltCore

extension CacheTransaction {
    func beginReading() throws -> Bool {
        try mapped { () throws(SQLiteError) in
            try beginCheck()
            guard connection.totalChanges == firstChange, snapshot == nil, let path = connection.filePath,
                let opened = try? Connection(path, mode: .readOnly)
            else { return false }
            do throws(SQLiteError) {
                // A read transaction begins with the first page read.
                try opened.execute("PRAGMA cache_size = -1000; BEGIN")
                _ = try opened.integer("PRAGMA user_version")
            } catch {
                return false
            }
            // SQLite reports the open file's path; unless that file has moved, the path leads to the same file.
            guard !connection.hasMoved else { return false }
            opened.interrupt(at: deadline)
            snapshot = opened
            return true
        }
    }

    func makeReader(ofType type: String, through: Int64) throws -> any RecordReader {
        try mapped { () throws(SQLiteError) in
            guard let snapshot, let id = try typeID(type) else { throw SQLiteError.misuse }
            return try SnapshotReader(
                type,
                id: id,
                through: through,
                isScanned: try isScanned(id),
                expiredAt: expiredAt,
                on: snapshot,
                flushing: isDurable ? connection.filePath.map { LogFlusher($0 + "-wal") } : nil,
                storeName: storeName
            )
        }
    }

    func endReading() {
        closeSnapshot()
    }

    /// Closes the readers' connection, so that the commit can checkpoint the log.
    func closeSnapshot() {
        snapshot?.close()
        snapshot = nil
    }
}
