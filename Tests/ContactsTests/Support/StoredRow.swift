import Foundation
import TestSupport

/// A record as stored in a cache file, read with SQLite only.
struct StoredRow: Hashable {
    var key: String
    var typeName: String
    var content: [UInt8]
    /// SQLite's storage class of the content.
    var storageClass: String
    var expiration: Double?

    /// All records of a closed cache file, by key.
    static func all(in file: URL) throws -> [String: StoredRow] {
        let rows = try SQLite(immutable: file).rows(
            """
            SELECT key, name, hex(content), typeof(content), expires_at
            FROM molt_record JOIN molt_type ON molt_type.id = type_id
            """
        )
        let pairs = rows.map { row in
            (
                row[0],
                StoredRow(
                    key: row[0],
                    typeName: row[1],
                    content: SQLite.bytes(ofHex: row[2]),
                    storageClass: row[3],
                    expiration: Double(row[4])
                )
            )
        }
        return Dictionary(pairs) { $1 }
    }
}
