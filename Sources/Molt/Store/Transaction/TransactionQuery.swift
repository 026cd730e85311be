/// The statements that an upgrade keeps prepared.
enum TransactionQuery: Int, CaseIterable {
    case typeNames
    case addType
    case countAll
    case countType
    case lastID
    case readTypes
    case recordByID
    case recordByKey
    case idByKey
    case write
    case writeMany
    case writeRange
    case writeExpiry
    case insert
    case delete
    case deferChange
    case hasDeferredKeys
    case heldKeys
    case isMoving
    case hasSharedKeys
    case applyDrops
    case parkKeys
    case moveKeys
    case addDeferredTypes
    case applyTypes
    case forgetDeferred
    case deferQuarantine
    case keepOriginal
    case keepOriginals
    case original

    /// The columns of the reading queries, in reading order.
    private static let columns = "SELECT id, key, type_id, version, content, expires_at FROM molt_record"

    private static let keyChanges = """
        FROM molt_deferred AS change WHERE change.stage = ?1 AND change.kind = \(DeferredKind.key)
        """

    var sql: String {
        switch self {
        case .typeNames:
            """
            SELECT name FROM molt_type NOT INDEXED
            WHERE EXISTS (SELECT 1 FROM molt_record WHERE type_id = molt_type.id) ORDER BY name
            """
        case .addType: "INSERT INTO molt_type(name) VALUES(?1)"
        case .countAll: "SELECT count(*) FROM molt_record"
        case .countType: "SELECT count(*) FROM molt_record WHERE type_id = ?1"
        case .lastID: "SELECT max(id) FROM molt_record NOT INDEXED"
        case .readTypes:
            """
            \(Self.columns) NOT INDEXED
            WHERE id > ?1 AND id <= ?2 AND (?3 IS NULL OR type_id = ?3) ORDER BY id
            """
        case .recordByID: "\(Self.columns) WHERE id = ?1"
        case .recordByKey: "\(Self.columns) WHERE key = ?1"
        case .idByKey: "SELECT id FROM molt_record WHERE key = ?1"
        case .write: "UPDATE molt_record SET content = ?1, version = ?2 WHERE id = ?3"
        case .writeMany:
            """
            UPDATE molt_record SET content = molt_content(id), version = ?3
            WHERE id >= ?1 AND id <= ?2 AND molt_has(id)
            """
        case .writeRange:
            "UPDATE molt_record SET content = molt_content(id), version = ?3 WHERE id >= ?1 AND id <= ?2"
        case .writeExpiry: "UPDATE molt_record SET expires_at = ?1 WHERE id = ?2"
        case .insert:
            """
            INSERT INTO molt_record(
                id, key, type_id, version, created_at, updated_at, accessed_at, expires_at, content
            ) VALUES(?1, ?2, ?3, ?4, ?5, ?5, ?5, ?6, ?7)
            """
        case .delete: "DELETE FROM molt_record WHERE id = ?1"
        case .deferChange:
            "INSERT OR REPLACE INTO molt_deferred(stage, kind, id, text) VALUES(?1, ?2, ?3, ?4)"
        case .hasDeferredKeys: "SELECT EXISTS (SELECT 1 \(Self.keyChanges))"
        // CROSS JOIN fixes the order, so that the new keys are looked up rather than the records.
        case .heldKeys:
            """
            SELECT change.id, change.text, other.id
            FROM molt_deferred AS change CROSS JOIN molt_record AS other ON other.key = change.text
            WHERE change.stage = ?1 AND change.kind = \(DeferredKind.key) AND other.id <> change.id ORDER BY change.id
            """
        case .isMoving: "SELECT EXISTS (SELECT 1 \(Self.keyChanges) AND change.id = ?2)"
        case .hasSharedKeys: "SELECT EXISTS (SELECT 1 \(Self.keyChanges) GROUP BY change.text HAVING count(*) > 1)"
        case .applyDrops:
            """
            DELETE FROM molt_record
            WHERE id IN (SELECT id FROM molt_deferred WHERE stage = ?1 AND kind = \(DeferredKind.drop))
            """
        case .parkKeys:
            """
            UPDATE OR FAIL molt_record SET key = CAST(x'FF' AS TEXT) || id
            WHERE id IN (SELECT id FROM molt_deferred WHERE stage = ?1 AND kind = \(DeferredKind.key))
            """
        case .moveKeys:
            "UPDATE OR FAIL molt_record SET key = change.text \(Self.keyChanges) AND change.id = molt_record.id"
        case .addDeferredTypes:
            """
            INSERT OR IGNORE INTO molt_type(name)
            SELECT DISTINCT text FROM molt_deferred WHERE stage = ?1 AND kind = \(DeferredKind.type)
            """
        case .applyTypes:
            """
            UPDATE OR FAIL molt_record SET type_id = molt_type.id
            FROM molt_deferred AS change JOIN molt_type ON molt_type.name = change.text
            WHERE change.stage = ?1 AND change.kind = \(DeferredKind.type) AND change.id = molt_record.id
            """
        case .forgetDeferred: "DELETE FROM molt_deferred WHERE stage = ?1"
        case .deferQuarantine: QuarantineTable.deferring
        case .keepOriginal: "\(Self.keeping) WHERE molt_record.id = ?1"
        case .keepOriginals:
            "\(Self.keeping) WHERE molt_record.id >= ?1 AND molt_record.id <= ?2 AND molt_has(molt_record.id)"
        case .original:
            """
            SELECT original.id, original.key, original.content, original.expires_at, original.type, original.version
            FROM temp.molt_original AS original WHERE original.id = ?1
            """
        }
    }

    /// Keeps originals of records with their current type names; a `WHERE` must follow.
    static let keeping = """
        INSERT OR IGNORE INTO temp.molt_original(id, key, type, content, expires_at, version)
        SELECT molt_record.id, molt_record.key, molt_type.name, molt_record.content, molt_record.expires_at,
            molt_record.version
        FROM molt_record CROSS JOIN molt_type ON molt_type.id = molt_record.type_id
        """
}
