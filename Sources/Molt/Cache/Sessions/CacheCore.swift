internal import Foundation

/// The operations of a cache on its store: concurrent reads, one write at a time, and values in memory.
///
/// One connection serves a cache that is used by one thread at a time. Once a read finds that connection busy, reads
/// use connections of their own, which see the last commit and wait for no writer.
final class CacheCore: Sendable {
    let path: String
    private let isReadOnly: Bool
    /// Whether a newer release has upgraded the file, which is only read.
    private let isNewer: Bool
    let checkedShapes = CheckedShapes()
    /// The keys whose records need not be looked at before values are written over them; nil if none are.
    let readable: ReadableKeys?
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
    /// The connections and the values in memory, which are released while stores are suspended.
    let files: Files

    /// The connection that writes, and reads while it is free.
    fileprivate struct Writer {
        /// Nil once closed, and while stores are suspended.
        var session: CacheSession?
        let store: StoreFile
        let isReadOnly: Bool

        mutating func close() {
            let wasOpen = session != nil
            session?.close()
            session = nil
            if isReadOnly, wasOpen { store.closeReading() } else { store.close() }
        }
    }

    /// The part of a cache that is released while stores are suspended.
    ///
    /// An object of its own: Swift counts the references to an object more slowly once it is referenced weakly.
    final class Files: StoreHolder {
        private let writer: Locked<Writer>
        private let readers: ReaderPool?
        private let memory: MemoryLayer?

        fileprivate init(writer: Locked<Writer>, readers: ReaderPool?, memory: MemoryLayer?) {
            self.writer = writer
            self.readers = readers
            self.memory = memory
        }

        func releaseStore() {
            readers?.closeIdle()
            CacheCore.close(writer, memory)
        }
    }

    init(
        _ store: sending StoreFile,
        version: Int,
        registryVersion: Int,
        configuration: MoltConfiguration,
        reading: StoreReading? = nil
    ) throws {
        path = store.storeName
        isReadOnly = reading != nil
        isNewer = reading?.report.isNewer == true
        clock = configuration.now
        let busyMilliseconds = Int32(clamping: configuration.accessTimeout.milliseconds)
        self.busyMilliseconds = busyMilliseconds
        let connection = try store.ready(isReadOnly: isReadOnly, busyMilliseconds: busyMilliseconds)
        readable = isReadOnly || configuration.unreadableValues.limit == nil ? nil : ReadableKeys()
        shared = CacheSession.Shared(
            path: path,
            version: version,
            registryVersion: registryVersion,
            generation: store.generation,
            uses: configuration.sizeLimit.map { UseLog(sizeLimit: $0) },
            types: TypesOnRead(reading?.upgrader),
            mismatches: configuration.mismatches,
            checkedShapes: checkedShapes,
            readable: readable
        )
        let session = CacheSession(connection, of: shared, unlocked: store.unlocked)
        // SQLite has followed symbolic links.
        let filePath = connection.filePath ?? path
        file = store.isInMemory ? nil : OpenFile(at: path, openedAs: filePath)
        // Checked second: the file may have been replaced, or a link changed, since it was opened.
        if !store.isInMemory, file == nil || connection.hasMoved { throw MoltError(.moved, store: path) }
        session.begin(at: configuration.now().timeIntervalSince1970)
        try Self.checkReadable(session, path)
        let index = store.isInMemory ? nil : connection.logIndex
        // Without the index, the cache could not tell whether a value is still current.
        let canRemember = !isReadOnly && (store.isInMemory || index != nil)
        memory = canRemember ? configuration.memory.map { MemoryLayer($0, index: index) } : nil
        // A file that is read without locks has one reader, which compares the file's status after each read.
        readers =
            store.isInMemory || store.unlocked != nil
            ? nil
            : ReaderPool { [shared] () throws(SQLiteError) in
                let connection = try Connection(filePath, mode: .readOnly)
                connection.busyTimeout = busyMilliseconds
                return CacheSession(connection, of: shared)
            }
        writer = Locked(Writer(session: session, store: store, isReadOnly: isReadOnly))
        files = Files(writer: writer, readers: readers, memory: memory)
        if file != nil { StoreAccess.add(files) }
    }

