import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `Settings that are handed over` {
    private let scratch: ScratchSuite
    private let cache: ScratchCache
    private let vault = Vault()
    private static let values: [String: PropertyListValue] = [
        "token": "s3cret", "secret.a": ["key": .data(Data([1, 2]))], "secret.b": .date(Date(timeIntervalSince1970: 1)),
        "theme": "dark",
    ]

    init() throws {
        scratch = try ScratchSuite(Self.values)
        cache = try ScratchCache()
    }

    private var handsOver: Migration {
        Migration(
            to: 1,
            "secrets",
            .handOverSettings("token", "absent", in: scratch.suite, to: "the vault") { [vault] in
                try vault.store($0, $1)
            },
            .handOverSettings(withPrefix: "secret.", in: scratch.suite, to: "the vault") { [vault] in
                try vault.store($0, $1)
            }
        )
    }

    @discardableResult
    private func upgrade(
        _ primary: PrimaryStore,
        _ migrations: MigrationRegistry,
        _ hook: UpgradeHook? = nil
    ) throws -> MigrationReport {
        try primary.upgrade(scratch.suite, cache: cache.url, with: migrations, hook)
    }

    private func waiting(_ primary: PrimaryStore) throws -> [String] {
        try StoreFile.handovers(at: primary == .cache ? cache.url : SuiteFiles(scratch.suite).store)
    }

    /// The names of Molt's files about the suite, without its lock and what is remembered of it.
    private func files() throws -> [String] {
        try scratch.otherFiles().filter { !$0.hasSuffix("-lock") && !$0.hasSuffix("-ledger") }
    }

    @Test(arguments: PrimaryStore.allCases)
    func `leave the suite, are stored elsewhere, and are gone from Molt's files`(primary: PrimaryStore) throws {
        let report = try upgrade(primary, [handsOver])
        try scratch.expect(["theme": "dark"], history: ["secrets"])
        #expect(vault.items == Self.values.filter { $0.key != "theme" })
        #expect(vault.calls.all.sorted() == ["secret.a", "secret.b", "token"])
        #expect(report.work.map(\.problem) == [nil, nil] && report.losses.isEmpty)
        report.expectKeys(
            "token: moved, to the vault",
            "absent: absent",
            "secret.a: moved, to the vault",
            "secret.b: moved, to the vault"
        )
        #expect(try waiting(primary) == [] && files() == [])
        if primary == .cache {
            #expect(report.erasure?.isComplete == true)
            let bytes = try Data(contentsOf: cache.url)
            #expect(bytes.range(of: Data("s3cret".utf8)) == nil)
        }
        #expect(try upgrade(primary, [handsOver]).isEmpty && vault.calls.count == 3)
    }

    @Test(arguments: PrimaryStore.allCases)
    func `wait while the closure throws, whatever later migrations do`(primary: PrimaryStore) throws {
        vault.isLocked.withLock { $0 = true }
        let later = [
            Migration(to: 2, "gone", .removeSettings("token", in: scratch.suite)),
            Migration(to: 3, "new", .changeSettings(in: scratch.suite) { try $0.set("other", forKey: "token") }),
        ]
        try upgrade(primary, [handsOver])
        #expect(vault.items.isEmpty)
        // What the app sets under the key is its own.
        try scratch.suite.set("mine", forKey: "token")
        let registry = MigrationRegistry([handsOver] + later)
        for _ in 1...2 {
            let report = try upgrade(primary, registry)
            #expect(report.pendingWork.count == 2 && !report.description.contains("s3cret"))
        }
        let plan =
            try primary == .cache ? CacheFile(at: cache.url).plan(registry) : scratch.suite.plan(registry)
        #expect(plan.handovers.count == 2 && plan.needsUpgrade && plan.pending.isEmpty)
        #expect(plan.handovers.first?.hasSuffix("to the vault: 1 waiting") == true)
        try scratch.expect(["theme": "dark", "token": "other"], history: ["secrets", "gone", "new"])
        vault.isLocked.withLock { $0 = false }
        let report = try upgrade(primary, registry)
        #expect(vault.items["token"] == "s3cret" && vault.items.count == 3 && report.pendingWork.isEmpty)
        #expect(try waiting(primary) == [] && files() == [])
        try scratch.expect(["theme": "dark", "token": "other"])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `are what earlier steps of the opening have made of them`(primary: PrimaryStore) throws {
        try upgrade(
            primary,
            [
                Migration(to: 1, "rename", .renameSetting("token", to: "password", in: scratch.suite)),
                Migration(
                    to: 2,
                    "out",
                    .transform(.setting("password", in: scratch.suite)) { $0[[]] = .string("\(try $0.string([]))!") },
                    .handOverSettings("password", in: scratch.suite, to: "the vault") { [vault] in
                        try vault.store($0, $1)
                    }
                ),
            ]
        )
        #expect(vault.items == ["password": "s3cret!"])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `are handed over again if the suite comes back from an older copy`(primary: PrimaryStore) throws {
        try upgrade(primary, [handsOver])
        try scratch.putBack(Self.values)
        try upgrade(primary, [handsOver])
        #expect(vault.calls.count == 6)
        try scratch.expect(["theme": "dark"])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `are not handed over twice if something empties the suite, or writes it anew`(primary: PrimaryStore) throws {
        try upgrade(primary, [handsOver])
        let defaults = try scratch.defaults
        defaults.removePersistentDomain(forName: scratch.name)
        defaults.set("of today", forKey: "token")
        defaults.synchronize()
        try upgrade(primary, [handsOver])
        #expect(vault.calls.count == 3)
        try scratch.expect(["token": "of today"], history: ["secrets"])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `are shown by a dry run, which hands over nothing`(primary: PrimaryStore) throws {
        let report =
            try primary == .cache
            ? CacheFile(at: cache.url).dryRunAndWait([handsOver]) : scratch.suite.dryRun([handsOver])
        #expect(
            report.work.map(\.problem) == [
                "1 of 1 wait: a dry run does not do it", "2 of 2 wait: a dry run does not do it",
            ]
        )
        #expect(vault.calls.count == 0)
        try scratch.expect(Self.values)
        #expect(try files() == [])
    }

    @Test func `are handed over by the store that takes them out, once for all stores`() throws {
        vault.isLocked.withLock { $0 = true }
        try upgrade(.suite, [handsOver])
        let other = try ScratchCache()
        let report = try upgrade(.cache, [handsOver])
        try other.upgrade([handsOver])
        #expect(try waiting(.cache) == [] && waiting(.suite).count == 3)
        let note = "settings of \(scratch.suite) wait to be handed over (3): call `upgrade(with:)` of the suite"
        #expect(try report.notes == [note] && CacheFile(at: cache.url).plan([handsOver]).notes == [note])
        vault.isLocked.withLock { $0 = false }
        try upgrade(.cache, [handsOver])
        #expect(vault.items.isEmpty)
        try upgrade(.suite, [handsOver])
        #expect(vault.items.count == 3)
    }

    @Test func `are found by their keys, whatever step of another migration names them`() throws {
        vault.isLocked.withLock { $0 = true }
        try upgrade(.cache, [handsOver])
        vault.isLocked.withLock { $0 = false }
        let receive = { @Sendable [vault] (key: String, value: PropertyListValue) in try vault.store(key, value) }
        let all = Migration(
            to: 2,
            "all",
            replacing: ["secrets"],
            .handOverSettings("secret.b", "secret.a", "token", in: scratch.suite, to: "the vault", receive)
        )
        try upgrade(.cache, [all])
        #expect(vault.items.count == 3)
        try scratch.expect(["theme": "dark"])
    }

    @Test func `are handed over by the step of their suite`() throws {
        let other = try ScratchSuite(["token": "of the other"])
        let calls = Log<String>()
        let steps = [scratch.suite, other.suite].map { suite in
            MigrationStep.handOverSettings("token", in: suite, to: "a list") { _, value in
                calls.append("\(suite == other.suite): \(value)")
            }
        }
        try upgrade(.cache, [Migration(to: 1, "out", steps[0], steps[1])])
        #expect(calls.all == [#"false: "s3cret""#, #"true: "of the other""#])
    }

    @Test func `stay in the suite where a cache in memory would lose them`() throws {
        let memory = try CodableCache(inMemory: [handsOver])
        defer { memory.close() }
        #expect(memory.report.deferred.map(\.migration.name) == ["secrets"])
        try scratch.expect(Self.values)
    }

    @Test func `wait after a restore of a backup that has not got them, and after a fresh start`() throws {
        try CodableCache(at: cache.url, migrations: [Migration(to: 1, "first")]).close()
        let file = CacheFile(at: cache.url)
        let backup = try file.backUp()
        let registry: MigrationRegistry = [Migration(to: 1, "first"), handsOver]
        vault.isLocked.withLock { $0 = true }
        try upgrade(.cache, registry)
        try file.restore(backup)
        #expect(try waiting(.cache).count == 3)
        try upgrade(.cache, registry)
        #expect(try waiting(.cache).count == 3)
        let aside = try #require(try file.startAfresh())
        vault.isLocked.withLock { $0 = false }
        let fresh = try CodableCache(at: cache.url, migrations: registry)
        #expect(try fresh.importAndWait(from: aside.url).waiting == 3)
        fresh.close()
        try upgrade(.cache, registry)
        #expect(vault.items.count == 3)
    }

    @Test func `make a restore fail that cannot carry them over, unless their file is damaged`() throws {
        try CodableCache(at: cache.url, migrations: [Migration(to: 1, "first")]).close()
        let file = CacheFile(at: cache.url)
        let backup = try file.backUp()
        try scratch.suite.set(.string(String(repeating: "x", count: 60_000)), forKey: "token")
        vault.isLocked.withLock { $0 = true }
        try upgrade(.cache, [Migration(to: 1, "first"), handsOver])
        func rename(_ name: String, to newName: String) throws {
            try SQLite(cache.url).run("ALTER TABLE molt_handover RENAME COLUMN \(name) TO \(newName)")
        }
        try rename("content", to: "other")
        MoltError.thrown { try file.restore(backup) }
        try rename("other", to: "content")
        #expect(try waiting(.cache).count == 3)

        try SQLite(cache.url).run("PRAGMA wal_checkpoint(TRUNCATE)")
        var bytes = try Data(contentsOf: cache.url)
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        // The pages that follow the first one of the large value begin with the number of the next one.
        let pages = stride(from: 0, to: bytes.count, by: size).filter { start in
            bytes[start + size / 4..<start + size / 2].allSatisfy { $0 == UInt8(ascii: "x") }
        }
        #expect(pages.count > 3)
        for start in pages { bytes.replaceSubrange(start..<start + 4, with: [0xFF, 0xFF, 0xFF, 0xFF]) }
        try bytes.write(to: cache.url)
        try file.restore(backup)
        #expect(try waiting(.cache) == [])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `are erased one by one, and named where a backup has them`(primary: PrimaryStore) throws {
        let migration = Migration(
            to: 1,
            "secrets",
            .handOverSettings("token", "secret.a", in: scratch.suite, to: "the vault") { [vault] key, value in
                if key == "secret.a" { throw Refusal(value: "") }
                try vault.store(key, value)
            }
        )
        let configuration = MoltConfiguration { $0.backup = BackupPolicy(keep: 1) }
        let report =
            switch primary {
            case .cache:
                try withExtendedLifetime(
                    CodableCache(at: cache.url, migrations: [migration], configuration: configuration)
                ) { $0.report }
            case .suite: try scratch.suite.upgrade(with: [migration], configuration: configuration)
            }
        #expect(vault.items == ["token": "s3cret"] && report.erasure?.isComplete == true)
        #expect(report.erasure?.reason == "What waits to be handed over is still in the file.")
        let file = try primary == .cache ? cache.url : SuiteFiles(scratch.suite).store
        for suffix in ["", "-wal"] {
            guard let bytes = FileManager.default.contents(atPath: file.path + suffix) else { continue }
            #expect(bytes.range(of: Data("s3cret".utf8)) == nil, "\(suffix)")
        }
        #expect(report.erasure?.copies.count == (primary == .suite ? 1 : 0))
    }

    @Test func `that a conversion of the same migration could not convert are as they were`() throws {
        let out = MigrationStep.handOverSettings("theme", in: scratch.suite, to: "the vault") { [vault] in
            try vault.store($0, $1)
        }
        let migration = Migration(
            to: 1,
            "convert",
            .changeValue(.setting("theme", in: scratch.suite), [], to: .integer).onFailure(
                .quarantine(upTo: .unlimited)
            ),
            out
        )
        try upgrade(.suite, [migration])
        #expect(vault.items == ["theme": "dark"])
    }

    #if CHILD_PROCESSES
        /// The points of an upgrade that hands over three settings.
        private static let points: [UpgradePoint.Kind] = [
            .takeOut, .writeJournal, .beforeCommit, .afterCommit, .beforeApply, .afterApply, .clearJournal,
            .beforeHandover, .afterHandover, .erase,
        ]

        @Test(arguments: PrimaryStore.allCases, points)
        func `are neither lost nor handed over by two stores if the process is killed`(
            primary: PrimaryStore,
            kind: UpgradePoint.Kind
        ) async throws {
            if primary == .suite, kind == .erase { return }
            let log = cache.directory.appending(path: "log")
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    primary = primary as PrimaryStore, kind = kind as UpgradePoint.Kind, name = scratch.name as String,
                    url = cache.url as URL, log = log as URL
                ] in
                let suite = Suite(name)
                try primary.upgrade(suite, cache: url, with: [Self.logging(suite, log)]) {
                    if $0.kind == kind { raise(SIGKILL) }
                }
            }
            // Another store is opened first, and then the one that was killed.
            let other = try ScratchCache()
            try other.upgrade([Self.logging(scratch.suite, log)])
            try upgrade(primary, [Self.logging(scratch.suite, log)])
            let calls = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").sorted().map(String.init)
            // The closure has stored the first one, and the file does not say so.
            let expected = ["secret.a", "secret.b", "token"] + (kind == .afterHandover ? ["token"] : [])
            #expect(calls == expected, "\(kind)")
            try scratch.expect(["theme": "dark"], history: ["secrets"])
            #expect(try waiting(primary) == [] && StoreFile.handovers(at: other.url) == [])
            // A file without a commit is left when another store has upgraded the suite.
            if ![.takeOut, .writeJournal, .beforeCommit].contains(kind) { #expect(try files() == []) }
        }

        /// A migration whose closures add lines to a file.
        private static func logging(_ suite: Suite, _ log: URL) -> Migration {
            let receive = { @Sendable (key: String, value: PropertyListValue) in
                let before = FileManager.default.contents(atPath: log.path) ?? Data()
                try (before + Data("\(key)\n".utf8)).write(to: log)
            }
            return Migration(
                to: 1,
                "secrets",
                .handOverSettings("token", in: suite, to: "a log", receive),
                .handOverSettings(withPrefix: "secret.", in: suite, to: "a log", receive)
            )
        }
    #endif
}

/// A place outside the suite.
private final class Vault: Sendable {
    let isLocked = Locked(false)
    let calls = Log<String>()
    private let stored = Locked<[String: PropertyListValue]>([:])

    var items: [String: PropertyListValue] { stored.withLock { $0 } }

    func store(_ key: String, _ value: PropertyListValue) throws {
        if isLocked.withLock({ $0 }) { throw Refusal(value: "s3cret") }
        calls.append(key)
        stored.withLock { $0[key] = value }
    }
}
