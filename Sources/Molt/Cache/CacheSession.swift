internal import Foundation

/// A connection of a cache, with its prepared statements and look-ups; used by one thread at a time.
///
/// Each transaction compares the file's generation with the one at opening: a file that was upgraded or replaced since
/// is neither read nor written.
///
/// Sendable because only one thread at a time has it: the holder of the writer's lock, or the borrower of a reader from
/// its pool. It is handed over under the same lock.
final class CacheSession: @unchecked Sendable {
    let path: String
    let version: Int
    private let generation: Int64
    var statements: Statements<RowQuery>
    /// The time of the current call by the configuration's clock, in seconds since 1970; it may go backwards.
    var now = 0.0
    let uses: UseLog?

    var typeNames: [Int64: String] = [:]
    var lastRead: (id: Int64, name: String)?
    var lastType: (name: String, id: Int64)?
    /// The connection's data version at the last check for other connections' commits.
    private var dataVersion: UInt32?

    // MARK: The current write

    /// The total size of all contents; nil without a limit.
    var size: Int64?
    var key: String?
    var changes: [CodableCache.Change] = []
    /// The keys whose values leave the memory layer at the commit.
    var changedKeys = ChangedKeys()
    /// Why the transaction is refused; nil when SQLite itself failed.
    var refusal: MoltError?
    /// Whether the stored content size is already cleared.
    private var isSizeForgotten = false
    /// The uses that the current write stores.
    private(set) var writtenUses: [Int64: Double] = [:]
    private var lastTime = 0.0

    let mismatches: MoltConfiguration.MismatchPolicy
    /// The types whose shapes were compared or stored since the cache was opened.
    let knownTypes: KnownTypes
    /// The types compared by the current write; they become known at its commit.
    var newTypes: [ObjectIdentifier] = []
    var drifts: [SchemaDrift] = []

    init(_ connection: Connection, of plan: Plan) {
        path = plan.path
        version = plan.version
        generation = plan.generation
        uses = plan.uses
        mismatches = plan.mismatches
        knownTypes = plan.knownTypes
        statements = Statements(on: connection, sql: \.sql)
    }

    /// The values that all sessions of a cache share.
    struct Plan: Sendable {
        let path: String
        let version: Int
        let generation: Int64
        let uses: UseLog?
        let mismatches: MoltConfiguration.MismatchPolicy
        let knownTypes: KnownTypes
    }

    var connection: Connection { statements.connection }

    func close() {
        statements.removeAll()
        connection.close()
    }

    // MARK: Transactions

    /// Runs a closure on one snapshot of the file.
    func read<Value>(_ body: (CacheSession) throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        defer { connection.rollBack() }
        try statements[.begin].run()
        try checkGeneration()
        let value = try body(self)
        try statements[.commit].run()
        return value
    }

