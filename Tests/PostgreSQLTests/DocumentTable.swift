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

    /// A connection of your PostgreSQL client, whose error 23505 (unique_violation) becomes `Unsuitable`.
    protocol Connection {
        func rows(_ query: String, _ values: [String]) throws -> [Row]
        func execute(_ statement: String, _ values: [String]) throws
        func transaction<Result>(_ body: () throws -> Result) throws -> Result
    }

    struct DocumentTable {
        let connection: any Connection
        let documents: DocumentUpgrade
        private let select = "SELECT key, type, version, content FROM documents"

        /// Returns a document in today's form.
        func document(forKey key: String) throws -> DocumentUpgrade.Output? {
            guard let row = try connection.rows("\(select) WHERE key = $1", [key]).first else { return nil }
            let document = try upgrade(row)[0]
            return document.isDropped ? nil : document
        }

        /// Stores a document in today's form, before you write to it.
        func upgradeDocument(forKey key: String) throws {
            try connection.transaction {
                let older = "\(select) WHERE key = $1 AND version < $2 FOR UPDATE"
                for row in try connection.rows(older, [key, "\(documents.version)"]) { try replace(row) }
            }
        }

        /// Stores up to 100 older documents that no other worker holds; returns false if there are none.
        func upgradeBatch() throws -> Bool {
            try connection.transaction {
                let older = "WHERE version < $1 AND problem IS NULL ORDER BY version LIMIT 100 FOR UPDATE SKIP LOCKED"
                let rows = try connection.rows("\(select) \(older)", ["\(documents.version)"])
                for row in rows {
                    try connection.execute("SAVEPOINT document", [])
                    do {
                        try replace(row)
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

        /// Returns the document in today's form, then those that were extracted from it.
        private func upgrade(_ row: Row) throws -> [DocumentUpgrade.Output] {
            try documents.upgradeAll(Data(row.content.utf8), ofType: row.type, writtenAt: row.version, forKey: row.key)
        }

        private func replace(_ row: Row) throws {
            for (index, new) in try upgrade(row).enumerated() {
                let content = String(decoding: new.content, as: UTF8.self)
                let values = [new.key, new.typeName, "\(new.version)", content]
                if new.isDropped {
                    try connection.execute("DELETE FROM documents WHERE key = $1", [row.key])
                } else if new.isData {
                    throw Unsuitable(description: "The raw data of \(new.key) does not fit in a text column.")
                } else if index == 0 {
                    let set = "SET key = $1, type = $2, version = $3, content = $4, problem = NULL"
                    try connection.execute("UPDATE documents \(set) WHERE key = $5", values + [row.key])
                } else {
                    let columns = "(key, type, version, content) VALUES ($1, $2, $3, $4)"
                    try connection.execute("INSERT INTO documents \(columns) ON CONFLICT (key) DO NOTHING", values)
                    if try document(forKey: new.key) != new {
                        throw Unsuitable(description: "It contains another \(new.key) than is stored.")
                    }
                }
            }
        }
    }
#endif
