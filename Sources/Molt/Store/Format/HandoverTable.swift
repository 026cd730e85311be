internal import Foundation

/// What steps have taken out of the store, until the app has stored it elsewhere.
///
/// The table is created with the first such record or setting, inside the upgrade's transaction, and a mark of the file
/// says that it has rows.
package struct HandoverTable: OptionalTable {
    static let name = "molt_handover"
    /// The name of the mark of a file in which records or settings wait.
    package static let mark = "handover"

    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Ids are never reused, so an id always means the same record or setting.
    ///
    /// A setting has a suite, and its content is the JSON of a `PropertyListValue`; a record has a type instead.
    package static let creation = """
        CREATE TABLE IF NOT EXISTS molt_handover(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            migration TEXT NOT NULL,
            migration_version INTEGER NOT NULL,
            step_words TEXT NOT NULL,
            suite TEXT,
            type TEXT,
            key TEXT NOT NULL,
            failures INTEGER NOT NULL DEFAULT 0,
            expires_at REAL,
            content ANY NOT NULL
        ) STRICT
        """

    private static let columns = "migration, migration_version, step_words, suite, type, key, expires_at, content"

    // MARK: Reading

    /// The steps for which records or settings wait, with their numbers, in the order in which they were taken.
    static func waiting(in connection: Connection) throws(SQLiteError) -> [Handover] {
        guard try connection.hasTable(name) else { return [] }
        let query = """
            SELECT migration, migration_version, step_words, count(*)
            FROM molt_handover GROUP BY 1, 2, 3 ORDER BY min(id)
            """
        return try connection.prepare(query).map { row in
            let migration = MigrationID(name: row.text(0), version: Int(clamping: row.integer(1)))
            return Handover(
                source: HandoverSource(migration: migration, step: row.text(2)),
                count: Int(clamping: row.integer(3))
            )
        }
    }

    /// A record or a setting that waits.
    struct Item: Sendable {
        enum Content: Sendable {
            case record(StoreContents.StoredRecord)
            /// The JSON is that of a `PropertyListValue`.
            case setting(key: String, suite: String, json: [UInt8])
        }

        var id: Int64
        var content: Content
    }

    /// The ids of what waits for a step, those first for which the app's closure has thrown least often.
    func ids(of source: HandoverSource) throws(SQLiteError) -> [Int64] {
        let query = """
            SELECT id FROM molt_handover
            WHERE migration = ?1 AND migration_version = ?2 AND step_words = ?3 ORDER BY failures, id
            """
        return try connection.prepare(query, source.migration.name, source.migration.version, source.step)
            .map { $0.integer(0) }
    }

    /// A record or a setting that waits; nil if it is gone.
    func item(_ id: Int64) throws(SQLiteError) -> Item? {
        let query = """
            SELECT suite IS NOT NULL, suite, key, type, expires_at, typeof(content) = 'blob', content
            FROM molt_handover WHERE id = ?1
            """
        return try connection.prepare(query, id).first { row in
            let content = Array(row.bytes(6))
            if row.integer(0) != 0 {
                return Item(id: id, content: .setting(key: row.text(2), suite: row.text(1), json: content))
            }
            let record = StoreContents.StoredRecord(
                key: row.text(2),
                typeName: row.text(3),
                content: content,
                isData: row.integer(5) != 0,
                expiration: row.real(4),
                version: 0
            )
            return Item(id: id, content: .record(record))
        }
    }

    /// One line for each record and setting, with all its columns.
    var lines: [String] {
        get throws(SQLiteError) {
            let query = """
                SELECT json_array(migration, migration_version, step_words, suite, type, key, expires_at,
                    typeof(content), hex(content))
                FROM molt_handover ORDER BY id
                """
            return try connection.prepare(query).map { $0.text(0) }
        }
    }

    // MARK: Adding

    /// Takes all records of a type, which the caller then deletes.
    ///
    /// - Returns: The number of records.
    func addRecords(ofType typeID: Int64, from source: HandoverSource) throws(SQLiteError) -> Int {
        // With FAIL, SQLite keeps no originals for undoing the statement, which may concern every record.
        try connection.run(
            """
            INSERT OR FAIL INTO molt_handover(\(Self.columns))
            SELECT ?1, ?2, ?3, NULL, molt_type.name, record.key, record.expires_at, record.content
            FROM molt_record AS record NOT INDEXED JOIN molt_type ON molt_type.id = record.type_id
            WHERE record.type_id = ?4 ORDER BY record.id
            """,
            source.migration.name,
            source.migration.version,
            source.step,
            typeID
        )
        let count = connection.changes
        if count > 0 { try setMark() }
        return count
    }

    /// Adds a record that comes in after the others of its type were taken out.
    func add(_ record: StoreContents.StoredRecord, from source: HandoverSource) throws(SQLiteError) {
        try add(
            source,
            [nil as String?, record.typeName, record.key, record.expiration],
            record.content,
            as: record.isData ? .blob : .text
        )
    }

    /// Adds a setting of a suite, as the JSON of its value.
    func add(setting key: String, _ json: [UInt8], of suite: String, from source: HandoverSource) throws(SQLiteError) {
        try add(source, [suite, nil as String?, key, nil as Double?], json, as: .text)
    }

    /// - Parameter values: The suite, the type, the key and the expiry.
    private func add(
        _ source: HandoverSource,
        _ values: [any SQLiteValue],
        _ content: [UInt8],
        as storage: Statement.StorageClass
    ) throws(SQLiteError) {
        let insertion = try connection.prepare(
            "INSERT INTO molt_handover(\(Self.columns)) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        )
        try insertion.bind([source.migration.name, source.migration.version, source.step])
        try insertion.bind(values, from: 4)
        try insertion.run(bindingInPlace: Data(content), as: storage, at: 8)
        try setMark()
    }

    /// Adds what waits in another file, unless it waits in this one already.
    ///
    /// - Parameter isIncluded: Receives the key, and the type of a record or nil for a setting.
    /// - Returns: The number of what was chosen.
    @discardableResult
    static func add(
        from source: Connection,
        to target: Connection,
        where isIncluded: (_ key: String, _ type: String?) -> Bool
    ) throws(SQLiteError) -> Int {
        guard let other = try HandoverTable(of: source) else { return 0 }
        let rows = try other.connection.prepare("SELECT \(columns) FROM molt_handover ORDER BY id")
        defer { rows.reset() }
        var count = 0
        while try rows.step() {
            guard isIncluded(rows.text(5), rows.isNull(4) ? nil : rows.text(4)) else { continue }
            let table = try HandoverTable(creatingIn: target)
            let insertion = try target.prepare(
                """
                INSERT INTO molt_handover(\(columns)) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
                WHERE NOT EXISTS (
                    SELECT 1 FROM molt_handover
                    WHERE migration = ?1 AND suite IS ?4 AND type IS ?5 AND key = ?6 AND content IS ?8
                )
                """
            )
            for column in 0..<rows.columnCount { try insertion.bind(column, of: rows, at: column + 1) }
            try insertion.run()
            try table.setMark()
            count += 1
        }
        return count
    }

    // MARK: Removing

    /// Notes that the app's closure could not store something, which then comes after the others.
    func noteFailure(of id: Int64) throws(SQLiteError) {
        try connection.run("UPDATE molt_handover SET failures = failures + 1 WHERE id = ?1", id)
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

    private func setMark() throws(SQLiteError) {
        try FileFormat.setMark(Self.mark, to: 1 as Int64, of: connection)
    }

    private func removeMarkIfEmpty() throws(SQLiteError) {
        guard try connection.integer("SELECT EXISTS(SELECT 1 FROM molt_handover)") == 0 else { return }
        try connection.run("DELETE FROM molt_meta WHERE name = ?1", Self.mark)
    }
}

/// A step that takes records or settings out of a store.
package struct HandoverSource: Equatable, Sendable {
    /// The step's migration.
    var migration: MigrationID
    /// The step's description.
    var step: String
}

/// What still has to be handed over for a step.
package struct Handover: Equatable, Sendable {
    var source: HandoverSource
    /// The number of records or settings that wait.
    var count: Int
}

extension Handover: CustomStringConvertible {
    /// The migration, the step, and the number of what waits.
    package var description: String { "\(source.migration): \(source.step): \(count) waiting" }
}
