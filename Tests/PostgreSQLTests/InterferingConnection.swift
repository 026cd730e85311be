#if PostgreSQLTests

    /// A connection that does something after each query.
    struct InterferingConnection: Connection {
        let connection: PostgreSQLConnection
        let interfere: () throws -> Void

        func rows(_ query: String, _ values: [String]) throws -> [Row] {
            let rows = try connection.rows(query, values)
            try interfere()
            return rows
        }

        func execute(_ statement: String, _ values: [String]) throws {
            try connection.execute(statement, values)
        }

        func transaction<Result>(_ body: () throws -> Result) throws -> Result {
            try connection.transaction(body)
        }
    }
#endif
