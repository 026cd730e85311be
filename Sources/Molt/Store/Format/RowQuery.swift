/// The statements about records, their types and their sizes; whoever repeats them keeps them prepared.
package enum RowQuery: Int, CaseIterable {
    case begin, beginWrite, commit, dataVersion, generation
    // Records that have not expired.
    case get, dates, nameOfKey, keys, keysOfType, keysChanged, rowsOfType, liveCount, countOfType, hasType
    // All records.
    case count, scanned, lastID, rangeOfIDs, rangeOfType, numberOfType, outdated, scan
    case recordByID, recordByKey, recordWithType, hasRow, rowAsRead, hasOlder
    case stored, storedPage, storedByKey, storedInKeyOrder, storedAfterKey, checked, sample
    case typeNames, types, nextTypeID, typeID, nameOfType, summaryOfTypes
    case addType, renameType, mergeType, deleteType
    case set, replace, insert, insertGroup, write, writeRange, writeMany, writeAsRead, writeExpiry
    case delete, deleteOfType, deleteExpired, remove, removeExpired, removeAll, removeType
    case touch, touchAll, indexUses, oldest, oldSize, contentSize, sumSizes, saveSize, forgetSize

    /// The number of records that one statement adds, which takes two thirds of the time of as many statements.
    static let groupSize = 16

    private static let currentGeneration = "SELECT value FROM molt_meta WHERE name = '\(FileFormat.generation)'"
    private static let live = "(expires_at IS NULL OR expires_at > ?1)"
    private static let expired = "expires_at IS NOT NULL AND expires_at <= ?1"
    /// A left join, so that a record is found even when its type has lost its name.
    private static let withType = "FROM molt_record LEFT JOIN molt_type ON molt_type.id = type_id"
    /// The columns of a stored record with its dates.
    private static let storedRow = """
        SELECT molt_record.id, key, name, expires_at, version, typeof(content) = 'blob', content,
            created_at, updated_at, accessed_at
        \(withType)
        """
    /// The columns that a ``RecordBatch`` reads.
    private static let batch = "SELECT id, key, type_id, version, content, expires_at"

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
        case .dates: "SELECT created_at, updated_at FROM molt_record WHERE key = ?2 AND \(Self.live)"
        case .nameOfKey: "SELECT \(Self.typeName) FROM molt_record WHERE key = ?2 AND \(Self.live)"
        case .keys: "SELECT key FROM molt_record WHERE \(Self.live) ORDER BY id"
        case .keysOfType: "SELECT key FROM molt_record WHERE \(condition) AND \(Self.live) ORDER BY id"
        case .keysChanged:
            """
            SELECT id, key FROM molt_record
            WHERE \(condition) AND \(Self.live) AND version > ?3 AND id > ?4 AND id <= ?5 ORDER BY id LIMIT 1000
            """
        case .rowsOfType:
            """
            SELECT molt_record.id, content, key, name, expires_at, version \(Self.withType)
            WHERE \(condition) AND \(Self.live) ORDER BY molt_record.id
            """
        // Both counts come from an index.
        case .liveCount:
            "SELECT (SELECT count(*) FROM molt_record) - (SELECT count(*) FROM molt_record WHERE \(Self.expired))"
        case .countOfType: "SELECT count(*) FROM molt_record WHERE \(condition) AND \(Self.live)"
        case .hasType: "SELECT EXISTS(SELECT 1 FROM molt_record WHERE \(condition) AND \(Self.live))"
        case .count: "SELECT count(*) FROM molt_record"
        case .scanned: "SELECT count(*) FROM molt_record NOT INDEXED"
        case .lastID: "SELECT max(id) FROM molt_record NOT INDEXED"
        case .rangeOfIDs: "SELECT (SELECT min(id) FROM molt_record NOT INDEXED), (\(RowQuery.lastID.sql))"
        case .sample:
            """
            SELECT \(Self.typeName), \(Self.size), length(CAST(key AS BLOB)), id
            FROM molt_record NOT INDEXED WHERE id >= ?1 ORDER BY id
            """
        // In a subquery of its own, each comes from the index without a scan.
        case .rangeOfType:
            """
            SELECT (SELECT min(id) FROM molt_record WHERE type_id = ?1),
                (SELECT max(id) FROM molt_record WHERE type_id = ?1)
            """
        case .numberOfType: "SELECT count(*) FROM molt_record WHERE type_id = ?1"
        // All rows, because they are counted.
        case .outdated: "\(Self.batch), updated_at FROM molt_record NOT INDEXED WHERE id > ?1 ORDER BY id"
        case .scan:
            """
            \(Self.batch) FROM molt_record NOT INDEXED
            WHERE id > ?1 AND id <= ?2 AND (?3 IS NULL OR type_id = ?3) ORDER BY id
            """
        case .recordByID: "\(Self.batch) FROM molt_record WHERE id = ?1"
        case .recordByKey: "\(Self.batch) FROM molt_record WHERE key = ?1"
        case .recordWithType:
            """
            SELECT molt_record.id, key, name, version, content, expires_at
            FROM molt_record CROSS JOIN molt_type ON molt_type.id = type_id WHERE molt_record.id = ?1
            """
        case .hasRow: "SELECT EXISTS(SELECT 1 FROM molt_record WHERE id = ?1 AND key = ?2)"
        case .rowAsRead:
            "SELECT key, \(Self.size) FROM molt_record WHERE id = ?1 AND version = ?2 AND updated_at IS ?3"
        case .hasOlder: "SELECT EXISTS(SELECT 1 FROM molt_record NOT INDEXED WHERE version < ?1)"
        case .stored: "\(Self.storedRow) ORDER BY molt_record.id"
        case .storedPage:
            """
            \(Self.storedRow) WHERE molt_record.id > ?1 AND (?2 IS NULL OR molt_type.name = ?2)
            ORDER BY molt_record.id LIMIT ?3
            """
        case .storedByKey: "\(Self.storedRow) WHERE key = ?1"
        // With one condition for both, SQLite would search the index from its start.
        case .storedInKeyOrder: "\(Self.storedRow) ORDER BY key"
        case .storedAfterKey: "\(Self.storedRow) WHERE key > ?1 ORDER BY key"
        case .checked:
            """
            SELECT molt_record.id, typeof(key), key, molt_type.name, molt_record.version, typeof(expires_at),
                typeof(content), content
            FROM molt_record NOT INDEXED LEFT JOIN molt_type ON molt_type.id = type_id ORDER BY molt_record.id
            """
        case .typeNames:
            """
            SELECT name FROM molt_type NOT INDEXED
            WHERE EXISTS (SELECT 1 FROM molt_record WHERE type_id = molt_type.id) ORDER BY name
            """
        case .types: "SELECT id, name FROM molt_type NOT INDEXED"
        case .nextTypeID: "SELECT min(type_id) FROM molt_record WHERE type_id > ?1"
        case .typeID: "SELECT id FROM molt_type WHERE name = ?1"
        case .nameOfType: "SELECT name FROM molt_type WHERE id = ?1"
        case .summaryOfTypes:
            """
            SELECT coalesce(name, '?'), count(*), sum(\(Self.size)), min(version), max(version) \(Self.withType)
            GROUP BY type_id ORDER BY name
            """
        case .addType: "INSERT INTO molt_type(name) VALUES(?1)"
        case .renameType: "UPDATE molt_type SET name = ?1 WHERE id = ?2"
        // With FAIL, SQLite keeps no originals for undoing the statement, which may change every record. A damaged
        // index must not hide a record.
        case .mergeType: "UPDATE OR FAIL molt_record NOT INDEXED SET type_id = ?1 WHERE type_id = ?2"
        case .deleteType: "DELETE FROM molt_type WHERE id = ?1"
        case .set:
            """
            INSERT INTO molt_record(
                key, type_id, version, created_at, updated_at, accessed_at, expires_at, content
            ) VALUES(?2, ?3, ?4, coalesce(?8, ?1), ?1, ?7, ?5, ?6)
            ON CONFLICT(key) DO UPDATE SET
                type_id = excluded.type_id, version = excluded.version, content = excluded.content,
                created_at = coalesce(?8, CASE WHEN expires_at <= ?1 THEN ?1 ELSE created_at END),
                updated_at = ?1, accessed_at = ?7, expires_at = excluded.expires_at
            """
        // The type's index stays as it is, and with an update of one row, unlike with an ON CONFLICT clause, SQLite
        // keeps no originals of pages to undo the statement. The plus sign leaves the key's index as the only one.
        case .replace:
            """
            UPDATE molt_record SET
                version = ?4, content = ?6,
                created_at = coalesce(?8, CASE WHEN expires_at <= ?1 THEN ?1 ELSE created_at END),
                updated_at = ?1, accessed_at = ?7, expires_at = ?5
            WHERE key = ?2 AND +type_id = ?3
            """
        case .insert: Self.insertion(of: 1)
        case .insertGroup: Self.insertion(of: Self.groupSize)
        case .write: "UPDATE molt_record SET content = ?1, version = ?2 WHERE id = ?3"
        case .writeRange: Self.rangeUpdate
        case .writeMany: "\(Self.rangeUpdate) AND molt_has(id)"
        // A record may have been written since it was read, or its id reused.
        case .writeAsRead: "\(Self.rangeUpdate) AND molt_is_as_read(id, version, updated_at)"
        case .writeExpiry: "UPDATE molt_record SET expires_at = ?1 WHERE id = ?2"
        case .delete: "DELETE FROM molt_record WHERE id = ?1"
        // A damaged index must not hide a record.
        case .deleteOfType: "DELETE FROM molt_record NOT INDEXED WHERE type_id = ?1"
        case .deleteExpired: "DELETE FROM molt_record WHERE \(Self.expired)"
        case .remove:
            """
            DELETE FROM molt_record WHERE key = ?2
            RETURNING key, \(Self.typeName), \(Self.size), coalesce(expires_at <= ?1, 0)
            """
        case .removeExpired:
            "DELETE FROM molt_record WHERE \(Self.expired) RETURNING key, \(Self.typeName), \(Self.size)"
        case .removeAll: "DELETE FROM molt_record"
        case .removeType: "DELETE FROM molt_record WHERE type_id = ?1"
        case .touch: "UPDATE molt_record SET accessed_at = ?1 WHERE id = ?2 AND accessed_at < ?1"
        case .touchAll: "UPDATE molt_record SET accessed_at = ?1"
        case .indexUses: "CREATE INDEX IF NOT EXISTS molt_record_use ON molt_record(accessed_at)"
        case .oldest: "SELECT key FROM molt_record ORDER BY accessed_at LIMIT 1"
        case .oldSize: "SELECT \(Self.size) FROM molt_record WHERE key = ?1"
        case .contentSize: "SELECT value FROM molt_meta WHERE name = 'content_size'"
        case .sumSizes: "SELECT coalesce(sum(\(Self.size)), 0) FROM molt_record"
        case .saveSize: "UPDATE molt_meta SET value = ?1 WHERE name = 'content_size' AND value IS NOT ?1"
        case .forgetSize: "UPDATE molt_meta SET value = NULL WHERE name = 'content_size' AND value IS NOT NULL"
        }
    }

    /// SQL that writes rows of a ``ContentSource`` whose ids are all in a range, and no other row's.
    private static let rangeUpdate =
        "UPDATE molt_record SET content = molt_content(id), version = ?3 WHERE id >= ?1 AND id <= ?2"

    /// SQL that adds records, except those whose keys are in use; the first five parameters are common to them.
    ///
    /// With IGNORE, unlike with an ON CONFLICT clause, SQLite keeps no originals of pages to undo the statement.
    private static func insertion(of count: Int) -> String {
        let rows = (0..<count).map { index in
            let first = 6 + 4 * index
            return "(?\(first), ?\(first + 1), ?1, ?2, ?3, ?4, ?5, ?\(first + 2), ?\(first + 3))"
        }
        return """
            INSERT OR IGNORE INTO molt_record(
                id, key, type_id, version, created_at, updated_at, accessed_at, expires_at, content
            ) VALUES \(rows.joined(separator: ", "))
            """
    }

    /// SQL that reads the records up to the id in the second parameter from a snapshot.
    ///
    /// The first parameter is the id of their type, if there is one; the third is the time at which those that are
    /// skipped have expired, if some are.
    static func snapshot(of types: WantedTypes, expiredAt: Double?) -> String {
        """
        \(batch) FROM molt_record NOT INDEXED
        WHERE id <= ?2 \(types.onlyID == nil ? "" : "AND type_id = ?1")
            \(expiredAt == nil ? "" : "AND (expires_at IS NULL OR expires_at > ?3)") ORDER BY id
        """
    }

    /// The names of the indexes with an entry for each record, by key and by type.
    static let fullIndexes = ["sqlite_autoindex_molt_record_1", "molt_record_type"]

    /// SQL that counts the entries at the end of an index; `count(*)` alone takes the smallest one, whichever is named.
    static func end(ofIndex name: String) -> String {
        "SELECT count(*) FROM (SELECT 1 FROM molt_record INDEXED BY \(name) LIMIT 2 OFFSET ?1)"
    }
}

extension Connection {
    /// A statement that is run once.
    func prepare(_ query: RowQuery, _ values: any SQLiteValue...) throws(SQLiteError) -> Statement {
        let statement = try prepare(query.sql)
        try statement.bind(values)
        return statement
    }
}
