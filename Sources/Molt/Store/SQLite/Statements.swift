/// Prepared statements by enumeration case; an array look-up keeps hot paths free of hashing.
struct Statements<Query: RawRepresentable & CaseIterable> where Query.RawValue == Int {
    let connection: Connection
    private let sql: (Query) -> String
    private var prepared: [Statement?]

    init(on connection: Connection, sql: @escaping (Query) -> String) {
        self.connection = connection
        self.sql = sql
        prepared = Array(repeating: nil, count: Query.allCases.count)
    }

    /// The statement for a case, prepared at its first use.
    subscript(query: Query) -> Statement {
        mutating get throws(SQLiteError) {
            if let statement = prepared[query.rawValue] { return statement }
            let statement = try Statement(sql(query), on: connection, isLasting: true)
            prepared[query.rawValue] = statement
            return statement
        }
    }

    mutating func removeAll() {
        for index in prepared.indices { prepared[index] = nil }
    }
}
