internal import CMoltSQLite
package import Foundation

/// A Molt file, or a store in memory: the records of a cache, the ledger, and the journal of attached stores.
///
/// ``CodableCache`` opens a store, upgrades it, and reads and writes through it. Use the store directly for tasks that
/// need no cache, such as planning an upgrade or reading the schema version.
///
/// ```swift
/// let version = try StoreFile.state(at: url).version
/// ```
///
/// The file is not opened for writing before ``withWriteTransaction(until:_:waiting:)``, unless `Options.opensUpTo` is
/// set. A store is used by one thread at a time.
package final class StoreFile {
    /// The file's path, or ":memory:".
    let path: String
    /// The suite that is upgraded without a cache; the file then has no records, and exists only during upgrades.
    let primary: Suite?
    /// The attached stores in addition to those that the steps of a registry name.
    let attached: [AttachedStore]
    let isInMemory: Bool
    /// How the file is opened and written; it has an effect on what is opened after it was set.
    package var options = Options()
    /// SQLite's `cache_size`, negative for KiB: twice the default, since the pages are twice as large.
    private static let cacheSize = -4_000
    private var access = Access.closed(isProbed: false)
    /// The file's generation at the last look or upgrade.
    private(set) var generation: Int64 = 0

    /// How a file is opened and written.
    package struct Options {
        /// The maximum number of pages in the file, for tests of a full disk; nil for no limit.
        var pageLimit: Int?
        /// The page size of a new file in bytes: a power of two from 512 to 65536.
        package var pageSize = 8192
        /// Whether a commit must survive a power loss; a test's copy need not, and is faster.
        package var isDurable = true
        /// Called before each part of a backup is restored, for tests that kill the process there.
        package var atCopy: () -> Void = {}
        /// Whether an upgrade creates a missing file.
        fileprivate var createsFile = true
        /// Whether what is taken out of settings may wait in the store; a cache in memory would lose it.
        var keepsHandovers = true
        /// Whether a file that this release can only read is accepted; it is refused otherwise.
        var readsLaterLayouts = false
        /// Whether the file is opened for writing only if no other connection, in any process, has it open.
        ///
        /// None can open it then before this one is closed.
        var isExclusive = false
        /// The highest version of a file that is opened for writing when its state is first read; nil to only look at
        /// it.
        ///
        /// An opening sets it: one connection then serves the plan, the upgrade and the cache.
        var opensUpTo: Int?
    }

    /// How open the file is.
    private enum Access {
        /// It is not; whether it was found to be ours or missing, so that it may be opened for writing.
        case closed(isProbed: Bool)
        /// Only for reading, with its status when it was opened without locks, because none can be taken.
        case reading(Connection, unlocked: FileStatus?)
        case writing(Connection, Readiness)
    }

    /// What is known through a connection that writes.
    private struct Readiness {
        /// Whether it has found our tables, writes to the log, and has the settings for single writes.
        var isReady = false
        /// The state that it has read, and its data version then, which each later commit changes.
        var lastRead: LastRead?
    }

    private typealias LastRead = (state: StoreState, dataVersion: UInt32)

    /// Creates a store for a file; the file is not touched and need not exist.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - createsFile: Whether an upgrade creates a missing file.
    ///   - attached: Attached stores for blocks, in addition to those that steps name; none by default.
    package init(at url: URL, createsFile: Bool = true, attaching attached: [AttachedStore] = []) {
        path = FileStatus.path(of: url)
        primary = nil
        self.attached = attached
        isInMemory = false
        options.createsFile = createsFile
    }

    /// Creates a store in memory.
    ///
    /// - Parameter primary: The suite for a dry run of an upgrade of a suite alone; nil for a cache.
    package init(inMemoryWith attached: [AttachedStore], upgrading primary: Suite? = nil) {
        path = ":memory:"
        self.primary = primary
        self.attached = attached
        isInMemory = true
    }

    /// Creates a store for a suite that is upgraded without a cache.
    ///
    /// - Parameters:
    ///   - url: The file for the journal, which exists while an upgrade is unfinished, and for what is handed over.
    ///   - attached: Other suites that blocks use but steps do not name.
    init(upgrading suite: Suite, at url: URL, attaching attached: [Suite]) {
        path = FileStatus.path(of: url)
        primary = suite
        self.attached = ([suite] + attached).map(AttachedStore.suite)
        isInMemory = false
    }

    /// The open connection; nil while the file is closed.
    var connection: Connection? {
        switch access {
        case .closed: nil
        case .reading(let connection, _), .writing(let connection, _): connection
        }
    }

    /// The status of the file when it was opened without locks, because none can be taken; nil otherwise.
    var unlocked: FileStatus? {
        if case .reading(_, let unlocked) = access { unlocked } else { nil }
    }

    /// What is known through the connection that writes; nil if there is none.
    private var readiness: Readiness? {
        get { if case .writing(_, let readiness) = access { readiness } else { nil } }
        set {
            guard case .writing(let connection, _) = access, let newValue else { return }
            access = .writing(connection, newValue)
        }
    }

    /// The store's name in errors and reports: its file's path, or the name of its suite.
    var storeName: String { primary?.attachedName ?? path }

    /// Reads the version and the ledger of a file without opening it for writing or creating it.
    ///
    /// - Throws: ``MoltError`` with the code `notAFile`, `noPermission`, `notADatabase`, `foreignFile`, `newerFormat`,
    ///   `busy` or `storeFailed`.
    package static func state(at url: URL) throws -> StoreState {
        try FileProbe.state(FileStatus.path(of: url))
    }

    /// Reads the file's version and ledger; writes nothing and takes no write lock.
    ///
    /// - Throws: ``MoltError`` with the codes of ``state(at:)``.
    package func state() throws -> StoreState {
        if let connection {
            let (state, lastRead) = try read(connection)
            readiness?.lastRead = lastRead
            return state
        }
        guard !isInMemory else { return .fresh }
        if let state = openAtOnce() { return state }
        let found = try FileProbe.stateAndGeneration(path)
        if let layout = found?.state.laterLayout, !options.readsLaterLayouts {
            throw FileFormat.newer(path, Int64(layout), isReadable: true)
        }
        access = .closed(isProbed: true)
        generation = found?.generation ?? 0
        return found?.state ?? .fresh
    }

    /// Reads the state through a connection, with its data version if the file is in our layout.
    private func read(_ connection: Connection) throws -> (state: StoreState, lastRead: LastRead?) {
        try withErrors(of: path) {
            try connection.begin()
            defer { connection.rollBack() }
            guard let marks = try FileFormat.recognize(connection, path: path) else { return (.fresh, nil) }
            generation = marks.generation
            let state = try LedgerTable.state(connection, marks)
            return (state, state.laterLayout == nil ? connection.dataVersion.map { (state, $0) } : nil)
        }
    }

    func hasRecords(before version: Int) throws -> Bool {
        try look { connection throws(SQLiteError) in try connection.hasRecords(before: version) } ?? false
    }

    /// The value of one of the file's marks, for what an opening seldom needs; nil if it has none.
    func mark(_ name: String) throws -> Int64? {
        try look { connection throws(SQLiteError) in try FileFormat.mark(name, of: connection) } ?? nil
    }

    /// The digests of the files that the store got last from the app, by the names of their seeds.
    func seedDigests() throws -> [String: String] {
        try look { connection throws(SQLiteError) in try SeedTable(of: connection)?.digests ?? [:] } ?? [:]
    }

    /// What the store remembers of a seed; nil if it never had a file of it.
    func seedEntry(_ name: String) throws -> SeedTable.Entry? {
        try look { connection throws(SQLiteError) in try SeedTable(of: connection)?.entry(name) } ?? nil
    }

    /// Makes sure that the ledger has lost no row.
    ///
    /// - Throws: ``MoltError`` for damage.
    func checkLedger() throws {
        guard !isInMemory else { return }
        _ = try look { connection throws(SQLiteError) in try LedgerTable.checkRows(connection) }
    }

    /// Runs a closure that reads the records, for a plan; it gets nil if there is no file.
    ///
    /// It may run again if another process writes to the file.
    func read<Value>(_ body: (StoreTransaction?) throws -> Value) throws -> Value {
        let result = try look { connection throws(SQLiteError) in
            let records = StoreTransaction(connection, of: self)
            defer { records.invalidate() }
            return Result { try body(records) }
        }
        return try result?.get() ?? body(nil)
    }

    /// Runs a closure that reads the file; nil if there is none.
    private func look<Found>(_ body: (Connection) throws(SQLiteError) -> Found) throws -> Found? {
        guard let connection else { return isInMemory ? nil : try FileProbe.look(path, body) }
        return try withErrors(of: path) {
            // A plan may be made inside the transaction that it is for.
            if connection.isInTransaction { return try body(connection) }
            try connection.begin()
            defer { connection.rollBack() }
            return try body(connection)
        }
    }

    var files: StoreFiles { StoreFiles(path) }

    /// The attempted upgrades; nil in memory.
    var attempts: AttemptLog? {
        isInMemory ? nil : AttemptLog(of: path)
    }

    /// The size of the file and its log; nil in memory, for a suite, and when nothing is there.
    package var byteCount: Int64? {
        isInMemory || primary != nil ? nil : files.byteCount.map(Int64.init)
    }

    /// Runs a closure in one write transaction, which also creates the file and its tables when needed.
    ///
    /// The write lock is acquired before the closure is called, so no other process can upgrade the store in the
    /// meantime. The transaction commits if the closure returns true, and rolls back otherwise.
    ///
    /// - Parameters:
    ///   - deadline: When the transaction's statements are interrupted; nil for never.
    ///   - isSynced: Whether the commit must survive a power loss from then on. Otherwise a loss may undo it, together
    ///     with all commits that follow it, and the transaction should change few pages.
    ///   - body: Reads and writes through the transaction, which must not outlive the call. It returns whether to
    ///     commit.
    ///   - waiting: Called repeatedly while another process holds the write lock; throws to give up.
    /// - Throws: The errors of `body` and `waiting`; ``MoltError`` with the code `storeFailed` or `busy`, or that of a
    ///   file that cannot be used.
    // Compiled once, and not again for each closure.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package func withWriteTransaction<Failure: Error>(
        until deadline: Instant?,
        isSynced: Bool = true,
        _ body: (StoreTransaction) throws -> Bool,
        waiting: () throws(Failure) -> Void
    ) throws {
        let connection = try openForWriting()
        try withErrors(of: storeName) {
            if options.isExclusive {
                connection.busyTimeout = 50
                try retryWhileBusy(waiting) { () throws(SQLiteError) in _ = try connection.integer(.userVersion) }
            }
            // The file may have been replaced since it was probed.
            connection.busyTimeout = 5_000
            let wasReady = readiness?.isReady == true
            if !wasReady { _ = try hasTables(connection, forWriting: true) }
            connection.busyTimeout = 50
            // Before the transaction, so that readers never wait for a new file: until the commit it is a database
            // without tables, which counts as no store.
            if !wasReady { try enableWAL(connection, waiting) }
            // A transaction that is not synced changes only the level.
            let keepsSettings = wasReady && !isSynced
            readiness?.isReady = false
            var isOurs = false
            // Last, because these settings cannot be changed in a transaction; a failure here must not fail the
            // upgrade.
            defer {
                let isSet = (try? setLevel("NORMAL", of: connection)) != nil
                let isReady = isSet && (keepsSettings || (try? setForSingleWrites(connection)) != nil) && isOurs
                readiness?.isReady = isReady
            }
            if isSynced { try prepareForBatches(connection) }
            // Temporary tables may be in files again; a failure here loses nothing.
            defer { if isSynced { try? connection.set(.temporaryStore, to: "DEFAULT") } }
            try begin(connection, isSynced: isSynced, waiting)
            defer { connection.rollBack() }
            // SQLite refuses this only after the transaction has made temporary tables.
            if isSynced { try connection.set(.temporaryStore, to: "DEFAULT") }
            if connection.hasMoved { throw SQLiteError.moved }
            let state = readiness?.lastRead.flatMap { $0.dataVersion == connection.dataVersion ? $0.state : nil }
            let isFresh = try state == nil && FileFormat.recognize(connection, path: path, forWriting: true) == nil
            isOurs = !isFresh
            if isFresh { try connection.execute(FileFormat.creation) }
            let transaction = StoreTransaction(
                connection,
                of: self,
                isFresh: isFresh,
                deadline: deadline,
                lastRead: state
            )
            defer { transaction.invalidate() }
            connection.interrupt(at: deadline)
            // Before the rollback, which must not be interrupted.
            defer { connection.interrupt(at: nil) }
            guard try body(transaction) else { return }
            try transaction.finish()
            let generation = try transaction.generation()
            try retryWhileBusy(waiting) { () throws(SQLiteError) in try connection.commit() }
            self.generation = generation
            readiness?.lastRead = nil
            isOurs = true
            // Apple's SQLite never asks for this, not even with fullfsync. The log itself is never locked.
            if isSynced, options.isDurable, !isInMemory { DurableFile.flushDrive(of: files.log) }
            // The first page holds the application id and should not stay in the log. A full disk may keep it there.
            if isFresh { try? connection.copyLog() }
        }
    }

    /// Runs a closure in a write transaction, unless the store was upgraded or replaced since the last look.
    ///
    /// - Returns: Whether the closure has run.
    func withWriteTransactionOfSameStore(
        until deadline: Instant?,
        isSynced: Bool = true,
        _ body: (StoreTransaction) throws -> Void,
        waiting: () throws -> Void
    ) throws -> Bool {
        let expected = generation
        // What others have done since then must still be noticed.
        defer { generation = expected }
        var isSame = false
        try withWriteTransaction(until: deadline, isSynced: isSynced) { transaction in
            isSame = try transaction.generation() == expected
            if isSame { try body(transaction) }
            return isSame
        } waiting: {
            try waiting()
        }
        return isSame
    }

    /// Runs a closure that reads the store as it is at the closure's first call, while others read and write it.
    ///
    /// - Parameter body: Only reads through the transaction, which must not outlive the call.
    func withSnapshot<Value>(_ body: (StoreTransaction) throws -> Value) throws -> Value {
        try withErrors(of: storeName) {
            let connection = try isInMemory ? openForWriting() : Connection(path, mode: .readOnly)
            connection.busyTimeout = 5_000
            try connection.begin()
            defer { connection.rollBack() }
            let transaction = StoreTransaction(connection, of: self)
            defer { transaction.invalidate() }
            return try body(transaction)
        }
    }

    /// Begins the transaction of an upgrade.
    ///
    /// FULL syncs the log at the commit, so that a reported upgrade survives a power loss. NORMAL syncs the header of a
    /// log that begins anew, because old frames may follow it. An empty log has none, so OFF suffices for it: a loss
    /// only shortens or empties the log until it is synced, and no page is copied into the file before.
    private func begin(_ connection: Connection, isSynced: Bool, _ waiting: () throws -> Void) throws {
        let files = files
        let isLogEmpty = !isSynced && !files.hasLog
        try setLevel(isLogEmpty ? "OFF" : isSynced ? "FULL" : "NORMAL", of: connection)
        try retryWhileBusy(waiting) { () throws(SQLiteError) in try connection.beginWriting() }
        // Another process may have written before the lock was taken, and its frames been copied.
        if isLogEmpty, files.hasLog {
            connection.rollBack()
            try begin(connection, isSynced: isSynced, waiting)
        }
    }

    /// Sets how commits are synced, and stops SQLite from copying pages into the file while they are not.
    private func setLevel(_ level: String, of connection: Connection) throws(SQLiteError) {
        try connection.set(.synchronous, to: options.isDurable ? level : "OFF")
        connection.setLogLimit(options.isDurable && level == "OFF" ? 0 : Connection.logLimit)
    }

    /// Prepares a transaction that may write all records: a larger cache, and SQLite's copies of changed pages in
    /// memory.
    ///
    /// The cache, in KiB, keeps a batch's pages from being read until they are written: only a tenth of it is for
    /// unchanged pages. SQLite can undo a statement that calls our functions, so it keeps the original of every changed
    /// page until the statement ends; in a file, those would be half of what an upgrade writes. SQLite chooses memory
    /// or file when the transaction begins (undocumented; true of 3.40). The caller resets `temp_store` then: temporary
    /// tables made later belong in files, so that memory stays flat.
    private func prepareForBatches(_ connection: Connection) throws(SQLiteError) {
        try connection.set(.cacheSize, to: -8_000)
        try connection.set(.temporaryStore, to: "MEMORY")
    }

    // MARK: For the cache

    /// Returns a connection to a file that has our tables; unless it is only read, the file is created if necessary.
    package func ready(isReadOnly: Bool = false, busyMilliseconds: Int32) throws -> Connection {
        if isReadOnly { return try readyForReading(busyMilliseconds) }
        let connection = try openForWriting()
        connection.busyTimeout = busyMilliseconds
        if readiness?.isReady == true { return connection }
        return try withErrors(of: path) {
            let exists = try hasTables(connection, forWriting: true)
            let patience = Patience(.milliseconds(busyMilliseconds))
            let waiting = { try patience.wait(orThrow: SQLiteError.busy) }
            if exists {
                try enableWAL(connection, waiting)
            } else {
                try withWriteTransaction(until: nil, { _ in true }, waiting: waiting)
            }
            connection.busyTimeout = busyMilliseconds
            try setForSingleWrites(connection)
            return connection
        }
    }

    /// Opens the file for reading; without locks, if none can be taken.
    ///
    /// SQLite keeps the locks of readers in a file beside the database, which it cannot make in a directory that is
    /// read-only or full.
    private func readyForReading(_ busyMilliseconds: Int32) throws -> Connection {
        close()
        do {
            let connection = try openForReading(.readOnly, busyMilliseconds)
            access = .reading(connection, unlocked: nil)
            return connection
        } catch {
            guard ((error as? MoltError)?.underlying as? SQLiteError)?.mayBeWithoutLockFile == true,
                !files.isBeingWritten,
                let status = try FileStatus.of(path),
                let connection = try? openForReading(.immutable, busyMilliseconds),
                !files.isBeingWritten, try FileStatus.of(path) == status
            else { throw error }
            access = .reading(connection, unlocked: status)
            return connection
        }
    }

    private func openForReading(_ mode: Connection.Mode, _ busyMilliseconds: Int32) throws -> Connection {
        try withErrors(of: path) {
            let connection = try Connection(path, mode: mode)
            connection.busyTimeout = busyMilliseconds
            guard try hasTables(connection) else { throw missing }
            return connection
        }
    }

    /// Closes a file that was open for reading, and removes the empty log that connections for reading have made and
    /// cannot remove.
    ///
    /// The last connection of all processes removes it when it is closed, if it may write. This one changes nothing.
    func closeReading() {
        let hasLocks = unlocked == nil
        close()
        guard hasLocks, FileStatus.unfollowed(files.log)?.size == 0,
            let connection = try? Connection(path, mode: .readWrite)
        else { return }
        _ = try? connection.integer(.userVersion)
        connection.close()
    }

    /// Releases the connection; SQLite closes it with its last user.
    package func close() {
        access = .closed(isProbed: false)
    }

    /// Writes the ledger of a suite that is upgraded without a cache into its file, so that a backup has it.
    func mirror(_ contents: StoreContents, waiting: () throws -> Void) throws {
        guard primary != nil, !isInMemory else { return }
        let replace = { (transaction: StoreTransaction) in
            try transaction.replaceLedger(by: contents)
            return true
        }
        try withWriteTransaction(until: nil, replace, waiting: waiting)
    }

    /// Removes the file of a suite once nothing is left to do, so that opening the suite need not look into it.
    ///
    /// The caller has the suite's lock.
    func removeIfDone() {
        guard primary != nil, !isInMemory, let state = try? state(), state.journal.isEmpty, state.handovers.isEmpty
        else { return }
        close()
        // If a file cannot be removed, the next opening only has to look into it.
        for suffix in ["", "-wal", "-shm"] { try? DurableFile.remove(path + suffix) }
    }

    // MARK: Opening

    /// Whether the database is ours, judged in one snapshot because another process may be creating it.
    private func hasTables(_ connection: Connection, forWriting: Bool = false) throws -> Bool {
        try connection.begin()
        defer { connection.rollBack() }
        return try FileFormat.recognize(connection, path: path, forWriting: forWriting) != nil
    }

    /// Opens the file for writing before its state is known, if it is one of ours that is likely to be used.
    ///
    /// The header rules out files of other apps and of newer versions before SQLite takes locks or creates its files.
    /// ``FileProbe`` looks at those, at files that another connection has written to or that may only be read, and at
    /// files in which a fault is found here.
    ///
    /// - Returns: The state of the file; nil if it was not opened.
    private func openAtOnce() -> StoreState? {
        guard let opensUpTo = options.opensUpTo, primary == nil,
            (try? FileStatus.checkPath(path)) != nil, files.isCheckpointed,
            let opened = try? Connection(path, mode: .readWrite), !opened.isReadOnly,
            let header = try? opened.fileBytes(at: 0, FileFormat.headerSize),
            FileFormat.mayOpen(header, upTo: opensUpTo)
        else { return nil }
        // Others look at a locked file without locks, or wait as long as the app allows.
        opened.busyTimeout = 50
        // The mode may have been changed since the header was read.
        guard (try? configure(opened)) != nil, let (state, lastRead) = try? read(opened), let lastRead,
            (try? opened.text(.journalMode)) == "wal", (try? setForSingleWrites(opened)) != nil
        else { return nil }
        opened.busyTimeout = 5_000
        access = .writing(opened, Readiness(isReady: true, lastRead: lastRead))
        return state
    }

    private func openForWriting() throws -> Connection {
        if let connection { return connection }
        if !isInMemory {
            // SQLite must not write to a file that is not ours.
            if case .closed(isProbed: false) = access { _ = try state() }
            if let connection {
                // The caller has not seen this state.
                readiness?.lastRead = nil
                return connection
            }
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
            if !options.createsFile, try (FileStatus.of(path)?.size ?? 0) == 0 { throw missing }
            // On failure, the next line reports the reason.
            try? DurableFile.makeDirectory(at: directory)
            try makeFile()
        }
        return try withErrors(of: path) {
            let connection = try Connection(path, mode: isInMemory ? .memory : .readWrite)
            guard !connection.isReadOnly else {
                throw MoltError(
                    .readOnly,
                    "The file at \(path) is read-only.",
                    advice: "Check its permissions and its volume.",
                    store: path
                )
            }
            try configure(connection)
            access = .writing(connection, Readiness())
            return connection
        }
    }

    /// Configures a connection that writes, before it reads the file.
    private func configure(_ connection: Connection) throws(SQLiteError) {
        // Twice SQLite's default, for new files only: an upgrade of all records takes a quarter less time, because it
        // makes half as many system calls.
        try connection.set(.pageSize, to: options.pageSize)
        if let pageLimit = options.pageLimit { try connection.set(.maxPageCount, to: pageLimit) }
        // In this mode, SQLite's first read locks the whole file, and every open cache has a lock on it.
        if options.isExclusive { try connection.set(.lockingMode, to: "EXCLUSIVE") }
        try connection.set(.journalSizeLimit, to: Connection.largestLog)
        // The log may be overwritten only once its pages are in the file, and drives on Apple's systems keep no order
        // unless asked. Only Apple's SQLite is built to ask; elsewhere the pragma has no effect.
        try connection.set(.checkpointFullSync, to: "ON")
    }

    /// Sets what a cache's single writes need; not before the first read, because SQLite reads the schema for it.
    ///
    /// With NORMAL, a power loss costs at most the last writes and never the file's integrity; a kill costs nothing.
    /// That is enough for single values; an upgrade sets FULL.
    private func setForSingleWrites(_ connection: Connection) throws(SQLiteError) {
        try connection.set(.synchronous, to: options.isDurable ? "NORMAL" : "OFF")
        try connection.set(.cacheSize, to: Self.cacheSize)
    }

    private func makeFile() throws {
        // A kill may leave an empty file, which beside a backup would look like the remains of the old file. The file
        // therefore gets its name only once it has a page.
        let files = files
        guard try FileStatus.of(path) == nil, (try? files.backups().isEmpty) == false else {
            return try FileStatus.create(path, mayExist: true)
        }
        files.removeLeftovers()
        do {
            let (part, _) = try files.begin(.aside, version: nil, at: Date())
            try part.withDatabase { try $0.execute(FileFormat.blank(pageSize: options.pageSize)) }
            try part.publish(as: path)
        } catch let error as SQLiteError {
            throw MoltError(error, store: path)
        } catch let error as DurableFile.Failure {
            // Another process created the file first.
            guard error.isExisting else { throw FileStatus.failure(error.number, path: path) }
            try FileStatus.create(path, mayExist: true)
        }
    }

    var missing: MoltError { .noCache(at: path) }

    /// Switches a new file to WAL mode; writes nothing when it is in WAL mode.
    private func enableWAL(_ connection: Connection, _ waiting: () throws -> Void) throws {
        guard !isInMemory else { return }
        // SQLite knows the mode only after reading the file.
        try retryWhileBusy(waiting) { () throws(SQLiteError) in _ = try connection.integer(.userVersion) }
        guard try connection.text(.journalMode) != "wal" else { return }
        // Busy while another process has the file open in the old mode; that process is switching, too.
        try retryWhileBusy(waiting) { () throws(SQLiteError) in try connection.set(.journalMode, to: "WAL") }
    }
}
