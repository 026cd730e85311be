internal import MoltCore

extension CacheTransaction: ParallelTransaction {
    func makeReader(ofType type: String, through: Int64) throws -> (any RecordReader)? {
        try mapped { () throws(SQLiteError) in
            try checkIndexes()
            guard connection.totalChanges == firstChange, let id = try typeID(type) else { return nil }
            let isScanned = try isScanned(id)
            guard let snapshot = openSnapshot() else { return nil }
            return try SnapshotReader(
                type,
                id: id,
                through: through,
                isScanned: isScanned,
                on: snapshot,
                storeName: storeName
            )
        }
    }

    /// A connection that sees what the transaction has begun with; nil where there is none to be had.
    private func openSnapshot() -> Connection? {
        if let snapshot { return snapshot }
        guard storeName != ":memory:", let opened = try? Connection(storeName, mode: .readOnly) else { return nil }
        do throws(SQLiteError) {
            // A transaction begins with the first page that is read.
            try opened.execute("PRAGMA cache_size = -1000; BEGIN")
            _ = try opened.integer("PRAGMA user_version")
        } catch {
            return nil
        }
        // Otherwise it may be another file at the same path.
        guard !connection.hasMoved else { return nil }
        snapshotDeadline = deadline.map { StatementDeadline($0, on: opened) }
        snapshot = opened
        return opened
    }

    /// Closes the connection, so that the commit can move the log into the file.
    func closeSnapshot() {
        snapshotDeadline?.end()
        snapshotDeadline = nil
        snapshot?.close()
        snapshot = nil
    }
}
