import Foundation
import Molt
import Testing

@Suite("Work after the commit")
struct WorkAfterCommitTests {
    private let store: OldStore
    private var url: URL { store.url }
    private let log = Log<String>()
    private let isFailing = Locked(false)

    init() throws {
        store = try OldStore([StoredRecord("Alien", "john", #"{"firstName":"John","lastName":"Appleseed"}"#)])
    }

    private func migration(
        also body: @escaping @Sendable (StoreSnapshot) throws -> Void = { _ in }
    ) -> Migration {
        Migration(to: 1, "person", .renameType("Alien", to: "Person")).afterCommit("remove the file") {
            [log, isFailing] store in
            log.append("\(try store.types)")
            try body(store)
            if isFailing.withLock({ $0 }) { throw Refusal(value: "secret") }
        }
    }

    /// Opens the store, and closes it.
    @discardableResult
    private func open(
        _ migrations: MigrationRegistry,
        _ configure: (inout MoltConfiguration) -> Void = { _ in }
    ) throws -> MigrationReport {
        let cache = try CodableCache(at: url, migrations: migrations, configuration: .init(configure))
        defer { cache.close() }
        return cache.report
    }

    private func isPending() throws -> [Bool] { try CacheFile(at: url).history().map(\.isWorkPending) }

    @Test func `is done once though the migration's name became another Unicode form`() throws {
        let forms = ["caf\u{E9}", "cafe\u{301}"]
        func migration(_ form: Int) -> Migration {
            Migration(to: 1, forms[form]).afterCommit("use it") { [log] _ in log.append("used") }
        }
        try open([Migration(to: 1, forms[0]).afterCommit("use it") { _ in throw Refusal(value: "") }])
        // The form is part of the fingerprint.
        for _ in 1...2 { try open([migration(1)]) { $0.mismatches = .ignore } }
        #expect(log.all == ["used"])
        #expect(try isPending() == [false])
        try CacheFile(at: url).correctLedger(.markPending(forms[1]), migrations: [migration(1)], reason: "a test")
        #expect(try CacheFile(at: url).history().map(\.outcome) == [.unmarked])
        try open([migration(1)]) { $0.mismatches = .ignore }
        #expect(log.all == ["used", "used"])
        #expect(try CacheFile(at: url).history().map(\.outcome) == [.ran])
    }

    @Test func `is done once the upgrade and its settings are on disk, while others write`() throws {
        let notebook = try Notebook()
        let migration = notebook.adding("line").afterCommit("use the line") { [url, log] view in
            log.append("\(try StoreFile.state(at: url).version) \(try notebook.lines)")
            #expect(try CacheFile(at: url).history().map(\.isWorkPending) == [true])
            // Another opening goes on without the work.
            let registry: MigrationRegistry = [
                Migration(to: 1, "line", .notes(notebook) { _ in }).afterCommit("use") { _ in }
            ]
            let configuration = MoltConfiguration { $0.mismatches = .ignore }
            let other = try CodableCache(at: url, migrations: registry, configuration: configuration)
            #expect(other.report.pendingWork.map(\.problem) == ["another process is doing it"])
            #expect(try view.count(ofType: "Person") == 0)
            try other.set(Person.jane, forKey: "jane")
            // Between its calls, the view keeps nobody from emptying the log.
            #expect(try SQLite(url).rows("PRAGMA wal_checkpoint(TRUNCATE)") == [["0", "0", "0"]])
            #expect(try view.count(ofType: "Person") == 1)
            try view.enumerate("Person") { person in
                // One call reads one state, also through the calls within it.
                try other.set(Person.john, forKey: "john")
                let count = try view.count(ofType: "Person")
                #expect(try view.record(forKey: person.key)?.typeName == "Person" && count == 1)
            }
            other.close()
        }
        let report = try open([migration])
        #expect(log.all == [#"1 ["line"]"#])
        #expect(report.work.map(\.problem) == [nil] && report.pendingWork.isEmpty)
        #expect(report.description.contains(#"after the commit: "line" (version 1): use the line: done"#))
        #expect(try isPending() == [false] && CodableCache(at: url, migrations: [migration]).count() == 2)
        // The suite's own row says nothing about the store's work.
        #expect(try notebook.suite.history().map(\.isWorkPending) == [false])
        try expectNames("cache.molt", in: store.directory)
    }

    #if CHILD_PROCESSES
        /// Work that waits for another process, and is refused if it has begun already.
        private static func waiting(_ began: URL, _ end: URL) -> Migration {
            Migration(to: 1, "person", .renameType("Alien", to: "Person")).afterCommit("wait") { view in
                try Data("\(view.types)".utf8).write(to: began, options: .withoutOverwriting)
                let limit = Date().addingTimeInterval(60)
                while !FileManager.default.fileExists(atPath: end.path), Date() < limit { usleep(2_000) }
            }
        }

        @Test func `is done by one of two processes, while the other goes on without it`() async throws {
            let (url, began, end) = (url, store.directory.file("began"), store.directory.file("end"))
            let problems = Log<String?>()
            let other = besideChild(whenThereIs: began.path) {
                defer { _ = FileManager.default.createFile(atPath: end.path, contents: nil) }
                let cache = try CodableCache(at: url, migrations: [Self.waiting(began, end)])
                for work in cache.report.work { problems.append(work.problem) }
                try cache.set(Person.jane, forKey: "jane")
                cache.close()
            }
            await #expect(processExitsWith: .success) { [url = url as URL, began = began as URL, end = end as URL] in
                let cache = try CodableCache(at: url, migrations: [WorkAfterCommitTests.waiting(began, end)])
                #expect(cache.report.work.map(\.problem) == [nil])
                #expect(try cache.value(Person.self, forKey: "jane") == .jane)
                cache.close()
            }
            #expect(other.all.isEmpty && problems.all == ["another process is doing it"])
            #expect(try isPending() == [false])
            try expectNames("began", "cache.molt", "end", in: store.directory)
        }
    #endif

    /// An upgrade that only renames types does not wait for the disk otherwise, and is not noted as an attempt.
    @Test func `waits until the commit is on disk`() throws {
        let attempts = Log<Int>()
        try open([migration()]) { [url] in
            $0.hooks.atPoint = { point in
                if point == UpgradePoint(.beforeCommit, "of the upgrade") {
                    attempts.append(CacheFile(at: url).attempts().count)
                }
            }
        }
        #expect(attempts.all == [1] && log.count == 1)
    }

    @Test func `that fails does not fail the opening, writes nothing, and is tried again until it succeeds`() throws {
        isFailing.withLock { $0 = true }
        let events = Log<MigrationEvent>()
        let monitor = MigrationMonitor { events.append($0) }
        let first = try open([migration()]) { $0.monitor = monitor }
        #expect(events.all.map(\.word).suffix(2) == ["work failed person", "finished"])
        #expect(first.pendingWork.map(\.summary) == ["remove the file"] && first.outcomes == "person ran")
        #expect(!first.description.contains("secret") && first.description.contains("still to be done: Refusal"))
        #expect(monitor.summary?.outcome == .upgraded)

        let plan = try CacheFile(at: url).plan([migration()])
        #expect(plan.needsUpgrade && plan.pending.isEmpty && plan.pendingWork.map(\.name) == ["person"])
        #expect(plan.description.contains("with work after the commit to do"))
        #expect(plan.description.contains("- after the commit, still to be done: remove the file"))

        let before = try Data(contentsOf: url)
        let second = try open([migration()]) { $0.monitor = monitor }
        #expect(try !second.isEmpty && second.pendingWork.count == 1 && isPending() == [true])
        #expect(monitor.summary?.outcome == .upToDate && CacheFile(at: url).attempts().isEmpty)
        #expect(try Data(contentsOf: url) == before)
        try expectNames("cache.molt", in: store.directory)

        isFailing.withLock { $0 = false }
        let third = try open([migration()]) { $0.monitor = monitor }
        #expect(third.headline.contains("up to date at version 1") && third.pendingWork.isEmpty)
        #expect(try monitor.summary?.outcome == .finished && isPending() == [false])
        #expect(try !CacheFile(at: url).plan([migration()]).needsUpgrade)
        #expect(try open([migration()]).isEmpty)
        #expect(log.all == Array(repeating: #"["Person"]"#, count: 3))
        let json = String(decoding: try JSONEncoder().encode(first.work[0]), as: UTF8.self)
        let problem = try #require(first.work[0].problem)
        for word in ["person", "remove the file", problem] { #expect(json.contains("\"\(word)\""), "\(json)") }
    }

    @Test func `is left alone by dry runs, readers, other processes, and once the migration has left`() throws {
        let dry = try CacheFile(at: url).dryRunAndWait([migration()])
        #expect(dry.pendingWork.map(\.problem) == ["a dry run does not do it"])
        isFailing.withLock { $0 = true }
        try open([migration()])
        #expect(log.count == 1)
        try CodableCache(reading: url, migrations: [migration()]).close()
        let other = try open([migration()]) { $0.process = .helper() }
        #expect(other.pendingWork.map(\.problem) == ["it is up to the process that upgrades the store"])
        let undeclared = try open([Migration(to: 1, "person", .renameType("Alien", to: "Person"))])
        #expect(undeclared.isEmpty)
        let retired = try open(MigrationRegistry([]).oldestVersion(1))
        #expect(try retired.isEmpty && log.count == 1 && isPending() == [true])
    }

    @Test func `is not done for a new store, unless the migration has brought in data there`() throws {
        let bringing = MigrationStep.run(onFreshStore: true) { try $0.create("Person", forKey: "new", [:]) }
        let noting: @Sendable (StoreSnapshot) throws -> Void = { [log] in log.append("\(try $0.types)") }
        let plain = try CodableCache(inMemory: [migration()])
        #expect(plain.report.work.isEmpty && log.count == 0)
        let registry: MigrationRegistry = [Migration(to: 1, "bring", bringing).afterCommit("look", noting)]
        let file = store.directory.file("new.molt")
        let caches = try [CodableCache(inMemory: registry), CodableCache(at: file, migrations: registry)]
        #expect(caches.map { $0.report.work.map(\.problem) } == [[nil], [nil]])
        #expect(log.all == Array(repeating: #"["Person"]"#, count: 2))
        #expect(try CacheFile(at: file).history().map(\.isWorkPending) == [false])
    }

    @Test func `does not hide that another process has upgraded the store meanwhile`() throws {
        let later = Migration(to: 2, "later")
        let plain = migration()
        let migration = migration { [url] view in
            try CodableCache(at: url, migrations: [plain, later]).close()
            MoltError.thrown { try view.count(ofType: "Person") }?.expect(.storeChanged)
        }
        let events = Log<MigrationEvent>()
        MoltError.thrown { try open([migration]) { $0.monitor = MigrationMonitor { events.append($0) } } }?
            .expect(.storeChanged)
        #expect(events.all.contains { $0.description.contains("was done, but could not be recorded") })
        // That process may need the work done again.
        #expect(try isPending() == [true, false])
        #expect(try open([plain, later]).work.map(\.problem) == [nil] && isPending() == [false, false])
    }

    private static let unnoted = "it was done, but could not be recorded; the next opening does it again ("

    @Test func `that is done and cannot be noted is reported as such, and done again`() throws {
        let events = Log<MigrationEvent>()
        let report = try open([migration()]) {
            $0.monitor = MigrationMonitor { events.append($0) }
            $0.hooks.atPoint = { if $0 == UpgradePoint(.beforeCommit, "of the work") { throw Refusal() } }
        }
        #expect(report.pendingWork.map(\.problem) == [Self.unnoted + "Refusal)"])
        #expect(events.all.contains { $0.description.contains("was done, but could not be recorded") })
        #expect(try isPending() == [true] && log.count == 1)
        #expect(try open([migration()]).work.map(\.problem) == [nil] && log.count == 2)
    }

    @Test func `of several migrations is done in order, each piece with the settings and the outcome of its own`()
        throws
    {
        let notebook = try Notebook(["first"])
        isFailing.withLock { $0 = true }
        let first = migration { try notebook.write(["\(Notebook.lines(try $0.settings(in: notebook.suite)).count)"]) }
        let second = Migration(to: 2, "second").afterCommit("look") { [log] view in
            log.append("\(Notebook.lines(try view.settings(in: notebook.suite)))")
        }
        let report = try open([first, second]) { $0.suites = [notebook.suite] }
        #expect(log.all == [#"["Person"]"#, #"["first", "1"]"#])
        #expect(report.work.map { $0.problem == nil } == [false, true])
        #expect(try isPending() == [true, false])
    }

    @Test func `reads the settings that the same upgrade has changed`() throws {
        let notebook = try Notebook(["old"])
        let migration = notebook.adding("new").afterCommit("look") { [log] view in
            log.append("\(Notebook.lines(try view.settings(in: notebook.suite)))")
        }
        #expect(try open([migration]).work.map(\.problem) == [nil])
        #expect(log.all == [#"["old", "new"]"#])
    }

    @Test func `that reads a suite which is unavailable, or not attached, still has to be done`() throws {
        let notebook = try Notebook(["line"])
        let migration = migration { _ = try $0.settings(in: notebook.suite) }
        let foreign = try open([migration]).pendingWork.first?.problem ?? ""
        #expect(foreign.contains("Name it in a step of the registry, or add it to `MoltConfiguration.suites`."))
        let closed = try notebook.whileClosed {
            try open([migration]) { $0.suites = [notebook.suite] }.pendingWork.first?.problem ?? ""
        }
        #expect(closed.contains("The closure needs") && closed.contains("Open the store again later."))
        #expect(try open([migration]) { $0.suites = [notebook.suite] }.work.map(\.problem) == [nil])
    }

    @Test func `is not done if its migration only counts as applied`() throws {
        try open([Migration(to: 1, "old", .renameType("Alien", to: "Person"))])
        let replacing = Migration(to: 1, "new", replacing: ["old"]).afterCommit("never") { [log] _ in log.append("") }
        let report = try open([replacing, Migration(to: 2, "next")])
        #expect(report.outcomes == "new replaced, next ran" && report.work.isEmpty && log.count == 0)
        #expect(try isPending() == [false, false, false])
    }

    @Test func `is a fault on read and more than once, and a problem of a suite without a cache`() throws {
        let onRead = Migration(to: 1, "a", .addProperty("Person", "a", default: 1)).onRead().afterCommit("a") { _ in }
        let twice = Migration(to: 2, "b").afterCommit("a") { _ in }.afterCommit("b") { _ in }
        let faults = MigrationRegistry([onRead, twice]).faults
        #expect(
            faults.count == 2 && faults[0].contains("work after the commit")
                && faults[1].contains("more than one piece")
        )
        // A new user's suite is refused like that of any other, so that the first test notices.
        for lines in [["old"], []] {
            let notebook = try Notebook(lines)
            let working = notebook.adding("new").afterCommit("a") { _ in }
            MoltError.thrown { try notebook.suite.upgrade(with: [working]) }?
                .expect(.unsupported, migration: "new", says: "without a cache")
            #expect(try notebook.lines == lines)
            #expect(working.fingerprint == notebook.adding("new").fingerprint)
        }
    }

    /// Notes work that was interrupted as often as it may be, in the file of a store.
    private func interruptWork(of url: URL) throws {
        var attempt = UpgradeAttempt(from: 1, to: 1, appVersion: "", build: AppBuild.current)
        attempt.startedAt = Date(timeIntervalSince1970: 0)
        attempt.processID = 1_999_999_999
        attempt.work = "person"
        let line = try JSONEncoder().encode(attempt) + Data("\n".utf8)
        let lines = (1...5).reduce(into: Data()) { lines, _ in lines += line }
        try lines.write(to: URL(fileURLWithPath: url.path + "-work-attempt"))
    }

    @Test func `that was interrupted too often is done again after a restore, and not after a move`() throws {
        isFailing.withLock { $0 = true }
        try open([migration()])
        let backup = try CacheFile(at: url).backUp()
        isFailing.withLock { $0 = false }
        try interruptWork(of: url)
        #expect(try open([migration()]).pendingWork.count == 1)
        let new = store.directory.file("new.molt")
        let moving = MigrationRegistry([migration()]).storeMove(from: url, to: new)
        let moved = try CodableCache(at: new, migrations: moving)
        #expect(moved.report.pendingWork.first?.problem?.contains("was interrupted 5 times") == true)
        moved.close()
        #expect(!FileManager.default.fileExists(atPath: url.path + "-work-attempt"))

        try CacheFile(at: new).restore(backup, fromAnotherStore: true)
        #expect(!FileManager.default.fileExists(atPath: new.path + "-work-attempt"))
        let restored = try CodableCache(at: new, migrations: moving)
        #expect(restored.report.pendingWork.isEmpty && log.count == 2)
        restored.close()
    }
}
