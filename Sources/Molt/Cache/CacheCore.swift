internal import Foundation

/// The operations of a cache on its store: concurrent reads, one write at a time, and values in memory.
///
/// One connection serves a cache that is used by one thread at a time. Once a read finds that connection busy, reads
/// use connections of their own, which see the last commit and wait for no writer.
final class CacheCore: Sendable {
    let path: String
    private let isReadOnly: Bool
    /// Whether a newer app has upgraded the file.
    let isNewer: Bool
    private let shared: CacheSession.Shared
    private let clock: @Sendable () -> Date
    /// The open file; nil in memory.
    private let file: OpenFile?
    private let memory: MemoryLayer?
    private let writer: Locked<Writer>
    /// The connections that only read; nil when one connection does everything.
    private let readers: ReaderPool?
    private let isClosed = AtomicFlag()
    /// Whether a read has ever found the writer busy.
    private let isContended = AtomicFlag()
    /// Whether the app has used the cache since the last call of ``takeUse()``.
    private let isUsed = AtomicFlag()
    private let busyMilliseconds: Int32

    /// The connection that writes, and reads while it is free.
    private struct Writer {
        /// Nil once closed, and while stores are suspended.
        var session: CacheSession?
        let store: StoreFile

        mutating func close() {
            session?.close()
            session = nil
            store.close()
        }
    }

    init(
        _ store: sending StoreFile,
        version: Int,
        registryVersion: Int,
        configuration: CodableCache.Configuration,
        checkedShapes: CheckedShapes,
        reading: StoreReading? = nil
    ) throws {
        path = store.storeName
        isReadOnly = reading?.isReadOnly ?? false
        isNewer = reading?.isNewer ?? false
        clock = configuration.now
        let busyMilliseconds = Int32(clamping: configuration.accessTimeout.milliseconds)
        self.busyMilliseconds = busyMilliseconds
        let connection = try store.ready(isReadOnly: isReadOnly, busyMilliseconds: busyMilliseconds)
        shared = CacheSession.Shared(
            path: path,
            version: version,
            registryVersion: registryVersion,
            generation: store.generation,
            uses: configuration.sizeLimit.map { UseLog(sizeLimit: $0) },
            types: TypesOnRead(reading?.upgrader),
            mismatches: configuration.mismatches,
            checkedShapes: checkedShapes
        )
        let session = CacheSession(connection, of: shared, unlocked: store.unlocked)
        // SQLite has followed symbolic links.
        let filePath = connection.filePath ?? path
        if store.isInMemory {
            file = nil
        } else {
            file = OpenFile(at: path, openedAs: filePath)
            // Checked second: the file may have been replaced, or a link changed, since it was opened.
            if file == nil || connection.hasMoved { throw MoltError(.moved, store: path) }
        }
        do throws(SQLiteError) {
            session.now = configuration.now().timeIntervalSince1970
            try session.read { _ in }
        } catch {
            throw session.takeRefusal(after: error) ?? MoltError(error, store: path)
        }
        let index = store.isInMemory ? nil : connection.logIndex
        // Without the index, the cache could not tell whether a value is still current.
        memory =
            isReadOnly || !store.isInMemory && index == nil
            ? nil : configuration.memory.map { MemoryLayer($0, index: index) }
        readers =
            isReadOnly || store.isInMemory
            ? nil
            : ReaderPool { [shared] () throws(SQLiteError) in
                let connection = try Connection(filePath, mode: .readOnly)
                connection.busyTimeout = busyMilliseconds
                return CacheSession(connection, of: shared)
            }
        writer = Locked(Writer(session: session, store: store))
        if file != nil { StoreAccess.add(self) }
    }

    /// Closes the connections; with the last one, SQLite checkpoints the log and deletes the files beside the database.
    ///
    /// Reads in progress end first; the last of them closes the writer.
    func close() {
        isClosed.set()
        let closeWriter = { @Sendable [writer, memory] in Self.close(writer, memory) }
        if let readers { readers.close(then: closeWriter) } else { closeWriter() }
    }

    private static func close(_ writer: Locked<Writer>, _ memory: MemoryLayer?) {
        writer.withLock { writer in
            memory?.close()
            writer.close()
        }
        memory?.releaseDropped()
    }

