internal import Foundation
internal import MoltCore

/// A connection of a cache, with its prepared statements and what it has looked up; used by one thread at a time.
///
/// Each transaction compares the file's generation with the one that the cache was opened with: a file that was upgraded
/// or replaced meanwhile is neither read nor written.
///
/// Sendable because one thread at a time has it: the one that holds the lock of the session that writes, and the one that
/// has taken a session that reads from its pool. Whoever gets it next does so through the same lock.
final class CacheSession: @unchecked Sendable {
    let path: String
    /// The schema version that records are written at.
    let version: Int
    private let generation: Int64
    /// The kept statements.
    var statements: Statements<RowQuery>
    /// The time of the current call, in seconds since 1970, as the configuration's clock has it; it may be set back.
    var now = 0.0
    /// When records were used, as far as that is not written yet.
    let uses: UseLog?

    /// The names of types by their ids, as far as they were looked up.
    var typeNames: [Int64: String] = [:]
    /// The type that was read last.
    var lastRead: (id: Int64, name: String)?
    /// The type that was written last.
    var lastType: (name: String, id: Int64)?
    /// Whether there are records that wait for their keys; nil when that is not known.
    private var hasAdopted: Bool?
    /// The connection's data version when the session last noticed others' commits.
    private var dataVersion: UInt32?

    // MARK: The current write

    /// The size of all contents, when there is a limit.
    var size: Int64?
    /// The key that is being set.
    var key: String?
    /// What the write has changed so far.
    var changes: [CacheChange] = []
    /// The keys whose values must leave the memory layer when the write is committed.
    var changedKeys = ChangedKeys()
    /// Why the transaction is refused, when SQLite is not the cause.
    var refusal: MigrationError?
    /// Whether the file says already that nobody keeps the size of its contents.
    private var isSizeForgotten = false
    /// The uses that the write has taken.
    private(set) var writtenUses: [Int64: Double] = [:]
    /// The last time that a record was written with.
    private var lastTime = 0.0

    /// What happens when a type is stored otherwise than before.
    let driftPolicy: MismatchPolicy
    /// The types whose shapes were compared, or kept, since the cache was opened.
    let knownTypes: KnownTypes
    /// The types that the write has compared; they count once it is committed.
    var newTypes: [(typeName: String, first: FirstShape)] = []
    /// The differences that the write has found.
    var drifts: [SchemaDrift] = []

    init(_ connection: Connection, of plan: Plan) {
        path = plan.path
        version = plan.version
        generation = plan.generation
        uses = plan.uses
        driftPolicy = plan.driftPolicy
        knownTypes = plan.knownTypes
        statements = Statements(on: connection, sql: \.sql)
    }

    /// What all sessions of a cache have in common.
    struct Plan: Sendable {
        let path: String
        let version: Int
        let generation: Int64
        let uses: UseLog?
        let driftPolicy: MismatchPolicy
        let knownTypes: KnownTypes
    }

    var connection: Connection { statements.connection }

    /// Finalizes the statements, and closes the connection.
    func close() {
        statements.removeAll()
        connection.close()
    }

    // MARK: Transactions

    /// Runs a closure over one snapshot of the file.
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

    /// Whether nobody has committed since this session's own commit.
    func isLastToCommit() -> Bool {
        // It begins a read, in which SQLite notices other commits. One that cannot be told may have been.
        guard let dataVersion, (try? statements[.dataVersion].run()) != nil else { return false }
        return connection.dataVersion == dataVersion
    }

    /// Prepares for a write.
    func beginWrite() {
        changes.removeAll(keepingCapacity: true)
        changedKeys = ChangedKeys()
        newTypes.removeAll()
        drifts.removeAll()
        key = nil
    }

    /// Undoes a write that failed, and forgets what it has looked up: its types may be gone.
    func abandonWrite() {
        connection.rollBack()
        beginWrite()
        lastRead = nil
        lastType = nil
        typeNames.removeAll()
        isSizeForgotten = false
        hasAdopted = nil
        dataVersion = nil
    }

