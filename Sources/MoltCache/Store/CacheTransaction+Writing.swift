internal import Foundation
internal import MoltCore

extension CacheTransaction {
    func write(_ contents: RecordContents) throws {
        guard !contents.rows.isEmpty else { return }
        try mapped { () throws(SQLiteError) in
            let source = try connection.contentSource()
            try source.lend(contents) { rows throws(SQLiteError) in
                var start = 0
                while start < rows.count {
                    let end = Self.group(rows, from: start)
                    if end - start < 4 {
                        for row in rows[start..<end] { try put(source.content(of: row), in: row) }
                    } else {
                        try put(rows[start..<end])
                    }
                    start = end
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

    /// Writes rows of one version, already lent to the source, with one statement.
    private func put(_ rows: Slice<UnsafeBufferPointer<RecordContents.Row>>) throws(SQLiteError) {
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

    /// The end of the rows that one statement writes.
    ///
    /// An UPDATE of a range visits all rows between, so the rows must lie close together. SQLite also keeps the
    /// originals of changed pages in memory, in case the statement fails.
    private static func group(_ rows: UnsafeBufferPointer<RecordContents.Row>, from start: Int) -> Int {
        var end = start + 1
        var bytes = rows[start].range.count
        while end < rows.count, rows[end].version == rows[start].version, rows[end].id - rows[end - 1].id <= 4 {
            // The other columns take about 100 bytes.
            bytes += rows[end].range.count + 100
            guard bytes <= 24_576 else { break }
            end += 1
        }
        return end
    }

    func write(expiration: Double?, id: Int64) throws {
        try mapped { () throws(SQLiteError) in
            let statement = try statements[.writeExpiry]
            try statement.bind(expiration, at: 1)
            try statement.bind(id, at: 2)
            try statement.run()
        }
    }

    func insert(_ record: borrowing Record, id: Int64, version: Int) throws {
        let key = record.key
        let type = record.typeName
        let isText = !record.isData
        let expiration = record.expirationSeconds
        buffer.removeAll(keepingCapacity: true)
        record.writeContent(to: &buffer)
        let isNew = try mapped { () throws(SQLiteError) in
            // An index that lacks a record would let another record take its key.
            try finishCheck()
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
            throw keyExists(key, of: "A record of type \(type)", recordKey: key, recordType: type)
        }
    }

    func delete(id: Int64) throws {
        try mapped { () throws(SQLiteError) in
            try beginCheck()
            forgetCounts()
            let statement = try statements[.delete]
            try statement.bind(id, at: 1)
            try statement.run()
        }
    }

    func deleteExpired(now: Double) throws -> Int {
        try mapped { () throws(SQLiteError) in
            try beginCheck()
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

    func keyExists(_ newKey: String, of what: String, recordKey: String, recordType: String) -> MigrationError {
        var error = MigrationError(
            .keyExists,
            """
            \(what) would get the key "\(newKey)", which is already used by another record. Use a different key, or \
            delete the other record or give it another key first.
            """
        )
        error.store = storeName
        error.recordKey = recordKey
        error.recordType = recordType
        return error
    }
}