    /// The connection that writes, opened again after a suspension.
    private func open(_ writer: inout Writer) throws -> CacheSession {
        if let session = writer.session { return session }
        if hasClosed { throw closed }
        let connection = try writer.store.ready(isReadOnly: isReadOnly, busyMilliseconds: busyMilliseconds)
        let session = CacheSession(connection, of: shared, unlocked: writer.store.unlocked)
        writer.session = session
        do {
            try run(on: session, 0) { session throws(SQLiteError) in try session.read { _ in } }
        } catch {
            writer.close()
            throw error
        }
        memory?.restart(connection.logIndex)
        return session
    }

    /// The current time by the configuration's clock, in seconds since 1970.
    ///
    /// - Important: Hold no lock: the clock is the app's code, which may use the cache.
    private func now() -> Double {
        clock().timeIntervalSince1970
    }

    var hasClosed: Bool { isClosed.isSet }
    var hasFile: Bool { file != nil }

    /// Throws if the cache was closed, or access to stores is suspended.
    func checkOpen() throws {
        if hasClosed { throw closed }
        if StoreAccess.isSuspended { throw MoltError(SQLiteError.suspended, store: path) }
    }

    /// Throws if the cache was closed, or can only be read.
    func checkWritable() throws {
        try checkOpen()
        if isReadOnly { throw readOnly }
    }

    /// Whether the app has used the cache since the last call.
    func takeUse() -> Bool { isUsed.take() }

    // MARK: Reading

    func read<Value: Sendable>(
        isUse: Bool = true,
        _ body: (CacheSession) throws(SQLiteError) -> Value
    ) throws -> Value {
        if isUse { isUsed.set() }
        return try withSession { session throws(SQLiteError) in try session.read(body) }
    }

    /// Runs a closure on one snapshot of the file, on a connection of its own.
    ///
    /// The closure may use the cache and may be slow: no other reader waits for this connection.
    ///
    /// - Returns: The closure's result; nil if no such connection can be opened.
    func readAlone<Value>(
        isUse: Bool = true,
        _ body: (CacheSession) throws(SQLiteError) -> Value
    ) throws -> Value? {
        guard let readers else { return nil }
        if isUse { isUsed.set() }
        try checkFile()
        let now = now()
        return try readers.withReader { session in
            try run(on: session, now) { session throws(SQLiteError) in try session.read(body) }
        } otherwise: { error -> Value? in
            if error == nil { throw closed }
            return nil
        }
    }

    /// The content under a key; nil when there is none or it has expired.
    ///
    /// - Returns: The content, and a ticket for keeping its value; a nil ticket means that it must not be kept.
    func lookUp(_ key: String) throws -> (content: StoredContent?, ticket: MemoryLayer.Ticket?) {
        isUsed.set()
        let ticket = memory?.beginReading()
        let content = try withSession { session throws(SQLiteError) in try session.content(key) }
        return (content, ticket)
    }

    private func withSession<Value: Sendable>(
        _ body: (CacheSession) throws(SQLiteError) -> Value
    ) throws -> Value {
        try checkFile()
        let now = now()
        guard let readers else { return try writer.withLock { try run(on: open(&$0), now, body) } }
        if !isContended.isSet {
            if let value = try writer.withLockIfAvailable({ try run(on: open(&$0), now, body) }) { return value }
            isContended.set()
        }
        return try readers.withReader { session in
            try run(on: session, now, body)
        } otherwise: { error in
            if error == nil { throw closed }
            // For example, file descriptors are exhausted. The writer is open and can read, too.
            return try writer.withLock { try run(on: open(&$0), now, body) }
        }
    }

    // MARK: Writing

    /// Runs a closure in a write transaction and commits.
    ///
    /// - Parameters:
    ///   - isUse: Whether the app writes.
    ///   - isSynced: Whether the commit must survive a power loss from then on.
    ///   - committed: Called in the order of the commits, before the next write.
    /// - Returns: The result of `committed`.
    func write<Value: Sendable, Told: Sendable>(
        _ body: (CacheSession) throws(SQLiteError) -> Value,
        isUse: Bool = true,
        isSynced: Bool = false,
        committed: (CacheSession, Value) -> Told
    ) throws -> Told {
        if isReadOnly { throw readOnly }
        if isUse { isUsed.set() }
        let now = now()
        defer { memory?.releaseDropped() }
        return try writer.withLock { writer in
            let session = try open(&writer)
            if hasClosed { throw closed }
            session.now = now
            // If it fails, later commits are only slower.
            defer { if isSynced { try? session.connection.execute("PRAGMA synchronous = NORMAL") } }
            do throws(SQLiteError) {
                if isSynced { try session.connection.execute("PRAGMA synchronous = FULL") }
                try session.lock()
                if let file, !file.isInPlace { throw .moved }
                memory?.writeDidBegin()
                try session.beginWrite()
                let value = try body(session)
                try session.endWrite()
                try commit(session)
                // See StoreFile.withWriteTransaction.
                if isSynced { DurableFile.flushDrive(of: StoreFiles(path).log) }
                return committed(session, value)
            } catch {
                let failure = failure(error, of: session)
                session.abandonWrite()
                throw failure
            }
        }
    }

