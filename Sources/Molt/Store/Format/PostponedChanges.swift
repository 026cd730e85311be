internal import Foundation

/// A change of a record's key, type or existence, or its quarantine, that is made at the end of a pass or enumeration.
struct PostponedChange: Sendable {
    enum Kind: Sendable {
        case drop
        case key(String)
        case type(String)
        /// The type name is that in quarantine; nil for the current one in that round.
        case quarantine(MigrationReport.RecordFailure, typeName: String? = nil)
    }

    /// The number of the changes that are made together; records may exchange keys within a round.
    ///
    /// In a pass it is the position of the step, and for a quarantine that of the migration's first step. In a block,
    /// each enumeration or update has the next number.
    var round: Int
    var id: Int64
    var kind: Kind
}

/// The postponed changes, and the states of records before a block changed them.
///
/// There may be a million of each, so they are kept in temporary tables, which have files of their own.
final class PostponedChanges {
    /// A record whose new key is taken.
    struct Collision {
        var id: Int64
        var newKey: String
    }

    private let connection: Connection
    private let statements: Statements<Query>
    /// Where blocks find originals that need not be saved; nil if they save all.
    private let lastCommit: LastCommit?
    private var originals = Originals.saved
    private var hasTables = false
    /// Whether nothing was ever postponed.
    private(set) var isEmpty = true

    /// Where the states are in which records were before the current block changed them.
    private enum Originals {
        /// In their table.
        case saved
        /// In the last commit, which the block has not read yet.
        case committed
        case read(from: Connection, by: Statement)
    }

    // The kinds of changes, as stored in the table.
    private static let drop = 0
    private static let type = 1
    private static let key = 2

    init(_ connection: Connection, lastCommit: LastCommit? = nil) {
        self.connection = connection
        self.lastCommit = lastCommit
        statements = Statements(on: connection, sql: \.sql)
    }

    /// Drops the tables and the statements.
    func finish() throws(SQLiteError) {
        invalidate()
        guard hasTables else { return }
        for table in Self.tables { try connection.execute("DROP TABLE temp.\(table.key)") }
        hasTables = false
    }

    func invalidate() {
        statements.removeAll()
        closeOriginals()
    }

    /// The declarations of the columns of the tables.
    private static let tables: KeyValuePairs = [
        // The primary key lets the last change of a kind win and orders each round's changes by record.
        "molt_postponed": """
        (round INTEGER, kind INTEGER, id INTEGER, text TEXT, PRIMARY KEY(round, kind, id)) WITHOUT ROWID
        """,
        QuarantineTable.postponedName: QuarantineTable.postponedColumns,
        "molt_original": """
        (id INTEGER PRIMARY KEY, key TEXT, type TEXT, content, expires_at REAL, version INTEGER)
        """,
        "molt_merging": "(number INTEGER PRIMARY KEY, id INTEGER, key TEXT, is_moving INTEGER)",
    ]

    private func makeTables() throws(SQLiteError) {
        guard !hasTables else { return }
        for (name, columns) in Self.tables { try connection.execute("CREATE TEMP TABLE \(name)\(columns)") }
        hasTables = true
    }

    // MARK: Adding changes

    func add(_ change: PostponedChange) throws(SQLiteError) {
        try makeTables()
        isEmpty = false
        switch change.kind {
        case .drop: try add(change, Self.drop, "")
        case .type(let name): try add(change, Self.type, name)
        case .key(let key): try add(change, Self.key, key)
        case .quarantine(let failure, let typeName):
            let statement = try statements[.addFailure]
            try statement.bind([change.round, change.id, typeName])
            try statement.bind(failure.columns, from: 4)
            try statement.run()
        }
    }

    private func add(_ change: PostponedChange, _ kind: Int, _ text: String) throws(SQLiteError) {
        let statement = try statements[.add]
        try statement.bind(Int64(change.round), at: 1)
        try statement.bind(Int64(kind), at: 2)
        try statement.bind(change.id, at: 3)
        try statement.bind(text, at: 4)
        try statement.run()
    }

    // MARK: Applying them

