internal import Foundation

extension StoreTransaction {
    /// Writes the contents of several records, and sets their versions.
    ///
    /// It is called once per batch, so a store should write them together. The key and the type name change only
    /// through ``deferChange(_:)``.
    ///
    /// - Parameter keepsOriginals: Whether their current states are saved first, unless they were saved before.
    func write(_ contents: RecordContents, keepingOriginals keepsOriginals: Bool = false) throws {
        guard !contents.rows.isEmpty else { return }
        changesSizes = true
        try mapped { () throws(SQLiteError) in
            let source = try connection.contentSource()
            if keepsOriginals { try makeOriginals() }
            try source.write(contents) { rows throws(SQLiteError) in
                if keepsOriginals { try keepOriginals(of: rows) }
                if rows.count < 4 {
                    for row in rows { try put(source.content(of: row), in: row) }
                } else {
                    try put(rows)
                }
            }
        }
    }

    private func put(_ content: UnsafeRawBufferPointer, in row: RecordContents.Row) throws(SQLiteError) {
        let statement = try statements[.write]
        try statement.bind(inPlace: content, isText: !row.isData, at: 1)
        try statement.bind(Int64(row.version), at: 2)
        try statement.bind(row.id, at: 3)
        try statement.run()
        guard connection.changes == 1 else { throw SQLiteError.lostRows }
    }

    /// Writes rows of one version with one statement.
    private func put(_ rows: ContentSource.Rows) throws(SQLiteError) {
        guard let first = rows.first, let last = rows.last else { return }
        // Ids grow strictly, so a range with as many ids as rows contains no other record.
        let isDense = last.id - first.id == Int64(rows.count) - 1
        let statement = try statements[isDense ? .writeRange : .writeMany]
        try statement.bind(first.id, at: 1)
        try statement.bind(last.id, at: 2)
        try statement.bind(Int64(first.version), at: 3)
        try statement.run()
        guard connection.changes == rows.count else { throw SQLiteError.lostRows }
    }

    /// Writes a record's expiry, in seconds since 1970, or nil for never.
    func write(expiration: Double?, id: Int64) throws {
        try mapped { () throws(SQLiteError) in
            let statement = try statements[.writeExpiry]
            try statement.bind(expiration, at: 1)
            try statement.bind(id, at: 2)
            try statement.run()
        }
    }

    /// Adds a record under an unused id.
    ///
    /// - Throws: ``MoltError`` with the code `keyExists` when another record has its key.
    package func insert(_ record: borrowing Record, id: Int64, version: Int) throws {
        guard holdsRecords else {
            throw MoltError(
                .unsupported,
                "A record cannot be put into \(storeName), which holds no records.",
                advice: "Run migrations that import records on a cache."
            )
        }
        let key = record.key
        let type = record.typeName
        let isText = !record.isData
        let expiration = record.expirationSeconds
        buffer.removeAll(keepingCapacity: true)
        record.writeContent(to: &buffer)
        let isNew = try mapped { () throws(SQLiteError) in
            forgetCounts()
            let existing = try statements[.idByKey]
            try existing.bind(key, at: 1)
            guard try existing.first({ $0.integer(0) }) == nil else { return false }
            let statement = try statements[.insert]
            let buffer = buffer
            try buffer.withUnsafeBufferPointer { buffer throws(SQLiteError) in
                let bytes = UnsafeRawBufferPointer(buffer)
                try statement.bind(id, at: 1)
                try statement.bind(key, at: 2)
                try statement.bind(try addType(type), at: 3)
                try statement.bind(Int64(version), at: 4)
                try statement.bind(Date().timeIntervalSince1970, at: 5)
                try statement.bind(expiration, at: 6)
                try statement.bind(inPlace: bytes, isText: isText, at: 7)
                try statement.run()
            }
            return true
        }
        guard isNew else {
            throw keyExists(key, of: "A record of type \(type)", key: key, type: type)
        }
    }

    func delete(id: Int64) throws {
        try mapped { () throws(SQLiteError) in
            forgetCounts()
            let statement = try statements[.delete]
            try statement.bind(id, at: 1)
            try statement.run()
        }
    }

    /// Deletes expired records; called before any other change.
    ///
    /// - Parameter now: The current time, in seconds since 1970; a record that expires at that moment has expired.
    /// - Returns: The number of deleted records.
    func deleteExpired(now: Double) throws -> Int {
        try mapped { () throws(SQLiteError) in
            let deletion = try connection.prepare(
                "DELETE FROM molt_record WHERE expires_at IS NOT NULL AND expires_at <= ?1"
            )
            try deletion.bind(now, at: 1)
            try deletion.run()
            let count = connection.changes
            guard count > 0 else { return 0 }
            forgetCounts()
            // Readers of the snapshot skip these records.
            expiredAt = now
            firstChange = connection.totalChanges
            return count
        }
    }

    func keyExists(_ newKey: String, of what: String, key: String, type: String) -> MoltError {
        MoltError(
            .keyExists,
            "\(what) would get the key \"\(newKey)\", which is already used by another record.",
            advice: "Use a different key, or delete the other record or give it another key first.",
            store: storeName,
            key: key,
            type: type
        )
    }

    /// Writes a record's content, and its expiry if it was set.
    func write(_ record: borrowing Record, version: Int) throws {
        var content: [UInt8] = []
        let row = RecordContents.Row(record, version: version, buffer: 0, writingTo: &content)
        try write(RecordContents(rows: [row], buffers: [content]))
        if record.hasNewExpiration { try write(expiration: record.expirationSeconds, id: record.id) }
    }
}
