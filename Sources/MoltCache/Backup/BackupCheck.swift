internal import MoltCore

/// Finds out whether a file is a whole cache.
enum BackupCheck {
    /// What is wrong with a file, in a sentence; nil when it is whole, or there is none.
    ///
    /// - Parameter isThorough: Whether the indexes are compared with the rows, too. That takes longer; an index that has
    ///   not all rows loses none.
    static func damage(_ path: String, isThorough: Bool = false) -> String? {
        do {
            let words = try FileProbe.look(path) { connection throws(SQLiteError) in
                try connection.text(isThorough ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)")
            }
            return words == nil || words == "ok" ? nil : "it is damaged: SQLite says \"\(words ?? "")\"."
        } catch {
            let isDamage = (error.underlying as? SQLiteError)?.isDamage ?? (error.code == .notADatabase)
            return isDamage ? "it is damaged." : nil
        }
    }

    /// Refuses a backup that is not a whole cache that this release can read.
    ///
    /// - Returns: What it says of itself.
    /// - Throws: ``MigrationError`` with the code `backupUnusable`.
    @discardableResult
    static func verify(_ backup: StoreBackup, at path: String) throws(MigrationError) -> StoreState {
        let state: StoreState
        do throws(CacheError) {
            state = try FileProbe.state(path)
        } catch {
            throw .backupUnusable(backup, reason(error), underlying: error)
        }
        guard !state.isFresh else { throw .backupUnusable(backup, "there is nothing in it.") }
        // Its pages are copied as they are, those of its indexes too.
        if let damage = damage(path, isThorough: true) { throw .backupUnusable(backup, damage) }
        return state
    }

    /// What is wrong with a file: its error tells what to do about a cache, and not about a backup.
    private static func reason(_ error: CacheError) -> String {
        switch error.code {
        case .notADatabase: "it is no SQLite database."
        case .foreignFile: "it is a database that Molt did not make, or has a part that Molt did not make."
        case .newerFormat: "only a newer release of Molt can read it."
        case _ where (error.underlying as? SQLiteError)?.isDamage == true: "it is damaged."
        default: error.message
        }
    }
}
