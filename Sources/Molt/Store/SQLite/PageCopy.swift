internal import CMoltSQLite

/// Copies all pages of a database over those of another, in one transaction of the destination.
///
/// Readers of the destination see its old pages until the end. A kill, or an unfinished copy, leaves the old pages.
final class PageCopy {
    private let source: Connection
    private let destination: Connection
    private var backup: OpaquePointer?

    /// Prepares a copy; neither connection may be inside a write transaction.
    init(from source: Connection, into destination: Connection) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(destination.handle, "main", source.handle, "main") else {
            throw destination.error(sqlite3_errcode(destination.handle))
        }
        self.source = source
        self.destination = destination
        self.backup = backup
    }

    deinit {
        sqlite3_backup_finish(backup)
    }

    /// Takes the destination's write lock, and copies nothing.
    ///
    /// - Throws: ``SQLiteError``; the call may be retried after ``SQLiteError/isBusy``.
    func lock() throws(SQLiteError) {
        try destination.checkAccess()
        let code = sqlite3_backup_step(backup, 0)
        guard code == SQLITE_OK || code == SQLITE_DONE else { throw destination.error(code) }
    }

    /// Copies some pages; the last call commits.
    ///
    /// - Returns: Whether there are more pages.
    func step(_ pages: Int32 = 32) throws(SQLiteError) -> Bool {
        try destination.checkAccess()
        switch sqlite3_backup_step(backup, pages) {
        case SQLITE_OK: return true
        case SQLITE_DONE: return false
        case let code:
            // The message is known only after the backup is finished.
            sqlite3_backup_finish(backup)
            backup = nil
            throw destination.error(code)
        }
    }

    func finish() throws(SQLiteError) {
        let code = sqlite3_backup_finish(backup)
        backup = nil
        guard code == SQLITE_OK else { throw destination.error(code) }
    }
}

extension Connection {
    /// Copies the whole database, as this connection's snapshot sees it, over another one.
    ///
    /// - Parameter isStopped: Called after each quarter of a megabyte; ends the call, without a copy, if it returns
    ///   true.
    func copy(into destination: Connection, isStopped: () -> Bool = { false }) throws(SQLiteError) {
        let copy = try PageCopy(from: self, into: destination)
        while try copy.step() {
            if isStopped() { return }
        }
        try copy.finish()
    }
}
