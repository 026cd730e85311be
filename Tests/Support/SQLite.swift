internal import CMoltSQLite
package import Foundation

/// A plain SQLite connection, to read a file as any other tool would, and to change it without the cache's knowledge.
package final class SQLite {
    package struct Failure: Error {
        package let code: Int32
        package let message: String
    }

    private var handle: OpaquePointer?

    /// Opens a file, and creates it if needed.
    package convenience init(_ url: URL) throws {
        try self.init(url.path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    }

    /// Opens a file that no process writes, without creating files beside it.
    package convenience init(immutable url: URL) throws {
        try self.init(url.absoluteString + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    }

    private init(_ name: String, _ flags: Int32) throws {
        try check(sqlite3_open_v2(name, &handle, flags, nil))
        sqlite3_busy_timeout(handle, 5_000)
        // Apple's SQLite would keep an empty log after the connection is closed.
        var isLogKept: Int32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isLogKept)
    }

    deinit {
        sqlite3_close(handle)
    }

    package func run(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Returns all rows as strings; NULL is "NULL".
    ///
    /// - Parameter values: The texts of the parameters; nil for NULL.
    package func rows(_ sql: String, binding values: [String?] = []) throws -> [[String]] {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() {
            guard let value else { continue }
            // SQLITE_TRANSIENT: SQLite copies the text.
            let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            try check(sqlite3_bind_text(statement, Int32(index + 1), value, -1, transient))
        }
        var rows: [[String]] = []
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return rows }
            guard code == SQLITE_ROW else { throw failure(code) }
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    guard let text = sqlite3_column_text(statement, column) else { return "NULL" }
                    let count = Int(sqlite3_column_bytes(statement, column))
                    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
                }
            )
        }
    }

    /// Returns the first column of the first row.
    package func text(_ sql: String) throws -> String? {
        try rows(sql).first?.first
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> Failure {
        Failure(code: code, message: String(cString: sqlite3_errmsg(handle)))
    }
}