    /// Applies the changes of a round.
    ///
    /// Collisions are found first, so that the statements may use FAIL, with which SQLite keeps no originals; a
    /// statement may change every record.
    ///
    /// - Parameters:
    ///   - types: Returns the names of all types.
    ///   - log: Notes the keys that records lose, if they are recorded.
    /// - Returns: The record with the lowest id whose new key is taken; nothing was changed then.
    func apply(
        _ round: Int,
        types: () throws(SQLiteError) -> TypeNameTable,
        notingIn log: DroppedKeyLog? = nil
    ) throws(SQLiteError) -> Collision? {
        let hasKeys = try isTrue(statements[.hasKeys], round)
        var isChain = false
        if hasKeys, let collision = try collision(round, isChain: &isChain) { return collision }
        try quarantine(round, types, log)
        try log?.noteDrops(round: round)
        try statements[.applyDrops].run(binding: round)
        if hasKeys {
            try log?.noteNewKeys(round: round)
            // Parks keys under values that no record can have: they are not UTF-8, and a String always is.
            if isChain { try statements[.parkKeys].run(binding: round) }
            try statements[.moveKeys].run(binding: round)
        }
        try statements[.addTypes].run(binding: round)
        try statements[.applyTypes].run(binding: round)
        try statements[.forget].run(binding: round)
        return nil
    }

    /// Moves the records of a round to quarantine, as they are now or as they were when the block started.
    private func quarantine(
        _ round: Int,
        _ types: () throws(SQLiteError) -> TypeNameTable,
        _ log: DroppedKeyLog?
    ) throws(SQLiteError) {
        guard try connection.integer("SELECT EXISTS(SELECT 1 FROM molt_failed WHERE round = ?1)", round) != 0 else {
            return
        }
        try types().checkEveryTypeHasName(connection)
        _ = try QuarantineTable(creatingIn: connection)
        let now = Date().timeIntervalSince1970
        try connection.run(QuarantineTable.moving, round, now)
        let count = connection.changes
        try log?.noteQuarantine(round: round)
        try connection.run("DELETE FROM molt_record WHERE id IN (SELECT id FROM molt_failed WHERE round = ?1)", round)
        // Every deleted record must be in quarantine.
        guard connection.changes == count else { throw .lostRows }
        try connection.run("DELETE FROM molt_failed WHERE round = ?1", round)
    }

    // MARK: Checking new keys

    /// Checks the new keys of a round before anything is changed.
    ///
    /// - Parameter isChain: Set if a record takes a key that another record gives up for a new one.
    private func collision(_ round: Int, isChain: inout Bool) throws(SQLiteError) -> Collision? {
        // SQL for whether the record `change.id` is gone by the time the others get their keys.
        let isRemovedSQL = """
            (NOT EXISTS (SELECT 1 FROM molt_record WHERE id = change.id)
                OR EXISTS (
                    SELECT 1 FROM molt_postponed WHERE round = ?1 AND kind = \(Self.drop) AND id = change.id
                )
                OR EXISTS (SELECT 1 FROM molt_failed WHERE round = ?1 AND id = change.id))
            """
        let taken = try firstTaken(round, isRemovedSQL, isChain: &isChain)
        let shared = try firstShared(round, isRemovedSQL)
        return [taken, shared].compactMap { $0 }.min { $0.id < $1.id }
    }

    /// The first record whose new key belongs to a record that keeps it.
    private func firstTaken(
        _ round: Int,
        _ isRemovedSQL: String,
        isChain: inout Bool
    ) throws(SQLiteError) -> Collision? {
        let search = try statements[.heldKeys]
        try search.bind(Int64(round), at: 1)
        defer { search.reset() }
        guard try search.step() else { return nil }
        let isRemovedInRound = try connection.prepare("SELECT \(isRemovedSQL) FROM (SELECT ?2 AS id) AS change")
        repeat {
            let holder = search.integer(2)
            if try isTrue(isRemovedInRound, round, search.integer(0)) { continue }
            if try isTrue(isRemovedInRound, round, holder) { continue }
            guard try isTrue(statements[.isMoving], round, holder) else {
                return Collision(id: search.integer(0), newKey: search.text(1))
            }
            isChain = true
        } while try search.step()
        return nil
    }

    /// The first record whose new key is also another record's new key.
    private func firstShared(_ round: Int, _ isRemovedSQL: String) throws(SQLiteError) -> Collision? {
        guard try isTrue(statements[.hasSharedKeys], round) else { return nil }
        let query = """
            SELECT min(id), text FROM molt_postponed AS change
            WHERE round = ?1 AND kind = \(Self.key) AND NOT \(isRemovedSQL)
            GROUP BY text HAVING count(*) > 1 ORDER BY 1 LIMIT 1
            """
        return try connection.prepare(query, round).first { Collision(id: $0.integer(0), newKey: $0.text(1)) }
    }

    private func isTrue(_ question: Statement, _ round: Int, _ id: Int64? = nil) throws(SQLiteError) -> Bool {
        try question.bind(Int64(round), at: 1)
        if let id { try question.bind(id, at: 2) }
        return try question.first { $0.integer(0) != 0 } ?? false
    }

