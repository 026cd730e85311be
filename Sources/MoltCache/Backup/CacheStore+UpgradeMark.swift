internal import MoltCore

/// The marks, in the file itself, of an upgrade that goes on in a later transaction, and perhaps in a later opening.
extension CacheStore {
    /// The name of the backup that was made before the upgrade.
    private static let backupMark = "upgrade_backup"
    /// What the store was when a part was committed, see ``contentsMark(_:)``; none while a migration is half done.
    private static let contentsMark = "upgrade_contents"

    /// Keeps which backup was made before an upgrade, and what the store is now.
    package func keepUpgradeBackup(_ name: String?) throws {
        guard let connection else { return }
        do throws(SQLiteError) {
            try connection.execute(
                "DELETE FROM molt_meta WHERE name IN ('\(Self.backupMark)', '\(Self.contentsMark)')"
            )
            guard let name else { return }
            try Self.write(name, as: Self.backupMark, to: connection)
            // Nobody else writes to a store in which a migration is half done, and each of its batches would count all.
            guard try UnfinishedMark.read(connection) == nil else { return }
            try Self.write(try Self.contentsMark(connection), as: Self.contentsMark, to: connection)
        } catch {
            throw MigrationError(error, store: storeName)
        }
    }

    /// The backup that was made before the upgrade of which a part is committed.
    ///
    /// A release that knows the version in between may have gone on using the store, or another opening have ended the
    /// upgrade: then it is another state, and there is none.
    package func upgradeBackup() throws -> String? {
        guard let connection else { return nil }
        do throws(SQLiteError) {
            guard let name = try Self.read(Self.backupMark, from: connection) else { return nil }
            if try UnfinishedMark.read(connection) != nil { return name }
            let contents = try Self.contentsMark(connection)
            return try Self.read(Self.contentsMark, from: connection) == contents ? name : nil
        } catch {
            throw MigrationError(error, store: storeName)
        }
    }

    /// A text that is another one after whatever an app writes, and after another migration.
    private static func contentsMark(_ connection: Connection) throws(SQLiteError) -> String {
        // The times as microseconds, and less than a prime, so that the sum of them all stays within 64 bits.
        let query = """
            SELECT count(*) || '-' || coalesce(max(id), 0) || '-'
                || coalesce(sum(CAST(updated_at * 1000000 AS INTEGER) % 2147483647), 0)
                || '-' || (SELECT count(*) FROM molt_ledger)
            FROM molt_record
            """
        let records = try connection.prepare(query).first { $0.text(0) } ?? ""
        return "\(try connection.integer("PRAGMA user_version"))-\(records)"
    }

    private static func read(_ mark: String, from connection: Connection) throws(SQLiteError) -> String? {
        try connection.prepare("SELECT value FROM molt_meta WHERE name = '\(mark)'").first { $0.text(0) }
    }

    private static func write(_ text: String, as mark: String, to connection: Connection) throws(SQLiteError) {
        let statement = try connection.prepare("INSERT OR REPLACE INTO molt_meta(name, value) VALUES('\(mark)', ?1)")
        try statement.bind(text, at: 1)
        try statement.run()
    }
}
