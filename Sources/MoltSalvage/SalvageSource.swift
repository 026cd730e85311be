internal import CMoltSQLite
internal import Molt

/// One state of a damaged file that SQLite can read: with its log, or without.
///
/// Only closures throw: a search that SQLite cannot continue ends without an error.
final class SalvageSource {
    let path: String
    private let connection: Connection
    private let limit: StepLimit
    private var lookup: Statement?
    private let tables: Set<String>
    /// The faults that SQLite reports, in its own words; at most 100 lines.
    let damage: [String]
    /// Whether the trees are sound, so that every row can be read.
    let areTreesSound: Bool
    let applicationID: Int64?
    let format: Int64?
    let version: Int64?

    /// Opens a copy; nil when SQLite cannot read it at all.
    init?(_ path: String, _ mode: Connection.Mode) {
        guard let connection = try? Connection(path, mode: mode) else { return nil }
        self.path = path
        self.connection = connection
        let sizes = [path, path + "-wal"].map { FileStatus.unfollowed($0)?.size ?? 0 }
        limit = StepLimit(bytes: sizes.reduce(0, +), on: connection)
        // A damaged schema is read as far as possible.
        connection.tolerateDamagedSchema()
        applicationID = try? connection.integer("PRAGMA application_id")
        var tables: Set<String> = []
        var schemaDamage: [String] = []
        do throws(SQLiteError) {
            // A view with such a name would run SQL that Molt did not write.
            let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'molt\\_%' ESCAPE '\\'"
            try connection.prepare(names).eachRow { row throws(SQLiteError) in tables.insert(row.text(0)) }
        } catch  where tables.isEmpty {
            return nil
        } catch {
            // The tables read so far count.
            schemaDamage.append("the schema cannot be read to its end: \(error.message)")
        }
        self.tables = tables
        // A changed byte in the schema can hide a table, which SQLite does not notice.
        for name in Self.lastingTables where tables.contains("molt_record") && !tables.contains(name) {
            schemaDamage.append("the schema has no table \(name)")
        }
        if tables.contains("molt_record") {
            var strange = Set(tables.subtracting(Self.knownTables))
            let others = "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            // A failure to read it completely was noted above.
            try? connection.prepare(others).eachRow { row throws(SQLiteError) in
                let isTable = row.text(0) == "table" && tables.contains(row.text(1))
                if !isTable, !["index", "trigger"].contains(row.text(0)) { strange.insert(row.text(1)) }
            }
            if !strange.isEmpty {
                schemaDamage.append("the schema has \(strange.count) entries of unknown kinds or names")
            }
        }
        version = try? connection.integer("PRAGMA user_version")
        format = tables.contains("molt_meta") ? try? FileFormat.number(of: connection) : nil
        let found = Self.check(connection, limit)
        damage = schemaDamage + found.lines
        areTreesSound = schemaDamage.isEmpty && found.areTreesSound
    }

    /// The tables that every cache has.
    private static let lastingTables = ["molt_meta", "molt_type", "molt_ledger"]
    /// The tables that a cache may have.
    private static let knownTables: Set = [
        "molt_record", "molt_meta", "molt_type", "molt_ledger", "molt_journal", "molt_shape", "molt_quarantine",
        "molt_handover", "molt_dropped", "molt_seed",
    ]

    deinit {
        lookup = nil
        connection.close()
    }

    /// Whether it is a cache, by its mark or its tables.
    var isOurs: Bool {
        applicationID == FileFormat.applicationID || tables.contains("molt_record")
    }

    /// Whether it is a cache without any fault that SQLite reports.
    var isSound: Bool { damage.isEmpty && isOurs }

    /// Whether it is a cache whose damage hides no records, such as that of an index.
    var mayBeUsed: Bool { areTreesSound && isOurs }

    /// The root page of a table or an index; nil when it is unknown.
    func root(of name: String) -> Int? {
        guard let search = try? connection.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?1"),
            (try? search.bind(name, at: 1)) != nil
        else { return nil }
        return (try? search.first { Int(clamping: $0.integer(0)) }) ?? nil
    }

    func has(_ table: String) -> Bool {
        tables.contains(table)
    }

    /// The faults that SQLite reports: in the trees and, if these are sound, in their contents.
    ///
    /// The second check counts the rows of an index in one instruction, which cannot be interrupted in an endless tree.
    private static func check(_ connection: Connection, _ limit: StepLimit) -> (lines: [String], areTreesSound: Bool) {
        let lines = run("PRAGMA quick_check(100)", connection, limit)
        guard lines.isEmpty else { return (lines, false) }
        return (run("PRAGMA integrity_check(100)", connection, limit), true)
    }

    private static func run(_ pragma: String, _ connection: Connection, _ limit: StepLimit) -> [String] {
        var lines: [String] = []
        limit.renew()
        do throws(SQLiteError) {
            try connection.prepare(pragma).eachRow { row throws(SQLiteError) in
                if row.text(0) != "ok" { lines.append(row.text(0)) }
            }
        } catch {
            lines.append(error.isInterruption ? "the pages of a table form a cycle" : error.message)
        }
        return lines
    }

    // MARK: Rows

    /// The maximum number of unreadable places that a scan skips; each takes dozens of look-ups.
    private static let gapLimit = 10_000

    /// The extent to which a scan has read a table.
    struct Scan {
        var gaps: [ClosedRange<Int64>] = []
        var isReadable = true

        var isWhole: Bool { isReadable && gaps.isEmpty }
    }