    // MARK: Records that get one key

    /// Finds the records of a type that get the same key in a round, or the key of one that keeps it.
    func findRecordsToMerge(ofType typeID: Int64, _ round: Int) throws(SQLiteError) {
        try makeTables()
        try connection.execute("DELETE FROM temp.molt_merging")
        // The records that have a new key already and keep it.
        let holders = """
            SELECT holder.id, holder.key FROM molt_postponed AS change
            CROSS JOIN molt_record AS holder ON holder.key = change.text
            WHERE change.round = ?1 AND change.kind = \(Self.key) AND holder.type_id = ?2 AND NOT EXISTS (
                SELECT 1 FROM molt_postponed AS other
                WHERE other.round = ?1 AND other.kind = \(Self.key) AND other.id = holder.id
            )
            """
        try connection.run(
            """
            WITH held AS MATERIALIZED (\(holders) GROUP BY holder.id),
            shared AS MATERIALIZED (SELECT text \(Self.keyChanges) GROUP BY text HAVING count(*) > 1)
            INSERT INTO temp.molt_merging(id, key, is_moving)
            SELECT id, key, is_moving FROM (
                SELECT id, key, key AS old_key, 0 AS is_moving FROM held
                UNION ALL
                SELECT change.id, change.text, record.key, 1
                FROM molt_postponed AS change CROSS JOIN molt_record AS record ON record.id = change.id
                WHERE change.round = ?1 AND change.kind = \(Self.key)
                    AND (change.text IN (SELECT text FROM shared) OR change.text IN (SELECT key FROM held))
            ) ORDER BY key, is_moving, old_key
            """,
            round,
            typeID
        )
    }

    func recordsToMerge(after number: Int64, count: Int) throws(SQLiteError) -> [StoreTransaction.RecordToMerge] {
        let rows = try connection.prepare(
            "SELECT number, id, key, is_moving FROM temp.molt_merging WHERE number > ?1 ORDER BY number LIMIT ?2",
            number,
            count
        )
        return try rows.map { row in
            StoreTransaction.RecordToMerge(
                number: row.integer(0),
                id: row.integer(1),
                key: ExactName(row.text(2)),
                isMoving: row.integer(3) != 0
            )
        }
    }

    // MARK: Originals

    /// Begins a block that may ask for the records as they are now.
    ///
    /// - Parameter isLarge: Whether the block may change so many records that saving their states would take long.
    func beginBlock(isLarge: Bool) {
        // Before its first change, the transaction sees the last commit.
        originals = isLarge && lastCommit?.isCurrent == true ? .committed : .saved
    }

    /// Whether originals are read from the last commit.
    var readsOriginals: Bool {
        if case .read = originals { true } else { false }
    }

    /// Whether originals are saved; the last commit is opened when the block changes the first record.
    private func savesOriginals() throws(SQLiteError) -> Bool {
        switch originals {
        case .saved: break
        case .read: return false
        case .committed:
            guard let opened = lastCommit?.open() else {
                originals = .saved
                break
            }
            originals = .read(from: opened, by: try Statement(RowQuery.recordWithType.sql, on: opened, isLasting: true))
            return false
        }
        try makeTables()
        return true
    }

    /// Keeps a record's current state for ``original(id:)``, unless an earlier one is kept.
    func keepOriginal(id: Int64) throws(SQLiteError) {
        guard try savesOriginals() else { return }
        let statement = try statements[.keepOriginal]
        try statement.bind(id, at: 1)
        try statement.run()
    }

    /// Keeps the current states of rows that are about to be written, unless earlier ones are kept.
    func keepOriginals(of rows: ContentSource.Rows) throws(SQLiteError) {
        guard try savesOriginals(), let first = rows.first, let last = rows.last else { return }
        try statements[.keepOriginals].run(binding: first.id, last.id)
    }

    /// Keeps the current state of all records of a type, unless earlier ones are kept.
    func keepOriginals(ofType typeID: Int64) throws(SQLiteError) {
        guard try savesOriginals() else { return }
        try connection.run("\(Self.keeping) WHERE +molt_record.type_id = ?1", typeID)
    }

    /// The first kept state of a record, or nil.
    func original(id: Int64) throws(SQLiteError) -> Record? {
        let row: Statement
        if case .read(_, let statement) = originals {
            row = statement
        } else {
            guard hasTables else { return nil }
            row = try statements[.original]
        }
        try row.bind(id, at: 1)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return RecordBatch.record(row, row.text(2))
    }

