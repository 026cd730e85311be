import Foundation
import Testing

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
        let configuration = CodableCache.Configuration { [notebook] in $0.hooks.atPoint = notebook.refusing }
        #expect(throws: MoltError.self) {
            try CodableCache(at: url, migrations: migrations, configuration: configuration)
        }?.expect(.attachedStoreFailed, outcome: .committed)
        #expect(try notebook.lines.isEmpty)
    }

    private func failure(_ change: (inout CodableCache.Configuration) -> Void) throws -> MoltError {
        let error = #expect(throws: MoltError.self) {
            try CodableCache(at: url, migrations: migrations, configuration: .init(change))
        }
        return try #require(error)
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
        #expect(try notebook.lines == ["new"])
    }

    @Test func `stays committed if the wait for the file is cancelled`() throws {
        let holder = StoreFile(at: url)
        let error = try holder.whileLocked { try failure { $0.isCancelled = { true } } }
        error?.expect(.cancelled, outcome: .committed)
        #expect(error != nil)
    }

    /// Its changes to the suite are made by then, so the error must not say that nothing was changed.
    @Test func `is finished before a cancelled upgrade, whose error claims no outcome`() throws {
        let notebook = notebook
        let more: MigrationRegistry = [notebook.adding("new", to: 2), Migration(to: 3, "more")]
        let configuration = CodableCache.Configuration { configuration in
            configuration.isCancelled = { (try? notebook.lines) == ["new"] }
        }
        let error = #expect(throws: MoltError.self) {
            try CodableCache(at: url, migrations: more, configuration: configuration)
        }
        error?.expect(.cancelled)
        #expect(error?.outcome == nil)
        #expect(try notebook.lines == ["new"])
        #expect(try StoreFile.state(at: url).version == 2)
    }

    @Test func `is left to another process, also if the plan has a problem`() throws {
        let notebook = notebook
        let late: MigrationRegistry = [Migration(to: 1, "late"), notebook.adding("new", to: 2)]
        #expect(throws: MoltError.self) {
            try CodableCache(at: url, migrations: late, configuration: .init { $0.owner = .anotherProcess() })
        }?.expect(.lateMigration)
        #expect(try notebook.lines.isEmpty)
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
    @Test func `has changed nothing if the wait for the lock ends`() throws {
        let scratch = try ScratchDirectory()
        try CodableCache(at: scratch.file()).close()
        let isWaiting = Log<Bool>()
        let configuration = CodableCache.Configuration { configuration in
            configuration.monitor = MigrationMonitor { if case .waiting = $0 { isWaiting.append(true) } }
            configuration.isCancelled = { isWaiting.count > 0 }
        }
        let error = try StoreFile(at: scratch.file()).whileLocked {
            #expect(throws: MoltError.self) {
                try CodableCache(at: scratch.file(), migrations: [Migration(to: 1, "a")], configuration: configuration)
            }
        }
        error??.expect(.cancelled, outcome: .unchanged)
        #expect(isWaiting.count == 1)
    }

    @Test func `locks a suite that becomes available while it begins`() throws {
        let scratch = try ScratchDirectory()
        try CodableCache(at: scratch.file()).close()
        let (open, closed) = (try Notebook(), try Notebook())
        let configuration = CodableCache.Configuration { configuration in
            // The clock is read between the locks of the suites and that of the file.
            configuration.now = {
                Suite.closedDomains.withLock { _ = $0.remove(closed.suite.domainName) }
                return Date()
            }
        }
        let lockedWhileRunning = Log<Bool>()
        let step = MigrationStep.notes(closed) { settings in
            let other = Result { try SuiteLock.all(of: [settings.suite]) { _ in { throw TestFailure.expected } } }
            if case .failure(TestFailure.expected) = other { lockedWhileRunning.append(true) }
            try settings.add("new")
        }
        try closed.whileClosed {
            let migrations: MigrationRegistry = [open.adding("a"), Migration(to: 2, "closed", step)]
            try CodableCache(at: scratch.file(), migrations: migrations, configuration: configuration).close()
        }
        #expect(lockedWhileRunning.all == [true])
        #expect(try closed.lines == ["new"])
    }

    @Test func `notes its attempt before the backup that debug builds make`() throws {
        let scratch = try ScratchDirectory()
        let cache = try CodableCache(at: scratch.file())
        try cache.set(1, forKey: "one")
        cache.close()
        let attempts = Log<Int>()
        let log = AttemptLog(of: scratch.file().path)
        let configuration = CodableCache.Configuration { configuration in
            configuration.redoesUnshippedMigrations = true
            configuration.hooks.atPoint = { point in
                if point.kind == .beforeBackup { attempts.append(log.attempts().count) }
            }
        }
        let migrations: MigrationRegistry = [Migration(to: 1, "a", .renameType("Int", to: "Number"))]
        try CodableCache(at: scratch.file(), migrations: migrations, configuration: configuration).close()
        #expect(attempts.all == [1])
    }

    /// - Parameter code: SQLite's result of the commit.
    @Test(arguments: [(code: Int32(10), isKept: true), (13, false)])
    func `keeps its backup only if the commit may be on disk`(code: Int32, isKept: Bool) throws {
        let scratch = try ScratchDirectory()
        try CodableCache(at: scratch.file()).close()
        let store = StoreFile(at: scratch.file())
        let backup = UpgradeBackup(of: store, CodableCache.Configuration { $0.backup = BackupPolicy(keep: 1) })
        let plan = try MigrationPlan(for: store, migrations: [Migration(to: 1, "a")])
        try backup.make(for: plan, store.state()) { [] }
        let failure = SQLiteError(extendedCode: code, message: "")
        _ = backup.settle(after: MoltError(failure, store: store.storeName))
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
