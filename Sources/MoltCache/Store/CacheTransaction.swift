internal import MoltCore

/// The write transaction of an upgrade, over statements that are prepared at their first use and kept until its end.
final class CacheTransaction: MigrationTransaction, RecordTransaction {
    var records: (any RecordTransaction)? { self }

    let connection: Connection
    let storeName: String
    let coding: RecordCoding
    /// Whether the file was made for this upgrade.
    let isFresh: Bool
    /// The kept statements.
    var statements: Statements<TransactionQuery>
    /// Whether the table for deferred changes was made.
    var hasDeferred = false
    /// Whether the table for records that go into quarantine was made.
    var hasQuarantine = false
    /// Whether the table for originals was made.
    var hasOriginals = false
    /// Whether the table for records that wait for their keys was made.
    var hasAdopted = false
    /// Whether the indexes of the records were compared with the table.
    var isChecked = false
    /// The comparison that another thread is making.
    var indexCheck: IndexCheck?
    /// Reads what the transaction has begun with; made at its first use.
    var snapshot: Connection?
    /// How many rows the connection had changed when the transaction began to change records.
    var firstChange: Int64
    /// The time at which records had expired that were deleted before the first change; nil when none was.
    var expiredAt: Double?
    /// When statements are stopped; nil for never.
    let deadline: ContinuousClock.Instant?
    var snapshotDeadline: StatementStop?
    /// Whether what is committed must survive a loss of power.
    let isDurable: Bool
    private var isOver = false
    /// What has failed: a statement may be half done, or SQLite may have undone the whole transaction.
    private var failure: SQLiteError?

    /// The type names that were looked up.
    var typeNamesByID: [Int64: String] = [:]
    /// The one that was looked up last: most often the next one, too.
    var lastType: (id: Int64, name: String) = (0, "")
    /// For types that were read, whether that goes through all records.
    var scansByTypeID: [Int64: Bool] = [:]
    /// The numbers of records that were counted, by type.
    var counts: [Int64: Int] = [:]
    /// The number of all records, when they were counted.
    var total: Int?
    /// Memory for the content of a record that is added, used again for the next one.
    var buffer: [UInt8] = []

    init(
        _ connection: Connection,
        storeName: String,
        coding: RecordCoding,
        isFresh: Bool,
        isDurable: Bool = true,
        deadline: ContinuousClock.Instant? = nil
    ) {
        self.connection = connection
        self.storeName = storeName
        self.coding = coding
        self.isFresh = isFresh
        self.isDurable = isDurable
        self.deadline = deadline
        firstChange = connection.totalChanges
        statements = Statements(on: connection, sql: \.sql)
    }

    // MARK: The life of the transaction

    /// Drops what must not outlive the transaction; the last call before the commit.
    func finish() throws(MigrationError) {
        try mapped { () throws(SQLiteError) in
            statements.removeAll()
            closeSnapshot()
            if indexCheck != nil { try finishCheck() }
            if hasDeferred { try connection.execute("DROP TABLE temp.molt_deferred") }
            if hasOriginals { try connection.execute("DROP TABLE temp.molt_original") }
            if hasQuarantine { try connection.execute("DROP TABLE temp.molt_failed") }
            hasDeferred = false
            hasQuarantine = false
            hasOriginals = false
            try connection.execute(RowQuery.forgetSize.sql)
        }
    }

    /// Finalizes all statements, and refuses every later call.
    func invalidate() {
        statements.removeAll()
        closeSnapshot()
        indexCheck = nil
        isOver = true
    }

    /// Runs a closure, and gives a failure of SQLite the form that the pipeline's callers know; every later call has it, too.
    @inline(__always)
    func mapped<Value>(_ body: () throws(SQLiteError) -> Value) throws(MigrationError) -> Value {
        guard !isOver else {
            var error = MigrationError(
                .contextExpired,
                "The transaction was used after it had ended. Use it only inside the closure that it was given to."
            )
            error.store = storeName
            throw error
        }
        // Who caught it must not go on, and least of all commit.
        if let failure { throw MigrationError(failure, store: storeName) }
        do throws(SQLiteError) {
            return try body()
        } catch {
            failure = error
            throw MigrationError(error, store: storeName)
        }
    }

    func state() throws -> StoreState {
        try mapped { () throws(SQLiteError) in
            var state = try LedgerTable.state(connection)
            state.isFresh = isFresh
            return state
        }
    }

    func record(_ entries: [LedgerEntry], version: Int) throws {
        try mapped { () throws(SQLiteError) in
            try beginCheck()
            try LedgerTable.add(entries, version: version, to: connection)
            if entries.contains(where: { $0.outcome != .deferred }) { try ShapeTable.clear(connection) }
        }
    }

    // MARK: The journal

    func journal() throws -> [JournalEntry] {
        try mapped { () throws(SQLiteError) in try JournalTable.entries(connection) }
    }

    func addToJournal(_ entries: [JournalEntry]) throws {
        guard !entries.isEmpty else { return }
        try mapped { () throws(SQLiteError) in try JournalTable.add(entries, to: connection) }
    }

    func clearJournal() throws {
        try mapped { () throws(SQLiteError) in try JournalTable.clear(connection) }
    }
}
