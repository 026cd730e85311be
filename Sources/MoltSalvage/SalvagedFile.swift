internal import Foundation
internal import Molt

/// The new file with the saved records; it has the suffix `.part` until it is complete.
final class SalvagedFile {
    enum Insertion {
        case added
        /// The same record exists, byte for byte.
        case same
        /// Another state of the record exists; the later write stays.
        case duplicate(key: String, id: Int64)
    }

    let connection: Connection
    private let path: String
    /// Removed with this object, unless it was published.
    private let part: PartFile
    private var statements: [String: Statement] = [:]

    /// Creates the file.
    ///
    /// - Throws: ``MoltError`` with the code `fileExists`, `busy` while another salvage creates the same file, or the
    ///   code for an error of the system.
    init(_ path: String) throws(MoltError) {
        try Self.checkAbsence(of: path)
        let partPath = path + BackupName.part
        // A killed salvage may have left it; a link is removed and not followed.
        PartFile.removeLeftover(partPath)
        try FileStatus.checkPath(partPath)
        let directory = (path as NSString).deletingLastPathComponent
        do throws(DurableFile.Failure) {
            try DurableFile.makeDirectory(at: directory)
        } catch {
            throw FileStatus.failure(error.number, path: path)
        }
        do throws(DurableFile.Failure) {
            part = try PartFile(partPath)
        } catch {
            guard error.isExisting else { throw FileStatus.failure(error.number, path: path) }
            throw MoltError(
                .busy,
                "Another salvage is writing to \(path), or \(partPath) cannot be removed.",
                advice: "Try again later, or choose another path.",
                store: path
            )
        }
        self.path = path
        do throws(SQLiteError) {
            connection = try Connection(partPath, mode: .readWrite)
            // A partial file is useless, so no rollback journal is kept on disk.
            try connection.execute("PRAGMA page_size = 8192; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
            try connection.execute("BEGIN IMMEDIATE; \(FileFormat.creation)")
            // The records that the damaged file's index names. Temporary tables are in a file, so memory stays flat.
            try connection.execute("CREATE TEMP TABLE expected(id INTEGER PRIMARY KEY, key TEXT)")
            // The records that may be older than the last write.
            try connection.execute("CREATE TEMP TABLE stale(id INTEGER PRIMARY KEY, is_mixed INTEGER NOT NULL)")
        } catch {
            throw MoltError(error, store: path)
        }
    }

    deinit {
        statements.removeAll()
        connection.close()
    }

    /// Refuses a path that is taken, or with a log beside it, which SQLite would apply to the new file.
    static func checkAbsence(of path: String) throws(MoltError) {
        for suffix in ["", "-wal", "-shm", "-journal"] where FileStatus.unfollowed(path + suffix) != nil {
            throw exists(path + suffix)
        }
    }

    private static func exists(_ path: String) -> MoltError {
        MoltError(
            .fileExists,
            "There is already a file at \(path), which is not replaced.",
            advice: "Choose another path.",
            store: path
        )
    }

    // MARK: Filling

    /// A statement on the new file, prepared once.
    func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try Statement(sql, on: connection, isLasting: true)
        statements[sql] = statement
        return statement
    }

    /// Adds a record, unless one with the same id or key was written later.
    func add(_ row: SalvagedRow) throws(SQLiteError) -> Insertion {
        let search = try statement(
            "SELECT id, key, updated_at, content IS ?3 FROM molt_record WHERE id = ?1 OR key = ?2"
        )
        try search.bind(row.id, at: 1)
        try search.bind(row.key, at: 2)
        try search.bind(row.isData ? .blob(row.content) : .text(row.content), at: 3)
        var others: [(id: Int64, key: String, updated: Double, isSame: Bool)] = []
        try search.eachRow { found throws(SQLiteError) in
            others.append((found.integer(0), found.text(1), found.real(2) ?? 0, found.integer(3) != 0))
        }
        guard let first = others.first else {
            try insert(row)
            return .added
        }
        if others.count == 1, first.id == row.id, first.key.utf8.elementsEqual(row.key.utf8), first.isSame {
            return .same
        }
        guard others.allSatisfy({ $0.updated < row.updated }) else { return .duplicate(key: row.key, id: row.id) }
        for other in others {
            let deletion = try statement("DELETE FROM molt_record WHERE id = ?1")
            try deletion.bind(other.id, at: 1)
            try deletion.run()
        }
        try insert(row)
        return .duplicate(key: first.key, id: first.id)
    }

    private func insert(_ row: SalvagedRow) throws(SQLiteError) {
        let insertion = try statement(
            """
            INSERT INTO molt_record(
                id, key, type_id, version, created_at, updated_at, accessed_at, expires_at, content
            ) VALUES(?1, ?2, ?4, ?5, ?6, ?7, ?8, ?9, ?3)
            """
        )
        try insertion.bind(row.id, at: 1)
        try insertion.bind(row.key, at: 2)
        try insertion.bind(row.isData ? .blob(row.content) : .text(row.content), at: 3)
        try insertion.bind(row.typeID, at: 4)
        try insertion.bind(row.version, at: 5)
        try insertion.bind(row.created, at: 6)
        try insertion.bind(row.updated, at: 7)
        try insertion.bind(row.accessed, at: 8)
        try insertion.bind(row.expires, at: 9)
        try insertion.run()
    }

    func has(id: Int64) throws(SQLiteError) -> Bool {
        let search = try statement("SELECT 1 FROM molt_record WHERE id = ?1")
        try search.bind(id, at: 1)
        return try search.first { $0.integer(0) } != nil
    }

    func remove(_ id: Int64) throws(SQLiteError) {
        for table in ["main.molt_record", "temp.stale"] {
            let deletion = try statement("DELETE FROM \(table) WHERE id = ?1")
            try deletion.bind(id, at: 1)
            try deletion.run()
        }
    }

    // MARK: Stale records

    /// Notes that a record may be older than the last write.
    ///
    /// - Parameter isMixed: Whether parts of its row may be from different times.
    func markStale(_ id: Int64, isMixed: Bool = false) throws(SQLiteError) {
        let insertion = try statement(
            "INSERT INTO temp.stale(id, is_mixed) VALUES(?1, ?2) ON CONFLICT DO UPDATE SET is_mixed = max(is_mixed, ?2)"
        )
        try insertion.bind(id, at: 1)
        try insertion.bind(isMixed ? 1 : 0 as Int64, at: 2)
        try insertion.run()
    }

    /// Whether parts of a row may be from different times; nil when it is not stale.
    func isMixed(_ id: Int64) throws(SQLiteError) -> Bool? {
        let search = try statement("SELECT is_mixed FROM temp.stale WHERE id = ?1")
        try search.bind(id, at: 1)
        return try search.first { $0.integer(0) != 0 }
    }

    func staleCount() throws(SQLiteError) -> Int {
        Int(try connection.integer("SELECT count(*) FROM temp.stale WHERE id IN (SELECT id FROM main.molt_record)"))
    }

    // MARK: The end

    /// Writes everything to disk and gives the file its name.
    func finish() throws(MoltError) {
        do throws(SQLiteError) {
            try connection.execute(RowQuery.forgetSize.sql)
            statements.removeAll()
            try connection.execute("COMMIT; DROP TABLE temp.expected; DROP TABLE temp.stale; PRAGMA journal_mode = WAL")
            connection.close()
        } catch {
            throw MoltError(error, store: path)
        }
        do throws(DurableFile.Failure) {
            try part.publish(as: path)
        } catch {
            throw error.isExisting ? Self.exists(path) : FileStatus.failure(error.number, path: path)
        }
    }
}
