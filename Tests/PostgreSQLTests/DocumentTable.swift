#if PostgreSQLTests

    import Foundation
    import Molt

    // The code of the guide "Upgrading documents in your own database"; `.ci/examples` compares them.

    struct Row {
        var key, type: String
        var version: Int
        var content: String
    }

    /// The reason why a document stays as it is.
    struct Unsuitable: Error, CustomStringConvertible {
        let description: String
    }

    /// A connection of your PostgreSQL client.
    protocol Connection {
        func rows(_ query: String, _ values: [String]) throws -> [Row]
        func execute(_ statement: String, _ values: [String]) throws
    }

    struct DocumentTable {
        let connection: any Connection
        let documents: DocumentUpgrade
        /// Whether a document that is read is stored in today's form; false while old builds still run.
        var storesWhenReading = true
        private let select = "SELECT key, type, version, content FROM documents"

        /// Returns a document in today's form.
        func document(forKey key: String) throws -> DocumentUpgrade.Output? {
            guard let row = try connection.rows("\(select) WHERE key = $1", [key]).first else { return nil }
            let document = try upgrade(row)
            if storesWhenReading, row.version < document.version { try store(document, inPlaceOf: row) }
            return document.isDropped ? nil : document
        }

        /// Upgrades up to 100 older documents that no other worker holds; returns false if there are none.
        func upgradeBatch() throws -> Bool {
            try connection.execute("BEGIN", [])
            do {
                let older = "\(select) WHERE version < $1 AND problem IS NULL ORDER BY version LIMIT 100"
                let rows = try connection.rows("\(older) FOR UPDATE SKIP LOCKED", ["\(documents.version)"])
                for row in rows {
                    do {
                        try store(upgrade(row), inPlaceOf: row)
                    } catch let error where error is MoltError || error is Unsuitable {
                        let update = "UPDATE documents SET problem = $2 WHERE key = $1"
                        try connection.execute(update, [row.key, "\(error)"])
                    }
                }
                try connection.execute("COMMIT", [])
                return !rows.isEmpty
            } catch {
                try? connection.execute("ROLLBACK", [])
                throw error
            }
        }

        private func upgrade(_ row: Row) throws -> DocumentUpgrade.Output {
            let content = Data(row.content.utf8)
            let new = try documents.upgrade(content, ofType: row.type, writtenAt: row.version, forKey: row.key)
            if new.isData, !new.isDropped {
                throw Unsuitable(description: "Raw data of \(row.type) \(row.key) does not fit in a text column.")
            }
            return new
        }

        private func store(_ new: DocumentUpgrade.Output, inPlaceOf row: Row) throws {
            let isUnchanged = "WHERE key = $1 AND version = $2 AND content = $3"
            let old = [row.key, "\(row.version)", row.content]
            if new.isDropped { return try connection.execute("DELETE FROM documents \(isUnchanged)", old) }
            if new.key != row.key, try !connection.rows("\(select) WHERE key = $1", [new.key]).isEmpty {
                throw Unsuitable(description: "\(row.type) \(row.key) gets the key \(new.key) of another document.")
            }
            let columns = "key = $4, type = $5, version = $6, content = $7, problem = NULL"
            let values = [new.key, new.typeName, "\(new.version)", String(decoding: new.content, as: UTF8.self)]
            try connection.execute("UPDATE documents SET \(columns) \(isUnchanged)", old + values)
        }
    }
#endif
