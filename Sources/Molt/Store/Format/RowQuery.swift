/// The statements that a cache keeps prepared.
package enum RowQuery: Int, CaseIterable {
    case begin, beginWrite, commit, dataVersion, generation
    case get, dates, updated, nameOfKey, keys, keysOfType, keysChanged, rowsOfType, count, countOfType, hasType,
        outdated
    case typeID, nameOfType, addType
    case oldSize, set, setDated, remove, removeExpired, removeAll, removeType, upgrade, upgradeMany, upgradeRange
    case touch, oldest, contentSize, sumSizes, saveSize, forgetSize

    private static let currentGeneration = "SELECT value FROM molt_meta WHERE name = '\(FileFormat.generation)'"
    private static let live = "(expires_at IS NULL OR expires_at > ?1)"
    /// A left join, so that a record is found even when its type has lost its name.
    private static let row = """
        SELECT molt_record.id, content, key, name, expires_at, version
        FROM molt_record LEFT JOIN molt_type ON molt_type.id = type_id
        """

    /// The cast makes `length` count bytes; on text it counts characters.
    private static let size = "length(CAST(content AS BLOB))"
    private static let typeName = "(SELECT name FROM molt_type WHERE molt_type.id = type_id)"

    /// The statement's SQL; where a time is needed, it is the first parameter.
    package var sql: String { sql(ofType: "type_id = ?2") }

    /// The statement's SQL with another condition for the records of a type.
    func sql(ofType condition: String) -> String {
        switch self {
        case .begin: "BEGIN"
        case .beginWrite: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .dataVersion: "PRAGMA data_version"
        case .generation: Self.currentGeneration
        // Joined again: SQLite would return the key from the index that found the row, not the row's own.
        case .get:
            """
            SELECT (\(Self.currentGeneration)), found.id, own.id, own.content, own.key, own.type_id, own.expires_at,
                own.version
            FROM (SELECT 1) LEFT JOIN molt_record AS found ON found.key = ?1
                LEFT JOIN molt_record AS own ON own.id = found.id
            """
        case .dates: "SELECT created_at, updated_at FROM molt_record WHERE id = ?1"
        case .updated: "SELECT updated_at FROM molt_record WHERE key = ?2 AND \(Self.live)"
        case .nameOfKey: "SELECT \(Self.typeName) FROM molt_record WHERE key = ?2 AND \(Self.live)"
        case .keys: "SELECT key FROM molt_record WHERE \(Self.live) ORDER BY id"
        case .keysOfType: "SELECT key FROM molt_record WHERE \(condition) AND \(Self.live) ORDER BY id"
        case .keysChanged:
            """
            SELECT id, key FROM molt_record
            WHERE \(condition) AND \(Self.live) AND version > ?3 AND id > ?4 AND id <= ?5 ORDER BY id LIMIT 1000
            """
        case .rowsOfType: "\(Self.row) WHERE \(condition) AND \(Self.live) ORDER BY molt_record.id"
        // Both counts come from an index.
        case .count:
            """
            SELECT (SELECT count(*) FROM molt_record)
                - (SELECT count(*) FROM molt_record WHERE expires_at IS NOT NULL AND expires_at <= ?1)
            """
        case .countOfType: "SELECT count(*) FROM molt_record WHERE \(condition) AND \(Self.live)"
        case .hasType: "SELECT EXISTS(SELECT 1 FROM molt_record WHERE \(condition) AND \(Self.live))"
        case .typeID: "SELECT id FROM molt_type WHERE name = ?1"
        case .nameOfType: "SELECT name FROM molt_type WHERE id = ?1"
        case .addType: "INSERT INTO molt_type(name) VALUES(?1)"
        case .oldSize: "SELECT \(Self.size) FROM molt_record WHERE key = ?1"
        case .set:
            """
            INSERT INTO molt_record(
                key, type_id, version, created_at, updated_at, accessed_at, expires_at, content
            ) VALUES(?2, ?3, ?4, ?1, ?1, ?7, ?5, ?6)
            ON CONFLICT(key) DO UPDATE SET
                type_id = excluded.type_id, version = excluded.version, content = excluded.content,
                created_at = CASE WHEN expires_at <= ?1 THEN ?1 ELSE created_at END,
                updated_at = ?1, accessed_at = ?7, expires_at = excluded.expires_at
            """
        case .setDated:
            """
            INSERT INTO molt_record(
                key, type_id, version, created_at, updated_at, accessed_at, expires_at, content
            ) VALUES(?2, ?3, ?4, ?8, ?1, ?7, ?5, ?6)
            ON CONFLICT(key) DO UPDATE SET
                type_id = excluded.type_id, version = excluded.version, content = excluded.content,
                created_at = excluded.created_at, updated_at = excluded.updated_at, accessed_at = excluded.accessed_at,
                expires_at = excluded.expires_at
            """
        case .remove:
            """
            DELETE FROM molt_record WHERE key = ?2
            RETURNING key, \(Self.typeName), \(Self.size), coalesce(expires_at <= ?1, 0)
            """
        case .removeExpired:
            """
            DELETE FROM molt_record WHERE expires_at IS NOT NULL AND expires_at <= ?1
            RETURNING key, \(Self.typeName), \(Self.size)
            """
        case .removeAll: "DELETE FROM molt_record"
        case .removeType: "DELETE FROM molt_record WHERE type_id = ?1"
        case .touch: "UPDATE molt_record SET accessed_at = ?1 WHERE id = ?2 AND accessed_at < ?1"
        case .oldest: "SELECT key FROM molt_record ORDER BY accessed_at LIMIT 1"
        case .contentSize: "SELECT value FROM molt_meta WHERE name = 'content_size'"
        case .sumSizes: "SELECT coalesce(sum(\(Self.size)), 0) FROM molt_record"
        case .saveSize: "UPDATE molt_meta SET value = ?1 WHERE name = 'content_size' AND value IS NOT ?1"
        case .forgetSize: "UPDATE molt_meta SET value = NULL WHERE name = 'content_size' AND value IS NOT NULL"
        // All rows, because they are counted.
        case .outdated:
            """
            SELECT id, key, type_id, version, content, expires_at, updated_at FROM molt_record NOT INDEXED
            WHERE id > ?1 ORDER BY id
            """
        case .upgradeMany: ContentSource.update
        case .upgradeRange: ContentSource.rangeUpdate
        // A record may have been written since it was read, or its id reused.
        case .upgrade:
            """
            \(ContentSource.rangeUpdate) AND molt_is_as_read(id, version, updated_at)
            """
        }
    }
}
