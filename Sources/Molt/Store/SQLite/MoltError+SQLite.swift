internal import CMoltSQLite

extension SQLiteError: ValueFreeError {
    package var number: Int32? { resultCode }
}

extension MoltError {
    /// Creates the error for a failure of SQLite in a cache file.
    package init(_ error: SQLiteError, store: String) {
        let code: Code =
            switch error.resultCode {
            case _ where error == .moved: .fileReplaced
            case _ where error == .suspended: .suspended
            case _ where error.isInterruption: .deadlinePassed
            case _ where error.isFull: .storeFailed
            case _ where error.isUnsafeSchema: .foreignFile
            case _ where error.isBusy: .busy
            case SQLITE_READONLY: .readOnly
            case SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN: .noPermission
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_TOOBIG: .tooLarge
            default: .storeFailed
            }
        switch code {
        case .suspended:
            self = .suspended()
            self.store = store
        case .deadlinePassed:
            self = .deadlinePassed
            (self.store, underlying) = (store, error)
        case .notADatabase:
            self.init(
                code,
                "The file at \(store) is not a SQLite database, or its beginning is damaged.",
                advice: "If it was a cache: \(SQLiteError.rescue) Otherwise choose another path.",
                outcome: .unchanged,
                store: store,
                underlying: error
            )
        default:
            let (problem, advice) = error.explanation
            self.init(
                code,
                "The cache at \(store) could not be used. \(problem)",
                advice: advice,
                outcome: [.fileReplaced, .foreignFile].contains(code) ? .unchanged : nil,
                store: store,
                underlying: error
            )
        }
    }
}
