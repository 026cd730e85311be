internal import CMoltSQLite
internal import Foundation

/// A database that another library has written, and that is only read, in one transaction.
///
/// The file and its log stay as they are, byte for byte. SQLite may create or change the index of the log beside them,
/// whose name ends with `-shm`, and leave an empty log.
final class ForeignDatabase {
    private let connection: Connection
    private let path: String

    /// Opens a database and begins to read it.
    ///
    /// - Returns: Nil if there is no file.
    /// - Throws: ``SQLiteError``; or ``MoltError`` if the path cannot be looked up.
    init?(at path: String, busyTimeout: Int32, isOver: @escaping () -> Bool) throws {
        guard try FileStatus.of(path) != nil else { return nil }
        self.path = path
        do throws(SQLiteError) {
            connection = try Self.begin(path, .readOnly, busyTimeout)
        } catch {
            // The file of a library that keeps a log cannot be read in a directory that cannot be written, such as the
            // bundle of an app. Without a log, no one is writing it.
            let needsDirectory = [SQLITE_CANTOPEN, SQLITE_READONLY].contains(error.resultCode)
            guard needsDirectory, access(path, R_OK) == 0, Self.isAtRest(path) else { throw error }
            connection = try Self.begin(path, .immutable, busyTimeout)
        }
        connection.isOver = isOver
        try checkLength(FileStatus.of(path)?.size ?? 0)
    }

    private static func begin(_ path: String, _ mode: Connection.Mode, _ timeout: Int32) throws(SQLiteError)
        -> Connection
    {
        let connection = try Connection(path, mode: mode)
        connection.busyTimeout = timeout
        // A name in double quotes that is no column is an error then, and not a string.
        _ = molt_sqlite3_db_config(connection.handle, SQLITE_DBCONFIG_DQS_DML, 0)
        try connection.execute("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
        return connection
    }

    /// Whether the file has neither a log with content nor a journal.
    private static func isAtRest(_ path: String) -> Bool {
        !FileStatus.hasContent(path + "-wal") && FileStatus.isMissing(path + "-journal")
    }

    /// A file that was cut off may give rows of nulls, without an error.
    private func checkLength(_ size: Int) throws(SQLiteError) {
        guard Self.isAtRest(path), size > 0 else { return }
        let pages = try connection.integer("PRAGMA page_count")
        guard try Int64(size) >= pages * connection.integer("PRAGMA page_size") else { throw .cutOff }
    }

    func close() {
        connection.close()
    }

    // MARK: Schema

    /// The names of its tables and views.
    func tableNames() throws(SQLiteError) -> [String] {
        try connection.prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name")
            .map { row throws(SQLiteError) in row.text(0) }
    }

    /// The names of a table's columns, generated ones too.
    func columnNames(of table: String) throws(SQLiteError) -> [String] {
        try connection.prepare("SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1", table)
            .map { row throws(SQLiteError) in row.text(0) }
    }

    /// Whether rows of a table have a number of their own: not those of views, and of tables without it.
    func hasRowID(_ table: String) throws(SQLiteError) -> Bool {
        guard try isTable(table) else { return false }
        return (try? connection.prepare("SELECT t.rowid FROM \(Self.quoted(table)) AS t LIMIT 0")) != nil
    }

    /// The entities of a Core Data store by their numbers, each with the number of its parent.
    func entities() throws(SQLiteError) -> [(number: Int64, name: String, parent: Int64)] {
        try connection.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
            .map { row throws(SQLiteError) in (row.integer(0), row.text(1), row.integer(2)) }
    }

    /// The number of a table's rows that are of none of some entities.
    func count(_ table: String, besides entities: [Int64]) throws(SQLiteError) -> Int {
        let numbers = entities.map(String.init).joined(separator: ", ")
        let condition = "t.Z_ENT IS NULL OR t.Z_ENT NOT IN (\(numbers))"
        return Int(try connection.integer("SELECT count(*) FROM \(Self.quoted(table)) AS t WHERE \(condition)"))
    }

    // MARK: Rows

    /// A column of another table, whose row has the value of a column of this one in a column of its own.
    struct Reference: Hashable {
        var column: String
        var table: String
        var target: String
    }

    /// A column of the table, or of a row that it refers to.
    struct Cell: Hashable {
        var column: String
        var reference: Reference?
    }

    /// Throws if the pages of a table are damaged.
    func check(_ table: String) throws(SQLiteError) {
        guard try isTable(table) else { return }
        do throws(SQLiteError) {
            let answer = try connection.prepare("PRAGMA quick_check(\(Self.quoted(table)))")
                .first { row throws(SQLiteError) in row.text(0) }
            guard answer == "ok" else { throw .damagedTable }
        } catch {
            // An index may need a collation or a function of the other library.
            guard error.resultCode == SQLITE_ERROR else { throw error }
        }
    }

    private func isTable(_ name: String) throws(SQLiteError) -> Bool {
        try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE",
            name
        ) > 0
    }

    func count(_ table: String, entities: [Int64]?) throws(SQLiteError) -> Int {
        Int(try connection.integer("SELECT count(*) FROM \(Self.quoted(table)) AS t" + Self.condition(entities)))
    }

    /// A statement that gives the rows of a table: their numbers, or null, and then some cells.
    ///
    /// - Parameter entities: Those of a Core Data store that the rows may have; nil for any.
    func rows(
        of table: String,
        cells: [Cell],
        withRowID hasRowID: Bool,
        entities: [Int64]?
    ) throws(SQLiteError) -> Statement {
        var references: [Reference] = []
        for case let reference? in cells.map(\.reference) where !references.contains(reference) {
            references.append(reference)
        }
        var columns = [hasRowID ? "t.rowid" : "NULL"]
        for cell in cells {
            let source = cell.reference.flatMap { references.firstIndex(of: $0) }.map { "r\($0)" } ?? "t"
            columns.append("\(source).\(Self.quoted(cell.column))")
        }
        var sql = "SELECT \(columns.joined(separator: ", ")) FROM \(Self.quoted(table)) AS t"
        for (index, reference) in references.enumerated() {
            sql += " LEFT JOIN \(Self.quoted(reference.table)) AS r\(index)"
            sql += " ON r\(index).\(Self.quoted(reference.target)) = t.\(Self.quoted(reference.column))"
        }
        sql += Self.condition(entities)
        if hasRowID { sql += " ORDER BY t.rowid" }
        return try Statement(sql, on: connection, isLasting: true)
    }

    private static func condition(_ entities: [Int64]?) -> String {
        entities.map { " WHERE t.Z_ENT IN (\($0.map(String.init).joined(separator: ", ")))" } ?? ""
    }

    private static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

extension SQLiteError {
    fileprivate static let cutOff = SQLiteError(extendedCode: SQLITE_CORRUPT, message: "the end of the file is missing")
    fileprivate static let damagedTable = SQLiteError(extendedCode: SQLITE_CORRUPT, message: "the table is damaged")
}

extension Statement {
    /// The storage class of a column's value.
    enum Class {
        case null, integer, real, text, blob
    }

    func storageClass(_ column: Int32) -> Class {
        switch type(of: column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }
}
