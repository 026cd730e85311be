internal import Foundation

/// What the store has got from the files that the app ships.
///
/// The table is created with the first such file, in the transaction that applies it.
package struct SeedTable: OptionalTable {
    static let name = "molt_seed"

    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    package static let creation = """
        CREATE TABLE IF NOT EXISTS molt_seed(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            digest TEXT NOT NULL,
            version INTEGER NOT NULL,
            records BLOB NOT NULL
        ) STRICT
        """

    /// What the store remembers of a seed.
    struct Entry {
        /// The digest of the file that was applied last.
        var digest: String
        /// The schema version of the records.
        var version: Int
        /// An export of what its files have had so far.
        var records: [UInt8]
    }

    /// The digests of the files that were applied last, by the names of their seeds.
    var digests: [String: String] {
        get throws(SQLiteError) {
            let rows = try connection.prepare("SELECT name, digest FROM molt_seed").map { ($0.text(0), $0.text(1)) }
            return Dictionary(firstOf: rows)
        }
    }

    /// What the store remembers of a seed; nil if it never had a file of it.
    func entry(_ name: String) throws(SQLiteError) -> Entry? {
        try connection.prepare("SELECT digest, version, records FROM molt_seed WHERE name = ?1", name)
            .first { Entry(digest: $0.text(0), version: Int(clamping: $0.integer(1)), records: Array($0.bytes(2))) }
    }

    func set(_ entry: Entry, of name: String) throws(SQLiteError) {
        let statement = try connection.prepare(
            """
            INSERT INTO molt_seed(name, digest, version, records) VALUES(?1, ?2, ?3, ?4)
            ON CONFLICT(name) DO UPDATE
            SET digest = excluded.digest, version = excluded.version, records = excluded.records
            """
        )
        try statement.bind([name, entry.digest, entry.version])
        try statement.run(bindingInPlace: Data(entry.records), as: .blob, at: 4)
    }
}
