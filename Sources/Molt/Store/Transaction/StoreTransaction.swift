/// The write transaction of an upgrade: the ledger, the journal and the records.
///
/// Records are identified by an `id` that never changes during the store's lifetime. Ids increase in the order of
/// insertion, and ``read(into:types:after:through:)`` returns records in that order. Statements are prepared at their
/// first use and kept until the end.
package final class StoreTransaction {
    let connection: Connection
    let storeName: String
    /// Whether the store may have records; that of a suite has none.
    let holdsRecords: Bool
    /// Whether the file was made for this upgrade.
    let isFresh: Bool
    var statements: Statements<TransactionQuery>
    /// Whether the table of deferred changes was created.
    var hasDeferred = false
    /// Whether the table of records bound for quarantine was created.
    var hasQuarantine = false
    var hasOriginals = false
    /// Reads the state at the beginning of the transaction; opened at its first use.
    var snapshot: Connection?
    /// The connection's change count when the transaction began to change records.
    var firstChange: Int64
    /// The cutoff at which expired records were deleted before the first change; nil when none were.
    var expiredAt: Double?
    let deadline: ContinuousClock.Instant?
    let isDurable: Bool
    private var isOver = false
    /// The first failure: a statement may be half done, or SQLite may have rolled back the transaction.
    private var failure: SQLiteError?

    /// All types; nil until they are needed, and after names may have changed.
    var types: TypeNameTable?
    var counts: [Int64: Int] = [:]
    var total: Int?
    /// Whether records were added, removed or written.
    var changesSizes = false
    /// Reused memory for the content of inserted records.
    var buffer: [UInt8] = []

    init(
        _ connection: Connection,
        storeName: String,
        holdsRecords: Bool = true,
        isFresh: Bool,
        isDurable: Bool = true,
        deadline: ContinuousClock.Instant? = nil
    ) {
        self.connection = connection
        self.storeName = storeName
        self.holdsRecords = holdsRecords
        self.isFresh = isFresh
        self.isDurable = isDurable
        self.deadline = deadline
        firstChange = connection.totalChanges
        statements = Statements(on: connection, sql: \.sql)
    }

    // MARK: The life of the transaction

    /// Drops temporary tables and statements; the last call before the commit.
    func finish() throws(MoltError) {
        try mapped { () throws(SQLiteError) in
            statements.removeAll()
            closeSnapshot()
            if hasDeferred { try connection.execute("DROP TABLE temp.molt_deferred") }
            if hasOriginals { try connection.execute("DROP TABLE temp.molt_original") }
            if hasQuarantine { try connection.execute("DROP TABLE temp.molt_failed") }
            hasDeferred = false
            hasQuarantine = false
            hasOriginals = false
            if changesSizes { try connection.execute(RowQuery.forgetSize.sql) }
        }
    }

    func invalidate() {
        statements.removeAll()
        closeSnapshot()
        isOver = true
    }

    /// Runs a closure and maps SQLite's errors; after a failure, every later call throws the same error.
    @inline(__always)
    func mapped<Value>(_ body: () throws(SQLiteError) -> Value) throws(MoltError) -> Value {
        precondition(!isOver, "A transaction was used after it had ended.")
        // The failure is sticky: a caller that swallowed it must not commit.
        if let failure { throw MoltError(failure, store: storeName) }
        do throws(SQLiteError) {
            return try body()
        } catch {
            failure = error
            throw MoltError(error, store: storeName)
        }
    }

    // MARK: The ledger

    /// Reads the version and the ledger inside the transaction.
    func state() throws -> StoreState {
        try mapped { () throws(SQLiteError) in
            var state = try LedgerTable.state(connection)
            state.isFresh = isFresh
            return state
        }
    }

    /// Adds rows to the ledger and sets the store's schema version; the row of a deferred migration is replaced.
    package func record(_ entries: [LedgerEntry], version: Int) throws {
        try mapped { () throws(SQLiteError) in
            try LedgerTable.add(entries, version: version, to: connection)
            if entries.contains(where: { $0.outcome != .deferred }) { try ShapeTable.clear(connection) }
        }
    }

    /// Replaces the ledger by that of another state.
    func replaceLedger(by state: StoreState) throws {
        try mapped { () throws(SQLiteError) in
            try connection.execute("DELETE FROM molt_ledger")
            try LedgerTable.add(state.ledger, version: state.version, to: connection)
        }
    }

    // MARK: The journal

    /// The pending changes to attached stores, in the order in which they were added.
    func journal() throws -> [JournalEntry] {
        try mapped { () throws(SQLiteError) in try JournalTable.entries(connection) }
    }

    /// Adds changes to attached stores, to be applied after the commit.
    package func addToJournal(_ entries: [JournalEntry]) throws {
        guard !entries.isEmpty else { return }
        try mapped { () throws(SQLiteError) in try JournalTable.add(entries, to: connection) }
    }

    /// Removes all entries, after they were applied.
    func clearJournal() throws {
        try mapped { () throws(SQLiteError) in try JournalTable.clear(connection) }
    }
}
