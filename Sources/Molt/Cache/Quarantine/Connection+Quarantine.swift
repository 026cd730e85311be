internal import Foundation

/// Reads and writes of the quarantine; a file in which no record has failed has no table for it.
extension Connection {
    func hasQuarantine() throws(SQLiteError) -> Bool {
        try hasTable(QuarantineTable.name)
    }

    func quarantinedCount() throws(SQLiteError) -> Int {
        guard try hasQuarantine() else { return 0 }
        return Int(clamping: try integer("SELECT count(*) FROM molt_quarantine"))
    }

    /// Returns the records after an id, in the order of their ids.
    ///
    /// - Parameter byteLimit: The number of content bytes that ends the page early. At least one record is read.
    func quarantined(
        after id: Int64 = 0,
        limit: Int = .max,
        byteLimit: Int = .max
    ) throws(SQLiteError) -> [QuarantinedRecord] {
        guard try hasQuarantine() else { return [] }
        let query = "\(QuarantinedRecord.selection) WHERE id > ?1 ORDER BY id LIMIT ?2"
        let statement = try prepare(query, id, max(0, limit))
        defer { statement.reset() }
        var records: [QuarantinedRecord] = []
        var bytes = 0
        while bytes < byteLimit, try statement.step() {
            let record = QuarantinedRecord(statement)
            bytes += record.content.count
            records.append(record)
        }
        return records
    }

    func quarantined(_ id: Int64) throws(SQLiteError) -> QuarantinedRecord? {
        guard try hasQuarantine() else { return nil }
        return try prepare("\(QuarantinedRecord.selection) WHERE id = ?1", id).first { QuarantinedRecord($0) }
    }

    func deleteQuarantined(_ id: Int64) throws(SQLiteError) {
        try run("DELETE FROM molt_quarantine WHERE id = ?1", id)
    }

    /// Stores the reason of another failure, and the record as it was before the failed migration.
    func updateQuarantined(
        _ id: Int64,
        to record: StoreContents.StoredRecord,
        after failure: RecordFailure
    ) throws(SQLiteError) {
        let statement = try prepare(
            """
            UPDATE molt_quarantine SET (key, type, version, expires_at, content, \(QuarantineTable.failureColumns))
                = (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            WHERE id = ?1
            """
        )
        try statement.bind([id, record.key, record.typeName, record.version, record.expiration])
        try statement.bind(failure.columns, from: 7)
        try statement.run(bindingInPlace: Data(record.content), isText: !record.isData, at: 6)
    }
}

extension CacheSession {
    /// Moves a record from quarantine into the store, as migrations converted it; its key must be free.
    func putBack(_ record: StoreContents.StoredRecord, quarantinedAs id: Int64) throws(SQLiteError) {
        _ = try remove(record.key, as: .expired)
        let type = try typeID(record.typeName)
        let insertion = try connection.prepare(
            """
            INSERT INTO molt_record(key, type_id, version, created_at, updated_at, accessed_at, expires_at, content)
            SELECT ?2, ?3, ?4, created_at, updated_at, ?5, ?6, ?7 FROM molt_quarantine WHERE id = ?1
            """
        )
        try insertion.bind([id, record.key, type, record.version, useTime(), record.expiration])
        try insertion.run(bindingInPlace: Data(record.content), isText: !record.isData, at: 7)
        try connection.deleteQuarantined(id)
        if let size { self.size = size + Int64(record.content.count) }
        changes.append(CodableCache.Change(key: record.key, typeName: record.typeName, kind: .set))
    }
}
