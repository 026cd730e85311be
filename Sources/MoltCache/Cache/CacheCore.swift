internal import Foundation
internal import MoltCore

/// What a cache does under its lock: transactions over one connection, and the memory layer beside it.
///
/// Every transaction first asks whether another connection has changed the file. If so, the memory layer is
/// emptied, and the schema version is read in the same snapshot: a file that was upgraded meanwhile is not read.
final class CacheCore {
    let path: String
    private let store: CacheStore
    private var connection: Connection?
    /// The kept statements.
    var statements: Statements<RowQuery>
    /// The decoded values.
    let memory: MemoryLayer?
    /// Grows whenever a value that was read before may be stale.
    private(set) var epoch = 0
    let version: Int
    /// How many bytes of content the file may hold.
    let sizeLimit: Int?
    private let clock: @Sendable () -> Date
    /// The connection's data version when the file was last looked at; nil before.
    private var dataVersion: UInt32?
    /// The log as it was before the file was last found unchanged; nil when that is not known.
    private var logMark: LogMark?
    /// The names of types by their ids, as far as they were looked up.
    var typeNames: [Int64: String] = [:]
    /// The type that was read last.
    var lastRead: (id: Int64, name: String)?
    /// The type that was written last: its id is the one that its name leads to.
    var lastType: (name: String, id: Int64)?
    /// Whether the file says already that nobody keeps the size of its contents.
    private var isSizeForgotten = false
    private let ledgerID: Int64
    private var failure: MigrationError?
    private var lastTime = 0.0
    private var touched: [Int64: Double] = [:]
    /// How many reads are remembered for eviction, at most.
    private let touchLimit = 16_384
    /// The size of all contents during a write, when there is a limit.
    var size: Int64?
    /// The key that is being set.
    var key: String?
    /// What the current write has changed.
    var changes: [CacheChange] = []
    /// Whether there are records that wait for their keys.
    ///
    /// Only a migration adds some, and who puts one back that was in quarantine; that may be another cache.
    var hasAdopted = false
    /// Of the records that wait, those that the current read has found the keys of.
    var claims: [(id: Int64, name: String, key: String)] = []
    private let busyMilliseconds: Int32
    /// Whether the file belongs to a newer app, and is only read.
    private let isReadOnly: Bool
    /// What happens when a type is stored otherwise than before.
    let driftPolicy: MismatchPolicy
    /// The types whose shapes were compared, or kept, since the cache was opened.
    let knownTypes: KnownTypes
    /// The ones of the current write: they count once it is committed.
    var newTypes: [(typeName: String, first: FirstShape)] = []
    /// What the current write has found, for those who follow.
    var drifts: [SchemaDrift] = []
    /// Why the current write is refused.
    var refusal: MigrationError?

    /// Takes over a store that is at the version given.
    init(
        _ store: CacheStore,
        version: Int,
        configuration: CodableCache.Configuration,
        knownTypes: KnownTypes,
        isReadOnly: Bool = false
    ) throws {
        path = store.storeName
        self.isReadOnly = isReadOnly
        self.store = store
        self.version = version
        sizeLimit = configuration.sizeLimit
        clock = configuration.now
        memory = configuration.memory.map { MemoryLayer($0) }
        driftPolicy = configuration.drift
        self.knownTypes = knownTypes
        busyMilliseconds = Int32(clamping: max(0, configuration.busyTimeout.milliseconds))
        let connection =
            isReadOnly
            ? try store.readyForReading(busyMilliseconds: busyMilliseconds)
            : try store.ready(busyMilliseconds: busyMilliseconds)
        ledgerID = store.lastLedgerID
        self.connection = connection
        statements = Statements(on: connection, sql: \.sql)
        try read { _ in }
    }

    /// Closes the connection: with the last one, SQLite moves everything into the file and deletes those beside it.
    func close() {
        statements.removeAll()
        connection?.close()
        connection = nil
        store.close()
        memory?.removeAll()
    }

    /// Now, as the configuration's clock has it; it may be set back.
    func now() -> Double {
        clock().timeIntervalSince1970
    }

    /// A time later than at every call before: the order of uses is the order of their times.
    func useTime(_ now: Double) -> Double {
        lastTime = max(now, lastTime.nextUp)
        return lastTime
    }

    // MARK: Transactions

    /// Runs a closure over one snapshot of the file.
    func read<Value>(_ body: (CacheCore) throws(SQLiteError) -> Value) throws -> Value {
        let value = try transaction(.begin, body)
        if !claims.isEmpty { settleClaims() }
        return value
    }

