internal import Foundation

/// What steps have taken out of the store, until the app has stored it elsewhere.
///
/// The table is created with the first such record or setting, inside the upgrade's transaction, and a mark of the file
/// says that it has rows. Other files pay nothing for it.
package struct HandoverTable {
    static let name = "molt_handover"
    /// The name of the mark of a file in which records or settings wait.
    package static let mark = "handover"

    private let connection: Connection

    /// - Returns: Nil if nothing was ever taken out of the store.
    init?(of connection: Connection) throws(SQLiteError) {
        guard try connection.hasTable(Self.name) else { return nil }
        self.connection = connection
    }

    /// Creates the table, unless the file has it.
    private init(creatingIn connection: Connection) throws(SQLiteError) {
        try connection.execute(Self.creation)
        self.connection = connection
    }

    /// Ids are never reused, so an id always means the same record or setting.
    ///
    /// The suite is that of a setting, whose content is the JSON of a `PropertyListValue`; a record has a type instead.
    package static let creation = """
        CREATE TABLE IF NOT EXISTS molt_handover(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            migration TEXT NOT NULL,
            migration_version INTEGER NOT NULL,
            step TEXT NOT NULL,
            step_words TEXT NOT NULL,
            suite TEXT,
            type TEXT,
            key TEXT NOT NULL,
            expires_at REAL,
            content ANY NOT NULL
        ) STRICT
        """

    private static let columns =
        "migration, migration_version, step, step_words, suite, type, key, expires_at, content"

    // MARK: Reading

    /// The steps for which records or settings wait, with their numbers, in the order in which they were taken.
    static func waiting(in connection: Connection) throws(SQLiteError) -> [Handover] {
        guard try connection.hasTable(name) else { return [] }
        let query = """
            SELECT migration, migration_version, step, step_words, count(*)
            FROM molt_handover GROUP BY 1, 2, 3 ORDER BY min(id)
            """
        return try connection.prepare(query).map { row in
            Handover(
                migration: MigrationID(name: row.text(0), version: Int(clamping: row.integer(1))),
                step: row.text(2),
                summary: row.text(3),
                count: Int(clamping: row.integer(4))
            )
        }
    }

    /// A record or a setting that waits.
    package struct Item: Sendable {
        package enum Content: Sendable {
            case record(StoreContents.StoredRecord)
            case setting(key: String, json: [UInt8])
        }

        var id: Int64
        package var content: Content
    }

    /// The next records or settings of a step after an id; few of them, if they are large.
    func items(of handover: Handover, after id: Int64) throws(SQLiteError) -> [Item] {
        let query = """
            SELECT id, suite IS NOT NULL, key, type, expires_at, typeof(content) = 'blob', content FROM molt_handover
            WHERE migration = ?1 AND migration_version = ?2 AND step = ?3 AND id > ?4 ORDER BY id LIMIT 64
            """
        let rows = try connection.prepare(query)
        try rows.bind([handover.migration.name, handover.migration.version, handover.step, id])
        defer { rows.reset() }
        var items: [Item] = []
        var size = 0
        while size < 1 << 20, try rows.step() {
            let content = Array(rows.bytes(6))
            size += content.count
            if rows.integer(1) != 0 {
                items.append(Item(id: rows.integer(0), content: .setting(key: rows.text(2), json: content)))
                continue
            }
            let record = StoreContents.StoredRecord(
                key: rows.text(2),
                typeName: rows.text(3),
                content: content,
                isData: rows.integer(5) != 0,
                expiration: rows.real(4),
                version: 0
            )
            items.append(Item(id: rows.integer(0), content: .record(record)))
        }
        return items
    }

    /// One line for each record and setting, with all its columns.
    var lines: [String] {
        get throws(SQLiteError) {
            let query = """
                SELECT json_array(migration, migration_version, step, step_words, suite, type, key, expires_at,
                    typeof(content), hex(content))
                FROM molt_handover ORDER BY id
                """
            return try connection.prepare(query).map { $0.text(0) }
        }
    }

    // MARK: Changing it

    /// Takes all records of a type out of the store, except the type itself.
    ///
    /// - Returns: The number of records.
    static func addRecords(
        ofType typeID: Int64,
        for handover: Handover,
        _ connection: Connection
    ) throws(SQLiteError) -> Int {
        _ = try HandoverTable(creatingIn: connection)
        // With FAIL, SQLite keeps no originals for undoing the statement, which may concern every record.
        try connection.run(
            """
            INSERT OR FAIL INTO molt_handover(\(columns))
            SELECT ?1, ?2, ?3, ?4, NULL, molt_type.name, record.key, record.expires_at, record.content
            FROM molt_record AS record NOT INDEXED JOIN molt_type ON molt_type.id = record.type_id
            WHERE record.type_id = ?5 ORDER BY record.id
            """,
            handover.migration.name,
            handover.migration.version,
            handover.step,
            handover.summary,
            typeID
        )
        let count = connection.changes
        if count > 0 { try FileFormat.setMark(mark, to: 1 as Int64, of: connection) }
        return count
    }

    /// Adds a record that comes in after the others of its type were taken out.
    static func add(
        _ record: StoreContents.StoredRecord,
        for handover: Handover,
        _ connection: Connection
    ) throws(SQLiteError) {
        try add(
            handover,
            nil,
            type: record.typeName,
            key: record.key,
            record.expiration,
            record.content,
            isData: record.isData,
            connection
        )
    }

    /// Adds a setting of a suite, as the JSON of its value.
    static func add(
        setting key: String,
        _ json: [UInt8],
        of suite: String,
        for handover: Handover,
        _ connection: Connection
    ) throws(SQLiteError) {
        try add(handover, suite, type: nil, key: key, nil, json, isData: false, connection)
    }

    private static func add(
        _ handover: Handover,
        _ suite: String?,
        type: String?,
        key: String,
        _ expiration: Double?,
        _ content: [UInt8],
        isData: Bool,
        _ connection: Connection
    ) throws(SQLiteError) {
        _ = try HandoverTable(creatingIn: connection)
        let insertion = try connection.prepare(
            "INSERT INTO molt_handover(\(columns)) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
        )
        let (name, version) = (handover.migration.name, handover.migration.version)
        try insertion.bind([name, version, handover.step, handover.summary, suite, type, key, expiration])
        try insertion.run(bindingInPlace: Data(content), as: isData ? .blob : .text, at: 9)
        try FileFormat.setMark(mark, to: 1 as Int64, of: connection)
    }

    /// Adds what waits in another file, unless it waits in this one already.
    static func add(
        from source: Connection,
        to target: Connection,
        where isIncluded: (_ key: String, _ isSetting: Bool) -> Bool
    ) throws(SQLiteError) {
        guard let table = try HandoverTable(of: source) else { return }
        let rows = try table.connection.prepare("SELECT \(columns) FROM molt_handover ORDER BY id")
        defer { rows.reset() }
        while try rows.step() {
            guard isIncluded(rows.text(6), !rows.isNull(4)) else { continue }
            _ = try HandoverTable(creatingIn: target)
            let insertion = try target.prepare(
                """
                INSERT INTO molt_handover(\(columns)) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
                WHERE NOT EXISTS (
                    SELECT 1 FROM molt_handover WHERE step = ?3 AND key = ?7 AND suite IS ?5 AND content IS ?9
                )
                """
            )
            for column in 0..<rows.columnCount { try insertion.bind(column, of: rows, at: column + 1) }
            try insertion.run()
            try FileFormat.setMark(mark, to: 1 as Int64, of: target)
        }
    }

    /// Removes a record or a setting that the app has stored elsewhere, and overwrites its bytes.
    ///
    /// Its earlier copies, and those in the journal, are left to the erasing of the whole file, for which it is marked.
    func remove(_ id: Int64) throws(SQLiteError) {
        try FileFormat.setMark(FileFormat.erasure, to: 1 as Int64, of: connection)
        try connection.overwritingDeleted { () throws(SQLiteError) in
            try connection.run("DELETE FROM molt_handover WHERE id = ?1", id)
        }
        try removeMarkIfEmpty()
    }

    /// Removes all, as from the copy of a store whose own file keeps them.
    func removeAll() throws(SQLiteError) {
        try connection.execute("DELETE FROM molt_handover")
        try removeMarkIfEmpty()
    }

    private func removeMarkIfEmpty() throws(SQLiteError) {
        guard try connection.integer("SELECT EXISTS(SELECT 1 FROM molt_handover)") == 0 else { return }
        try connection.run("DELETE FROM molt_meta WHERE name = ?1", Self.mark)
    }
}

/// A step that has taken records or settings out of a store, and what still has to be handed over for it.
package struct Handover: Equatable, Sendable {
    /// The step's migration.
    var migration: MigrationID
    /// What identifies the step, also in another migration.
    var step: String
    /// The step's description.
    var summary: String
    /// The number of records or settings that wait.
    var count = 0
}

extension Handover: CustomStringConvertible {
    /// The migration, the step, and the number of what waits.
    package var description: String { "\(migration): \(summary): \(count) waiting" }
}
