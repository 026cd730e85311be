internal import Foundation

/// The quarantine: records that a migration could not convert, as they were before it.
///
/// The table is created with the first such record, inside the upgrade's transaction. Other files pay nothing for it,
/// and a release that does not know it leaves it alone.
package enum QuarantineTable {
    static let name = "molt_quarantine"

    /// Ids are never reused, so an id always means the same record.
    package static let creation = """
        CREATE TABLE IF NOT EXISTS molt_quarantine(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            record_id INTEGER NOT NULL,
            key TEXT NOT NULL,
            type TEXT NOT NULL,
            version INTEGER NOT NULL,
            expires_at REAL,
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL,
            migration TEXT NOT NULL,
            migration_version INTEGER NOT NULL,
            first_step INTEGER NOT NULL,
            step INTEGER NOT NULL,
            step_words TEXT NOT NULL,
            code TEXT NOT NULL,
            reason TEXT NOT NULL,
            property TEXT,
            quarantined_at REAL NOT NULL,
            content ANY NOT NULL
        ) STRICT
        """

    /// The names of the columns of a failure, in the order of ``MigrationReport/RecordFailure/columns``.
    static let failureColumns =
        "migration, migration_version, first_step, step, step_words, code, reason, property"

    /// The names of all columns except the id.
    private static let columns = """
        record_id, key, type, version, expires_at, created_at, updated_at, quarantined_at, content, \(failureColumns)
        """

    /// Reads the records of a quarantine, with ``columns``; the key and the type are the second and the third.
    static let reading = "SELECT \(columns) FROM molt_quarantine ORDER BY id"

    /// Adds a record with ``columns``, unless its content is there under its key already, from the same migration.
    static let adding = """
        INSERT INTO molt_quarantine(\(columns))
        SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17
        WHERE NOT EXISTS (SELECT 1 FROM molt_quarantine WHERE key = ?2 AND content IS ?9 AND migration = ?10)
        """

    /// The records that go into quarantine at the end of their round.
    static let postponedTable = """
        molt_failed(
            round INTEGER, id INTEGER, type TEXT, migration TEXT, migration_version INTEGER, first_step INTEGER,
            step INTEGER, step_words TEXT, code TEXT, reason TEXT, property TEXT, PRIMARY KEY(round, id)
        ) WITHOUT ROWID
        """

    static let postponing = """
        INSERT OR REPLACE INTO molt_failed(round, id, type, \(failureColumns))
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        """

    /// Copies the records of a round into quarantine, ordered by id.
    static func moving(hasOriginals: Bool) -> String {
        moving("molt_failed", hasOriginals: hasOriginals) + " WHERE failed.round = ?1 ORDER BY failed.id"
    }

    /// Copies one record into quarantine; the failure follows its id and the time.
    static let movingOne = moving(
        """
        (SELECT ?1 AS id, NULL AS type, ?3 AS migration, ?4 AS migration_version, ?5 AS first_step, ?6 AS step,
            ?7 AS step_words, ?8 AS code, ?9 AS reason, ?10 AS property)
        """,
        hasOriginals: false
    )

    /// Copies failed records into quarantine.
    ///
    /// Records whose type has lost its name are copied, too. With FAIL, SQLite keeps no originals for undoing the
    /// statement, which may concern every record.
    ///
    /// - Parameter hasOriginals: Whether a block may have kept originals.
    private static func moving(_ failed: String, hasOriginals: Bool) -> String {
        let original = hasOriginals ? "LEFT JOIN temp.molt_original AS original ON original.id = record.id" : ""
        func kept(_ column: String) -> String {
            hasOriginals ? "iif(original.id IS NULL, record.\(column), original.\(column))" : "record.\(column)"
        }
        let type = "coalesce(failed.type, \(hasOriginals ? "original.type, " : "")molt_type.name, '')"
        return """
            INSERT OR FAIL INTO molt_quarantine(\(columns))
            SELECT record.id, \(kept("key")), \(type), \(kept("version")), \(kept("expires_at")), record.created_at,
                record.updated_at, ?2, \(kept("content")), \(failureColumns)
            FROM \(failed) AS failed
            JOIN molt_record AS record ON record.id = failed.id
            LEFT JOIN molt_type ON molt_type.id = record.type_id
            \(original)
            """
    }
}

extension MigrationReport.RecordFailure {
    /// The values of the ``QuarantineTable/failureColumns``.
    var columns: [any SQLiteValue] {
        [
            migration.name, migration.version, firstStep, step.number, step.summary, code.rawValue, reason, property,
        ]
    }
}
