internal import Foundation

/// The quarantine: records that a migration could not convert, as they were before it, and those that were put there
/// because a value was written over them that had their type, which could not read them.
///
/// The table is created with the first such record, inside the transaction of the upgrade or the write.
package struct QuarantineTable: OptionalTable {
    static let name = "molt_quarantine"

    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Ids are never reused, so an id always means the same record.
    package static let creation = """
        CREATE TABLE IF NOT EXISTS molt_quarantine(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            record_id INTEGER NOT NULL,
            key TEXT NOT NULL,
            type TEXT NOT NULL,
            version INTEGER NOT NULL,
            expires_at REAL,
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL,
            migration TEXT NOT NULL,
            migration_version INTEGER NOT NULL,
            first_step INTEGER NOT NULL,
            step INTEGER NOT NULL,
            step_words TEXT NOT NULL,
            code TEXT NOT NULL,
            reason TEXT NOT NULL,
            property TEXT,
            quarantined_at REAL NOT NULL,
            content ANY NOT NULL
        ) STRICT
        """

    /// The names of the columns of a failure, in the order of ``QuarantineCause/columns``.
    private static let failureColumns =
        "migration, migration_version, first_step, step, step_words, code, reason, property"

    /// The names of all columns except the id.
    private static let columns = """
        record_id, key, type, version, expires_at, created_at, updated_at, quarantined_at, content, \(failureColumns)
        """

    var count: Int {
        get throws(SQLiteError) { Int(clamping: try connection.integer("SELECT count(*) FROM molt_quarantine")) }
    }

    /// A statement that reads records after an id, in the order of their ids.
    func records(after id: Int64, limit: Int) throws(SQLiteError) -> Statement {
        try connection.prepare("\(Self.selection) WHERE id > ?1 ORDER BY id LIMIT ?2", id, max(0, limit))
    }

    /// A statement that reads a record.
    func record(_ id: Int64) throws(SQLiteError) -> Statement {
        try connection.prepare("\(Self.selection) WHERE id = ?1", id)
    }

    private static let selection = """
        SELECT id, key, type, version, expires_at, created_at, updated_at, quarantined_at, typeof(content) = 'blob',
            content, \(failureColumns)
        FROM molt_quarantine
        """

    /// The times of a record's creation and last write, in seconds since 1970; nil if it is gone.
    func dates(of id: Int64) throws(SQLiteError) -> (created: Double, updated: Double)? {
        try connection.prepare("SELECT created_at, updated_at FROM molt_quarantine WHERE id = ?1", id)
            .first { ($0.real(0) ?? 0, $0.real(1) ?? 0) }
    }

    func hasRecord(forKey key: String) throws(SQLiteError) -> Bool {
        try connection.integer("SELECT EXISTS(SELECT 1 FROM molt_quarantine WHERE key = ?1)", key) != 0
    }

    /// One line for each record, with all its columns except the times.
    var lines: [String] {
        get throws(SQLiteError) {
            let query = """
                SELECT json_array(id, record_id, key, type, version, expires_at, migration, migration_version,
                    first_step, step, step_words, code, reason, property, typeof(content), hex(content))
                FROM molt_quarantine ORDER BY id
                """
            return try connection.prepare(query).map { $0.text(0) }
        }
    }

    // MARK: Changing it

    func remove(_ id: Int64) throws(SQLiteError) {
        try connection.run("DELETE FROM molt_quarantine WHERE id = ?1", id)
    }

    func removeAll() throws(SQLiteError) {
        try connection.execute("DELETE FROM molt_quarantine")
    }

    /// Deletes records, as those of a type whose bytes are to be erased, and returns their number.
    ///
    /// - Parameter matches: Receives the record's type, and the migration and the step from which a retry would begin.
    func remove(where matches: (_ type: String, _ failed: MigrationID, _ step: Int) -> Bool) throws(SQLiteError) -> Int
    {
        var ids: [Int64] = []
        let query = "SELECT id, type, migration, migration_version, first_step FROM molt_quarantine"
        try connection.prepare(query).eachRow { row throws(SQLiteError) in
            let failed = MigrationID(name: row.text(2), version: Int(clamping: row.integer(3)))
            if matches(row.text(1), failed, Int(clamping: row.integer(4))) { ids.append(row.integer(0)) }
        }
        for id in ids { try remove(id) }
        return ids.count
    }

    /// Stores the reason of another failure, and the record as it was before the failed migration.
    func update(
        _ id: Int64,
        to record: StoreContents.StoredRecord,
        after failure: MigrationReport.RecordFailure
    ) throws(SQLiteError) {
        let statement = try connection.prepare(
            """
            UPDATE molt_quarantine SET (key, type, version, expires_at, content, \(Self.failureColumns))
                = (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            WHERE id = ?1
            """
        )
        try statement.bind([id, record.key, record.typeName, record.version, record.expiration])
        try statement.bind(failure.columns, from: 7)
        try statement.run(bindingInPlace: Data(record.content), as: record.isData ? .blob : .text, at: 6)
    }

    /// A statement that reads all columns of all records, for ``add(_:)``; the key is the second column.
    func rows() throws(SQLiteError) -> Statement {
        try connection.prepare("SELECT \(Self.columns) FROM molt_quarantine ORDER BY id")
    }

    /// Adds the record in a row of another quarantine, unless its content is there under its key already, from the same
    /// migration.
    func add(_ row: Statement) throws(SQLiteError) {
        let adding = """
            INSERT INTO molt_quarantine(\(Self.columns))
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17
            WHERE NOT EXISTS (SELECT 1 FROM molt_quarantine WHERE key = ?2 AND content IS ?9 AND migration = ?10)
            """
        let insertion = try connection.prepare(adding)
        for column in 0..<row.columnCount { try insertion.bind(column, of: row, at: column + 1) }
        try insertion.run()
    }

    // MARK: Writes over records

    /// The condition for a record that a write has quarantined; see ``QuarantineCause/columns``.
    private static let isOverwritten = "step = 0 AND first_step = \(QuarantineCause.largestNumber)"

    /// Copies a record into quarantine before another value is written over it.
    ///
    /// - Parameter now: The time, in seconds since 1970.
    func add(_ recordID: Int64, _ cause: OverwrittenRecord, now: Double) throws(SQLiteError) {
        let statement = try connection.prepare(
            """
            INSERT INTO molt_quarantine(\(Self.columns))
            SELECT molt_record.id, key, name, version, expires_at, created_at, updated_at, ?2, content,
                ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
            FROM molt_record JOIN molt_type ON molt_type.id = type_id WHERE molt_record.id = ?1
            """,
            recordID,
            now
        )
        try statement.bind(QuarantineCause.write(cause).columns, from: 3)
        try statement.run()
        guard connection.changes == 1 else { throw .missingRow }
    }

    /// Removes the oldest records that writes have quarantined, until the others are within limits; the newest stays.
    func evict(to limit: UnreadablePolicy.Limit) throws(SQLiteError) {
        let search = try connection.prepare(
            """
            SELECT id, length(CAST(content AS BLOB)) FROM molt_quarantine WHERE \(Self.isOverwritten) ORDER BY id DESC
            """
        )
        let rows = try search.map { (id: $0.integer(0), size: Int(clamping: $0.integer(1))) }
        for row in rows.dropFirst(limit.keptCount(of: rows.lazy.map(\.size))) { try remove(row.id) }
    }

    // MARK: A round of an upgrade

    /// The records that go into quarantine at the end of their round.
    static let postponedName = "molt_failed"
    static let postponedColumns = """
        (
            round INTEGER, id INTEGER, type TEXT, migration TEXT, migration_version INTEGER, first_step INTEGER,
            step INTEGER, step_words TEXT, code TEXT, reason TEXT, property TEXT, PRIMARY KEY(round, id)
        ) WITHOUT ROWID
        """

    static let postponing = """
        INSERT OR REPLACE INTO molt_failed(round, id, type, \(failureColumns))
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        """

    /// Copies the records of a round into quarantine, ordered by id, in the state that a block has kept.
    ///
    /// Records whose type has lost its name are copied, too. With FAIL, SQLite keeps no originals for undoing the
    /// statement, which may concern every record.
    static let moving = """
        INSERT OR FAIL INTO molt_quarantine(\(columns))
        SELECT record.id, \(kept("key")), coalesce(failed.type, original.type, molt_type.name, ''), \(kept("version")),
            \(kept("expires_at")), record.created_at, record.updated_at, ?2, \(kept("content")), \(failureColumns)
        FROM molt_failed AS failed
        JOIN molt_record AS record ON record.id = failed.id
        LEFT JOIN molt_type ON molt_type.id = record.type_id
        LEFT JOIN temp.molt_original AS original ON original.id = record.id
        WHERE failed.round = ?1 ORDER BY failed.id
        """

    private static func kept(_ column: String) -> String {
        "iif(original.id IS NULL, record.\(column), original.\(column))"
    }
}

extension MigrationReport.RecordFailure {
    /// The values of the ``QuarantineTable/failureColumns``.
    var columns: [any SQLiteValue] {
        [migration.name, migration.version, firstStep, step.number, step.summary, code.rawValue, reason, property]
    }
}
