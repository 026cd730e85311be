internal import CMoltSQLite
internal import Foundation

/// A connection to one database; its owner lets only one thread use it at a time.
package final class Connection {
    package enum Mode {
        /// Reads a file that no one changes meanwhile; takes no lock and creates no file beside it.
        case immutable
        /// Reads, and takes locks.
        case readOnly
        /// Reads and writes; the file must exist.
        case readWrite
        case memory
        /// A file without a name, which SQLite removes.
        case temporary
    }

    package let handle: OpaquePointer
    /// Retained, because SQLite's functions refer to it while the connection is open.
    private var source: ContentSource?
    private var isClosed = false
    /// Whether the connection takes locks, so that it must be closed before the app is suspended.
    let takesLocks: Bool
    /// Whether to interrupt the running statement; nil for never.
    package var isOver: (() -> Bool)?
    /// How long a statement waits for another connection's lock, in milliseconds.
    var busyTimeout: Int32 = 0

    /// Opens a database.
    ///
    /// - Parameter path: The file; ignored for a database in memory and a temporary one.
    /// - Throws: ``SQLiteError``, which is ``SQLiteError/suspended`` if the connection would take locks and the app has
    ///   suspended its access to stores.
    package init(_ path: String, mode: Mode) throws(SQLiteError) {
        takesLocks = mode == .readOnly || mode == .readWrite
        if takesLocks, !StoreAccess.beginUse() { throw .suspended }
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
        case .temporary:
            name = ""
            flags = SQLITE_OPEN_READWRITE
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            let extended = opened.map { sqlite3_extended_errcode($0) } ?? code
            let system = opened.map { sqlite3_system_errno($0) } ?? 0
            sqlite3_close_v2(opened)
            if takesLocks { StoreAccess.endUse() }
            throw SQLiteError(
                extendedCode: extended,
                message: String(cString: sqlite3_errstr(code)),
                systemCode: system
            )
        }
        handle = opened
        sqlite3_extended_result_codes(opened, 1)
        // The schema of a tampered file must not run code of this process or access pages by SQL. Overlapping cells
        // count as damage at once.
        _ = molt_sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        _ = molt_sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = molt_sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
        try? set(.cellSizeCheck, to: "ON")
        // Apple's SQLite has other defaults: it keeps the log after the last close, cut to 32 KiB, and triggers
        // recurse.
        try? set(.journalSizeLimit, to: -1)
        try? set(.recursiveTriggers, to: "OFF")
        keepLog(false)
        installHandlers()
    }

    deinit {
        close()
    }

    /// Closes the connection, even if it is still referenced; no other call may follow.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        sqlite3_close_v2(handle)
        if takesLocks { StoreAccess.endUse() }
    }

    /// A `file:` URI with every reserved byte escaped.
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

    /// The source of contents for an UPDATE of many rows; created at its first use.
    func contentSource() throws(SQLiteError) -> ContentSource {
        if let source { return source }
        let made = try ContentSource(for: self)
        source = made
        return made
    }

    // MARK: Statements

    package func execute(_ sql: String) throws(SQLiteError) {
        try checkAccess()
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// A statement to be run once or a few times, with values for its first parameters.
    @inline(never)
    package func prepare(_ sql: String, _ values: any SQLiteValue...) throws(SQLiteError) -> Statement {
        let statement = try Statement(sql, on: self, isLasting: false)
        try statement.bind(values)
        return statement
    }

    func run(_ sql: String, _ values: any SQLiteValue...) throws(SQLiteError) {
        let statement = try prepare(sql)
        try statement.bind(values)
        try statement.run()
    }

    /// The first column of the first row as an integer; 0 when there is no row.
    package func integer(_ sql: String, _ values: any SQLiteValue...) throws(SQLiteError) -> Int64 {
        let statement = try prepare(sql)
        try statement.bind(values)
        return try statement.first { $0.integer(0) } ?? 0
    }

    /// The same as ``hasTable(_:)`` without a statement, in a transaction that has run one.
    ///
    /// The connection's copy of the schema is then current.
    func hasTableInTransaction(_ name: String) -> Bool {
        sqlite3_table_column_metadata(handle, "main", name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
    }

    /// The number of pages in the log from which SQLite copies them into the file at a commit, unless set otherwise.
    static let logLimit: Int32 = 1_000

    /// Sets that number; 0 for never.
    func setLogLimit(_ pages: Int32) {
        sqlite3_wal_autocheckpoint(handle, pages)
    }

    // MARK: State

    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The number of rows changed since the connection was opened.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The path that SQLite resolved when it opened the file, symbolic links followed; nil in memory.
    var filePath: String? {
        guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return nil }
        return String(cString: name)
    }

    /// Grows when this connection commits, and when a read begins after another connection's commit.
    ///
    /// Unlike SQLite's `data_version`, it costs no statement and counts the connection's own commits. Nil when SQLite
    /// does not support it.
    var dataVersion: UInt32? {
        var version: UInt32 = 0
        // No name means the main database, and spares SQLite a string comparison.
        let code = sqlite3_file_control(handle, nil, SQLITE_FCNTL_DATA_VERSION, &version)
        return code == SQLITE_OK ? version : nil
    }

    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether the open file is no longer at its path, so that writes to it would be lost.
    var hasMoved: Bool {
        var answer: Int32 = 0
        return sqlite3_file_control(handle, nil, SQLITE_FCNTL_HAS_MOVED, &answer) == SQLITE_OK && answer != 0
    }

    /// Sets whether the log stays beside the file after the last connection is closed.
    func keepLog(_ isKept: Bool) {
        var flag: Int32 = isKept ? 1 : 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &flag)
    }

    /// The error for a result code, with SQLite's message.
    package func error(_ code: Int32) -> SQLiteError {
        // Read errno first: SQLite's own copy lacks the reason for a failed commit.
        let system = errno
        let extended = sqlite3_extended_errcode(handle)
        if [SQLITE_INTERRUPT, SQLITE_BUSY].contains(code & 0xFF), takesLocks, StoreAccess.isSuspended {
            return .suspended
        }
        guard extended != SQLiteError.changedVnode else { return .moved }
        // After a misuse, for example, the connection's last error is about another call.
        let isSame = extended & 0xFF == code & 0xFF
        let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
        return SQLiteError(
            extendedCode: isSame ? extended : code,
            message: String(cString: isSame ? sqlite3_errmsg(handle) : sqlite3_errstr(code)),
            systemCode: isOfSystem ? system : 0
        )
    }
}

