internal import CMoltSQLite

/// Copies all pages of a database over those of another one, in one transaction of that.
///
/// Who reads the destination sees its old pages to the end, and a kill leaves them. What was not finished is undone.
final class PageCopy {
    private let source: Connection
    private let destination: Connection
    private var backup: OpaquePointer?

    /// Begins nothing yet.
    ///
    /// Neither connection may be inside a transaction that writes.
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
    /// - Throws: What may be tried again when ``SQLiteError/isBusy`` says so.
    func lock() throws(SQLiteError) {
        let code = sqlite3_backup_step(backup, 0)
        guard code == SQLITE_OK || code == SQLITE_DONE else { throw destination.error(code) }
    }

    /// Copies some pages; with the last ones, commits.
    ///
    /// - Returns: Whether there are more.
    func step(_ pages: Int32 = 32) throws(SQLiteError) -> Bool {
        switch sqlite3_backup_step(backup, pages) {
        case SQLITE_OK: return true
        case SQLITE_DONE: return false
        case let code:
            // The words are known when it has ended.
            sqlite3_backup_finish(backup)
            backup = nil
            throw destination.error(code)
        }
    }

    /// Ends the copy.
    func finish() throws(SQLiteError) {
        let code = sqlite3_backup_finish(backup)
        backup = nil
        guard code == SQLITE_OK else { throw destination.error(code) }
    }
}
