/// Checks whether a file is an intact cache.
enum BackupVerification {
    /// Describes a file's damage in a sentence; nil when the file is intact or missing.
    ///
    /// - Parameter isThorough: Whether to compare the indexes with the rows, too, which takes longer. An incomplete
    ///   index loses no rows.
    static func damage(_ path: String, isThorough: Bool = false) -> String? {
        do {
            var fault: String?
            _ = try FileProbe.look(path) { connection throws(SQLiteError) in
                fault = nil
                try connection.eachFault(upTo: 1, comparingIndexes: isThorough) { fault = $0 }
            }
            return fault.map { "it is damaged: SQLite says \"\($0)\"." }
        } catch {
            let isDamage = (error.underlying as? SQLiteError)?.isDamage ?? (error.code == .notADatabase)
            return isDamage ? "it is damaged." : nil
        }
    }

    /// Checks that a backup is an intact cache that this release can read.
    ///
    /// - Returns: The state of the store in the backup.
    /// - Throws: ``MoltError`` with the code `backupUnusable`.
    @discardableResult
    static func verify(_ backup: StoreBackup, at path: String) throws(MoltError) -> StoreState {
        let state: StoreState
        do throws(MoltError) {
            state = try FileProbe.state(path)
        } catch {
            if error.code == .suspended { throw .suspended() }
            throw .backupUnusable(backup, reason(error), underlying: error)
        }
        guard !state.isFresh else { throw .backupUnusable(backup, "there is nothing in it.") }
        if state.laterLayout != nil { throw .backupUnusable(backup, "only a newer release of Molt can write it.") }
        // Its pages are copied unchanged, including those of its indexes.
        if let damage = damage(path, isThorough: true) { throw .backupUnusable(backup, damage) }
        return state
    }

    /// Describes an error for a backup, because the error's own message gives advice for a cache.
    private static func reason(_ error: MoltError) -> String {
        switch error.code {
        case .notADatabase: "it is not a SQLite database."
        case .foreignFile: "it is a database that Molt did not make, or has a part that Molt did not make."
        case .newerFormat: "only a newer release of Molt can read it."
        case _ where (error.underlying as? SQLiteError)?.isDamage == true: "it is damaged."
        default: error.problem
        }
    }
}
