internal import Foundation

/// Records in a temporary database without a name, which SQLite removes, also after a kill.
final class SpooledRecords: Sendable {
    private let state: Locked<State>

    private struct State {
        let connection: Connection
        let insertion: Statement
        var count = 0
        var refusedCount = 0
        var isComplete = false
        /// The first error of the database, after which it has not all records.
        var failure: MoltError?
    }

    init() throws {
        state = try mapped { () throws(SQLiteError) in
            let connection = try Connection("", mode: .temporary)
            try connection.execute(
                """
                CREATE TABLE record(
                    id INTEGER PRIMARY KEY,
                    key TEXT NOT NULL,
                    expires_at REAL,
                    content ANY NOT NULL
                ) STRICT;
                BEGIN
                """
            )
            let sql = "INSERT INTO record(key, expires_at, content) VALUES(?1, ?2, ?3)"
            return Locked(State(connection: connection, insertion: try connection.prepare(sql)))
        }
    }

    var count: Int { state.withLock { $0.count } }

    /// The number of records that the source has given and that are not here.
    var refusedCount: Int { state.withLock { $0.refusedCount } }

    /// Counts a record that could not be added.
    func refuse() { state.withLock { $0.refusedCount += 1 } }

    /// Adds a record.
    ///
    /// - Parameter expiration: When it expires, in seconds since 1970; nil for never.
    /// - Returns: False if the records are complete.
    func add(_ record: borrowing Record, _ expiration: Double?) throws -> Bool {
        var content: [UInt8] = []
        record.writeContent(to: &content)
        let (key, storage) = (record.key, record.isData ? Statement.StorageClass.blob : .text)
        return try state.withLock { state in
            guard !state.isComplete else { return false }
            let insertion = state.insertion
            do throws(MoltError) {
                try mapped { () throws(SQLiteError) in
                    try insertion.bind(key, at: 1)
                    try insertion.bind(expiration, at: 2)
                    try content.withUnsafeBytes { bytes in
                        Result { () throws(SQLiteError) in try insertion.bind(copying: bytes, as: storage, at: 3) }
                    }.get()
                    try insertion.run()
                }
            } catch {
                state.failure = state.failure ?? error
                throw error
            }
            state.count += 1
            return true
        }
    }

    /// Refuses all later records.
    ///
    /// - Returns: The number of records.
    /// - Throws: The first error of the database, which the source may have passed over.
    func complete() throws -> Int {
        try state.withLock { state in
            state.isComplete = true
            if let failure = state.failure { throw failure }
            return state.count
        }
    }

    /// Passes the records to a closure, in the order in which they were added.
    func visit(_ body: (_ key: String, _ isData: Bool, _ expiration: Double?, UnsafeRawBufferPointer) throws -> Void)
        throws
    {
        try state.withLock { state in
            let rows = try mapped { () throws(SQLiteError) in
                try state.connection.prepare("SELECT key, expires_at, content FROM record ORDER BY id")
            }
            defer { rows.reset() }
            while try mapped(rows.step) { try body(rows.text(0), rows.isBlob(2), rows.real(1), rows.bytes(2)) }
        }
    }
}

/// Runs a closure that uses the temporary database.
private func mapped<Value>(_ body: () throws(SQLiteError) -> Value) throws(MoltError) -> Value {
    do throws(SQLiteError) {
        return try body()
    } catch {
        let (problem, advice) = error.explanation
        throw MoltError(
            .storeFailed,
            "The temporary database for the fetched records failed. \(problem)",
            advice: advice,
            underlying: error
        )
    }
}
