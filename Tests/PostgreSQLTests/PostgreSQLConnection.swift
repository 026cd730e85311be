#if PostgreSQLTests

    import CPostgreSQL
    import Foundation

    /// A connection to the server of `.ci/postgresql`.
    final class PostgreSQLConnection: Connection {
        struct Failure: Error {
            var message: String
            /// The server's code of the error (SQLSTATE); nil if there is none.
            var code: String?

            /// Whether another process waited for what this one held, and the reverse.
            var isDeadlock: Bool { code == "40P01" }
        }

        private let handle: OpaquePointer
        /// The number of statements after which the process kills itself; nil for never.
        private var remainingStatements: Int?
        /// The only statement that counts; nil if all do.
        private let countedStatement: String?

        /// Connects to the server that the environment variable `MOLT_POSTGRESQL` describes.
        ///
        /// - Parameter statements: After that many statements the process kills itself: when it has sent the next one,
        ///   and before it knows the result.
        /// - Parameter statement: The only statement that counts; nil if all do.
        init(killedAfter statements: Int? = nil, of statement: String? = nil) throws {
            guard let server = ProcessInfo.processInfo.environment["MOLT_POSTGRESQL"] else {
                throw Failure(message: "There is no server. Run .ci/postgresql, which starts one, and the tests.")
            }
            guard let handle = PQconnectdb(server) else { throw Failure(message: "libpq has no memory.") }
            self.handle = handle
            remainingStatements = statements
            countedStatement = statement
            guard PQstatus(handle) == CONNECTION_OK else { throw failure }
        }

        deinit {
            PQfinish(handle)
        }

        func rows(_ query: String, _ values: [String]) throws -> [Row] {
            try strings(query, values).map { columns in
                guard columns.count == 4, let version = Int(columns[2]) else {
                    throw Failure(message: "No row of documents: \(query)")
                }
                return Row(key: columns[0], type: columns[1], version: version, content: columns[3])
            }
        }

        func execute(_ statement: String, _ values: [String] = []) throws {
            _ = try strings(statement, values)
        }

        func transaction<Result>(_ body: () throws -> Result) throws -> Result {
            try execute("BEGIN")
            do {
                let result = try body()
                try execute("COMMIT")
                return result
            } catch {
                try? execute("ROLLBACK")
                throw error
            }
        }

        /// Executes a statement; returns the number of rows that it changed.
        func changedRows(_ statement: String, _ values: [String]) throws -> Int {
            let result = try result(statement, values)
            defer { PQclear(result) }
            return Int(String(cString: PQcmdTuples(result))) ?? 0
        }

        /// Executes a query; returns the columns of its rows as text.
        func strings(_ query: String, _ values: [String] = []) throws -> [[String]] {
            let result = try result(query, values)
            defer { PQclear(result) }
            return (0..<PQntuples(result)).map { row in
                (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }
            }
        }

        private func result(_ statement: String, _ values: [String]) throws -> OpaquePointer {
            let copies = values.map { strdup($0) }
            defer { for copy in copies { free(copy) } }
            let parameters = copies.map { UnsafePointer<CChar>($0) }
            if let remaining = remainingStatements, countedStatement == nil || countedStatement == statement {
                if remaining == 0 {
                    PQsendQueryParams(handle, statement, Int32(values.count), nil, parameters, nil, nil, 0)
                    kill(getpid(), SIGKILL)
                }
                remainingStatements = remaining - 1
            }
            guard let result = PQexecParams(handle, statement, Int32(values.count), nil, parameters, nil, nil, 0) else {
                throw failure
            }
            guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
                defer { PQclear(result) }
                let code = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
                if code == "23505" { throw Unsuitable(description: failure.message) }
                throw Failure(message: failure.message, code: code)
            }
            return result
        }

        private var failure: Failure {
            Failure(message: String(cString: PQerrorMessage(handle)))
        }
    }
#endif
