package import Foundation

/// The whole contents of a cache, for fixtures.
extension StoreFile {
    /// The contents of a file, read in one snapshot without writing.
    ///
    /// - Throws: ``MoltError`` with the codes of ``state(at:)``, and `fileMissing` when there is no store.
    package static func contents(at url: URL) throws -> StoreContents {
        try CacheFile.look(FileStatus.path(of: url)) { connection throws(SQLiteError) in try StoreContents(connection) }
    }

    /// One line for each record in quarantine, with all its columns except the times.
    package static func quarantine(at url: URL) throws -> [String] {
        let lines = try FileProbe.look(FileStatus.path(of: url)) { connection throws(SQLiteError) in
            try QuarantineTable(of: connection)?.lines ?? []
        }
        return lines ?? []
    }

    /// One line for each record and setting that waits to be handed over, with all its columns.
    package static func handovers(at url: URL) throws -> [String] {
        let lines = try FileProbe.look(FileStatus.path(of: url)) { connection throws(SQLiteError) in
            try HandoverTable(of: connection)?.lines ?? []
        }
        return lines ?? []
    }

    /// One line for each key that upgrades have taken from records, with all its columns except the times.
    package static func droppedKeys(at url: URL) throws -> [String] {
        let lines = try FileProbe.look(FileStatus.path(of: url)) { connection throws(SQLiteError) in
            try DroppedKeyTable(of: connection)?.lines ?? []
        }
        return lines ?? []
    }

    package func contents() throws -> StoreContents {
        let connection = try ready(busyMilliseconds: 5_000)
        return try withErrors(of: storeName) {
            try connection.begin()
            defer { connection.rollBack() }
            return try StoreContents(connection)
        }
    }
}

extension CodableCache {
    /// The current contents of the cache, including expired records that are still stored.
    package func contents() throws -> StoreContents {
        try core.read { session in try StoreContents(session.connection) }
    }
}

extension StoreContents {
    /// Reads everything; the caller has a transaction open.
    fileprivate init(_ connection: Connection) throws(SQLiteError) {
        let state = try LedgerTable.state(connection)
        try LedgerTable.checkRows(connection)
        let records = try connection.prepare(.stored).map { row throws(SQLiteError) in try DatedRecord(row).stored }
        try connection.checkIndexes(have: records.count)
        self.init(version: state.version, ledger: state.ledger, records: records)
    }
}

extension StoreContents.DatedRecord {
    /// Reads a row of ``RowQuery/stored``; one whose type has lost its name is damage.
    init(_ row: Statement) throws(SQLiteError) {
        self.init(row, key: try row.key(1), typeName: try row.typeName(2))
    }

    /// Reads a row whose key and type name were read already.
    init(_ row: Statement, key: String, typeName: String) {
        stored = StoreContents.StoredRecord(
            key: key,
            typeName: typeName,
            content: Array(row.bytes(6)),
            isData: row.integer(5) != 0,
            expiration: row.real(3),
            version: Int(clamping: row.integer(4))
        )
        created = row.real(7) ?? 0
        updated = row.real(8) ?? 0
    }
}

/// Checks for tests of files that a failed upgrade left behind.
extension StoreFile {
    /// The faults that SQLite's integrity check finds; empty when the file is whole or missing.
    package static func damage(at url: URL) throws -> [String] {
        let lines = try FileProbe.look(FileStatus.path(of: url)) { connection throws(SQLiteError) in
            var lines: [String] = []
            do throws(SQLiteError) {
                try connection.eachFault(upTo: 100) { lines.append($0) }
            } catch {
                // SQLite gives up at a damaged page that it cannot do without.
                guard error.isDamage else { throw error }
                lines.append(error.message)
            }
            return lines
        }
        return lines ?? []
    }

    /// The number of pages in a file; 0 when there is none.
    package static func pageCount(at url: URL) throws -> Int {
        let count = try FileProbe.look(FileStatus.path(of: url)) { connection throws(SQLiteError) in
            Int(try connection.integer(.pageCount))
        }
        return count ?? 0
    }
}
