import CMoltSQLite
import Foundation

/// A database as an app would write it by hand: what the peers of Molt work on.
///
/// WAL, one row a record, and SQLite's defaults unless the case says otherwise.
final class PeerDatabase {
    private var handle: OpaquePointer?

    /// When a commit waits for the disk.
    enum Durability: String {
        /// At each commit: what was committed survives a loss of power.
        case full = "FULL"
        /// At checkpoints: the last commits may be lost with the power, as usual for a cache.
        case normal = "NORMAL"
    }

    /// Opens a database, and makes its table when there is none.
    ///
    /// - Parameters:
    ///   - durability: When a commit waits for the disk.
    ///   - isTuned: Whether a new database has pages of the size that Molt's have, and the cache is as large as Molt's
    ///     during an upgrade.
    /// - Throws: ``BenchmarkError``.
    init(at url: URL, durability: Durability = .full, isTuned: Bool = false) throws {
        try open(url, SQLITE_OPEN_CREATE)
        if isTuned { try execute("PRAGMA page_size = 8192; PRAGMA cache_size = -8000") }
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = \(durability.rawValue)")
        try execute(
            """
            CREATE TABLE IF NOT EXISTS record (
                id INTEGER PRIMARY KEY,
                key TEXT NOT NULL UNIQUE,
                type_id INTEGER NOT NULL,
                version INTEGER NOT NULL,
                content TEXT NOT NULL
            )
            """
        )
        try execute("CREATE INDEX IF NOT EXISTS record_type ON record (type_id)")
    }

    /// Opens a cache file of Molt as Molt's cache does in daily use.
    ///
    /// - Throws: ``BenchmarkError``.
    init(of store: URL) throws {
        try open(store, SQLITE_OPEN_NOMUTEX)
        try execute("PRAGMA cell_size_check = ON; PRAGMA journal_size_limit = 16777216")
        try execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000")
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    private func open(_ url: URL, _ flag: Int32) throws {
        guard sqlite3_open_v2(url.path, &handle, SQLITE_OPEN_READWRITE | flag, nil) == SQLITE_OK else {
            throw failure()
        }
        // A connection that opens or closes the file holds up the others for a moment.
        sqlite3_busy_timeout(handle, 60_000)
    }

    /// Closes the database, which moves everything from the WAL into it.
    ///
    /// - Throws: ``BenchmarkError``, for one when a statement still lives.
    func close() throws {
        guard sqlite3_close(handle) == SQLITE_OK else { throw failure() }
        handle = nil
    }

    /// Runs one or more statements that give no rows.
    ///
    /// - Throws: ``BenchmarkError``.
    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// Runs a closure in one transaction that holds the write lock from the start.
    ///
    /// - Throws: ``BenchmarkError``, or what the closure throws, after the transaction was undone.
    func transaction(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        do {
            try body()
            try execute("COMMIT")
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// Prepares a statement.
    ///
    /// - Throws: ``BenchmarkError``.
    func prepare(_ sql: String) throws -> PeerStatement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure() }
        return PeerStatement(statement)
    }

    /// The whole number that a query gives.
    ///
    /// - Throws: ``BenchmarkError``.
    func integer(_ sql: String) throws -> Int {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    private func failure() -> BenchmarkError {
        BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(handle))).")
    }
}

/// A prepared statement of a ``PeerDatabase``.
final class PeerStatement {
    private let handle: OpaquePointer

    /// Takes over a prepared statement.
    fileprivate init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Makes the statement ready to run again; its parameters stay.
    func reset() {
        sqlite3_reset(handle)
    }

    /// Steps to the next row.
    ///
    /// - Returns: Whether there is one.
    /// - Throws: ``BenchmarkError``.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            throw BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))).")
        }
    }

    /// Runs a statement that gives no rows, and makes it ready to run again.
    ///
    /// - Throws: ``BenchmarkError``.
    func run() throws {
        defer { reset() }
        _ = try step()
    }

    /// Sets a parameter, counted from 1, to a whole number.
    func bind(_ value: Int, at parameter: Int32) {
        sqlite3_bind_int64(handle, parameter, Int64(value))
    }

    /// Sets a parameter, counted from 1, to a number.
    func bind(_ value: Double, at parameter: Int32) {
        sqlite3_bind_double(handle, parameter, value)
    }

    /// Sets a parameter, counted from 1, to text that must live until the statement has run: it is not copied.
    func bind(text: UnsafeRawBufferPointer, at parameter: Int32) {
        let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
        sqlite3_bind_text(handle, parameter, start, Int32(text.count), nil)
    }

    /// The whole number in a column of the row, counted from 0.
    func integer(_ column: Int32) -> Int {
        Int(sqlite3_column_int64(handle, column))
    }

    /// The bytes of the text in a column of the row, counted from 0; valid until the next step.
    func text(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_text(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