    /// Gives the records that a read has found their keys.
    ///
    /// The read is answered, so nothing waits for this, and nothing fails with it: when another process is writing, or
    /// the disk is full, the next read does it.
    private func settleClaims() {
        let claims = claims
        self.claims = []
        guard !isReadOnly else { return }
        statements.connection.setBusyTimeout(milliseconds: 0)
        defer { statements.connection.setBusyTimeout(milliseconds: busyMilliseconds) }
        // The claims that were not settled are made again by the next read.
        try? transaction(.beginWrite) { core throws(SQLiteError) in
            if core.statements.connection.hasMoved { throw .moved }
            for claim in claims { try core.rekey(claim) }
            core.hasAdopted = try AdoptedTable.hasRows(core.statements.connection)
        }
    }

    /// Runs a closure in a write transaction, and keeps what it wrote when it returns.
    func write<Value>(_ body: (CacheCore) throws(SQLiteError) -> Value) throws -> Value {
        if isReadOnly { throw belongsToNewer }
        changes.removeAll(keepingCapacity: true)
        newTypes.removeAll()
        drifts.removeAll()
        key = nil
        do {
            let value = try transaction(.beginWrite) { core throws(SQLiteError) in
                if core.statements.connection.hasMoved { throw .moved }
                try core.prepareWrite()
                let value = try body(core)
                try core.finishWrite()
                return value
            }
            touched.removeAll(keepingCapacity: true)
            knownTypes.insert(newTypes)
            return value
        } catch {
            changes.removeAll()
            // What the write has changed is as before.
            forgetTypes()
            isSizeForgotten = false
            throw error
        }
    }

    private func transaction<Value>(
        _ begin: RowQuery,
        _ body: (CacheCore) throws(SQLiteError) -> Value
    ) throws -> Value {
        let connection = try open()
        defer { connection.rollBack() }
        do throws(SQLiteError) {
            try statements[begin].run()
            try notice(begin)
            let value = try body(self)
            try statements[.commit].run()
            // Nobody else's commit can have been noticed since: that happens where a transaction begins.
            dataVersion = connection.dataVersion
            return value
        } catch {
            if let failure { throw failure }
            if let refusal {
                self.refusal = nil
                throw refusal
            }
            var failure = CacheError(error, path: path)
            if failure.code == .tooLarge { failure.key = key }
            if failure.code == .busy, let holder = store.holder {
                failure.message += " The file is being upgraded by \(holder)."
            }
            throw failure
        }
    }

    private func open() throws -> Connection {
        if let failure { throw failure }
        guard let connection else {
            var error = CacheError(.closed, "The cache at \(path) was closed. Open it again to use it.")
            error.path = path
            throw error
        }
        return connection
    }

    // MARK: Other connections

    /// Looks whether another connection has changed the file, and then whether it has upgraded it.
    private func notice(_ begin: RowQuery) throws(SQLiteError) {
        // A transaction that may only read begins with its first statement that does.
        if begin == .begin { try statements[.dataVersion].run() }
        let seen = statements.connection.dataVersion
        guard seen == nil || seen != dataVersion else { return }
        forgetAll()
        let stored = Int(try statements[.userVersion].first { $0.integer(0) } ?? 0)
        // The version first: a store that was started afresh has nothing else until it is opened. A migration that commits
        // in batches may be under way at the version that the store has.
        guard stored == version, try statements[.lastLedgerID].first({ $0.integer(0) }) ?? 0 == ledgerID,
            try statements[.isUnfinished].first({ $0.integer(0) }) ?? 0 == 0
        else {
            failure = superseded(by: stored)
            throw SQLiteError(extendedCode: 0, message: "superseded")
        }
        // Another cache may have put a record back that waits for its key.
        let hasTable = try statements[.hasAdoptedTable].first { $0.integer(0) != 0 } ?? false
        hasAdopted = hasTable ? try AdoptedTable.hasRows(statements.connection) : false
        dataVersion = seen
    }

    private var belongsToNewer: CacheError {
        var error = CacheError(
            .readOnly,
            "A newer app has upgraded the cache at \(path) to version \(version), and this one opened it for reading only. "
                + "Update the app to write. Nothing was changed."
        )
        error.path = path
        return error
    }

    private func superseded(by stored: Int) -> MigrationError {
        let what =
            switch stored {
            case version:
                "put a backup in the place of the cache at \(path), or applied another migration to version \(version),"
            case ..<version:
                "put a backup, or a fresh store, in the place of the cache at \(path), which has version \(stored) now,"
            default:
                "upgraded the cache at \(path) from version \(version) to \(stored), or replaced it,"
            }
        var error = MigrationError(
            .superseded,
            "Another process \(what) while it was open. Open it again with a release that knows that version."
        )
        error.store = path
        error.storeVersion = stored
        error.registryVersion = version
        return error
    }

    // MARK: Memory

