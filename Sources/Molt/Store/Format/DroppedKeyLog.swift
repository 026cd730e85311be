/// Notes which keys an upgrade takes from records, until its end tells which of them are in use again.
///
/// Only the records that the store had when the upgrade began are noted, by their ids, with the first key and the last.
/// Records in quarantine are not dropped: they keep the key that they have there. There may be a million, so they are
/// in a temporary table.
final class DroppedKeyLog {
    /// The version at which the current step leaves records.
    var version = 0

    private let connection: Connection
    private let statements: Statements<Query>
    /// The greatest id when the upgrade began; later ones are those of records that it creates.
    private let lastID: Int64
    private var hasTable = false

    init(_ connection: Connection, lastID: Int64) {
        self.connection = connection
        self.lastID = lastID
        statements = Statements(on: connection, sql: \.sql)
    }

    /// Discards the statements.
    func invalidate() { statements.removeAll() }

    /// Drops the temporary table.
    func finish() throws(SQLiteError) {
        invalidate()
        if hasTable { try connection.execute("DROP TABLE temp.molt_gone") }
        hasTable = false
    }

    /// A record that is gone or in quarantine is over: a new record may get its id.
    ///
    /// If the new key equals the key, there is nothing to tell of the record.
    private func makeTable() throws(SQLiteError) {
        guard !hasTable else { return }
        try connection.execute(
            """
            CREATE TEMP TABLE molt_gone(
                id INTEGER PRIMARY KEY, key TEXT, type TEXT, type_now TEXT, new_key TEXT, version INTEGER,
                is_over INTEGER
            )
            """
        )
        hasTable = true
    }

    // MARK: Before records change

    /// Notes a record that is about to be deleted.
    func noteDrop(ofID id: Int64) throws(SQLiteError) { try note(.dropID, id) }

    /// Notes all records of a type, which are about to be deleted.
    func noteDrop(ofType typeID: Int64) throws(SQLiteError) { try note(.dropType, typeID) }

    /// Notes the records that are about to be dropped in a round of ``PostponedChanges``.
    func noteDrops(round: Int) throws(SQLiteError) { try note(.dropRound, Int64(round)) }

    /// Notes the records that are about to get other keys in a round of ``PostponedChanges``.
    func noteNewKeys(round: Int) throws(SQLiteError) { try note(.newKeys, Int64(round)) }

    /// Notes the records that are about to go into quarantine in a round of ``PostponedChanges``.
    func noteQuarantine(round: Int) throws(SQLiteError) { try note(.quarantine, Int64(round)) }

    private func note(_ query: Query, _ value: Int64) throws(SQLiteError) {
        try makeTable()
        let statement = try statements[query]
        try statement.bind(value, at: 1)
        try statement.bind(lastID, at: 2)
        try statement.bind(Int64(version), at: 3)
        try statement.run()
    }

    // MARK: Types

    /// Notes that a type is renamed, also for keys that earlier upgrades have taken.
    func renameType(_ name: String, to newName: String) throws(SQLiteError) {
        for table in tables {
            try connection.run("UPDATE \(table) SET type_now = ?2 WHERE type_now = ?1", name, newName)
        }
    }

    private var tables: [String] {
        (hasTable ? ["temp.molt_gone"] : []) + (isKept ? [DroppedKeyTable.name] : [])
    }

    /// Whether the file has keys of earlier upgrades.
    private var isKept: Bool { connection.hasTableInTransaction(DroppedKeyTable.name) }

    /// Forgets the keys of a type whose records are about to be erased, also those that earlier upgrades have taken.
    ///
    /// - Parameter typeID: Nil if there is no record of the type.
    func erase(_ type: String, _ typeID: Int64?) throws(SQLiteError) {
        try makeTable()
        if isKept { try eraseKept(type, typeID) }
        if let typeID { try note(.erase, typeID) }
        try connection.run("UPDATE temp.molt_gone SET \(Query.blank) WHERE type_now = ?1", type)
    }

    private func eraseKept(_ type: String, _ typeID: Int64?) throws(SQLiteError) {
        let kept = DroppedKeyTable.name
        try connection.execute("CREATE TEMP TABLE molt_erased(key TEXT PRIMARY KEY) WITHOUT ROWID")
        // Their keys when the upgrade began.
        try connection.run(
            """
            INSERT OR IGNORE INTO molt_erased(key)
            SELECT coalesce(gone.key, record.key) FROM molt_record AS record
            LEFT JOIN temp.molt_gone AS gone ON gone.id = record.id AND NOT gone.is_over
            WHERE record.type_id = ?1 AND record.id <= ?2
            """,
            typeID,
            lastID
        )
        for table in tables {
            let insertion = "INSERT OR IGNORE INTO molt_erased(key) SELECT key FROM \(table) WHERE type_now = ?1"
            try connection.run(insertion, type)
        }
        // The keys that a record had before, over several upgrades.
        repeat {
            try connection.execute(
                """
                INSERT OR IGNORE INTO molt_erased(key)
                SELECT key FROM \(kept) WHERE new_key IN (SELECT key FROM molt_erased)
                """
            )
        } while connection.changes > 0
        try connection.overwritingDeleted { () throws(SQLiteError) in
            try connection.execute("DELETE FROM \(kept) WHERE key IN (SELECT key FROM molt_erased)")
        }
        try connection.execute("DROP TABLE temp.molt_erased")
    }

