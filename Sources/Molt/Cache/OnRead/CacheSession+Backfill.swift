internal import Foundation

extension CacheSession {
    /// The types whose records may have to go through migrations on read.
    func outdatedTypes(where isWanted: (String) -> Bool) throws(SQLiteError) -> WantedTypes {
        WantedTypes(try TypeNameTable(connection), where: isWanted)
    }

    /// The number of records of some types and the range of their ids, by the index, for an estimate of the progress.
    func extent(of types: WantedTypes) throws(SQLiteError) -> BackfillExtent {
        let statement = try connection.prepare("SELECT count(*), min(id), max(id) FROM molt_record WHERE type_id = ?1")
        var extent = BackfillExtent()
        for id in types.ids {
            try statement.bind(id, at: 1)
            try statement.eachRow { row throws(SQLiteError) in
                guard row.integer(0) > 0 else { return }
                extent.count += Int(clamping: row.integer(0))
                extent.first = min(extent.first, row.integer(1))
                extent.last = max(extent.last, row.integer(2))
            }
        }
        return extent
    }

    /// Makes sure that a scan of the records reaches as many as an index has, and that their types have names.
    ///
    /// - Throws: ``SQLiteError`` for damage: a scan of a damaged tree skips records without an error.
    func checkScan() throws(SQLiteError) {
        // Without more, SQLite counts by the smallest index, in a few milliseconds for a million records.
        let count = try connection.integer("SELECT count(*) FROM molt_record")
        let scanned = try connection.integer("SELECT count(*) FROM molt_record NOT INDEXED")
        guard scanned >= count else { throw .missingRow }
        try TypeNameTable(connection).checkThatNoneIsLost(connection)
    }

    /// Writes upgraded records, except those that were written since they were read.
    ///
    /// - Parameters:
    ///   - states: The states in which the records were read.
    ///   - note: Receives the index of each record that was written.
    func upgrade(
        _ contents: RecordContents,
        readAs states: [ContentSource.ReadState],
        _ note: (Int) -> Void
    ) throws(SQLiteError) {
        let source = try connection.contentSource()
        try source.write(contents, readAs: states) { rows throws(SQLiteError) in
            guard let first = rows.first, let last = rows.last else { return }
            let statement = try statements[.upgrade]
            try statement.bind(first.id, at: 1)
            try statement.bind(last.id, at: 2)
            try statement.bind(Int64(first.version), at: 3)
            try statement.run()
            let written = source.written(of: rows)
            guard connection.changes == written.count else { throw SQLiteError.lostRows }
            for index in written {
                if let size { self.size = size &+ Int64(rows[index].range.count - states[index].size) }
                note(index)
            }
        }
    }

    /// Moves a record that cannot be converted to quarantine, or deletes it, unless it was written since it was read.
    ///
    /// - Parameters:
    ///   - version: The version of the record's row.
    ///   - updated: The time of the record's last write when it was read.
    ///   - failure: The reason for the quarantine; nil to delete the record.
    /// - Returns: Whether the record was still as it was read.
    func setAside(
        _ id: Int64,
        version: Int,
        updated: Double?,
        _ failure: RecordFailure?
    ) throws(SQLiteError) -> Bool {
        let query = """
            SELECT key, length(CAST(content AS BLOB)) FROM molt_record
            WHERE id = ?1 AND version = ?2 AND updated_at IS ?3
            """
        let found = try connection.prepare(query, id, version, updated).first { ($0.text(0), $0.integer(1)) }
        guard let (key, count) = found else { return false }
        if let failure {
            try connection.execute(QuarantineTable.creation)
            let moving = try connection.prepare(QuarantineTable.movingOne, id, Date().timeIntervalSince1970)
            try moving.bind(failure.columns, from: 3)
            try moving.run()
            guard connection.changes == 1 else { throw .lostRows }
        }
        try connection.run("DELETE FROM molt_record WHERE id = ?1", id)
        guard connection.changes == 1 else { throw .lostRows }
        changedKeys.insert(key)
        if let size { self.size = size &- count }
        return true
    }
}