    private func commit(_ session: CacheSession) throws(SQLiteError) {
        guard let memory else { return try session.commit() }
        let hasValues = memory.commitWillBegin()
        var keys: [String]?
        var mark: LogIndex.Mark?
        defer { memory.commitDidEnd(changing: keys, mark) }
        try session.commit()
        guard hasValues else { return }
        let seen = memory.currentMark
        // The header is that of this commit only if no other connection has committed since.
        guard session.isLastToCommit() else { return }
        keys = session.changedKeys.keys
        mark = seen
    }

    // MARK: Memory

    /// The value in memory under a key, if the file is unchanged since it was read.
    func remembered(_ type: Any.Type, _ key: String) throws -> MemoryBox? {
        isUsed.set()
        guard let memory, let found = memory.box(key, of: type, now: now) else { return nil }
        try checkFile()
        shared.uses?.add(found.id, at: now())
        return found
    }

    /// Keeps a decoded value, unless a write came after its content was read.
    func remember<Value: Sendable>(_ value: Value, of row: StoredContent, _ ticket: MemoryLayer.Ticket) {
        memory?.insert(value, row.key, of: row, ticket)
    }

    // MARK: Failures

    private func run<Value>(
        on session: CacheSession,
        _ now: Double,
        _ body: (CacheSession) throws(SQLiteError) -> Value
    ) throws -> Value {
        if hasClosed { throw closed }
        session.now = now
        let result = Result { () throws(SQLiteError) in try body(session) }
        // Without locks, a reader may see only a part of another process's changes.
        if let unlocked = session.unlocked, try StoreFiles(path).isBeingWritten || FileStatus.of(path) != unlocked {
            throw changedUnlocked
        }
        do {
            return try result.get()
        } catch {
            throw failure(error, of: session)
        }
    }

    private func failure(_ error: SQLiteError, of session: CacheSession) -> MoltError {
        if let refusal = session.takeRefusal(after: error) { return refusal }
        // A file that was moved may also look damaged.
        if let file, !file.isInPlace { return gone }
        var failure = MoltError(error, store: path)
        if failure.code == .tooLarge { failure.key = session.key }
        if failure.code == .busy, let holder = AttemptLog(of: path).holder() {
            failure.problem += " The file is being upgraded by \(holder)."
            failure.holder = holder
        }
        return failure
    }

    private func checkFile() throws {
        if let file, !file.isInPlace { throw gone }
    }

    /// The error for a file that is no longer at its path; a closed cache may have been removed.
    private var gone: MoltError {
        hasClosed ? closed : MoltError(.moved, store: path)
    }

    private var closed: MoltError {
        MoltError(.closed, "The cache at \(path) was closed.", advice: "Open it again to use it.", store: path)
    }

    /// The error of a call that writes to a cache which is only read.
    var readOnly: MoltError {
        MoltError(
            .readOnly,
            "The cache at \(path) was opened for reading only.",
            advice: isNewer
                ? "A newer app has upgraded it: update the app to write." : "Open it with `init(at:)` to write.",
            store: path
        )
    }

    private var changedUnlocked: MoltError {
        MoltError(
            .storeChanged,
            "Another process has changed the cache at \(path), which is read without locks: none could be taken.",
            advice: "Open it again.",
            store: path
        )
    }
}

extension CacheCore: StoreHolder {
    func releaseStore() {
        readers?.closeIdle()
        Self.close(writer, memory)
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        components.seconds.multipliedReportingOverflow(by: 1000).partialValue
            + components.attoseconds / 1_000_000_000_000_000
    }
}
