/// The format of a cache file: its tables, its marks, and its format number.
///
/// Names in `molt_meta`:
///
/// - `file_format`: 1
/// - `reader_format`: a lower format that suffices for reading
/// - `generation`: changes with each upgrade and restore
/// - `content_size`: bytes of all contents; NULL if unknown
/// - `backup_records`: in backups, the number of records
/// - `erasure`: deleted records are still to be erased
/// - `handover`: what steps have taken out of the store is still to be handed over
/// - `move`: identifies a file that was moved to its place, or was about to be moved
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
    /// The name of the mark of a file that is moved, which a copy on another volume has in common with it.
    static let move = "move"
    /// The name of the mark with the domain of the standard suite that an upgrade has worked on.
    static let standardDomain = "standard_domain"
    /// The beginning of the names of marks for suites that had a ledger after an upgrade, which their names follow.
    static let ledgerOfSuite = "ledger of "
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
    package static func blank(pageSize: Int) -> String {
        "PRAGMA page_size = \(pageSize); PRAGMA application_id = \(applicationID)"
    }

    /// Whether a file has our tables; one that was begun anew has none until it is opened.
    static func hasTables(_ connection: Connection) throws(SQLiteError) -> Bool {
        try connection.hasTable("molt_meta")
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

    /// The size of SQLite's header at the beginning of a file, in bytes.
    static let headerSize = 100
    /// The first bytes of SQLite's header.
    static let beginning = Array("SQLite format 3\0".utf8)

    /// Whether a header is that of a file of ours in WAL mode, at most at a schema version.
    ///
    /// Layout: sqlite.org/fileformat2.html, section 1.3.
    static func mayOpen(_ header: [UInt8], upTo version: Int) -> Bool {
        header.starts(with: beginning) && header[18...19].allSatisfy { $0 == 2 }
            && header.number32(at: 68) == applicationID && header.number32(at: 60) <= version
    }

    static func generation(of connection: Connection) throws(SQLiteError) -> Int64 {
        try connection.integer(RowQuery.generation.sql)
    }

    /// Changes the generation, which stops other connections to the file.
    static func beginGeneration(_ connection: Connection) throws(SQLiteError) {
        // Two statements, because SQLite takes longer to prepare one with a conflict clause.
        try connection.execute("UPDATE molt_meta SET value = CAST(value AS INTEGER) + 1 WHERE name = '\(generation)'")
        guard connection.changes == 0 else { return }
        try connection.execute("INSERT INTO molt_meta(name, value) VALUES('\(generation)', 1)")
    }

    /// The format of a file that has our tables; 0 when it has no mark.
    package static func number(of connection: Connection) throws(SQLiteError) -> Int64 {
        try mark("file_format", of: connection) ?? 0
    }

    /// The marks that an opening reads.
    struct Marks {
        /// See ``FileFormat/number``; nil when the file has no mark.
        fileprivate(set) var format: Int64?
        /// The format of a reader; nil when it is the same.
        fileprivate(set) var reader: Int64?
        /// See ``FileFormat/generation``.
        fileprivate(set) var generation: Int64 = 0
        fileprivate(set) var needsErasure = false
        /// See ``HandoverTable/mark``.
        fileprivate(set) var hasHandovers = false
        /// See ``FileFormat/standardDomain``.
        fileprivate(set) var standardDomain: String?
        /// The suites, as attached stores, that upgrades have given a ledger.
        fileprivate(set) var suitesWithLedger: Set<String> = []

        init(_ connection: Connection) throws(SQLiteError) {
            let marks = try connection.prepare("SELECT name, value FROM molt_meta")
            try marks.eachRow { row throws(SQLiteError) in
                switch row.text(0) {
                case "file_format": format = row.integer(1)
                case "reader_format": reader = row.integer(1)
                case FileFormat.generation: generation = row.integer(1)
                case FileFormat.erasure: needsErasure = true
                case HandoverTable.mark: hasHandovers = true
                case FileFormat.standardDomain: standardDomain = row.text(1)
                case let name where name.hasPrefix(FileFormat.ledgerOfSuite):
                    suitesWithLedger.insert(String(name.dropFirst(FileFormat.ledgerOfSuite.count)))
                default: break
                }
            }
        }
    }

    /// Whether the file at a path has records, also quarantined ones or ones that are still to be handed over, or
    /// changes of other stores that are to be made.
    static func hasData(_ path: String) throws(MoltError) -> Bool {
        try FileProbe.look(path) { connection throws(SQLiteError) in try hasData(connection) } ?? false
    }

    static func hasData(_ connection: Connection) throws(SQLiteError) -> Bool {
        // The quarantine and the handovers have tables only once there is something in them.
        let tables = """
            SELECT name FROM sqlite_schema
            WHERE name IN('molt_record', 'molt_journal', '\(QuarantineTable.name)', '\(HandoverTable.name)')
            """
        for table in try connection.prepare(tables).map({ $0.text(0) }) {
            if try connection.integer("SELECT EXISTS(SELECT 1 FROM \(table))") != 0 { return true }
        }
        return false
    }

    static func mark(_ name: String, of connection: Connection) throws(SQLiteError) -> Int64? {
        try connection.prepare("SELECT value FROM molt_meta WHERE name = ?1", name).first { $0.integer(0) }
    }

    static func setMark(_ name: String, to value: some SQLiteValue, of connection: Connection) throws(SQLiteError) {
        try connection.run("INSERT OR REPLACE INTO molt_meta(name, value) VALUES(?1, ?2)", name, value)
    }

    /// Marks a file as one of a format, and as one of the two files of a move, in a transaction of its own.
    static func setFormat(_ format: Int64, move: Int64, of connection: Connection) throws(SQLiteError) {
        try connection.beginWriting()
        try setMark("file_format", to: format, of: connection)
        try setMark(Self.move, to: move, of: connection)
        // Only a format that this release does not write says which one can read it.
        if format > number {
            try setMark("reader_format", to: number, of: connection)
        } else {
            try connection.run("DELETE FROM molt_meta WHERE name = 'reader_format'")
        }
        try connection.commit()
    }

    /// Marks a copy as a backup, which has a generation of its own.
    static func markAsBackup(_ connection: Connection, recordCount: Int) throws(SQLiteError) {
        try setMark("backup_records", to: Int64(recordCount), of: connection)
        try setMark(generation, to: connection.integer("SELECT \(newGeneration)"), of: connection)
    }

    /// The number of records in a backup or in a file that was set aside; nil if they cannot be counted.
    static func recordCount(of connection: Connection) throws(SQLiteError) -> Int? {
        if let count = try mark("backup_records", of: connection) { return Int(clamping: count) }
        // A file that was moved aside has no mark, and may be damaged.
        return try? connection.recordCount()
    }

    /// Notes that only the log may still have bytes of deleted records, unless the generation has changed.
    static func noteErasure(ifStill generation: Int64, _ connection: Connection) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE molt_meta SET value = ?1 WHERE name = '\(erasure)'
                AND ?2 = coalesce((SELECT value FROM molt_meta WHERE name = '\(self.generation)'), 0)
            """,
            erasureInLog,
            generation
        )
    }

    /// Notes that no bytes of deleted records are left, unless more have been deleted.
    static func endErasure(_ connection: Connection) throws(SQLiteError) {
        try connection.run("DELETE FROM molt_meta WHERE name = '\(erasure)' AND value = ?1", erasureInLog)
    }

    /// Finds out whether a database is ours or still empty.
    ///
    /// - Parameter forWriting: Whether the caller will write to it.
    /// - Returns: Its marks if it has our tables; otherwise nil.
    /// - Throws: ``MoltError`` with the code `foreignFile`, `newerFormat` or `storeFailed`.
    @discardableResult
    static func recognize(
        _ connection: Connection,
        path: String,
        forWriting: Bool = false
    ) throws(MoltError) -> Marks? {
        do {
            let owner = try connection.integer(.applicationID)
            let schema = try SchemaReading(connection)
            guard owner == applicationID else {
                if owner == 0, schema.isEmpty { return nil }
                throw foreign(path)
            }
            // Emptied to start afresh. A damaged file that appears to have no tables has more pages.
            if schema.isEmpty, try connection.integer(.pageCount) == 1 { return nil }
            if let object = schema.foreignObject { throw foreignSchema(path, by: object) }
            let marks = try Marks(connection)
            let format = marks.format ?? 0
            let reader = marks.reader ?? format
            if format == number, let table = schema.alteredTable {
                let problem = "The cache at \(path) has a \"\(table)\" that Molt did not make: its SQL differs."
                throw foreign(path, problem, advice: "Restore a backup.")
            }
            guard format >= 1, (1...number).contains(reader), !forWriting || format <= number else {
                throw newer(path, format, isReadable: format > number && (1...number).contains(reader))
            }
            return marks
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
            ? "writes formats up to \(number), so the file can only be opened for reading, with "
                + "`CodableCache(reading:)`"
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

    /// What a database has in the place of our tables and indexes, found by reading its schema once.
    private struct SchemaReading {
        /// Whether the database has no tables.
        private(set) var isEmpty = true
        /// A view in place of one of our tables, or a trigger on one; nil when there is none.
        ///
        /// Either would run with the cache's own statements: a trigger that deletes new rows would lose every write.
        private(set) var foreignObject: String?
        /// The name of a table or an index of ours that was declared in another way; nil when there is none.
        ///
        /// If keys were compared without case, for example, one value would replace another.
        private(set) var alteredTable: String?

        init(_ connection: Connection) throws(SQLiteError) {
            let schema = try connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")
            try schema.eachRow { row throws(SQLiteError) in
                isEmpty = false
                let (type, name) = (row.text(0), row.text(1))
                if type == "view" && isOurs(name) || type == "trigger" && isOurs(row.text(2)) {
                    foreignObject = foreignObject ?? "\(type) \"\(name)\""
                }
                // The indexes of UNIQUE columns have no SQL.
                guard !row.isNull(3) else { return }
                let declaration =
                    declarations.first { row.isText(1, $0.key) }
                    ?? declarations.first {
                        $0.key == name.lowercased()
                    }
                if let declaration, !row.isText(3, declaration.value), !isSame(row.text(3), declaration.value) {
                    alteredTable = alteredTable ?? name
                }
            }
        }

        /// Whether a name is one that we give, in any case.
        private func isOurs(_ name: String) -> Bool { name.lowercased().utf8.starts(with: "molt_".utf8) }
    }

    /// Whether an object is declared as ours is; columns without a rule for other rows may have been added to a table.
    private static func isSame(_ sql: String, _ declaration: String) -> Bool {
        guard let end = declaration.firstRange(of: "\n)") else { return false }
        let (columns, options) = (declaration[..<end.lowerBound], declaration[end.upperBound...])
        guard sql.hasPrefix(columns), sql.hasSuffix(")" + options) else { return false }
        let added = sql.dropFirst(columns.count).dropLast(options.count + 1).uppercased()
        let rules = ["COLLATE", "UNIQUE", "PRIMARY", "REPLACE", "IGNORE"]
        return added.trimmingPrefix { $0.isWhitespace }.hasPrefix(",") && !rules.contains { added.contains($0) }
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