    // MARK: The end

    /// Moves the keys that are not in use again to the table of the file.
    ///
    /// - Parameter now: The time, in seconds since 1970.
    func keep(now: Double) throws(SQLiteError) {
        guard hasTable, try connection.integer("SELECT EXISTS(SELECT 1 \(Self.unused))") != 0 else { return }
        if isKept {
            let earlier = "DELETE FROM \(DroppedKeyTable.name) WHERE key IN (SELECT key \(Self.unused))"
            try connection.execute(earlier)
        }
        _ = try DroppedKeyTable(creatingIn: connection)
        // With FAIL, SQLite keeps no originals for undoing the statement, which may concern every record.
        try connection.run(
            """
            INSERT OR FAIL INTO \(DroppedKeyTable.name)(key, type, type_now, new_key, version, dropped_at)
            SELECT key, type, type_now, new_key, version, ?1 \(Self.unused) ORDER BY id
            """,
            now
        )
    }

    private static let unused = """
        FROM temp.molt_gone AS gone WHERE new_key IS NOT key
            AND NOT EXISTS (SELECT 1 FROM molt_record WHERE molt_record.key = gone.key)
        """

    // MARK: Statements

    /// The first parameter says which records; the second is the greatest id, and the third the version.
    private enum Query: Int, CaseIterable {
        case dropID, dropType, dropRound, newKeys, quarantine, erase

        /// Assignments after which there is nothing to tell of a record.
        static let blank = "key = '', type = '', type_now = '', new_key = '', is_over = 1"

        private static let insertion =
            "INSERT OR FAIL INTO temp.molt_gone(id, key, type, type_now, new_key, version, is_over)"
        private static let typeName = "coalesce(molt_type.name, '')"
        private static let withType = "LEFT JOIN molt_type ON molt_type.id = record.type_id"

        var sql: String {
            switch self {
            case .dropID: Self.drop("record.id = ?1")
            // A damaged index must not hide a record.
            case .dropType: Self.drop("record.type_id = ?1", "NOT INDEXED")
            case .dropRound: Self.drop("record.id IN (\(PostponedChanges.droppedIDs))")
            case .newKeys:
                """
                \(Self.insertion)
                SELECT record.id, record.key, \(Self.typeName), \(Self.typeName), change.text, ?3, 0
                FROM \(PostponedChanges.newKeys) AS change CROSS JOIN molt_record AS record ON record.id = change.id
                \(Self.withType) WHERE record.id <= ?2 AND record.key <> change.text
                ON CONFLICT(id) DO UPDATE SET new_key = excluded.new_key, type_now = excluded.type_now, version = ?3
                WHERE NOT is_over
                """
            // In the state in which it is quarantined, see `QuarantineTable.moving`.
            case .quarantine:
                """
                \(Self.insertion)
                SELECT record.id, found.key, found.type, found.type, found.key, ?3, 1 FROM (
                    SELECT failed.id, iif(original.id IS NULL, record.key, original.key) AS key,
                        coalesce(failed.type, original.type, molt_type.name, '') AS type
                    FROM \(QuarantineTable.postponedName) AS failed
                    JOIN molt_record AS record ON record.id = failed.id \(Self.withType)
                    LEFT JOIN temp.molt_original AS original ON original.id = record.id
                    WHERE failed.round = ?1
                ) AS found JOIN molt_record AS record ON record.id = found.id WHERE record.id <= ?2
                ON CONFLICT(id) DO UPDATE SET new_key = excluded.new_key, type_now = excluded.type_now, is_over = 1
                WHERE NOT is_over
                """
            case .erase:
                """
                \(Self.insertion)
                SELECT id, '', '', '', '', ?3, 1 FROM molt_record WHERE type_id = ?1 AND id <= ?2
                ON CONFLICT(id) DO UPDATE SET \(Self.blank) WHERE NOT is_over
                """
            }
        }

        private static func drop(_ condition: String, _ index: String = "") -> String {
            """
            \(insertion)
            SELECT record.id, record.key, \(typeName), \(typeName), NULL, ?3, 1
            FROM molt_record AS record \(index) \(withType) WHERE \(condition) AND record.id <= ?2
            ON CONFLICT(id) DO UPDATE SET new_key = NULL, type_now = excluded.type_now, version = ?3, is_over = 1
            WHERE NOT is_over
            """
        }
    }
}
