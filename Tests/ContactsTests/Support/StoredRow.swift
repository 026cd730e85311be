import CMoltSQLite
import Foundation
import Testing

/// A record as it lies in a cache file, read with SQLite alone.
struct StoredRow: Hashable {
    var key: String
    var typeName: String
    var content: [UInt8]
    /// SQLite's name of the content's storage class.
    var storageClass: String
    var expiration: Double?

    /// All records of a file that no cache has open, by key.
    static func all(in file: URL) throws -> [String: StoredRow] {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        // Immutable, so that reading leaves no file beside this one.
        let uri = file.absoluteString + "?immutable=1"
        try #require(sqlite3_open_v2(uri, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil) == SQLITE_OK)
        let sql = """
            SELECT key, name, content, typeof(content), expires_at
            FROM molt_record JOIN molt_type ON molt_type.id = type_id
            """
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        try #require(sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK)
        var rows: [String: StoredRow] = [:]
        while true {
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else {
                try #require(code == SQLITE_DONE)
                return rows
            }
            let key = String(decoding: bytes(statement, 0), as: UTF8.self)
            rows[key] = StoredRow(
                key: key,
                typeName: String(decoding: bytes(statement, 1), as: UTF8.self),
                content: bytes(statement, 2),
                storageClass: String(decoding: bytes(statement, 3), as: UTF8.self),
                expiration: sqlite3_column_type(statement, 4) == SQLITE_NULL ? nil : sqlite3_column_double(statement, 4)
            )
        }
    }

    /// Makes a database that has a table of another app.
    static func writeForeignDatabase(to file: URL) throws {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        try #require(sqlite3_open(file.path, &connection) == SQLITE_OK)
        try #require(sqlite3_exec(connection, "CREATE TABLE invoice (number)", nil, nil, nil) == SQLITE_OK)
    }

    private static func bytes(_ statement: OpaquePointer?, _ column: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(statement, column)
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }
}
