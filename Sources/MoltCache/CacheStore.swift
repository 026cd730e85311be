internal import CMoltSQLite
package import Foundation
package import MoltCore

/// A cache file, or a cache in memory, as the migrator sees it.
///
/// ``CodableCache`` opens one of these, has it upgraded and reads and writes through it. Use it directly for what
/// needs no cache: the plan for a file, or its schema version.
///
/// ```swift
/// let version = try CacheStore.state(at: url).version
/// ```
///
/// A file is looked at without opening it for writing until ``withWriteTransaction(until:_:waiting:)`` is called. A store is used by
/// one thread at a time.
package final class CacheStore: MigrationStore {
    /// The file's path, or ":memory:".
    package let storeName: String
    /// The coders that values are encoded and decoded with.
    package let coding: RecordCoding
    /// What is attached beside what the steps of a registry name.
    package let attachments: [any AttachedStore]
    /// How many pages the file may have, for tests of a full disk; nil for no limit.
    package var pageLimit: Int?
    /// How large the pages of a new file are, in bytes: a power of two from 512 to 65536.
    package var pageSize = 8192
    /// Whether what is committed must survive a loss of power; a test's copy need not, and is faster.
    package var isDurable = true
    /// Is called before each part of a backup that is put back, for tests that kill the process there.
    package var atCopy: () -> Void = {}
    let isInMemory: Bool
    /// How many KiB of pages a connection keeps, as SQLite has it negative: twice its default, as the pages are twice as
    /// large, so that it keeps as many.
    private static let cacheSize = -4_000
    private let createsFile: Bool
    private(set) var connection: Connection?
    /// Whether the file was looked at and not refused.
    private var isProbed = false
    /// The file's generation when the store was last asked, or upgraded.
    private(set) var generation: Int64 = 0

    /// Creates a store for a file, which is not touched and need not exist.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - coding: The coders that values are encoded and decoded with.
    ///   - createsFile: Whether an upgrade makes the file when there is none.
    ///   - attachments: What blocks work on outside the file, beside what steps name themselves; none by default.
    package init(
        at url: URL,
        coding: RecordCoding = .standard,
        createsFile: Bool = true,
        attachments: [any AttachedStore] = []
    ) {
        storeName = FileStatus.path(of: url)
        self.coding = coding
        self.createsFile = createsFile
        self.attachments = attachments
        isInMemory = false
    }

    /// Creates an empty store in memory.
    package init(inMemory coding: RecordCoding, attachments: [any AttachedStore] = []) {
        storeName = ":memory:"
        self.coding = coding
        createsFile = true
        self.attachments = attachments
        isInMemory = true
    }

    /// What the store in a file says of itself, read without writing and without making a file.
    ///
    /// - Throws: ``CacheError`` with the code `notAFile`, `noPermission`, `notADatabase`, `foreignFile`,
    ///   `newerFormat`, `hardLinked`, `busy` or `storeFailed`.
    package static func state(at url: URL) throws -> StoreState {
        try probe(FileStatus.path(of: url))?.state ?? .fresh
    }

    /// Looks at a file that is to be used as a store: by its only name, since the log has the name of the file.
    private static func probe(_ path: String) throws(CacheError) -> (state: StoreState, generation: Int64)? {
        try HardLinks.check(path)
        return try FileProbe.stateAndGeneration(path)
    }

    /// Reads the version and the ledger; writes nothing and takes no write lock.
    ///
    /// - Throws: ``CacheError``, with the codes of ``state(at:)``.
    package func state() throws -> StoreState {
        guard let connection else {
            guard !isInMemory else { return .fresh }
            let found = try Self.probe(storeName)
            isProbed = true
            generation = found?.generation ?? 0
            return found?.state ?? .fresh
        }
        do {
            try connection.execute("BEGIN")
            defer { connection.rollBack() }
            guard try FileFormat.recognize(connection, path: storeName) else { return .fresh }
            generation = try FileFormat.generation(of: connection)
            return try LedgerTable.state(connection)
        } catch let error as SQLiteError {
            throw CacheError(error, path: storeName)
        }
    }

    /// Where upgrades that begin are noted; nil in memory.
    package var attemptsURL: URL? {
        isInMemory ? nil : Self.attemptsURL(of: storeName)
    }

    /// Where upgrades of a file that begin are noted: beside the file itself, also when a link leads to it.
    static func attemptsURL(of path: String) -> URL {
        URL(fileURLWithPath: FileStatus.resolved(path) + "-attempt")
    }

    /// The upgrade that another process, or another thread, is making of the file; nil when none is known.
    var holder: UpgradeAttempt? {
        attemptsURL.flatMap { AttemptLog($0).holder() }
    }

    /// Runs a closure in one write transaction; makes the file and its tables in the same transaction when needed.
    ///
    /// - Throws: What `body` and `waiting` throw; ``CacheError`` for a file that cannot be used; ``MigrationError``
    ///   with the code `storeFailed` or `busy`.
    package func withWriteTransaction(
        until deadline: ContinuousClock.Instant?,
        _ body: (any MigrationTransaction) throws -> Void,
        waiting: () throws -> Void
    ) throws {
        let connection = try openForWriting()
        do {
            // Another file may have been put in its place since it was looked at.
            connection.setBusyTimeout(milliseconds: 5_000)
            _ = try hasTables(connection, forWriting: true)
            connection.setBusyTimeout(milliseconds: 50)
            // Before the transaction, so that a new file has no moment in which readers must wait: until the commit
            // it is a database without tables, which counts as no store at all.
            try settle(connection, waiting)
            // An upgrade that was reported as done must survive a loss of power: FULL syncs the log at the commit. Its
            // pages must stay in the cache from reading a batch to writing it: SQLite leaves a tenth of the cache, here
            // in KiB, to unchanged ones.
            try connection.execute("PRAGMA synchronous = \(isDurable ? "FULL" : "OFF"); PRAGMA cache_size = -8000")
            try begin(connection, waiting)
            defer { connection.rollBack() }
            // Refused only once the transaction has made temporary tables.
            try connection.execute("PRAGMA temp_store = DEFAULT")
            if connection.hasMoved { throw SQLiteError.moved }
            let isFresh = try !FileFormat.recognize(connection, path: storeName, forWriting: true)
            if isFresh { try connection.execute(FileFormat.creation) }
            let transaction = CacheTransaction(
                connection,
                storeName: storeName,
                coding: coding,
                isFresh: isFresh,
                isDurable: isDurable,
                deadline: deadline
            )
            defer { transaction.invalidate() }
            let stop = deadline.map { StatementStop(on: connection, at: $0) }
            // Before the rollback, which must not be stopped.
            defer { stop?.end() }
            try body(transaction)
            try transaction.finish()
            let generation = try FileFormat.generation(of: connection)
            try retry(waiting) { () throws(SQLiteError) in try connection.execute("COMMIT") }
            self.generation = generation
            // Apple's own SQLite never asks the drive for that, not even with fullfsync. Nobody locks the log.
            if isDurable, !isInMemory { DiskSync.drive(of: FileStatus.resolved(storeName) + "-wal") }
            tidy(connection, isFresh: isFresh)
        } catch let error as SQLiteError {
            throw MigrationError(error, store: storeName)
        }
    }

    /// Begins the transaction of an upgrade.
    ///
    /// A statement that writes many records with our functions can be undone by SQLite, alone: until it ends, the pages
    /// that it changes are kept as they were; in a file they would be half of all that an upgrade writes. Where they are
    /// kept SQLite settles as the transaction begins (its documentation does not say so; 3.40 does). Who calls this puts
    /// the setting back at once: temporary tables, made later, are to have files, so that memory stays flat.
    private func begin(_ connection: Connection, _ waiting: () throws -> Void) throws {
        try connection.execute("PRAGMA temp_store = MEMORY")
        do {
            try retry(waiting) { () throws(SQLiteError) in try connection.execute("BEGIN IMMEDIATE") }
        } catch {
            // The next one sets it again.
            try? connection.execute("PRAGMA temp_store = DEFAULT")
            throw error
        }
    }

    /// What follows a commit: it cannot fail the upgrade, which is done, and nothing is lost when it does not work.
    private func tidy(_ connection: Connection, isFresh: Bool) {
        // At worst commits stay as safe, and as slow, as those of an upgrade.
        try? connection.execute(
            "PRAGMA synchronous = \(isDurable ? "NORMAL" : "OFF"); PRAGMA cache_size = \(Self.cacheSize)"
        )
        // The first page says whose file it is; it should not stay in the log. A full disk may keep it there.
        if isFresh { try? connection.execute("PRAGMA wal_checkpoint(PASSIVE)") }
    }

    // MARK: For the cache

    /// The connection, with tables in the file, in WAL mode, and set up for reading and writing.
    func ready(busyMilliseconds: Int32) throws -> Connection {
        let connection = try openForWriting()
        connection.setBusyTimeout(milliseconds: busyMilliseconds)
        do {
            let exists = try hasTables(connection, forWriting: true)
            let deadline = ContinuousClock.now + .milliseconds(busyMilliseconds)
            let waiting = { () throws in
                if ContinuousClock.now >= deadline { throw SQLiteError.busy }
            }
            if exists {
                try settle(connection, waiting)
            } else {
                try withWriteTransaction(until: nil, { _ in }, waiting: waiting)
            }
            connection.setBusyTimeout(milliseconds: busyMilliseconds)
            // Not before: SQLite reads the schema for it.
            try connection.execute("PRAGMA cache_size = \(Self.cacheSize)")
            return connection
        } catch let error as SQLiteError {
            throw CacheError(error, path: storeName)
        }
    }

    /// A connection that can only read, to a file that has our tables.
    func readyForReading(busyMilliseconds: Int32) throws -> Connection {
        do {
            let connection = try Connection(storeName, mode: .readOnly)
            connection.setBusyTimeout(milliseconds: busyMilliseconds)
            guard try hasTables(connection) else { throw missing }
            self.connection = connection
            return connection
        } catch let error as SQLiteError {
            throw CacheError(error, path: storeName)
        }
    }

    /// Gives the connection up, so that SQLite closes it when nobody uses it any more.
    package func close() {
        connection = nil
    }

    // MARK: Opening

    /// Whether a database is ours; all that decides is read in one snapshot, because another process may be making it.
    private func hasTables(_ connection: Connection, forWriting: Bool = false) throws -> Bool {
        try connection.execute("BEGIN")
        defer { connection.rollBack() }
        return try FileFormat.recognize(connection, path: storeName, forWriting: forWriting)
    }

    private func openForWriting() throws -> Connection {
        if let connection { return connection }
        if !isInMemory {
            // A file that is not ours is refused before SQLite may write to it.
            if !isProbed { _ = try Self.probe(storeName) }
            let directory = URL(fileURLWithPath: storeName).deletingLastPathComponent().path
            if !createsFile, try (FileStatus.of(storeName)?.size ?? 0) == 0 { throw missing }
            // What it cannot make is reported by the next line, with its reason.
            try? DurableDirectory.make(at: directory)
            try makeFile()
        }
        do {
            let connection = try Connection(storeName, mode: isInMemory ? .memory : .readWrite)
            guard !connection.isReadOnly else {
                var error = CacheError(
                    .readOnly,
                    "The file at \(storeName) can only be read. Check its permissions and its volume."
                )
                error.path = storeName
                throw error
            }
            // Twice SQLite's own default, for a new file only: an upgrade of all records takes three quarters of the
            // time, because it makes half as many calls to the system.
            try connection.execute("PRAGMA page_size = \(pageSize)")
            if let pageLimit { try connection.execute("PRAGMA max_page_count = \(pageLimit)") }
            // The log is cut back to this size when it has grown beyond it, as an upgrade of all records makes it.
            try connection.execute("PRAGMA journal_size_limit = 16777216")
            // The log may be written anew only when its pages are in the file: the drives of Apple's systems keep to no
            // order unless asked. Their own SQLite is built to ask; on other systems this is without effect.
            try connection.execute("PRAGMA checkpoint_fullfsync = ON")
            self.connection = connection
            return connection
        } catch let error as SQLiteError {
            throw CacheError(error, path: storeName)
        }
    }

    /// Makes the file unless there is one.
    private func makeFile() throws {
        // A kill may leave an empty one, which with a backup beside it would be taken for what is left of the old one. So
        // there it has its name only when it has a page.
        guard try FileStatus.of(storeName) == nil, (try? BackupFiles(storeName).list().isEmpty) == false else {
            return try FileStatus.create(storeName)
        }
        let files = BackupFiles(storeName)
        files.removeLeftovers()
        do {
            let (part, _) = try files.begin(.aside, version: nil, at: Date())
            let connection = try Connection(part.path, mode: .readWrite)
            try connection.execute(
                "PRAGMA page_size = \(pageSize); PRAGMA application_id = \(FileFormat.applicationID)"
            )
            connection.close()
            try part.publish(as: storeName)
        } catch let error as SQLiteError {
            throw CacheError(error, path: storeName)
        } catch let error as DurableFile.Failure {
            // Another one was quicker.
            guard error.isExisting else { throw FileStatus.failure(error.number, path: storeName) }
            try FileStatus.create(storeName)
        }
    }

    private var missing: CacheError {
        var error = CacheError(.fileMissing, "There is no cache at \(storeName), and none is to be made.")
        error.path = storeName
        return error
    }

    /// Switches a new file to WAL mode; writes nothing when it is in WAL mode.
    ///
    /// In WAL mode NORMAL loses at most the last writes when power is lost, never the file's integrity, and nothing
    /// when the process is killed. That is enough for single values, and an upgrade sets FULL for itself.
    private func settle(_ connection: Connection, _ waiting: () throws -> Void) throws {
        if !isInMemory {
            // The mode is known once the file was read.
            try retry(waiting) { () throws(SQLiteError) in _ = try connection.integer("PRAGMA user_version") }
            if try connection.text("PRAGMA journal_mode") != "wal" {
                // Refused as busy while another process has the file open in the old mode; it is switching, too.
                try retry(waiting) { () throws(SQLiteError) in
                    try connection.execute("PRAGMA journal_mode = WAL")
                }
            }
        }
        try connection.execute("PRAGMA synchronous = \(isDurable ? "NORMAL" : "OFF")")
    }

    /// Tries until another connection lets go; SQLite waits a little within each try.
    private func retry(_ waiting: () throws -> Void, _ body: () throws(SQLiteError) -> Void) throws {
        while true {
            do throws(SQLiteError) {
                return try body()
            } catch {
                guard error.isBusy else { throw error }
                try waiting()
                // Some refusals come at once.
                Thread.sleep(forTimeInterval: 0.001)
            }
        }
    }
}
