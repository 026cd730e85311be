internal import MoltCore

/// Finds out whether a file is a whole cache.
enum BackupCheck {
    /// What is wrong with a file, in a sentence; nil when it is whole, or there is none.
    static func damage(_ path: String) -> String? {
        do {
            // The indexes are made anew from the rows where that is needed; whether the rows are there counts.
            let words = try FileProbe.look(path) { connection throws(SQLiteError) in
                try connection.text("PRAGMA quick_check(1)")
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
        if let damage = damage(path) { throw .backupUnusable(backup, damage) }
    }
}
