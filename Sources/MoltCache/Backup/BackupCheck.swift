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
    /// - Throws: ``MigrationError`` with the code `backupUnusable`.
    static func verify(_ backup: StoreBackup, _ files: BackupFiles) throws(MigrationError) {
        let path = try files.path(of: backup)
        let state: StoreState
        do throws(CacheError) {
            state = try FileProbe.state(path)
        } catch {
            throw .backupUnusable(backup, error.message, underlying: error)
        }
        guard !state.isFresh else { throw .backupUnusable(backup, "there is nothing in it.") }
        // Its pages are copied as they are, those of its indexes too.
        if let damage = damage(path, isThorough: true) { throw .backupUnusable(backup, damage) }
    }
}
