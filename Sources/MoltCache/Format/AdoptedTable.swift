/// Remembers which records have the name of a file of Cache for their key, because the key was not known.
///
/// The table is only made when such a record is: a cache without any pays nothing for it.
package enum AdoptedTable {
    /// Makes the table, and keeps it right: who deletes a record, or gives it another key, need not know of it.
    private static let creation = """
        CREATE TABLE IF NOT EXISTS molt_adopted(
            record_id INTEGER PRIMARY KEY,
            digest TEXT NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS molt_adopted_digest ON molt_adopted(digest);
        \(triggers.map { "CREATE TRIGGER IF NOT EXISTS \($0);" }.joined(separator: "\n"))
        """

    /// The triggers, as they stand behind the words "CREATE TRIGGER" where SQLite keeps them.
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

    /// Whether there is a record that is still waiting for its key.
    static func hasRows(_ connection: Connection) throws(SQLiteError) -> Bool {
        let table = "SELECT EXISTS(SELECT 1 FROM sqlite_schema WHERE name = 'molt_adopted')"
        guard try connection.integer(table) != 0 else { return false }
        return try connection.integer("SELECT EXISTS(SELECT 1 FROM molt_adopted)") != 0
    }

    /// Makes the table unless it is there.
    package static func make(_ connection: Connection) throws(SQLiteError) {
        try connection.execute(creation)
    }
}
