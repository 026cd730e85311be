internal import Foundation
internal import MoltCore

/// Reads and writes of the quarantine inside a transaction.
extension CacheSession {
    /// Whether the table of the quarantine exists.
    func hasQuarantine() throws(SQLiteError) -> Bool {
        try connection.hasTable(QuarantineTable.name)
    }

    /// Returns the greatest id in quarantine; 0 when it is empty.
    func lastQuarantinedID() throws(SQLiteError) -> Int64 {
        guard try hasQuarantine() else { return 0 }
        return try connection.integer("SELECT max(id) FROM molt_quarantine")
    }

    /// Returns the next rows after an id.
    ///
    /// - Parameter byteLimit: The number of content bytes that ends the page early. At least one row is read.
    func quarantineRows(
        after: Int64,
        through: Int64 = .max,
        limit: Int,
        byteLimit: Int = .max
    ) throws(SQLiteError) -> [QuarantineRow] {
        guard try hasQuarantine() else { return [] }
        let statement = try connection.prepare(QuarantineRow.page)
        try statement.bind(after, at: 1)
        try statement.bind(through, at: 2)
        try statement.bind(Int64(clamping: limit), at: 3)
        var rows: [QuarantineRow] = []
        defer { statement.reset() }
        var bytes = 0
        while bytes < byteLimit, try statement.step() {
            let row = QuarantineRow(statement)
            bytes += row.record.content.count
            rows.append(row)
        }
        return rows
    }

    func quarantineRow(_ id: Int64) throws(SQLiteError) -> QuarantineRow? {
        guard try hasQuarantine() else { return nil }
        let statement = try connection.prepare(QuarantineRow.single)
        try statement.bind(id, at: 1)
        return try statement.first { QuarantineRow($0) }
    }

    func deleteQuarantined(_ id: Int64) throws(SQLiteError) {
        let statement = try connection.prepare("DELETE FROM molt_quarantine WHERE id = ?1")
        try statement.bind(id, at: 1)
        try statement.run()
    }

    /// Moves a record from quarantine into the store, as migrations converted it; its key must be free.
    func putBack(_ record: StoreContents.StoredRecord, of row: QuarantineRow) throws(SQLiteError) {
        _ = try remove(record.key, as: .expired)
        let type = try typeID(record.typeName)
        let insertion = try connection.prepare(
            """
            INSERT INTO molt_record(key, type_id, version, created_at, updated_at, accessed_at, expires_at, content)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
        )
        try insertion.bind(record.key, at: 1)
        try insertion.bind(type, at: 2)
        try insertion.bind(Int64(record.version), at: 3)
        try insertion.bind(row.created, at: 4)
        try insertion.bind(row.updated, at: 5)
        try insertion.bind(useTime(), at: 6)
        try insertion.bind(record.expiration, at: 7)
        try insertion.run(bindingInPlace: Data(record.content), isText: !record.isData, at: 8)
        try deleteQuarantined(row.id)
        if let size { self.size = size + Int64(record.content.count) }
        changes.append(CodableCache.Change(key: record.key, typeName: record.typeName, kind: .set))
    }

    /// Stores the reason of another failure, and the record as it was before the failed migration.
    func update(_ row: QuarantineRow) throws(SQLiteError) {
        let statement = try connection.prepare(
            """
            UPDATE molt_quarantine SET key = ?2, type = ?3, version = ?4, expires_at = ?5, migration = ?6,
                migration_version = ?7, first_step = ?8, step = ?9, step_words = ?10, code = ?11, reason = ?12,
                property = ?13, content = ?14
            WHERE id = ?1
            """
        )
        try statement.bind(row.id, at: 1)
        try statement.bind(row.record.key, at: 2)
        try statement.bind(row.record.typeName, at: 3)
        try statement.bind(Int64(row.record.version), at: 4)
        try statement.bind(row.record.expiration, at: 5)
        try statement.bind(row.failure.migration.name, at: 6)
        try statement.bind(Int64(row.failure.migration.version), at: 7)
        try statement.bind(Int64(row.failure.firstStep), at: 8)
        try statement.bind(Int64(row.failure.step.number), at: 9)
        try statement.bind(row.failure.step.summary, at: 10)
        try statement.bind(row.failure.code.rawValue, at: 11)
        try statement.bind(row.failure.reason, at: 12)
        try statement.bind(text: row.failure.property, at: 13)
        try statement.run(bindingInPlace: Data(row.record.content), isText: !row.record.isData, at: 14)
    }
}
