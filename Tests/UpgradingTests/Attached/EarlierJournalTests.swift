import Foundation
import Testing

// Journals name files, and commits fail with results, that no upgrade of today leaves.
@testable import Molt

/// A store whose last upgrade is committed, with changes to a suite that are still to be made.
@Suite("The journal of an earlier upgrade")
struct EarlierJournalTests {
    private let scratch: ScratchDirectory
    private let url: URL
    private let notebook: Notebook
    private let migrations: MigrationRegistry

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
        notebook = try Notebook()
        migrations = [notebook.adding("new", to: 2)]
        try CodableCache(at: url).close()
        let refusing = notebook.refusing
        try failure { $0.hooks.atPoint = refusing }.expect(.suiteFailed, outcome: .committed)
        try notebook.expectLines()
    }

    /// The error of an opening.
    ///
    /// - Parameter others: Other migrations than those of the earlier upgrade.
    private func failure(
        _ others: MigrationRegistry? = nil,
        _ change: (inout MoltConfiguration) -> Void
    ) throws -> MoltError {
        let configuration = MoltConfiguration(change)
        return try #require(throws: MoltError.self) {
            try CodableCache(at: url, migrations: others ?? migrations, configuration: configuration)
        }
    }

    @Test func `stays committed if the deadline stops its changes, and so the error says`() throws {
        let monitor = MigrationMonitor()
        let error = try failure {
            $0.deadline = .now - .seconds(1)
            $0.monitor = monitor
        }
        error.expect(.deadlinePassed, outcome: .committed)
        #expect(!error.message.contains("rolled back"))
        #expect(monitor.summary?.failure?.isCommitted == true)
        try CodableCache(at: url, migrations: migrations).close()
        try notebook.expectLines("new")
    }

    @Test func `stays committed if the wait for the file is cancelled`() throws {
        let holder = StoreFile(at: url)
        let error = try holder.whileLocked { try failure { $0.isCancelled = { true } } }
        try #require(error).expect(.cancelled, outcome: .committed)
    }

    /// Its changes to the suite are made by then, so the error must not say that nothing was changed.
    @Test func `is finished before a cancelled upgrade, whose error claims no outcome`() throws {
        let notebook = notebook
        let error = try failure([notebook.adding("new", to: 2), Migration(to: 3, "more")]) { configuration in
            configuration.isCancelled = { (try? notebook.lines) == ["new"] }
        }
        error.expect(.cancelled)
        #expect(error.outcome == nil)
        try notebook.expectLines("new")
        #expect(try StoreFile.state(at: url).version == 2)
    }

    @Test func `is left to another process, also if the plan has a problem`() throws {
        let late: MigrationRegistry = [Migration(to: 1, "late"), notebook.adding("new", to: 2)]
        try failure(late) { $0.process = .helper() }.expect(.lateMigration)
        try notebook.expectLines()
    }

    @Test func `removes no file outside its directory`() throws {
        let directory = scratch.file("directory")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let victim = scratch.file("victim")
        try Data("kept".utf8).write(to: victim)
        let name = "../victim"
        let file = try #require(AttachedDirectory.File(name: name, at: directory.path + "/" + name))
        AttachedDirectory(name: "d", path: directory.path).remove(try [UInt8](JSONEncoder().encode([file])))
        #expect(FileManager.default.fileExists(atPath: victim.path))
    }
}

@Suite("An upgrade that has not begun")
struct UpgradeBeforeItBeginsTests {
    private let scratch: ScratchDirectory
    private let url: URL

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
        try CodableCache(at: url).close()
    }

    @Test func `has changed nothing if the wait for the lock ends`() throws {
        let isWaiting = Log<Bool>()
        let configuration = MoltConfiguration { configuration in
            configuration.monitor = MigrationMonitor { if case .waiting = $0 { isWaiting.append(true) } }
            configuration.isCancelled = { isWaiting.count > 0 }
        }
        let error = try StoreFile(at: url).whileLocked {
            try #require(throws: MoltError.self) {
                try CodableCache(at: url, migrations: [Migration(to: 1, "a")], configuration: configuration)
            }
        }
        try #require(error).expect(.cancelled, outcome: .unchanged)
        #expect(isWaiting.count == 1)
    }

    @Test func `locks a suite that becomes available while it begins`() throws {
        let (open, closed) = (try Notebook(), try Notebook())
        let configuration = MoltConfiguration { configuration in
            // The clock is read between the locks of the suites and that of the file.
            configuration.now = {
                Suite.closedDomains.withLock { _ = $0.remove(closed.suite.domainName) }
                return Date()
            }
        }
        let lockedWhileRunning = Log<Bool>()
        let step = MigrationStep.notes(closed) { settings in
            let other = Result { try SuiteLock.all(of: [settings.suite]) { _ in throw TestFailure.expected } }
            if case .failure(TestFailure.expected) = other { lockedWhileRunning.append(true) }
            try settings.add("new")
        }
        try closed.whileClosed {
            let migrations: MigrationRegistry = [open.adding("a"), Migration(to: 2, "closed", step)]
            try CodableCache(at: url, migrations: migrations, configuration: configuration).close()
        }
        #expect(lockedWhileRunning.all == [true])
        try closed.expectLines("new")
    }

    #if DEBUG
        @Test func `notes its attempt before the backup that debug builds make`() throws {
            let cache = try CodableCache(at: url)
            try cache.set(1, forKey: "one")
            cache.close()
            let attempts = Log<Int>()
            let log = AttemptLog(of: url.path)
            let configuration = MoltConfiguration { configuration in
                configuration.redoesUnshippedMigrations = true
                configuration.hooks.atPoint = { point in
                    if point.kind == .beforeBackup { attempts.append(log.attempts().count) }
                }
            }
            let migrations: MigrationRegistry = [Migration(to: 1, "a", .renameType("Int", to: "Number"))]
            try CodableCache(at: url, migrations: migrations, configuration: configuration).close()
            #expect(attempts.all == [1])
        }
    #endif

    /// - Parameter code: SQLite's result of the commit.
    @Test(arguments: [(code: Int32(10), isKept: true), (13, false)])
    func `keeps its backup only if the commit may be on disk`(code: Int32, isKept: Bool) throws {
        let store = StoreFile(at: url)
        let configuration = MoltConfiguration { $0.backup = BackupPolicy(keep: 1) }
        let backup = UpgradeBackup(of: store, configuration, .opening)
        let plan = try MigrationRegistry([Migration(to: 1, "a")]).plan(for: store)
        try backup.make(for: plan, store.state()) { [] }
        let failure = SQLiteError(extendedCode: code, message: "")
        _ = backup.finish(after: MoltError(failure, store: store.storeName))
        #expect(try store.backups().isEmpty == !isKept)
    }
}

extension StoreFile {
    /// Runs a closure while this store has the write lock.
    fileprivate func whileLocked<Value>(_ body: () throws -> Value) throws -> Value? {
        var value: Value?
        try commit { _ in value = try body() }
        return value
    }
}
