internal import CMoltSQLite
internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A connection to one database; used by one thread at a time, which its owner sees to.
package final class Connection {
    /// How a file is opened.
    package enum Mode {
        /// Reads a file that nobody changes meanwhile: takes no lock and makes no file beside it.
        case immutable
        /// Reads, and takes part in the locking.
        case readOnly
        /// Reads and writes; the file must exist.
        case readWrite
        /// A database in memory.
        case memory
    }

    /// SQLite's handle.
    package let handle: OpaquePointer
    /// Kept here, because SQLite's functions refer to it for as long as the connection is open.
    private var source: ContentSource?
    private var isClosed = false

    /// Opens a database.
    ///
    /// - Parameter path: The file; not looked at for a database in memory.
    package init(_ path: String, mode: Mode) throws(SQLiteError) {
        let name: String
        let flags: Int32
        switch mode {
        case .immutable:
            name = Connection.immutableURI(path)
            flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        case .readOnly:
            name = path
            flags = SQLITE_OPEN_READONLY
        case .readWrite:
            name = path
            flags = SQLITE_OPEN_READWRITE
        case .memory:
            name = ":memory:"
            flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            let extended = opened.map { sqlite3_extended_errcode($0) } ?? code
            let system = opened.map { sqlite3_system_errno($0) } ?? 0
            sqlite3_close_v2(opened)
            throw SQLiteError(
                extendedCode: extended,
                message: String(cString: sqlite3_errstr(code)),
                systemCode: system
            )
        }
        handle = opened
        sqlite3_extended_result_codes(opened, 1)
        // What somebody has put into a file must not run code of the process, nor get at the pages by SQL; and a page
        // whose cells lie over each other is damage that is seen at once.
        _ = molt_sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        _ = molt_sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = molt_sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
        sqlite3_exec(opened, "PRAGMA cell_size_check = ON", nil, nil, nil)
    }

    deinit {
        close()
    }

    /// Closes the connection, whoever still refers to it; the last call that is made on it.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        sqlite3_close_v2(handle)
    }

    /// A `file:` name with every byte that has a meaning in one escaped.
    private static func immutableURI(_ path: String) -> String {
        var uri = "file:"
        for byte in path.utf8 {
            switch byte {
            case 0x2D...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A:
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                uri += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return uri + "?immutable=1"
    }

    /// What hands contents to an update of many rows; made at its first use.
    func contentSource() throws(SQLiteError) -> ContentSource {
        if let source { return source }
        let made = try ContentSource(for: self)
        source = made
        return made
    }

    // MARK: Statements

    /// Runs SQL text that has no parameters.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Prepares SQL text for a single use.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        try Statement(sql, on: self, isLasting: false)
    }

    /// The first column of the first row as a whole number; 0 when there is no row.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        try prepare(sql).first { $0.integer(0) } ?? 0
    }

    /// The first column of the first row as text; empty when there is no row.
    func text(_ sql: String) throws(SQLiteError) -> String {
        try prepare(sql).first { $0.text(0) } ?? ""
    }

    /// Whether there is a table, in the file and not among the temporary ones.
    package func hasTable(_ name: String) throws(SQLiteError) -> Bool {
        let search = try prepare("SELECT EXISTS(SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)")
        try search.bind(name, at: 1)
        return try search.first { $0.integer(0) != 0 } ?? false
    }

    // MARK: State

    /// How many rows the last statement changed.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// How many rows were changed since the connection was opened.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    /// The id of the row that was inserted last.
    var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The file, as SQLite has found it when the connection was opened, links followed; nil for a database in memory.
    var filePath: String? {
        guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return nil }
        return String(cString: name)
    }

    /// Whether the file can only be read.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether the file that is open is not the one at its path: what would be written, nobody would ever read.
    var hasMoved: Bool {
        var answer: Int32 = 0
        return sqlite3_file_control(handle, nil, SQLITE_FCNTL_HAS_MOVED, &answer) == SQLITE_OK && answer != 0
    }

    /// Sets whether the log stays beside the file when the last connection is closed.
    func keepLog(_ isKept: Bool) {
        var flag: Int32 = isKept ? 1 : 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &flag)
    }

    /// How long a statement waits for another connection's lock.
    func setBusyTimeout(milliseconds: Int32) {
        sqlite3_busy_timeout(handle, milliseconds)
    }

    /// Undoes the open transaction, if SQLite has not done so itself.
    func rollBack() {
        guard isInTransaction else { return }
        // It fails only when the transaction is gone already, which is what was wanted.
        _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// The error for a result code, with the connection's own words.
    func error(_ code: Int32) -> SQLiteError {
        // Asked for at once, and of the system: what SQLite keeps of it lacks what a commit has failed of.
        let system = errno
        let extended = sqlite3_extended_errcode(handle)
        // The connection's last error is about something else when the codes differ, as after a misuse.
        let isSame = extended & 0xFF == code & 0xFF
        let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
        return SQLiteError(
            extendedCode: isSame ? extended : code,
            message: String(cString: isSame ? sqlite3_errmsg(handle) : sqlite3_errstr(code)),
            systemCode: isOfSystem ? system : 0
        )
    }
}
