/// The format of a cache file: its tables, its marks, and its format number.
package enum FileFormat {
    /// The `application_id` of our files: "Molt".
    package static let applicationID: Int64 = 0x4D6F_6C74
    /// The format that this release writes, stored as the mark `file_format`.
    ///
    /// A later format that this release may read but not write also has the mark `reader_format`, with the lower
    /// number: columns, tables and outcomes in the ledger may have been added. A release that changes the format of a
    /// file begins a generation in the same transaction, so that open caches notice.
    package static let number: Int64 = 1

    /// The name of the generation mark: a number that each upgrade changes, and that each backup has of its own.
    ///
    /// A connection that finds a different number knows that the records were replaced, even when version and ledger
    /// are the same. A file without the mark has the generation 0.
    static let generation = "generation"
    /// The name of the mark of a file with bytes of deleted records that are still to be erased.
    static let erasure = "erasure"
    /// The value of that mark once only the log may have such bytes; it is 1 before.
    static let erasureInLog: Int64 = 2
    /// SQL for the generation of a new file or backup: random, and far from others, as each upgrade adds 1.
    static let newGeneration = "(abs(random() >> 26) << 24)"

    /// Creates the tables and marks the file as ours; runs inside the caller's transaction.
    package static let creation = """
        PRAGMA application_id = \(applicationID);
        \(declarations.map(\.value).joined(separator: ";\n"));
        INSERT INTO molt_meta(name, value) VALUES
            ('file_format', \(number)), ('content_size', 0), ('\(generation)', \(newGeneration));
        """

    /// Makes a new database one of ours without tables, in one page: SQLite writes it for the application id.
    static func blank(pageSize: Int) -> String {
        "PRAGMA page_size = \(pageSize); PRAGMA application_id = \(applicationID)"
    }

    /// The declarations of the tables and indexes in every file, as SQLite stores them, by name.
    ///
    /// The content is the last column, so that the others are read without following its overflow pages. An upgrade
    /// writes only content and version, neither of which is indexed.
    private static let declarations: KeyValuePairs = [
        "molt_meta": """
        CREATE TABLE molt_meta(
            name TEXT PRIMARY KEY NOT NULL,
            value ANY
        ) STRICT, WITHOUT ROWID
        """,
        "molt_type": """
        CREATE TABLE molt_type(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
        ) STRICT
        """,
        "molt_record": """
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
        ) STRICT
        """,
        "molt_record_type": """
        CREATE INDEX molt_record_type ON molt_record(type_id)
        """,
        "molt_record_expiry": """
        CREATE INDEX molt_record_expiry ON molt_record(expires_at) WHERE expires_at IS NOT NULL
        """,
        "molt_ledger": """
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
            replaces TEXT,
            extra TEXT,
            is_readable INTEGER NOT NULL DEFAULT 0,
            corrections TEXT,
            is_work_pending INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """,
        "molt_journal": """
        CREATE TABLE molt_journal(
            id INTEGER PRIMARY KEY,
            store TEXT NOT NULL,
            changes BLOB NOT NULL
        ) STRICT
        """,
    ]

    /// The temporary table of postponed changes.
    static let postponedTable = """
        molt_postponed(
            round INTEGER, kind INTEGER, id INTEGER, text TEXT, PRIMARY KEY(round, kind, id)
        ) WITHOUT ROWID
        """

    static func generation(of connection: Connection) throws(SQLiteError) -> Int64 {
        try connection.integer(RowQuery.generation.sql)
    }

    /// Changes the generation, which stops other connections to the file.
    static func beginGeneration(_ connection: Connection) throws(SQLiteError) {
        try connection.execute(
            """
            INSERT INTO molt_meta(name, value) VALUES('\(generation)', 1)
            ON CONFLICT(name) DO UPDATE SET value = CAST(value AS INTEGER) + 1
            """
        )
    }

    /// The format of a file that has our tables; 0 when it has no mark.
    package static func number(of connection: Connection) throws(SQLiteError) -> Int64 {
        try mark("file_format", of: connection) ?? 0
    }

    /// Whether bytes of deleted records are still to be erased.
    static func needsErasure(_ connection: Connection) throws(SQLiteError) -> Bool {
        try mark(erasure, of: connection) != nil
    }

    /// Whether the file at a path has records, quarantined ones, or changes of other stores that are to be made.
    static func hasData(_ path: String) throws(MoltError) -> Bool {
        try FileProbe.look(path) { connection throws(SQLiteError) in try hasData(connection) } ?? false
    }

    static func hasData(_ connection: Connection) throws(SQLiteError) -> Bool {
        // The quarantine has a table only once it has a record.
        let tables =
            "SELECT name FROM sqlite_schema WHERE name IN('molt_record', 'molt_journal', '\(QuarantineTable.name)')"
        for table in try connection.prepare(tables).map({ $0.text(0) }) {
            if try connection.integer("SELECT EXISTS(SELECT 1 FROM \(table))") != 0 { return true }
        }
        return false
    }

    static func mark(_ name: String, of connection: Connection) throws(SQLiteError) -> Int64? {
        try connection.prepare("SELECT value FROM molt_meta WHERE name = '\(name)'").first { $0.integer(0) }
    }

    /// Finds out whether a database is ours or still empty.
    ///
    /// - Parameter forWriting: Whether the caller will write to it.
    /// - Returns: Whether it has our tables.
    /// - Throws: ``MoltError`` with the code `foreignFile`, `newerFormat` or `storeFailed`.
    static func recognize(
        _ connection: Connection,
        path: String,
        forWriting: Bool = false
    ) throws(MoltError) -> Bool {
        do {
            let owner = try connection.integer("PRAGMA application_id")
            let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
            guard owner == applicationID else {
                if owner == 0, tables == 0 { return false }
                throw foreign(path)
            }
            // Emptied to start afresh. A damaged file that appears to have no tables has more pages.
            if tables == 0, try connection.integer("PRAGMA page_count") == 1 { return false }
            if let object = try foreignObject(in: connection) { throw foreignSchema(path, by: object) }
            let format = try number(of: connection)
            let reader = try mark("reader_format", of: connection) ?? format
            if format == number, let table = try alteredTable(in: connection) { throw alteredSchema(path, table) }
            guard format >= 1, (1...number).contains(reader), !forWriting || format <= number else {
                throw newer(path, format, isReadable: format > number && (1...number).contains(reader))
            }
            return true
        } catch let error as SQLiteError {
            throw MoltError(error, store: path)
        } catch {
            throw error as? MoltError ?? foreign(path)
        }
    }

    /// The error for a file of a later format.
    ///
    /// - Parameter isReadable: Whether this release can read the format.
    package static func newer(_ path: String, _ format: Int64, isReadable: Bool = false) -> MoltError {
        let formats =
            isReadable
            ? "writes formats up to \(number), so the file can only be opened for reading: set "
                + "`opensNewerStores = true`"
            : "reads formats up to \(number)"
        return MoltError(
            .newerFormat,
            """
            The cache at \(path) has the file format \(format < 1 ? "unknown" : String(format)), and this release of Molt \
            \(formats).
            """,
            advice: "Update the app.",
            outcome: .unchanged,
            store: path
        )
    }

    /// A view in place of one of our tables, or a trigger on one; nil when there is none.
    ///
    /// Either would run with the cache's own statements: a trigger that deletes new rows would lose every write.
    private static func foreignObject(in connection: Connection) throws(SQLiteError) -> String? {
        try connection.prepare(
            """
            SELECT type || ' "' || name || '"' FROM sqlite_schema
            WHERE type = 'view' AND substr(name, 1, 5) = 'molt_' COLLATE NOCASE
                OR type = 'trigger' AND substr(tbl_name, 1, 5) = 'molt_' COLLATE NOCASE
            """
        ).first { $0.text(0) }
    }

    /// The name of a table or an index of ours that was declared in another way; nil when there is none.
    ///
    /// If keys were compared without case, for example, one value would replace another.
    private static func alteredTable(in connection: Connection) throws(SQLiteError) -> String? {
        let schema = try connection.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        var altered: String?
        try schema.eachRow { row throws(SQLiteError) in
            let name = row.text(0)
            let declaration = declarations.first { $0.key == name.lowercased() }?.value
            if let declaration, !isSame(row.text(1), declaration) { altered = altered ?? name }
        }
        return altered
    }

    /// Whether an object is declared as ours is; columns without a rule for other rows may have been added to a table.
    private static func isSame(_ sql: String, _ declaration: String) -> Bool {
        guard sql != declaration else { return true }
        guard let end = declaration.firstRange(of: "\n)") else { return false }
        let (columns, options) = (declaration[..<end.lowerBound], declaration[end.upperBound...])
        guard sql.hasPrefix(columns), sql.hasSuffix(")" + options) else { return false }
        let added = sql.dropFirst(columns.count).dropLast(options.count + 1).uppercased()
        let rules = ["COLLATE", "UNIQUE", "PRIMARY", "REPLACE", "IGNORE"]
        return added.trimmingPrefix { $0.isWhitespace }.hasPrefix(",") && !rules.contains { added.contains($0) }
    }

    private static func alteredSchema(_ path: String, _ table: String) -> MoltError {
        let problem = "The cache at \(path) has a \"\(table)\" that Molt did not make: its SQL differs."
        return foreign(path, problem, advice: "Restore a backup.")
    }

    private static func foreignSchema(_ path: String, by object: String) -> MoltError {
        foreign(
            path,
            "The cache at \(path) has a \(object) that Molt did not make. It would change what is read or written.",
            advice: "Remove it with any SQLite tool, or restore a backup."
        )
    }

    /// The error for a database of another app.
    package static func foreign(_ path: String) -> MoltError {
        foreign(path, "The file at \(path) is a database that Molt did not make.", advice: "Choose another path.")
    }

    private static func foreign(_ path: String, _ problem: String, advice: String) -> MoltError {
        MoltError(.foreignFile, problem, advice: advice, outcome: .unchanged, store: path)
    }
}