    private static func checkReadable(_ session: CacheSession, _ path: String) throws {
        do {
            try session.read { $0.noteOpening() }
        } catch let error as SQLiteError {
            throw session.changed(after: error) ?? MoltError(error, store: path)
        }
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
            try session.read { _ in }
        } catch {
            let failure = failure(error, of: session)
            writer.close()
            throw failure
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

    enum User {
        case app
        /// The backfill, which leaves the app most of the time.
        case backfill
    }

    /// When a commit must survive a power loss.
    enum Durability {
        case atCommit
        /// Once the log is copied into the file.
        case later
    }

    /// Whether the app has used the cache since the last call.
    func takeUse() -> Bool { isUsed.take() }

    // MARK: Reading

    /// Runs a closure on one snapshot of the file.
    func read<Value>(for user: User = .app, _ body: (CacheSession) throws -> Value) throws -> Value {
        if user == .app { isUsed.set() }
        return try run(on: borrow()) { try $0.read(body) }
    }

    /// Runs a closure on one snapshot of the file, on a connection of its own.
    ///
    /// The closure may use the cache and may be slow: no other reader waits for this connection.
    ///
    /// - Returns: The closure's result; nil if no such connection can be opened.
    func readAlone<Value>(for user: User = .app, _ body: (CacheSession) throws -> Value) throws -> Value? {
        if user == .app { isUsed.set() }
        guard let loan = try borrowReader() else { return nil }
        return try run(on: loan) { try $0.read(body) }
    }

    /// The content under a key; nil when there is none or it has expired.
    ///
    /// - Returns: The content, and a ticket for keeping its value; a nil ticket means that it must not be kept.
    func lookUp(_ key: String) throws -> (content: StoredContent?, ticket: MemoryLayer.Ticket?) {
        isUsed.set()
        let ticket = memory?.beginReading()
        let content = try run(on: borrow()) { try $0.content(key) }
        return (content, ticket)
    }

    /// A connection that one call has to itself until ``giveBack(_:)``.
    ///
    /// Borrowing takes no closure, so that its code is not generated again for each caller.
    private enum Loan {
        case writer(CacheSession)
        case reader(CacheSession)

        var session: CacheSession {
            switch self {
            case .writer(let session), .reader(let session): session
            }
        }
    }

    private func borrow() throws -> Loan {
        try checkFile()
        let now = now()
        guard readers != nil else { return try borrowWriter(now) }
        if !isContended.isSet {
            if let session = try writer.lockIfAvailable({ try open(&$0) }) { return try prepare(.writer(session), now) }
            isContended.set()
        }
        // If no reader can be opened, for example because file descriptors are exhausted, the writer can read, too.
        return try borrowReader(now) ?? borrowWriter(now)
    }

    private func borrowWriter(_ now: Double) throws -> Loan {
        try prepare(.writer(writer.lock { try open(&$0) }), now)
    }

    /// - Returns: Nil if no connection for reading can be opened.
    private func borrowReader() throws -> Loan? {
        guard readers != nil else { return nil }
        try checkFile()
        return try borrowReader(now())
    }

    private func borrowReader(_ now: Double) throws -> Loan? {
        guard let readers else { return nil }
        let session: CacheSession?
        do throws(SQLiteError) { session = try readers.lend() } catch { return nil }
        guard let session else { throw closed }
        return try prepare(.reader(session), now)
    }

    private func prepare(_ loan: Loan, _ now: Double) throws -> Loan {
        guard !hasClosed else {
            giveBack(loan)
            throw closed
        }
        loan.session.begin(at: now)
        return loan
    }

    private func giveBack(_ loan: Loan) {
        switch loan {
        case .writer: writer.unlock()
        case .reader(let session): readers?.takeBack(session)
        }
    }

    private func run<Value>(on loan: Loan, _ body: (CacheSession) throws -> Value) throws -> Value {
        defer { giveBack(loan) }
        let value: Value
        do { value = try body(loan.session) } catch { throw failure(error, of: loan.session) }
        if loan.session.unlocked != nil, let refusal = refusalWithoutLocks(of: loan.session) { throw refusal }
        return value
    }

    // MARK: Writing

    /// Runs a closure in a write transaction and commits.
    ///
    /// - Parameters:
    ///   - durability: When the commit must survive a power loss.
    ///   - committed: Called in the order of the commits, before the next write.
    /// - Returns: The result of `committed`.
    func write<Value, Told>(
        _ body: (CacheSession) throws -> Value,
        for user: User = .app,
        _ durability: Durability = .later,
        committed: (CacheSession, Value) -> Told
    ) throws -> Told {
        let session = try borrowForWriting(for: user)
        defer { giveBackWritten(session, durability) }
        do {
            try begin(session, durability)
            let value = try body(session)
            try commit(session, durability)
            return committed(session, value)
        } catch {
            throw abandon(session, after: error)
        }
    }

    private func borrowForWriting(for user: User) throws -> CacheSession {
        if isReadOnly { throw readOnly }
        if user == .app { isUsed.set() }
        return try borrowWriter(now()).session
    }

    private func giveBackWritten(_ session: CacheSession, _ durability: Durability) {
        // If it fails, later commits are only slower.
        if durability == .atCommit { try? session.connection.set(.synchronous, to: "NORMAL") }
        giveBack(.writer(session))
        memory?.releaseDropped()
    }

    private func begin(_ session: CacheSession, _ durability: Durability) throws {
        if durability == .atCommit { try session.connection.set(.synchronous, to: "FULL") }
        try session.lock()
        if let file, !file.isAtPath { throw SQLiteError.moved }
        memory?.writeDidBegin()
        try session.beginWrite()
    }

    private func commit(_ session: CacheSession, _ durability: Durability) throws(SQLiteError) {
        try session.endWrite()
        try commit(session)
        // See StoreFile.withWriteTransaction.
        if durability == .atCommit { DurableFile.flushDrive(of: StoreFiles(path).log) }
    }

    private func abandon(_ session: CacheSession, after error: any Error) -> any Error {
        let failure = failure(error, of: session)
        session.abandonWrite()
        return failure
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

    // MARK: The log

    /// Runs a closure, in which a write copies the log into the file when it is twice as long as usual.
    ///
    /// Copying waits for the disk three times. The writer's connection does it: before SQLite 3.51.3, two connections
    /// that copy the log could lose a commit (https://www.sqlite.org/wal.html#walresetbug).
    func withLongLog(_ body: () throws -> Void) rethrows {
        setLogLimit(2 * Connection.logLimit)
        defer { setLogLimit(Connection.logLimit) }
        try body()
    }

    private func setLogLimit(_ pages: Int32) {
        // A connection that is opened later has the usual limit.
        writer.withLock { $0.session?.connection.setLogLimit(pages) }
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

    /// Why a read does not count: without locks, it may have seen only a part of another process's changes.
    private func refusalWithoutLocks(of session: CacheSession) -> MoltError? {
        guard let unlocked = session.unlocked else { return nil }
        do throws(MoltError) {
            let status = try FileStatus.of(path)
            return StoreFiles(path).isBeingWritten || status != unlocked ? changedUnlocked : nil
        } catch {
            return error
        }
    }

    private func failure(_ error: any Error, of session: CacheSession) -> any Error {
        if let refusal = refusalWithoutLocks(of: session) { return refusal }
        guard let error = error as? SQLiteError else { return error }
        if let changed = session.changed(after: error) { return changed }
        // A file that was moved may also look damaged.
        if let file, !file.isAtPath { return moved }
        var failure = MoltError(error, store: path)
        if failure.code == .tooLarge { failure.key = session.key }
        if failure.code == .busy, let holder = AttemptLog(of: path).holder() {
            failure.problem += " The file is being upgraded by \(holder)."
            failure.holder = holder
        }
        return failure
    }

    private func checkFile() throws {
        if let file, !file.isUndisturbed { throw moved }
    }

    /// The error for a file that is no longer at its path; a closed cache may have been removed.
    private var moved: MoltError {
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
                ? "A newer release of the app has upgraded it. Update the app to write."
                : "Open it with `init(at:)` to write.",
            store: path
        )
    }

    private var changedUnlocked: MoltError {
        MoltError(
            .storeChanged,
            "Another process has changed the cache at \(path), which this process reads without a lock, because it "
                + "cannot take one.",
            advice: "Open it again.",
            store: path
        )
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        components.seconds.multipliedReportingOverflow(by: 1000).partialValue
            + components.attoseconds / 1_000_000_000_000_000
    }
}
