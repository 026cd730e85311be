#if PostgreSQLTests

    import Foundation
    import Molt

    // The code of the guide "Upgrading many documents with an engine"; `.ci/examples` compares them.

    struct Row {
        var key, type: String
        var version: Int
        var content: String
    }

    /// The reason why a document stays as it is.
    struct Unsuitable: Error, CustomStringConvertible {
        let description: String
    }

    /// The server's error 23505 (unique_violation).
    struct KeyIsTaken: Error {}

    /// A connection of your PostgreSQL client; both functions throw `KeyIsTaken` and errors of the client.
    protocol Connection {
        func rows(_ query: String, _ values: [String]) throws -> [Row]
        func execute(_ statement: String, _ values: [String]) throws
    }

    struct DocumentTable {
        let connection: any Connection
        let documents: DocumentUpgrade
        /// Whether a document that is read is stored in today's form; false while old builds still run.
        var storesWhenReading = true
        private let columns = "key, type, version, content"

        /// Returns a document in today's form.
        func document(forKey key: String) throws -> DocumentUpgrade.Output? {
            guard let row = try row(forKey: key) else { return nil }
            let new = try upgrade(row)
            if storesWhenReading, row.version < documents.version {
                try inTransaction { try store(new, inPlaceOf: row) }
            }
            return new[0].isDropped ? nil : new[0]
        }

        /// Upgrades up to 100 older documents that no other worker holds; returns false if there are none.
        func upgradeBatch() throws -> Bool {
            try inTransaction {
                let older = "WHERE version < $1 AND problem IS NULL ORDER BY version LIMIT 100 FOR UPDATE SKIP LOCKED"
                let rows = try connection.rows("SELECT \(columns) FROM documents \(older)", ["\(documents.version)"])
                for row in rows {
                    try connection.execute("SAVEPOINT document", [])
                    do {
                        try store(upgrade(row), inPlaceOf: row)
                    } catch let error where error is MoltError || error is Unsuitable {
                        try connection.execute("ROLLBACK TO SAVEPOINT document", [])
                        let update = "UPDATE documents SET problem = $2 WHERE key = $1"
                        try connection.execute(update, [row.key, "\(error)"])
                    }
                    try connection.execute("RELEASE SAVEPOINT document", [])
                }
                return !rows.isEmpty
            }
        }

        private func row(forKey key: String) throws -> Row? {
            try connection.rows("SELECT \(columns) FROM documents WHERE key = $1", [key]).first
        }

        /// Returns the document in today's form, then those that were extracted from it.
        private func upgrade(_ row: Row) throws -> [DocumentUpgrade.Output] {
            let content = Data(row.content.utf8)
            let new = try documents.upgradeAll(content, ofType: row.type, writtenAt: row.version, forKey: row.key)
            if new.contains(where: { $0.isData && !$0.isDropped }) {
                throw Unsuitable(description: "Raw data of \(row.type) \(row.key) does not fit in a text column.")
            }
            return new
        }

        private func store(_ new: [DocumentUpgrade.Output], inPlaceOf row: Row) throws {
            let isUnchanged = "WHERE key = $1 AND version = $2 AND content = $3 RETURNING \(columns)"
            let old = [row.key, "\(row.version)", row.content]
            let values = new.map {
                [$0.key, $0.typeName, "\($0.version)", String(decoding: $0.content, as: UTF8.self)]
            }
            let set = "SET key = $4, type = $5, version = $6, content = $7, problem = NULL"
            do {
                let stored =
                    new[0].isDropped
                    ? try connection.rows("DELETE FROM documents \(isUnchanged)", old)
                    : try connection.rows("UPDATE documents \(set) \(isUnchanged)", old + values[0])
                if stored.isEmpty { return }  // Another process has changed it.
            } catch is KeyIsTaken {
                let reason = "gets the key \(new[0].key) of another document"
                throw Unsuitable(description: "\(row.type) \(row.key) \(reason).")
            }
            for (document, values) in zip(new, values).dropFirst() {
                let insert = "INSERT INTO documents (\(columns)) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING"
                try connection.execute(insert, values)
                guard let other = try self.row(forKey: document.key), try upgrade(other)[0] == document else {
                    let reason = "contains another \(document.key) than is stored"
                    throw Unsuitable(description: "\(row.type) \(row.key) \(reason).")
                }
            }
        }

        private func inTransaction<Result>(_ body: () throws -> Result) throws -> Result {
            try connection.execute("BEGIN", [])
            do {
                let result = try body()
                try connection.execute("COMMIT", [])
                return result
            } catch {
                try? connection.execute("ROLLBACK", [])
                throw error
            }
        }
    }
#endif