    /// Runs a closure in a write transaction, which the caller commits.
    ///
    /// - Parameter check: Called with the write lock held, before the closure.
    func write<Value>(
        checking check: () throws(SQLiteError) -> Void,
        _ body: (CacheSession) throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> Value {
        try statements[.beginWrite].run()
        try check()
        if noticeCommits() { try checkGeneration() }
        try prepareWrite()
        let value = try body(self)
        try finishWrite()
        return value
    }

    /// Commits a write; no other connection can have committed since it began.
    func commitWrite() throws(SQLiteError) {
        try statements[.commit].run()
        dataVersion = connection.dataVersion
        knownTypes.insert(newTypes)
        uses?.remove(writtenUses)
    }

    /// Whether no other connection has committed since this session's commit.
    func isLastToCommit() -> Bool {
        // The pragma begins a read, in which SQLite notices other commits. When in doubt, assume one.
        guard let dataVersion, (try? statements[.dataVersion].run()) != nil else { return false }
        return connection.dataVersion == dataVersion
    }

    func beginWrite() {
        changes.removeAll(keepingCapacity: true)
        changedKeys = ChangedKeys()
        newTypes.removeAll()
        drifts.removeAll()
        key = nil
    }

    /// Rolls back a failed write, and clears the look-ups: types that it added are gone.
    func abandonWrite() {
        connection.rollBack()
        beginWrite()
        lastRead = nil
        lastType = nil
        typeNames.removeAll()
        isSizeForgotten = false
        dataVersion = nil
    }

    /// Throws unless the file still has the generation at opening; the caller is in a transaction.
    private func checkGeneration() throws(SQLiteError) {
        do throws(SQLiteError) {
            // A deferred transaction begins with its first read.
            let found = try statements[.generation].first { $0.integer(0) } ?? 0
            try check(generation: found)
        } catch {
            throw try explained(error)
        }
    }

    /// Replaces the failure of a first statement when the file was started afresh.
    ///
    /// Such a file has no tables until it is opened.
    func explained(_ error: SQLiteError) throws(SQLiteError) -> SQLiteError {
        if refusal == nil, try !connection.hasTable("molt_meta") { try refuse() }
        return error
    }

    /// Throws when a row belongs to another generation.
    func check(generation found: Int64) throws(SQLiteError) {
        if found != generation { try refuse() }
    }

    private func refuse() throws(SQLiteError) -> Never {
        refusal = .storeChanged(path: path, from: version, to: Int(try connection.integer("PRAGMA user_version")))
        throw SQLiteError(extendedCode: 0, message: "store changed")
    }

    /// Clears cached state if another connection has committed.
    ///
    /// - Returns: Whether one may have.
    private func noticeCommits() -> Bool {
        let seen = connection.dataVersion
        if seen != nil, seen == dataVersion { return false }
        isSizeForgotten = false
        dataVersion = seen
        return true
    }

    // MARK: Size and uses

    func touch(_ id: Int64) {
        uses?.add(id, at: now)
    }

    /// The time for a write, later than all before: uses are ordered by their times.
    func useTime() -> Double {
        if let uses { return uses.next(after: now) }
        lastTime = max(now, lastTime.nextUp)
        return lastTime
    }

    private func prepareWrite() throws(SQLiteError) {
        guard let uses else {
            size = nil
            if !isSizeForgotten { try statements[.forgetSize].run() }
            // Assumes the commit; a failed write resets it.
            isSizeForgotten = true
            return
        }
        writtenUses = uses.pending
        for (id, time) in writtenUses {
            let statement = try statements[.touch]
            try statement.bind(time, at: 1)
            try statement.bind(id, at: 2)
            try statement.run()
        }
        size = try contentSize()
    }

    private func finishWrite() throws(SQLiteError) {
        guard let uses else { return }
        try evict(to: Int64(uses.sizeLimit))
        let statement = try statements[.saveSize]
        try statement.bind(size ?? 0, at: 1)
        try statement.run()
    }

    func pagesSize() throws(SQLiteError) -> Int64 {
        try connection.integer("PRAGMA page_count") * connection.integer("PRAGMA page_size")
    }

    /// The total size of all contents: stored by writers that have a limit, otherwise summed.
    func contentSize() throws(SQLiteError) -> Int64 {
        let kept = try statements[.contentSize].first { $0.isNull(0) ? nil : $0.integer(0) }
        // A size outside this range is damage; sum again.
        if let kept, let kept, 0...(1 << 48) ~= kept { return kept }
        return try statements[.sumSizes].first { $0.integer(0) } ?? 0
    }
}

/// The keys changed by a write; beyond a limit, only the fact that any key may have changed.
struct ChangedKeys {
    private static let limit = 4_096
    private(set) var keys: [String]? = []

    mutating func insert(_ key: @autoclosure () -> String) {
        guard let count = keys?.count else { return }
        if count < Self.limit { keys?.append(key()) } else { keys = nil }
    }

    mutating func insertAll() {
        keys = nil
    }
}
