#if PostgreSQLTests

    import Foundation
    import Generators
    import Molt

    /// The table of samples, and what the processes of a test tell each other.
    struct SampleTable {
        let connection: PostgreSQLConnection

        /// Creates the table anew, with documents of random versions.
        func create(documents count: Int, _ samples: Samples, seed: UInt64) throws {
            try connection.execute("SET client_min_messages = warning")
            for table in ["documents", "writes", "sweeps", "stop"] {
                try connection.execute("DROP TABLE IF EXISTS \(table)")
            }
            try connection.execute(
                "CREATE TABLE documents (key text PRIMARY KEY, type text NOT NULL, version int NOT NULL, "
                    + "content text NOT NULL, problem text)"
            )
            try connection.execute("CREATE INDEX ON documents (version) WHERE problem IS NULL")
            try connection.execute("CREATE TABLE writes (number int, edit int, PRIMARY KEY (number, edit))")
            try connection.execute("CREATE TABLE sweeps (began float8, ended float8)")
            try connection.execute("CREATE TABLE stop ()")
            var random = SeededGenerator(seed: seed)
            try connection.execute("BEGIN")
            var keys: Set<String> = []
            for start in stride(from: 0, to: count, by: 1000) {
                let rows = try (start..<min(start + 1000, count)).flatMap { number in
                    let version = Samples.isSpam(number) ? random.below(4) : random.below(7)
                    return try samples.documents(number, edit: 0, at: version)
                }
                try insert(rows.filter { keys.insert($0.key).inserted })
            }
            try connection.execute("COMMIT")
            try connection.execute("ANALYZE documents")
        }

        func insert(_ rows: [Row]) throws {
            var values: [String] = []
            let places = rows.map { row in
                values += [row.key, row.type, "\(row.version)", row.content]
                return "($\(values.count - 3), $\(values.count - 2), $\(values.count - 1)::int, $\(values.count))"
            }
            try connection.execute(
                "INSERT INTO documents (key, type, version, content) VALUES \(places.joined(separator: ","))",
                values
            )
        }

        /// Edits a document as the release of a version does, which does not overwrite documents of later releases.
        func edit(_ number: Int, at version: Int, _ samples: Samples) throws {
            if version == Samples.migrations.version {
                let documents = DocumentTable(connection: connection, documents: samples.latest)
                try documents.upgradeDocument(forKey: Samples.key(number, at: 0))
            }
            try connection.transaction {
                let last = try connection.strings("SELECT max(edit) FROM writes WHERE number = $1", ["\(number)"])
                let edit = (Int(last.first?.first ?? "") ?? 0) + 1
                let row = try samples.document(number, edit: edit, at: version)
                let changed = try connection.changedRows(
                    "UPDATE documents SET type = $2, version = $3, content = $4, problem = NULL WHERE key = $1 AND version <= $3",
                    [row.key, row.type, "\(version)", row.content]
                )
                if changed > 0 {
                    try connection.execute("INSERT INTO writes VALUES ($1, $2)", ["\(number)", "\(edit)"])
                } else if version == Samples.migrations.version {
                    throw PostgreSQLConnection.Failure(message: "Document \(number) is missing.")
                }
            }
        }

        func stop() throws {
            try connection.execute("INSERT INTO stop DEFAULT VALUES")
        }

        var isStopped: Bool {
            get throws { try count("stop") > 0 }
        }

        /// All documents, by their keys.
        func rows() throws -> [Row] {
            try connection.rows("SELECT key, type, version, content FROM documents ORDER BY key", [])
        }

        func count(_ table: String) throws -> Int {
            Int(try connection.strings("SELECT count(*) FROM \(table)").first?.first ?? "") ?? 0
        }
    }
#endif
