/// The temporary table of the keys that an upgrade changes, filled by triggers; it lives as long as the connection.
enum ChangedKeyTable {
    /// Begins to record keys, inside the upgrade's transaction.
    static let begin = """
        CREATE TEMP TABLE IF NOT EXISTS molt_changed(
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, existed INTEGER NOT NULL, exists_now INTEGER
        ) STRICT;
        \(trigger("inserted", "INSERT", [("new", 0)]))
        \(trigger("deleted", "DELETE", [("old", 1)]))
        \(trigger("updated", "UPDATE OF key, content", [("old", 1), ("new", 0)]))
        """

    /// Ends recording before the commit, and finds out which keys have a record now.
    static let end = """
        DROP TRIGGER temp.molt_inserted;
        DROP TRIGGER temp.molt_deleted;
        DROP TRIGGER temp.molt_updated;
        UPDATE temp.molt_changed
        SET exists_now = EXISTS(SELECT 1 FROM main.molt_record AS record WHERE record.key = molt_changed.key);
        DELETE FROM temp.molt_changed WHERE NOT existed AND NOT exists_now;
        """

    static let exists = "SELECT EXISTS(SELECT 1 FROM sqlite_temp_schema WHERE name = 'molt_changed')"
    static let next = "SELECT id, key, exists_now FROM temp.molt_changed WHERE id > ?1 ORDER BY id LIMIT ?2"

    /// A trigger that adds keys unless they are known; the first change of a key decides whether it existed.
    private static func trigger(_ name: String, _ event: String, _ keys: [(row: String, existed: Int)]) -> String {
        let additions = keys.map { row, existed in
            "INSERT INTO molt_changed(key, existed) SELECT \(row).key, \(existed) "
                + "WHERE NOT EXISTS(SELECT 1 FROM molt_changed WHERE key = \(row).key);"
        }
        return "CREATE TEMP TRIGGER molt_\(name) AFTER \(event) ON main.molt_record BEGIN "
            + additions.joined(separator: " ") + " END;"
    }
}