    /// The value that the memory layer holds under a key, if the file has not been changed by others.
    func remembered(_ type: Any.Type, _ key: String) throws -> MemoryBox? {
        _ = try open()
        guard let memory, !memory.isEmpty else { return nil }
        // Who only reads may have the file in another mode.
        let mark = isReadOnly ? nil : statements.connection.logMark
        if mark == nil || mark != logMark {
            do throws(SQLiteError) {
                try statements[.dataVersion].run()
            } catch {
                throw CacheError(error, path: path)
            }
            // A change is looked into by the transaction that follows.
            guard let dataVersion, statements.connection.dataVersion == dataVersion else { return nil }
            // Taken before the look: who commits after it changes it again.
            logMark = mark
        }
        guard let found = memory.box(key, of: type, now: now()) else { return nil }
        if sizeLimit != nil { touch(found.id, now()) }
        return found
    }

    /// The content under a key, or nil when there is none or it has expired, as ``content(_:)`` in ``read(_:)`` gives it.
    ///
    /// A statement by itself sees one snapshot, too. When that is one that was looked at before, nothing else is needed.
    ///
    /// - Returns: The content, and the epoch of its snapshot: what follows a read may find that another process has written.
    func lookUp(_ key: String) throws -> (content: StoredContent?, epoch: Int) {
        if failure == nil, connection != nil, !hasAdopted {
            do throws(SQLiteError) {
                if let found = try lookUpAlone(key) { return found }
            } catch {
                // It was waited for already; any other failure is met again below, and told there.
                if error.isBusy { throw CacheError(error, path: path) }
            }
        }
        return try read { core throws(SQLiteError) in (try core.content(key), core.epoch) }
    }

    /// - Returns: Nothing when another connection has committed since.
    private func lookUpAlone(_ key: String) throws(SQLiteError) -> (content: StoredContent?, epoch: Int)? {
        try find(key) { row throws(SQLiteError) in
            guard let dataVersion, statements.connection.dataVersion == dataVersion else { return nil }
            return (try row.flatMap { row throws(SQLiteError) in try found(row, key) }, epoch)
        }
    }

    /// Keeps a value that was decoded, unless something was written since its content was read.
    func remember<Value: Sendable>(_ value: Value, of row: StoredContent, readAt epoch: Int) {
        guard epoch == self.epoch, connection != nil else { return }
        memory?.insert(value, row.key, of: row)
    }

    /// Drops what is remembered of a key, which is not asked for where nothing is.
    func forget(_ key: @autoclosure () -> String) {
        epoch += 1
        guard let memory, !memory.isEmpty else { return }
        memory.remove(key())
    }

    /// Drops everything that is remembered.
    func forgetAll() {
        epoch += 1
        memory?.removeAll()
        forgetTypes()
        isSizeForgotten = false
    }

    /// Drops what is remembered of types.
    private func forgetTypes() {
        lastRead = nil
        lastType = nil
        typeNames.removeAll()
    }

    // MARK: Size

    /// Remembers that a record was used.
    func touch(_ id: Int64, _ now: Double) {
        guard sizeLimit != nil else { return }
        touched[id] = useTime(now)
        guard touched.count > touchLimit else { return }
        // The older half: those are the next to be evicted anyway.
        let middle = touched.values.sorted()[touched.count / 2]
        touched = touched.filter { $0.value >= middle }
    }

    private func prepareWrite() throws(SQLiteError) {
        guard sizeLimit != nil else {
            size = nil
            if !isSizeForgotten { try statements[.forgetSize].run() }
            // Known once it is committed; a write that fails takes it back.
            isSizeForgotten = true
            return
        }
        for (id, time) in touched {
            let statement = try statements[.touch]
            try statement.bind(time, at: 1)
            try statement.bind(id, at: 2)
            try statement.run()
        }
        size = try contentSize()
    }

    private func finishWrite() throws(SQLiteError) {
        guard let sizeLimit else { return }
        try evict(to: Int64(sizeLimit))
        let statement = try statements[.saveSize]
        try statement.bind(size ?? 0, at: 1)
        try statement.run()
    }

    /// The size of the database's pages.
    func pagesSize() throws(SQLiteError) -> Int64 {
        let connection = statements.connection
        return try connection.integer("PRAGMA page_count") * connection.integer("PRAGMA page_size")
    }

    /// The size of all contents: kept in the file by writers that have a limit, else added up.
    func contentSize() throws(SQLiteError) -> Int64 {
        let kept = try statements[.contentSize].first { $0.isNull(0) ? nil : $0.integer(0) }
        // No file is of 2^48 bytes, and no size is below 0: that is damage, and they are added up again.
        if let kept, let kept, 0...(1 << 48) ~= kept { return kept }
        return try statements[.sumSizes].first { $0.integer(0) } ?? 0
    }
}

extension Duration {
    /// Whole milliseconds.
    fileprivate var milliseconds: Int64 {
        components.seconds.multipliedReportingOverflow(by: 1000).partialValue
            + components.attoseconds / 1_000_000_000_000_000
    }
}
