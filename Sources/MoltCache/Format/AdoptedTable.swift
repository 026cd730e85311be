/// The records whose key is a file name of Cache, because their real key was not known.
///
/// The table is created with the first such record, so other caches pay nothing for it.
package enum AdoptedTable {
    /// Creates the table with triggers that maintain it: code that deletes or rekeys records need not know of it.
    private static let creation = """
        CREATE TABLE IF NOT EXISTS molt_adopted(
            record_id INTEGER PRIMARY KEY,
            digest TEXT NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS molt_adopted_digest ON molt_adopted(digest);
        \(triggers.map { "CREATE TRIGGER IF NOT EXISTS \($0);" }.joined(separator: "\n"))
        """

    /// The triggers as SQLite stores them, after "CREATE TRIGGER".
    static let triggers = [
        """
        molt_adopted_deleted AFTER DELETE ON molt_record BEGIN
            DELETE FROM molt_adopted WHERE record_id = old.id;
        END
        """,
        """
        molt_adopted_keyed AFTER UPDATE OF key ON molt_record BEGIN
            DELETE FROM molt_adopted WHERE record_id = old.id;
        END
        """,
    ]

    package static func make(_ connection: Connection) throws(SQLiteError) {
        try connection.execute(creation)
    }
}
