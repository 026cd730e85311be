import CMoltSQLite
import Foundation

/// A plain SQLite connection, to look at a file as any other tool would, and to change it behind the cache's back.
final class SQLite {
    struct Failure: Error {
        let code: Int32
        let message: String
    }

    private var handle: OpaquePointer?

    init(_ url: URL) throws {
        try check(sqlite3_open(url.path, &handle))
        sqlite3_busy_timeout(handle, 5_000)
    }

    deinit {
        sqlite3_close(handle)
    }

    func run(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// All rows as texts; NULL is "NULL".
    func rows(_ sql: String) throws -> [[String]] {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        var rows: [[String]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    guard let text = sqlite3_column_text(statement, column) else { return "NULL" }
                    let count = Int(sqlite3_column_bytes(statement, column))
                    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
                }
            )
        }
        return rows
    }

    /// The first column of the first row.
    func text(_ sql: String) throws -> String? {
        try rows(sql).first?.first
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw Failure(code: code, message: String(cString: sqlite3_errmsg(handle))) }
    }
}
