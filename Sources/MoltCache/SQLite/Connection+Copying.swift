internal import CMoltSQLite

extension Connection {
    /// Copies the whole database into another one, as it is in this connection's snapshot.
    func copy(into destination: Connection) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(destination.handle, "main", handle, "main") else {
            throw destination.error(sqlite3_errcode(destination.handle))
        }
        let code = sqlite3_backup_step(backup, -1)
        let finishCode = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, finishCode == SQLITE_OK else {
            throw destination.error(finishCode == SQLITE_OK ? code : finishCode)
        }
    }
}