    /// Throws unless the file is of the generation that the cache was opened with; the caller is in a transaction.
    private func checkGeneration() throws(SQLiteError) {
        do throws(SQLiteError) {
            // A deferred transaction begins with its first read.
            let found = try statements[.generation].first { $0.integer(0) } ?? 0
            try check(generation: found)
        } catch {
            throw try explained(error)
        }
    }

    /// The failure of a first statement, unless it fails because the file was started afresh.
    ///
    /// Such a file has no tables until it is opened.
    func explained(_ error: SQLiteError) throws(SQLiteError) -> SQLiteError {
        if refusal == nil, try !connection.hasTable("molt_meta") { try refuse() }
        return error
    }

    /// Throws when a row was read in another generation.
    func check(generation found: Int64) throws(SQLiteError) {
        if found != generation { try refuse() }
    }

    private func refuse() throws(SQLiteError) -> Never {
        refusal = .storeChanged(path: path, from: version, to: Int(try connection.integer("PRAGMA user_version")))
        throw SQLiteError(extendedCode: 0, message: "store changed")
    }

    /// Forgets what another connection may have changed, if one has committed.
    ///
    /// - Returns: Whether one has.
    private func noticeCommits() -> Bool {
        let seen = connection.dataVersion
        if seen != nil, seen == dataVersion { return false }
        hasAdopted = nil
        isSizeForgotten = false
        dataVersion = seen
        return true
    }

    /// Whether there are records that wait for their keys; the caller is in a transaction.
    func hasAdoptedRecords() throws(SQLiteError) -> Bool {
        _ = noticeCommits()
        if let hasAdopted { return hasAdopted }
        var found = try statements[.hasAdoptedTable].first { $0.integer(0) != 0 } ?? false
        if found { found = try AdoptedTable.hasRows(connection) }
        hasAdopted = found
        return found
    }

    /// Whether a read outside a transaction is sure that no record waits for its key.
    var hasSurelyNoAdopted: Bool {
        hasAdopted == false && dataVersion != nil && connection.dataVersion == dataVersion
    }

    /// Remembers that a record of this write waits for its key.
    func noteAdopted() {
        hasAdopted = true
    }

    // MARK: Size and uses

    /// Remembers that a record was used.
    func touch(_ id: Int64) {
        uses?.add(id, at: now)
    }

    /// The time of a write, later than all before: the order of uses is the order of their times.
    func useTime() -> Double {
        if let uses { return uses.next(after: now) }
        lastTime = max(now, lastTime.nextUp)
        return lastTime
    }

    private func prepareWrite() throws(SQLiteError) {
        guard let uses else {
            size = nil
            if !isSizeForgotten { try statements[.forgetSize].run() }
            // Known once it is committed; a write that fails takes it back.
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

    /// The size of the database's pages.
    func pagesSize() throws(SQLiteError) -> Int64 {
        try connection.integer("PRAGMA page_count") * connection.integer("PRAGMA page_size")
    }

    /// The size of all contents: kept in the file by writers that have a limit, else added up.
    func contentSize() throws(SQLiteError) -> Int64 {
        let kept = try statements[.contentSize].first { $0.isNull(0) ? nil : $0.integer(0) }
        // No file is of 2^48 bytes, and no size is below 0: that is damage, and they are added up again.
        if let kept, let kept, 0...(1 << 48) ~= kept { return kept }
        return try statements[.sumSizes].first { $0.integer(0) } ?? 0
    }
}

/// The keys that a write has changed; of very many it only knows that they are all.
struct ChangedKeys {
    private static let limit = 4_096
    /// The keys; nil for all.
    private(set) var keys: [String]? = []

    mutating func insert(_ key: @autoclosure () -> String) {
        guard let count = keys?.count else { return }
        if count < Self.limit { keys?.append(key()) } else { keys = nil }
    }

    mutating func insertAll() {
        keys = nil
    }
}