    /// Makes sure that SQL finds the state of a record in which it is quarantined.
    func saveOriginal(id: Int64) throws(SQLiteError) {
        guard case .read(_, let row) = originals else { return }
        try row.bind(id, at: 1)
        defer { row.reset() }
        guard try row.step() else { return }
        try makeTables()
        let statement = try statements[.saveOriginal]
        for column in 0..<row.columnCount { try statement.bind(column, of: row, at: column + 1) }
        try statement.run()
    }

    func forgetOriginals() throws(SQLiteError) {
        closeOriginals()
        if hasTables { try connection.execute("DELETE FROM temp.molt_original") }
    }

    private func closeOriginals() {
        var opened: Connection?
        if case .read(let connection, _) = originals { opened = connection }
        originals = .saved
        opened?.close()
    }

    /// Keeps originals of records with their current type names; a `WHERE` must follow.
    private static let keeping = """
        INSERT OR IGNORE INTO temp.molt_original(id, key, type, content, expires_at, version)
        SELECT molt_record.id, molt_record.key, molt_type.name, molt_record.content, molt_record.expires_at,
            molt_record.version
        FROM molt_record CROSS JOIN molt_type ON molt_type.id = molt_record.type_id
        """

    // MARK: Statements

    /// SQL for the ids of the records that are dropped in the round of the first parameter.
    static let droppedIDs = "SELECT id FROM molt_postponed WHERE round = ?1 AND kind = \(drop)"
    /// SQL for a table of the records that get other keys in that round, with their ids and, as `text`, the keys.
    static let newKeys = "(SELECT id, text FROM molt_postponed WHERE round = ?1 AND kind = \(key))"

    private static let keyChanges = """
        FROM molt_postponed AS change WHERE change.round = ?1 AND change.kind = \(key)
        """

    private enum Query: Int, CaseIterable {
        case add, addFailure, hasKeys, heldKeys, isMoving, hasSharedKeys
        case applyDrops, parkKeys, moveKeys, addTypes, applyTypes, forget
        case keepOriginal, keepOriginals, saveOriginal, original

        var sql: String {
            switch self {
            case .add: "INSERT OR REPLACE INTO molt_postponed(round, kind, id, text) VALUES(?1, ?2, ?3, ?4)"
            case .addFailure: QuarantineTable.postponing
            case .hasKeys: "SELECT EXISTS (SELECT 1 \(keyChanges))"
            // CROSS JOIN fixes the order, so that the new keys are looked up rather than the records.
            case .heldKeys:
                """
                SELECT change.id, change.text, other.id
                FROM molt_postponed AS change CROSS JOIN molt_record AS other ON other.key = change.text
                WHERE change.round = ?1 AND change.kind = \(key) AND other.id <> change.id ORDER BY change.id
                """
            case .isMoving: "SELECT EXISTS (SELECT 1 \(keyChanges) AND change.id = ?2)"
            case .hasSharedKeys: "SELECT EXISTS (SELECT 1 \(keyChanges) GROUP BY change.text HAVING count(*) > 1)"
            case .applyDrops: "DELETE FROM molt_record WHERE id IN (\(droppedIDs))"
            case .parkKeys:
                """
                UPDATE OR FAIL molt_record SET key = CAST(x'FF' AS TEXT) || id
                WHERE id IN (SELECT id FROM molt_postponed WHERE round = ?1 AND kind = \(key))
                """
            case .moveKeys:
                "UPDATE OR FAIL molt_record SET key = change.text \(keyChanges) AND change.id = molt_record.id"
            case .addTypes:
                """
                INSERT OR IGNORE INTO molt_type(name)
                SELECT DISTINCT text FROM molt_postponed WHERE round = ?1 AND kind = \(type)
                """
            case .applyTypes:
                """
                UPDATE OR FAIL molt_record SET type_id = molt_type.id
                FROM molt_postponed AS change JOIN molt_type ON molt_type.name = change.text
                WHERE change.round = ?1 AND change.kind = \(type) AND change.id = molt_record.id
                """
            case .forget: "DELETE FROM molt_postponed WHERE round = ?1"
            case .keepOriginal: "\(keeping) WHERE molt_record.id = ?1"
            case .keepOriginals:
                "\(keeping) WHERE molt_record.id >= ?1 AND molt_record.id <= ?2 AND molt_has(molt_record.id)"
            case .saveOriginal: "INSERT OR IGNORE INTO temp.molt_original VALUES(?1, ?2, ?3, ?5, ?6, ?4)"
            case .original: "SELECT id, key, type, version, content, expires_at FROM temp.molt_original WHERE id = ?1"
            }
        }
    }
}
