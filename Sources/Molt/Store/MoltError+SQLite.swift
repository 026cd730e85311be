internal import CMoltSQLite

extension SQLiteError: ValueFreeError, NumberedError {
    package var number: Int32 { resultCode }
}

extension MoltError {
    /// Creates the error for a failure of SQLite in a cache file.
    package init(_ error: SQLiteError, store path: String) {
        let code: Code =
            switch error.resultCode {
            case _ where error == .moved: .fileReplaced
            case _ where error == .suspended: .suspended
            case _ where error.isFull: .storeFailed
            case _ where error.isUnsafeSchema: .foreignFile
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
            case SQLITE_READONLY: .readOnly
            case SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN: .noPermission
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_TOOBIG: .tooLarge
            default: .storeFailed
            }
        if code == .notADatabase {
            self.init(
                code,
                "The file at \(path) is not a SQLite database, or its beginning is damaged. If it was a cache, "
                    + "restore a backup with CodableCache.restore(_:at:), or save what can be read: add the product "
                    + "MoltSalvage, and call CodableCache.salvage(at:). CodableCache.startAfresh(at:) keeps it aside and begins "
                    + "with an empty one. Otherwise choose another path. The file was not changed.",
                underlying: error
            )
        } else {
            self.init(code, "The cache at \(path) could not be used. \(error.advice)", underlying: error)
        }
        self.store = path
    }
}

extension MoltError {
    /// Creates the error for a failure of SQLite during an upgrade.
    init(_ error: SQLiteError, upgrading store: String) {
        if error.isInterruption {
            self = .deadlinePassed
            underlying = error
        } else if error == .suspended {
            self = .suspended()
        } else {
            self.init(
                error.isBusy ? .busy : .storeFailed,
                "The store at \(store) could not be upgraded. \(error.advice)",
                underlying: error
            )
        }
        self.store = store
    }
}
