import CMoltSQLite
import Foundation

/// A SQLite database as an app would write it by hand: one row per record, WAL, and otherwise SQLite's defaults.
final class PeerDatabase {
    private var handle: OpaquePointer?

    /// Opens a database, and creates its table if needed; each commit waits for the disk.
    init(at url: URL) throws {
        try open(url, SQLITE_OPEN_CREATE)
        try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        try execute(
            """
            CREATE TABLE IF NOT EXISTS record (
                id INTEGER PRIMARY KEY,
                key TEXT NOT NULL UNIQUE,
                type_id INTEGER NOT NULL,
                version INTEGER NOT NULL,
                content TEXT NOT NULL
            );
            CREATE INDEX IF NOT EXISTS record_type ON record (type_id)
            """
        )
    }

    /// Opens a cache file of Molt with the settings that Molt's cache uses.
    init(moltFileAt url: URL) throws {
        try open(url, SQLITE_OPEN_NOMUTEX)
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
        // Wait while another connection opens or closes the file.
        sqlite3_busy_timeout(handle, 60_000)
    }

    /// Closes the database, which checkpoints the WAL; throws when a statement is not finalized.
    func close() throws {
        guard sqlite3_close(handle) == SQLITE_OK else { throw failure() }
        handle = nil
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// Runs a closure in a transaction, which by default takes the write lock at the start.
    func transaction<Value>(_ kind: String = "IMMEDIATE", _ body: () throws -> Value) throws -> Value {
        try execute("BEGIN \(kind)")
        do {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    func prepare(_ sql: String) throws -> PeerStatement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure() }
        return PeerStatement(statement)
    }

    /// Returns the integer result of a query; 0 when it has no row.
    func integer(_ sql: String) throws -> Int {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    private func failure() -> BenchmarkError {
        BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(handle))).")
    }
}

/// A prepared statement; parameter numbers start at 1, and column numbers at 0.
final class PeerStatement {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Resets the statement without clearing its parameters.
    func reset() {
        sqlite3_reset(handle)
    }

    /// Steps to the next row; false when there is none.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            throw BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))).")
        }
    }

    /// Runs a statement that returns no rows, and resets it.
    func run() throws {
        defer { reset() }
        _ = try step()
    }

    func bind(_ value: Int, at parameter: Int32) {
        sqlite3_bind_int64(handle, parameter, Int64(value))
    }

    func bind(_ value: Double, at parameter: Int32) {
        sqlite3_bind_double(handle, parameter, value)
    }

    /// Binds UTF-8 text without copying it; it must stay valid until the statement has run.
    func bind(text: UnsafeRawBufferPointer, at parameter: Int32) {
        let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
        sqlite3_bind_text(handle, parameter, start, Int32(text.count), nil)
    }

    /// Binds a copy of a string.
    func bind(copying text: String, at parameter: Int32) {
        sqlite3_bind_text(handle, parameter, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }

    func string(_ column: Int32) -> String {
        String(decoding: text(column), as: UTF8.self)
    }

    func integer(_ column: Int32) -> Int {
        Int(sqlite3_column_int64(handle, column))
    }

    /// Returns the bytes of a text column, which are valid until the next step.
    func text(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_text(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
