internal import Foundation

/// Reads and writes the changes that attached stores get after a commit.
enum JournalTable {
    /// The names of the attached stores with pending changes.
    static func stores(_ connection: Connection) throws(SQLiteError) -> [String] {
        try connection.prepare("SELECT store FROM molt_journal ORDER BY id").map(name)
    }

    static func entries(_ connection: Connection) throws(SQLiteError) -> [JournalEntry] {
        let query = "SELECT store, changes FROM molt_journal ORDER BY id"
        return try connection.prepare(query).map { row throws(SQLiteError) in
            JournalEntry(store: try name(row), changes: Array(row.bytes(1)))
        }
    }

    /// The store of a row; an attached store always has a name.
    private static func name(_ row: Statement) throws(SQLiteError) -> String {
        let name = row.text(0)
        guard !name.isEmpty else { throw .missingStoreName }
        return name
    }

    static func add(_ entries: [JournalEntry], to connection: Connection) throws(SQLiteError) {
        let insertion = try connection.prepare("INSERT INTO molt_journal(store, changes) VALUES(?1, ?2)")
        for entry in entries {
            try insertion.bind(entry.store, at: 1)
            try insertion.run(bindingInPlace: Data(entry.changes), as: .blob, at: 2)
        }
    }

    static func remove(_ stores: [String], from connection: Connection) throws(SQLiteError) {
        let deletion = try connection.prepare("DELETE FROM molt_journal WHERE store = ?1")
        for store in stores {
            try deletion.run(binding: store)
        }
    }

    static func clear(_ connection: Connection) throws(SQLiteError) {
        try connection.execute("DELETE FROM molt_journal")
    }
}