// MARK: Stopping

/// Interrupting statements: deadlines, lock timeouts, suspension.
extension Connection {
    /// The number of SQLite's virtual machine instructions between two checks; about ten thousand take 1 ms.
    private static let interval: Int32 = 4_000
    /// The longest wait between two tries to take a lock, in milliseconds.
    private static let longestPause: Int32 = 25

    /// Throws while the app has suspended its access to stores, unless the connection takes no locks.
    func checkAccess() throws(SQLiteError) {
        if takesLocks, StoreAccess.isSuspended { throw .suspended }
    }

    /// Interrupts statements that run at a time or after it; nil removes the limit.
    func interrupt(at time: Instant?) {
        isOver = time.map { time in { Instant.now >= time } }
    }

    private var mustStop: Bool {
        takesLocks && StoreAccess.isSuspended || isOver?() == true
    }

    /// Installs the progress and busy handlers, which decide whether a statement goes on.
    private func installHandlers() {
        // Not retained: the connection outlives its handle.
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            handle,
            Self.interval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().mustStop ? 1 : 0
            },
            context
        )
        sqlite3_busy_handler(
            handle,
            { context, count in
                guard let context else { return 0 }
                return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().waits(count) ? 1 : 0
            },
            context
        )
    }

    /// Waits a little for a lock; the pauses grow from 1 ms.
    ///
    /// - Parameter count: The number of pauses so far.
    /// - Returns: Whether to try again.
    private func waits(_ count: Int32) -> Bool {
        let growing = min(count, Self.longestPause)
        let waited = growing * (growing + 1) / 2 + (count - growing) * Self.longestPause
        let pause = min(count + 1, Self.longestPause, busyTimeout - waited)
        guard pause > 0, !(takesLocks && StoreAccess.isSuspended) else { return false }
        Thread.sleep(forTimeInterval: Double(pause) / 1_000)
        return true
    }
}

/// Repeats a call until other connections release the lock that it needs.
///
/// - Parameter waiting: Called before each further attempt; throws to give up.
func retryWhileBusy(_ waiting: () throws -> Void, _ body: () throws(SQLiteError) -> Void) throws {
    // SQLite itself waits a little within most attempts, but returns some refusals at once.
    try poll(every: .milliseconds(1)) { () throws -> Void? in
        do throws(SQLiteError) {
            return try body()
        } catch {
            guard error.isBusy else { throw error }
            try waiting()
            return nil
        }
    }
}
