/// The keys that upgrades have taken from records, for ``CodableCache/droppedKeys(after:ofType:_:)``.
///
/// The table is created with the first of them, inside the transaction of the upgrade or the backfill.
struct DroppedKeyTable: OptionalTable {
    static let name = "molt_dropped"
    /// The number of keys in a page.
    static let pageSize = 1_000

    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// A key has one row, for the last time that it was dropped or replaced.
    ///
    /// The type is that of the record before the step; `type_now` is the name that the type has got since.
    static let creation = """
        CREATE TABLE IF NOT EXISTS \(name)(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,
            type TEXT NOT NULL,
            type_now TEXT NOT NULL,
            new_key TEXT,
            version INTEGER NOT NULL,
            dropped_at REAL NOT NULL
        ) STRICT
        """

    // MARK: Reading

    /// The greatest id, or 0 when there is no key.
    func lastID() throws(SQLiteError) -> Int64 { try connection.integer("SELECT max(id) FROM \(Self.name)") }

    /// A statement that reads the next keys that have no value again, by id.
    ///
    /// - Parameters:
    ///   - type: The stored type name; nil for all.
    ///   - now: The time, in seconds since 1970.
    func keys(
        ofType type: String?,
        after position: Int64,
        through last: Int64,
        now: Double
    ) throws(SQLiteError) -> Statement {
        try connection.prepare(
            """
            SELECT id, key, type, new_key, version, dropped_at FROM \(Self.name) AS dropped
            WHERE id > ?1 AND id <= ?2 AND (?3 IS NULL OR type = ?3) AND NOT EXISTS (
                SELECT 1 FROM molt_record
                WHERE molt_record.key = dropped.key AND (expires_at IS NULL OR expires_at > ?4)
            )
            ORDER BY id LIMIT \(Self.pageSize)
            """,
            position,
            last,
            type,
            now
        )
    }

    /// One line for each key, with all its columns except the time.
    var lines: [String] {
        get throws(SQLiteError) {
            let query = "SELECT json_array(id, key, type, type_now, new_key, version) FROM \(Self.name) ORDER BY id"
            return try connection.prepare(query).map { $0.text(0) }
        }
    }

    // MARK: Changing it

    /// Notes a key that a record had.
    ///
    /// - Parameters:
    ///   - newKey: The record's new key; nil if it was dropped.
    ///   - now: The time, in seconds since 1970.
    func add(
        _ key: String,
        ofType type: String,
        newKey: String?,
        version: Int,
        now: Double
    ) throws(SQLiteError) {
        try connection.run(
            """
            INSERT OR REPLACE INTO \(Self.name)(key, type, type_now, new_key, version, dropped_at)
            VALUES(?1, ?2, ?2, ?3, ?4, ?5)
            """,
            key,
            type,
            newKey,
            version,
            now
        )
    }

    /// Removes the keys that were noted before a time, in seconds since 1970.
    func remove(before time: Double) throws(SQLiteError) {
        try connection.run("DELETE FROM \(Self.name) WHERE dropped_at < ?1", time)
    }

    /// Removes all keys, and overwrites their bytes; the table stays, so that no position comes twice.
    func erase() throws(SQLiteError) {
        try connection.overwritingDeleted { () throws(SQLiteError) in
            try connection.execute("DELETE FROM \(Self.name)")
        }
    }
}
