internal import Foundation

/// Reads and writes the schema version and the ledger of a file that has our tables.
package enum LedgerTable {
    /// The columns of a row, except its id, in the order of ``entry(_:)`` and ``values(of:)``.
    private static let columns = """
        name, version, outcome, applied_at, duration, records_read, records_changed, records_dropped, records_created,
        records_quarantined, app_version, molt_version, attached_counts, fingerprint, replaces, extra, is_readable,
        corrections, is_work_pending
        """

    /// The version and the ledger; the caller's transaction keeps them consistent.
    ///
    /// - Parameter marks: The file's marks; nil to read them.
    static func state(_ connection: Connection, _ marks: FileFormat.Marks? = nil) throws(SQLiteError) -> StoreState {
        let version = Int(try connection.integer(.userVersion))
        var state = StoreState(
            version: version,
            isFresh: false,
            ledger: try connection.prepare("SELECT \(columns) FROM molt_ledger ORDER BY id").map(entry),
            journal: try JournalTable.stores(connection)
        )
        let marks = if let marks { marks } else { try FileFormat.Marks(connection) }
        if let layout = marks.format, layout > FileFormat.number { state.laterLayout = Int(clamping: layout) }
        state.needsErasure = marks.needsErasure
        if marks.hasHandovers { state.handovers = try HandoverTable.waiting(in: connection) }
        state.standardDomain = marks.standardDomain
        state.suitesWithLedger = marks.suitesWithLedger
        return state
    }

    package static func rows(_ connection: Connection) throws(SQLiteError) -> [LedgerEntry] {
        try state(connection).ledger
    }

    /// Makes sure that no row is lost: its migration would look as if it had never been applied.
    ///
    /// - Throws: ``SQLiteError`` for damage.
    static func checkRows(_ connection: Connection) throws(SQLiteError) {
        // Without more, SQLite counts by the index of the names. One statement with both takes longer to prepare.
        let indexed = try connection.integer("SELECT count(*) FROM molt_ledger")
        let stored = try connection.integer("SELECT count(*) FROM molt_ledger NOT INDEXED")
        guard indexed == stored else { throw .unequalIndex }
    }

    /// Adds entries and sets the version; the row of a migration that was not applied keeps its id, and that of one
    /// on read its numbers of changed, dropped and quarantined records, too.
    ///
    /// A new row begins a generation. Completing a deferred migration does not, because it changes no records.
    ///
    /// - Parameter current: The rows that the ledger has, if they are known; they are not read then.
    /// - Returns: Whether a generation has begun.
    @discardableResult
    package static func add(
        _ entries: [LedgerEntry],
        version: Int,
        to connection: Connection,
        beside current: [LedgerEntry]? = nil
    ) throws(SQLiteError) -> Bool {
        let insertion = try connection.prepare(
            """
            INSERT INTO molt_ledger(\(columns)) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(name) DO NOTHING
            """
        )
        var isNew = false
        let names = if let current { storedNames(current.map(\.name)) } else { try storedNames(connection) }
        for var entry in entries {
            try removeRows(replacedBy: &entry, connection)
            entry.name = names[entry.name] ?? entry.name
            let values = values(of: entry)
            try insertion.bind(values)
            try insertion.run()
            // Only a migration that was deferred, or is on read, has a row. SQLite takes four times as long to prepare
            // an INSERT with this in its own conflict clause.
            guard connection.changes == 0 else {
                isNew = true
                continue
            }
            let update = try connection.prepare(
                """
                UPDATE molt_ledger SET
                    version = ?2, outcome = ?3, applied_at = ?4, duration = ?5,
                    records_read = max(?6, records_changed + ?7), records_changed = records_changed + ?7,
                    records_dropped = records_dropped + ?8, records_created = ?9,
                    records_quarantined = records_quarantined + ?10,
                    app_version = ?11, molt_version = ?12, attached_counts = ?13, fingerprint = ?14, replaces = ?15,
                    extra = coalesce(?16, extra), is_readable = ?17, corrections = coalesce(?18, corrections),
                    is_work_pending = ?19
                WHERE name = ?1 AND outcome IN (\(replaceable))
                """
            )
            try update.bind(values)
            try update.run()
        }
        if isNew { try FileFormat.beginGeneration(connection) }
        try connection.set(.userVersion, to: version)
        return isNew
    }

    /// The names in the ledger as they are stored, by names that Swift takes for the same.
    ///
    /// SQLite compares bytes, and a name may have become another Unicode form in the source.
    private static func storedNames(_ connection: Connection) throws(SQLiteError) -> [String: String] {
        try storedNames(connection.prepare("SELECT name FROM molt_ledger").map { $0.text(0) })
    }

    private static func storedNames(_ names: [String]) -> [String: String] {
        Dictionary(firstOf: names.map { ($0, $0) })
    }

    /// Puts a row in the place of that of the same migration, whose name it has as stored, or adds it, sets the
    /// version, and begins a generation.
    static func replace(by entry: LedgerEntry, version: Int, in connection: Connection) throws(SQLiteError) {
        let id = try connection.integer("SELECT id FROM molt_ledger WHERE name = ?1", entry.name)
        try connection.run("DELETE FROM molt_ledger WHERE name = ?1", entry.name)
        try add([entry], version: version, to: connection)
        if id != 0 { try connection.run("UPDATE molt_ledger SET id = ?1 WHERE name = ?2", id, entry.name) }
    }

    /// Removes the rows for which ``LedgerEntry/replacesRow(_:)`` is true; one of the same name leaves its corrections.
    private static func removeRows(replacedBy entry: inout LedgerEntry, _ connection: Connection) throws(SQLiteError) {
        guard !entry.replaces.isEmpty else { return }
        for row in try state(connection).ledger where entry.replacesRow(row) {
            if row.name == entry.name {
                entry.extra = entry.extra ?? row.extra
                entry.corrections = row.corrections + entry.corrections
            }
            try connection.run("DELETE FROM molt_ledger WHERE name = ?1", row.name)
        }
    }

    /// The outcomes of rows that a migration replaces when it runs, as a list in SQL.
    private static let replaceable = [LedgerEntry.Outcome.deferred, .onRead, .unmarked]
        .map { "'\($0.rawValue)'" }.joined(separator: ", ")

    static func clear(_ connection: Connection) throws(SQLiteError) {
        try connection.execute("DELETE FROM molt_ledger")
    }

    /// Forgets what suites held when they were upgraded.
    static func forgetAttached(_ connection: Connection) throws(SQLiteError) {
        try connection.execute("UPDATE molt_ledger SET attached_counts = NULL")
    }

    /// Notes that a migration's work after the commit has succeeded.
    static func endWork(of name: String, _ connection: Connection) throws(SQLiteError) {
        let name = try storedNames(connection)[name] ?? name
        try connection.run("UPDATE molt_ledger SET is_work_pending = 0 WHERE name = ?1", name)
    }

    /// Adds to the numbers of records that migrations on read have changed, dropped and quarantined.
    static func add(
        _ changes: [(name: String, counts: MigrationReport.Counts)],
        _ connection: Connection
    ) throws(SQLiteError) {
        let update = try connection.prepare(
            """
            UPDATE molt_ledger SET records_changed = records_changed + ?3, records_dropped = records_dropped + ?4,
                records_quarantined = records_quarantined + ?5
            WHERE name = ?1 AND outcome = ?2
            """
        )
        let onRead = LedgerEntry.Outcome.onRead.rawValue
        let names = try storedNames(connection)
        for (name, counts) in changes {
            try update.run(binding: names[name] ?? name, onRead, counts.changed, counts.dropped, counts.quarantined)
        }
    }

    /// Notes that all records went through a migration on read.
    ///
    /// - Parameter read: The number of records that the last sweep has read; earlier ones may have changed more.
    /// - Parameter duration: The time that it took, in seconds.
    static func endOnRead(read: Int, duration: Double, _ name: String, _ connection: Connection) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE molt_ledger SET outcome = ?1, records_read = max(?2, records_changed), duration = ?3
            WHERE name = ?4 AND outcome = ?5
            """,
            LedgerEntry.Outcome.ran.rawValue,
            read,
            duration,
            storedNames(connection)[name] ?? name,
            LedgerEntry.Outcome.onRead.rawValue
        )
    }

    private static func values(of entry: LedgerEntry) -> [any SQLiteValue] {
        [
            entry.name, entry.version, entry.outcome.rawValue, entry.appliedAt.timeIntervalSince1970, entry.duration,
            entry.counts.read, entry.counts.changed, entry.counts.dropped, entry.counts.created,
            entry.counts.quarantined, entry.appVersion, entry.moltVersion,
            entry.attachedCounts.isEmpty ? nil : json(entry.attachedCounts), entry.fingerprint,
            entry.replaces.isEmpty ? nil : json(entry.replacedByName), entry.extra,
            entry.olderReleases.rawValue,
            entry.corrections.isEmpty ? nil : json(entry.corrections), entry.isWorkPending ? 1 : 0,
        ]
    }

    private static func entry(_ row: Statement) throws(SQLiteError) -> LedgerEntry {
        var counts = MigrationReport.Counts()
        // Numbers of a damaged file are clamped, so that sums of counts do not overflow.
        func count(_ column: Int32) -> Int { Int(clamping: min(max(row.integer(column), 0), 1 << 40)) }
        counts.read = count(5)
        counts.changed = count(6)
        counts.dropped = count(7)
        counts.created = count(8)
        counts.quarantined = count(9)
        // Without them, migrations that the store has been through would look pending or missing.
        let replaces: [String: Int]? = row.isNull(14) ? [:] : value(of: row.text(14))
        guard let replaced = replaces else { throw .malformedReplaces }
        var entry = LedgerEntry(
            name: row.text(0),
            version: Int(clamping: Int32(clamping: row.integer(1))),
            // An outcome that only a newer release knows; the migration counts as applied.
            outcome: LedgerEntry.Outcome(rawValue: row.text(2)) ?? .ran,
            appliedAt: Date(timeIntervalSince1970: row.real(3) ?? 0),
            moltVersion: row.text(11)
        )
        entry.duration = row.real(4) ?? 0
        entry.counts = counts
        entry.appVersion = row.text(10)
        // Unreadable counts are treated as none.
        entry.attachedCounts = row.isNull(12) ? [:] : value(of: row.text(12)) ?? [:]
        entry.fingerprint = row.isNull(13) ? nil : row.text(13)
        entry.olderReleases = row.integer(16) == 0 ? .nothing : row.integer(16) == 2 ? .write : .read
        entry.corrections = row.isNull(17) ? [] : value(of: row.text(17)) ?? []
        entry.isWorkPending = row.integer(18) != 0
        if !row.isNull(15) { entry.extra = row.text(15) }
        entry.replacedByName = replaced
        return entry
    }

    // MARK: JSON in a column

    private static func json(_ value: some Encodable) -> String? {
        // Strings and integers can always be encoded.
        (try? JSONEncoder(.sortedKeys).encode(value)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Decodes a JSON column; nil when it cannot be decoded.
    package static func value<Value: Decodable>(of json: String) -> Value? {
        try? JSONDecoder().decode(Value.self, fromStored: Data(json.utf8))
    }
}

extension LedgerEntry {
    /// What the row says of each migration that was replaced, as a number; in the file, and in exports.
    var replacedByName: [String: Int] {
        get { Dictionary(firstOf: replaces.map { ($0, (replacedKinds[$0] ?? .migration).rawValue) }) }
        set {
            replaces = newValue.keys.sorted()
            // A kind that only a newer release knows says nothing to this one.
            replacedKinds = newValue.compactMapValues(Replaced.init)
        }
    }
}