    /// Reads a table by ascending id, skipping unreadable places.
    ///
    /// - Parameters:
    ///   - columns: The columns; the first must be the id.
    ///   - body: Gets the id, and all columns including the id.
    func rows(
        _ columns: String,
        of table: String,
        _ body: (Int64, [ColumnValue]) throws -> Void
    ) throws -> Scan {
        var scan = Scan()
        let sql = "SELECT \(columns) FROM \(table) NOT INDEXED WHERE rowid >= ?1 ORDER BY rowid"
        guard tables.contains(table), let statement = try? connection.prepare(sql),
            let probe = try? connection.prepare(sql + " LIMIT 1")
        else {
            scan.isReadable = false
            return scan
        }
        var start = Int64.min
        // The first unreadable id. Everything up to the next row is unknown: a look-up goes through the same damaged
        // tree, and may skip rows.
        var unread: Int64?
        while true {
            let last = try read(statement, from: start) { id, values in
                if let lower = unread, id > lower { scan.gaps.append(lower...id - 1) }
                unread = nil
                try body(id, values)
            }
            guard let last else {
                if let lower = unread { scan.gaps.append(lower...Int64.max) }
                return scan
            }
            let lower = last.found ? last.id + 1 : unread ?? start
            unread = lower
            guard let next = nextReadable(from: max(lower, 0), probe), last.found || next > start,
                scan.gaps.count < Self.gapLimit
            else {
                scan.gaps.append(lower...Int64.max)
                return scan
            }
            start = next
        }
    }

    /// Reads until the end or an unreadable place.
    ///
    /// - Returns: The last id read; nil at the end, or at the greatest id.
    private func read(
        _ statement: Statement,
        from start: Int64,
        _ body: (Int64, [ColumnValue]) throws -> Void
    ) throws -> (id: Int64, found: Bool)? {
        var last = (id: start, found: false)
        limit.renew()
        defer { statement.reset() }
        guard (try? statement.bind(start, at: 1)) != nil else { return last }
        while true {
            guard let isRow = try? statement.step() else { return last }
            guard isRow else { return nil }
            let id = statement.integer(0)
            // Ids that do not grow are damage, too, and could repeat forever.
            guard last.found ? id > last.id : id >= start else { return last }
            try body(id, statement.values)
            guard id < Int64.max else { return nil }
            last = (id, true)
        }
    }

    /// The lowest id, from `lower` on, at which a scan can continue; nil when there is none.
    private func nextReadable(from lower: Int64, _ probe: Statement) -> Int64? {
        var failing = lower
        var distance: Int64 = 1
        var working: Int64?
        guard !isReadable(from: lower, probe) else { return lower }
        while working == nil {
            let (candidate, isBeyond) = lower.addingReportingOverflow(distance)
            guard !isBeyond else { return nil }
            if isReadable(from: candidate, probe) {
                working = candidate
            } else {
                failing = candidate
                guard distance <= Int64.max / 2 else { return nil }
                distance *= 2
            }
        }
        guard var found = working else { return nil }
        while found - failing > 1 {
            let middle = failing + (found - failing) / 2
            if isReadable(from: middle, probe) { found = middle } else { failing = middle }
        }
        return found
    }

    private func isReadable(from id: Int64, _ probe: Statement) -> Bool {
        limit.renew()
        defer { probe.reset() }
        guard (try? probe.bind(id, at: 1)) != nil, let isRow = try? probe.step() else { return false }
        return !isRow || probe.integer(0) >= id
    }

    func row(_ columns: String, of table: String, id: Int64) -> [ColumnValue]? {
        let sql = "SELECT \(columns) FROM \(table) NOT INDEXED WHERE id = ?1"
        if lookup == nil, tables.contains(table) { lookup = try? Statement(sql, on: connection, isLasting: true) }
        guard let statement = lookup else { return nil }
        limit.renew()
        defer { statement.reset() }
        guard (try? statement.bind(id, at: 1)) != nil, (try? statement.step()) == true else { return nil }
        return statement.integer(0) == id ? statement.values : nil
    }

    /// Reads the entries of an index of the records, from both ends.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - column: The indexed column.
    ///   - body: Gets the id and the column.
    /// - Returns: Whether the index was read completely.
    func entries(
        of index: String,
        by column: String,
        _ body: (Int64, ColumnValue) throws -> Void
    ) throws -> Bool {
        for order in ["ASC", "DESC"] {
            let sql = """
                SELECT id, \(column) FROM molt_record INDEXED BY \(index)
                WHERE \(column) IS NOT NULL ORDER BY \(column) \(order), id \(order)
                """
            guard tables.contains("molt_record"), let statement = try? connection.prepare(sql) else { return false }
            var last: (value: ColumnValue, id: Int64)?
            var isAtEnd = false
            limit.renew()
            while let isRow = try? statement.step() {
                guard isRow else {
                    isAtEnd = true
                    break
                }
                let next = (value: statement.value(1), id: statement.integer(0))
                // Entries out of order are damage, too, and could repeat forever.
                if let last, !Self.isOrdered(order == "ASC" ? (last, next) : (next, last)) { break }
                last = next
                try body(next.id, next.value)
            }
            if isAtEnd { return true }
        }
        return false
    }

    private typealias IndexEntry = (value: ColumnValue, id: Int64)

    private static func isOrdered(_ pair: (IndexEntry, IndexEntry)) -> Bool {
        switch (pair.0.value, pair.1.value) {
        case (.text(let first), .text(let second)): first.lexicographicallyPrecedes(second)
        case (.integer(let first), .integer(let second)): (first, pair.0.id) < (second, pair.1.id)
        default: false
        }
    }
}

extension Connection {
    /// Makes SQLite read a schema as far as it can be parsed; for a copy that no other connection uses.
    fileprivate func tolerateDamagedSchema() {
        _ = molt_sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
        sqlite3_exec(handle, "PRAGMA writable_schema = ON", nil, nil, nil)
    }
}
