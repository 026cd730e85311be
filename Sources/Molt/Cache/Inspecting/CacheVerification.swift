internal import CMoltSQLite
internal import Foundation

/// The check of a whole file, on one snapshot.
struct CacheVerification {
    private(set) var findings: [CacheFile.Finding] = []
    private static let limit = 1_000

    private let connection: Connection
    private let progress: (Double) -> Void
    private let isCancelled: () -> Bool
    /// The share of SQLite's own check in the work, by time.
    private static let structurePart = 0.55

    init(_ connection: Connection, progress: @escaping (Double) -> Void, isCancelled: @escaping () -> Bool) {
        self.connection = connection
        self.progress = progress
        self.isCancelled = isCancelled
    }

    /// - Throws: ``SQLiteError`` when the check is cancelled, or when reading fails for another reason than damage.
    mutating func run() throws(SQLiteError) {
        connection.isOver = isCancelled
        defer { connection.isOver = nil }
        findings = []
        progress(0)
        try look(.structure, "The file cannot be read to the end.") { check throws(SQLiteError) in
            try check.connection.eachFault(upTo: Self.limit) { line in
                // As in "row 7 missing from index molt_record_type".
                check.add(line.contains(" index ") ? .index : .structure, line)
            }
        }
        progress(Self.structurePart)
        try look(.record, "The records cannot be read to the end.") { check throws(SQLiteError) in
            try check.checkRecords()
        }
        try look(.bookkeeping, "Molt's own tables cannot be read.") { check throws(SQLiteError) in
            try check.checkBookkeeping()
        }
        progress(1)
    }

    /// Runs one part of the check; damage that stops it is a finding.
    private mutating func look(
        _ kind: CacheFile.Finding.Kind,
        _ message: String,
        _ body: (inout CacheVerification) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        do throws(SQLiteError) {
            try body(&self)
        } catch {
            // A missing table or column gives SQLITE_ERROR.
            guard error.isDamage || error.resultCode == SQLITE_ERROR else { throw error }
            add(kind, "\(message) \(error.message)")
        }
    }

    private mutating func checkRecords() throws(SQLiteError) {
        let version = try connection.integer(.userVersion)
        let last = max(1, try connection.integer(RowQuery.lastID.sql))
        let rows = try connection.prepare(.checked)
        var count = 0
        try rows.eachRow { row throws(SQLiteError) in
            count += 1
            if count.isMultiple(of: 4_096) {
                let done = Double(row.integer(0)) / Double(last)
                progress(Self.structurePart + (1 - Self.structurePart) * done)
            }
            check(row, version)
        }
    }

    private mutating func check(_ row: Statement, _ version: Int64) {
        let key = row.text(1) == "text" ? String(utf8: row.bytes(2)) : nil
        let type = row.isNull(3) ? nil : row.text(3)
        let id = row.integer(0)
        func add(_ kind: CacheFile.Finding.Kind, _ message: String) { self.add(kind, message, key, type) }
        if key == nil { add(.record, "The key of the record with the id \(id) is not text.") }
        if type == nil { add(.record, "The name of the type of the record with the id \(id) is lost.") }
        if id < 1 { add(.record, "The record has the id \(id); ids begin with 1.") }
        if row.integer(4) > version || row.integer(4) < 0 {
            add(.record, "The record was written at version \(row.integer(4)), and the store has version \(version).")
        }
        if !["null", "real", "integer"].contains(row.text(5)) { add(.record, "The time of expiry is not a number.") }
        switch row.text(6) {
        case "text":
            guard let text = String(utf8: row.bytes(7)) else { return add(.content, "The content is not UTF-8.") }
            do throws(JSONSyntaxError) {
                _ = try JSONPart(text)
            } catch {
                add(.content, "The content is not JSON text: \(error).")
            }
        case "blob": break
        default: add(.content, "The content is neither text nor data.")
        }
    }

    private mutating func checkBookkeeping() throws(SQLiteError) {
        let state = try LedgerTable.state(connection)
        // Damage in these tables is thrown as damage of the file.
        _ = try JournalTable.entries(connection)
        // A migration can be marked as applied before earlier ones ran.
        let latest = state.ledger.filter { $0.outcome.isApplied && $0.outcome != .marked }.map(\.version).max() ?? 0
        if latest > state.version {
            add(
                .bookkeeping,
                "The ledger has a migration to version \(latest), and the store has version \(state.version)."
            )
        }
    }

    private mutating func add(
        _ kind: CacheFile.Finding.Kind,
        _ message: String,
        _ key: String? = nil,
        _ typeName: String? = nil
    ) {
        guard findings.count < Self.limit else { return }
        findings.append(CacheFile.Finding(kind: kind, key: key, typeName: typeName, message: message))
    }
}
