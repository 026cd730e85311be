/// How a cache file is laid out: tables, marks, and the number that changes when the layout does.
package enum FileFormat {
    /// Whose file it is: "Molt" as `PRAGMA application_id` has it.
    package static let applicationID: Int64 = 0x4D6F_6C74
    /// The layout that this release writes, and the newest that it reads.
    package static let number: Int64 = 4

    /// The name of the file's generation: a number that each upgrade changes, and that each backup has for itself.
    ///
    /// A connection that finds another number than before knows that the records are others, even when the version and the
    /// ledger are the same. A file in which it is missing has the generation 0.
    static let generation = "generation"
    /// The generation of a new file or backup, as SQL: random, and far from others, as each upgrade adds 1.
    static let newGeneration = "(abs(random() >> 26) << 24)"

    /// Makes the tables and marks the file as ours; runs inside the caller's transaction.
    ///
    /// The content is the last column so that the others are read without following a large content's pages.
    /// An upgrade writes content and version only, and neither is in an index.
    package static let creation = """
        PRAGMA application_id = \(applicationID);
        CREATE TABLE molt_meta(
            name TEXT PRIMARY KEY NOT NULL,
            value ANY
        ) STRICT, WITHOUT ROWID;
        INSERT INTO molt_meta(name, value) VALUES
            ('file_format', \(number)), ('content_size', 0), ('\(generation)', \(newGeneration));
        CREATE TABLE molt_type(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE molt_record(
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            type_id INTEGER NOT NULL,
            version INTEGER NOT NULL,
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL,
            accessed_at REAL NOT NULL,
            expires_at REAL,
            content ANY NOT NULL
        ) STRICT;
        CREATE INDEX molt_record_type ON molt_record(type_id);
        CREATE INDEX molt_record_expiry ON molt_record(expires_at) WHERE expires_at IS NOT NULL;
        CREATE TABLE molt_ledger(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            version INTEGER NOT NULL,
            outcome TEXT NOT NULL,
            applied_at REAL NOT NULL,
            duration REAL NOT NULL,
            records_read INTEGER NOT NULL,
            records_changed INTEGER NOT NULL,
            records_dropped INTEGER NOT NULL,
            records_created INTEGER NOT NULL,
            records_quarantined INTEGER NOT NULL,
            app_version TEXT NOT NULL,
            molt_version TEXT NOT NULL,
            attached_counts TEXT,
            fingerprint TEXT,
            is_readable INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        \(journal)
        """

    /// Keeps what is to be done to attached stores after a commit.
    private static let journal = """
        CREATE TABLE molt_journal(
            id INTEGER PRIMARY KEY,
            store TEXT NOT NULL,
            changes BLOB NOT NULL
        ) STRICT;
        """

    /// The table of the changes that wait for the end of a stage; a temporary one, unless migrations commit in batches.
    package static let deferredTable = """
        molt_deferred(
            stage INTEGER, kind INTEGER, id INTEGER, text TEXT, PRIMARY KEY(stage, kind, id)
        ) WITHOUT ROWID
        """

    /// Brings a file of an earlier layout to this one; runs inside the caller's transaction.
    ///
    /// Layout 2 added the journal, and the counts of attached stores to the ledger. A release that reads layout 1 only
    /// would not see a journal, and so must not open a file that may have one. Layout 3 added the fingerprints. Layout 4
    /// added whether older releases may read what a migration left, and the mark of an upgrade that is half done.
    static func modernize(_ connection: Connection) throws(SQLiteError) {
        let found = try number(of: connection)
        guard found < number else { return }
        if found < 2 {
            try connection.execute("ALTER TABLE molt_ledger ADD COLUMN attached_counts TEXT; \(journal)")
        }
        if found < 3 {
            try connection.execute("ALTER TABLE molt_ledger ADD COLUMN fingerprint TEXT")
        }
        try connection.execute(
            """
            ALTER TABLE molt_ledger ADD COLUMN is_readable INTEGER NOT NULL DEFAULT 0;
            UPDATE molt_meta SET value = \(number) WHERE name = 'file_format';
            """
        )
    }

    /// The generation of a file that has our tables.
    static func generation(of connection: Connection) throws(SQLiteError) -> Int64 {
        try connection.integer(RowQuery.generation.sql)
    }

    /// Changes the generation: other connections that have the file open must not go on.
    static func beginGeneration(_ connection: Connection) throws(SQLiteError) {
        try connection.execute(
            """
            INSERT INTO molt_meta(name, value) VALUES('\(generation)', 1)
            ON CONFLICT(name) DO UPDATE SET value = CAST(value AS INTEGER) + 1
            """
        )
    }

    /// The layout of a file that has our tables; 0 when it does not say.
    package static func number(of connection: Connection) throws(SQLiteError) -> Int64 {
        try connection.prepare("SELECT value FROM molt_meta WHERE name = 'file_format'").first { $0.integer(0) } ?? 0
    }

    /// Finds out whether a database is ours, or still without any table.
    ///
    /// - Returns: Whether it holds our tables.
    /// - Throws: ``CacheError`` with the code `foreignFile`, `newerFormat` or `storeFailed`.
    static func recognize(_ connection: Connection, path: String) throws(CacheError) -> Bool {
        let owner: Int64
        let tables: Int64
        let format: Int64
        do {
            owner = try connection.integer("PRAGMA application_id")
            tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
            if owner == applicationID, tables == 0, try connection.integer("PRAGMA page_count") == 1 {
                // Emptied, to be started afresh. A damaged file that seems to have no tables has more pages.
                return false
            }
            if owner == applicationID {
                if let intruder = try intruder(in: connection) { throw tamperedWith(path, by: intruder) }
                format = try number(of: connection)
            } else {
                format = 0
            }
        } catch let error as SQLiteError {
            throw CacheError(error, path: path)
        } catch let error as CacheError {
            throw error
        } catch {
            throw foreign(path)
        }
        guard owner == applicationID else {
            if owner == 0, tables == 0 { return false }
            throw foreign(path)
        }
        guard (1...number).contains(format) else {
            var error = CacheError(
                .newerFormat,
                """
                The cache at \(path) has the file format \(format == 0 ? "unknown" : String(format)), and this release of \
                Molt reads formats up to \(number). Update the app. The file was not changed.
                """
            )
            error.path = path
            throw error
        }
        return true
    }

    /// A view in the place of one of our tables, or a trigger on one that is not ours; nil when there is none.
    ///
    /// A trigger is ours by what it does, and not by its name.
    ///
    /// They would run with what the cache does: a trigger that deletes what is written makes every write a loss.
    private static func intruder(in connection: Connection) throws(SQLiteError) -> String? {
        try connection.prepare(
            """
            SELECT type || ' "' || name || '"' FROM sqlite_schema
            WHERE type = 'view' AND substr(name, 1, 5) = 'molt_' COLLATE NOCASE
                OR type = 'trigger' AND substr(tbl_name, 1, 5) = 'molt_' COLLATE NOCASE
                AND coalesce(sql, '') NOT IN (\(ownTriggers))
            """
        ).first { $0.text(0) }
    }

    /// Our triggers as SQLite keeps them, as texts of SQL.
    private static let ownTriggers = AdoptedTable.triggers.map { "'CREATE TRIGGER \($0)'" }.joined(separator: ", ")

    private static func tamperedWith(_ path: String, by intruder: String) -> CacheError {
        var error = CacheError(
            .foreignFile,
            """
            The cache at \(path) has a \(intruder) that Molt did not make. It would change what is read or written. \
            Remove it with any SQLite tool, or restore a backup. The file was not changed.
            """
        )
        error.path = path
        return error
    }

    /// The error for a database of another app.
    package static func foreign(_ path: String) -> CacheError {
        var error = CacheError(
            .foreignFile,
            "The file at \(path) is a database that Molt did not make. Choose another path. The file was not changed."
        )
        error.path = path
        return error
    }
}
