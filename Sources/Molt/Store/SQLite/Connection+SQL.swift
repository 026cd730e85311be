internal import CMoltSQLite

/// A setting of SQLite, or a number that it knows of a database, by the statement that reads it.
enum Pragma: String {
    case applicationID = "PRAGMA application_id"
    case autoVacuum = "PRAGMA auto_vacuum"
    case cacheSize = "PRAGMA cache_size"
    case cellSizeCheck = "PRAGMA cell_size_check"
    case checkpointFullSync = "PRAGMA checkpoint_fullfsync"
    case freePageCount = "PRAGMA freelist_count"
    case fullSync = "PRAGMA fullfsync"
    case journalMode = "PRAGMA journal_mode"
    case journalSizeLimit = "PRAGMA journal_size_limit"
    case lockingMode = "PRAGMA locking_mode"
    case maxPageCount = "PRAGMA max_page_count"
    case pageCount = "PRAGMA page_count"
    case pageSize = "PRAGMA page_size"
    case recursiveTriggers = "PRAGMA recursive_triggers"
    case secureDelete = "PRAGMA secure_delete"
    case synchronous = "PRAGMA synchronous"
    case temporaryStore = "PRAGMA temp_store"
    case userVersion = "PRAGMA user_version"
}

/// The SQL that is about SQLite itself; what is about our tables stands in `Store/Format`.
extension Connection {
    func integer(_ pragma: Pragma) throws(SQLiteError) -> Int64 {
        try integer(pragma.rawValue)
    }

    func text(_ pragma: Pragma) throws(SQLiteError) -> String {
        try prepare(pragma.rawValue).first { $0.text(0) } ?? ""
    }

    func set(_ pragma: Pragma, to value: String) throws(SQLiteError) {
        try execute(pragma.rawValue + " = " + value)
    }

    /// The size to which a log is cut that an upgrade of all records has grown beyond it, in bytes.
    static let largestLog = 16 << 20

    func set(_ pragma: Pragma, to value: Int) throws(SQLiteError) {
        try set(pragma, to: String(value))
    }

    /// The size of the database's pages, in bytes.
    var byteCount: Int64 {
        get throws(SQLiteError) { try integer(.pageCount) * integer(.pageSize) }
    }

    // MARK: Transactions

    /// Begins a transaction, which takes a snapshot with its first read.
    func begin() throws(SQLiteError) { try execute("BEGIN") }

    func beginWriting() throws(SQLiteError) { try execute("BEGIN IMMEDIATE") }

    /// Takes the lock that no other connection can have beside it, and keeps it.
    func lockAlone() throws(SQLiteError) {
        try set(.lockingMode, to: "EXCLUSIVE")
        try execute("BEGIN EXCLUSIVE; COMMIT")
    }

    func commit() throws(SQLiteError) { try execute("COMMIT") }

    func rollBack() {
        guard isInTransaction else { return }
        // This fails only when the transaction is already gone.
        _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// The number of tables and other objects, for which SQLite reads the file.
    func schemaSize() throws(SQLiteError) -> Int64 { try integer("SELECT count(*) FROM sqlite_schema") }

    /// Whether the file itself, not the temporary database, has a table.
    func hasTable(_ name: String) throws(SQLiteError) -> Bool {
        try integer("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", name) != 0
    }

    // MARK: The file

    /// Copies the log into the file, and empties it.
    ///
    /// - Returns: Whether it could; otherwise another connection still reads from the log.
    func emptyLog() throws(SQLiteError) -> Bool { try integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0 }

    /// Copies as much of the log into the file as no other connection still needs.
    func copyLog() throws(SQLiteError) { try execute("PRAGMA wal_checkpoint(PASSIVE)") }

    /// Rewrites the whole file without free pages.
    func rewrite() throws(SQLiteError) { try execute("VACUUM") }

    func removeFreePages(upTo count: Int) throws(SQLiteError) { try execute("PRAGMA incremental_vacuum(\(count))") }

    /// Runs a closure whose deletions overwrite the deleted bytes.
    func overwritingDeleted<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        // SQLite reads 2, which stands for FAST, as ON.
        let mode = try integer(.secureDelete)
        try set(.secureDelete, to: "ON")
        // On failure, later deletions only take longer.
        defer { try? set(.secureDelete, to: mode == 2 ? "FAST" : "\(mode)") }
        return try body()
    }

    /// Passes the faults that SQLite finds in the file's structure to a closure, one line for each.
    ///
    /// - Parameter comparesIndexes: Whether the indexes are compared with the rows, too, which takes longer.
    func eachFault(
        upTo limit: Int,
        comparingIndexes comparesIndexes: Bool = true,
        _ body: (String) -> Void
    ) throws(SQLiteError) {
        let check = comparesIndexes ? "integrity_check" : "quick_check"
        try prepare("PRAGMA \(check)(\(limit))").eachRow { row throws(SQLiteError) in
            let line = row.text(0)
            if line != "ok" { body(line) }
        }
    }
}
