import Foundation
import Molt
import TestSupport
import Testing

/// The suite is half as loud after the first migration, and has a title instead of a name after the second one.
///
/// A migration that ran again would show.
@Suite(.enabled(if: TestHome.isAvailable)) struct `A suite that something else has changed` {
    private let scratch: ScratchSuite
    private let cache: URL
    private let directory: ScratchDirectory
    private var suite: Suite { scratch.suite }

    init() throws {
        scratch = try ScratchSuite(["volume": 1.0, "name": "n"])
        directory = try ScratchDirectory()
        cache = directory.file()
    }

    private func changingVolume(to version: Int, by factor: Double) -> Migration {
        let step = MigrationStep.changeSettings(in: suite) { settings in
            guard let volume = try settings.value(forKey: "volume")?.double else { return }
            try settings.set(.double(volume * factor), forKey: "volume")
        }
        return Migration(to: version, "volume \(version)", step)
    }

    private var first: Migration { changingVolume(to: 1, by: 0.5) }
    private var second: Migration { Migration(to: 2, "title", .renameSetting("name", to: "title", in: suite)) }
    private var third: Migration { changingVolume(to: 3, by: 10) }
    private var registry: MigrationRegistry { [first, second] }
    private var later: MigrationRegistry { [first, second, third] }

    @discardableResult
    private func open(_ store: PrimaryStore, _ migrations: MigrationRegistry) throws -> MigrationReport {
        try store.upgrade(suite, cache: cache, with: migrations)
    }

    /// Removes the domain, as an app that logs a user out does, or `defaults delete`.
    private func removeDomain() throws {
        let defaults = try scratch.defaults
        defaults.removePersistentDomain(forName: suite.domainName)
        defaults.synchronize()
        try scratch.expect([:])
    }

    /// Writes settings as the app does, in today's form.
    private func write(_ values: [String: Any] = ["volume": 0.7]) throws {
        let defaults = try scratch.defaults
        for (key, value) in values { defaults.set(value, forKey: key) }
        try suite.synchronize()
    }

    private static let lost = "have no ledger any more: something has emptied or overwritten them"
    private static let foreign = "have the ledger of another device or suite"

    // MARK: Emptied and overwritten

    @Test(arguments: PrimaryStore.allCases)
    func `and emptied is upgraded no more, whether it is opened before the app writes it or not`(
        store: PrimaryStore
    ) throws {
        try open(store, registry)
        try scratch.expect(["volume": 0.5, "title": "n"])
        for isOpenedEmpty in [true, false] {
            try removeDomain()
            if isOpenedEmpty { #expect(try open(store, registry).isEmpty) }
            try write()
            let report = try open(store, registry)
            try scratch.expect(["volume": 0.7], history: ["volume 1", "title"])
            #expect(report.entries.isEmpty)
            let note = try #require(report.notes.first)
            #expect(note.contains(Self.lost) && note.contains("They count as those of version 2"))
            #expect("\(report)".contains("note: \(note)"))
            #expect(try open(store, registry).notes.isEmpty, "The ledger is there again.")
        }
    }

    @Test(arguments: PrimaryStore.allCases)
    func `and emptied goes through later migrations once, on what apps of the remembered version have written`(
        store: PrimaryStore
    ) throws {
        try open(store, registry)
        try removeDomain()
        try write()
        let report = try open(store, later)
        #expect(report.entries.map(\.migration.name) == ["volume 3"] && report.notes.count == 1)
        try scratch.expect(["volume": 7.0], history: ["volume 1", "title", "volume 3"])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `and is empty when a later release opens it first has nothing to upgrade afterwards`(
        store: PrimaryStore
    ) throws {
        try open(store, registry)
        try removeDomain()
        try open(store, later)
        try write()
        #expect(try open(store, later).isEmpty)
        try scratch.expect(["volume": 0.7], history: ["volume 1", "title", "volume 3"])
    }

    @Test func `is remembered for all stores`() throws {
        try open(.suite, registry)
        try removeDomain()
        try write()
        #expect(try open(.cache, registry).notes.count == 1)
        #expect(try open(.suite, registry).notes.isEmpty)
        try scratch.expect(["volume": 0.7], history: ["volume 1", "title"])
        // The cache was emptied together with the suite.
        try removeDomain()
        try FileManager.default.removeItem(at: cache)
        try write()
        try open(.cache, later)
        try scratch.expect(["volume": 7.0], history: ["volume 1", "title", "volume 3"])
    }

    @Test(arguments: [[PrimaryStore.suite, .cache], [.cache, .suite]])
    func `and emptied is known with a cache and without one, whichever is opened first`(stores: [PrimaryStore]) throws {
        for store in stores { try open(store, registry) }
        try removeDomain()
        for store in stores { try open(store, later) }
        try write()
        for store in stores { #expect(try open(store, later).isEmpty) }
        try scratch.expect(["volume": 0.7], history: ["volume 1", "title", "volume 3"])
        try removeDomain()
        try write()
        #expect(try stores.map { try open($0, later).notes.count } == [1, 0])
        // Only one of them is opened while it is empty, and only the other one afterwards.
        let last = MigrationRegistry(later.migrations + [changingVolume(to: 4, by: 10)])
        try removeDomain()
        try open(stores[0], last)
        try write()
        try open(stores[1], last)
        try scratch.expect(["volume": 0.7], history: ["volume 1", "title", "volume 3", "volume 4"])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `is remembered by the next opening if an upgrade could not write what it remembers`(
        store: PrimaryStore
    ) throws {
        let memory = try SuiteFiles(suite).memory
        func expectRemembered() throws {
            let ledger = try scratch.allValues[Suite.ledgerKey]?.string
            #expect(try String(contentsOf: memory, encoding: .utf8) == ledger)
        }
        // No file takes the place of a directory.
        try FileManager.default.createDirectory(at: memory, withIntermediateDirectories: true)
        try open(store, registry)
        try FileManager.default.removeItem(at: memory)
        _ = try suite.dryRun(registry)
        #expect(!FileManager.default.fileExists(atPath: memory.path))
        #expect(try open(store, registry).isEmpty)
        try expectRemembered()
        let older = try Data(contentsOf: memory)
        try open(store, later)
        try older.write(to: memory)
        #expect(try open(store, later).isEmpty)
        try expectRemembered()
        try removeDomain()
        try write()
        try open(store, later)
        try scratch.expect(["volume": 0.7])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `and emptied is known after the migrations were retired or replaced`(store: PrimaryStore) throws {
        try open(store, registry)
        try removeDomain()
        try write()
        let retired = MigrationRegistry([third]).oldestVersion(2)
        #expect(try open(store, retired).entries.map(\.migration.name) == ["volume 3"])
        try scratch.expect(["volume": 7.0])
        try removeDomain()
        try write()
        let both = Migration(
            to: 4,
            "both",
            replacing: ["volume 1", "title", "volume 3"],
            .changeSettings(in: suite) { try $0.set("again", forKey: "trace") }
        )
        try open(store, [first, second, third, both])
        try scratch.expect(["volume": 0.7])
    }

    @Test func `and emptied does not matter to records with migrations on read`() throws {
        let store = try CodableCache(at: cache)
        try store.set(["a": 1], forKey: "a")
        store.close()
        let onRead = Migration(to: 3, "on read", .renameProperty("Dictionary<String, Int>", "a", to: "b")).onRead()
        try open(.cache, registry)
        try removeDomain()
        try write()
        let again = try CodableCache(
            at: cache,
            migrations: [first, second, onRead],
            configuration: .init { $0.runsBackfill = false }
        )
        #expect(try again.value([String: Int].self, forKey: "a") == ["b": 1])
        #expect(again.report.notes.count == 1 && again.report.onRead.count == 1)
        try scratch.expect(["volume": 0.7])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `and emptied is named by a plan and a dry run, which write nothing`(store: PrimaryStore) throws {
        try open(store, registry)
        try removeDomain()
        try write()
        let before = try scratch.allValues
        let notes =
            switch store {
            case .cache:
                try [CacheFile(at: cache).plan(later).notes, CacheFile(at: cache).dryRunAndWait(later).notes]
            case .suite: try [suite.plan(later).notes, suite.dryRun(later).notes]
            }
        for notes in notes { #expect(notes.count == 1 && notes[0].contains(Self.lost)) }
        #expect(try scratch.allValues == before)
    }

    @Test func `and emptied gets its ledger from a process that upgrades stores, and from no other one`() throws {
        // Those of no group are not those of a helper.
        let group = ScratchSuite(named: "group.\(scratch.name)")
        try group.suite.set("n", forKey: "name")
        let migrations: MigrationRegistry = [
            Migration(to: 1, "title", .renameSetting("name", to: "title", in: group.suite))
        ]
        try open(.cache, migrations)
        try group.defaults.removePersistentDomain(forName: group.name)
        try group.suite.set("today", forKey: "title")
        var configuration = MoltConfiguration()
        configuration.process = .helper()
        let helper = try CodableCache(at: cache, migrations: migrations, configuration: configuration)
        helper.close()
        #expect(helper.report.notes.count == 1)
        #expect(try group.allValues[Suite.ledgerKey] == nil)
        try open(.cache, migrations)
        #expect(try group.allValues[Suite.ledgerKey] != nil)
    }

    /// The changes of the killed upgrade are lost with the settings, and what was remembered before it is not.
    @Test(arguments: PrimaryStore.allCases)
    func `and emptied after a kill is known by what was remembered`(store: PrimaryStore) throws {
        try open(store, [first])
        #expect(throws: (any Error).self) {
            try store.upgrade(suite, cache: cache, with: registry) {
                if $0.kind == .beforeApply { throw TestFailure.expected }
            }
        }
        try removeDomain()
        try write()
        try open(store, later)
        try scratch.expect(["volume": 7.0], history: ["volume 1", "title", "volume 3"])
    }

    @Test func `and emptied gets its ledger once no other upgrade changes it`() throws {
        try open(.cache, registry)
        try removeDomain()
        try write()
        let configuration = MoltConfiguration { $0.timeout = .milliseconds(1) }
        let errors = Log<MoltError>()
        try PrimaryStore.suite.upgrade(suite, cache: cache, with: later) { [cache, registry] point in
            guard point.kind == .beforeCommit, errors.count == 0 else { return }
            let error = MoltError.thrown {
                try CodableCache(at: cache, migrations: registry, configuration: configuration)
            }
            if let error { errors.append(error) }
        }
        try #require(errors.all.first).expect(.busy)
        try scratch.expect(["volume": 7.0], history: ["volume 1", "title", "volume 3"])
    }

    @Test func `and emptied is no reason to lock an older release out`() throws {
        try open(.suite, later)
        try removeDomain()
        #expect(try open(.suite, registry).notes.first?.contains("those of version 2,") == true)
        #expect(try suite.state()?.version == 2)
        try write()
        try open(.suite, registry)
        try scratch.expect(["volume": 0.7])
    }

    @Test func `and then been written by a newer release is left to that one`() throws {
        try open(.suite, later)
        try removeDomain()
        try write()
        MoltError.thrown { try open(.suite, registry) }?.expect(.superseded)
        try scratch.expect(["volume": 0.7])
    }

    @Test func `by damaging its ledger is known by what is remembered`() throws {
        try open(.suite, registry)
        try write(["molt.ledger": "{"])
        #expect(try open(.suite, later).notes.count == 1)
        try scratch.expect(["volume": 5.0, "title": "n"], history: ["volume 1", "title", "volume 3"])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `has a backup with the ledger that counts`(store: PrimaryStore) throws {
        try open(store, registry)
        try removeDomain()
        try write()
        let backup = try suite.backUp()
        try open(store, later)
        try scratch.expect(["volume": 7.0])
        try suite.restore(backup)
        try scratch.expect(["volume": 0.7], history: ["volume 1", "title"])
        try open(store, later)
        try scratch.expect(["volume": 7.0])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `runs again what somebody who knows better has marked as pending, and nothing else`(
        store: PrimaryStore
    ) throws {
        try open(store, registry)
        try removeDomain()
        try write(["volume": 0.7, "name": "n"])
        switch store {
        case .cache:
            try CacheFile(at: cache).correctLedger(.markPending("title"), migrations: registry, reason: "put back")
        case .suite: try suite.correctLedger(.markPending("title"), with: registry, reason: "put back")
        }
        try open(store, registry)
        try scratch.expect(["volume": 0.7, "title": "n"])
    }

    // MARK: Copies

    @Test(arguments: PrimaryStore.allCases)
    func `by putting back an older copy goes on from there`(store: PrimaryStore) throws {
        try open(store, [first])
        let copy = try scratch.bytes
        try open(store, later)
        try scratch.expect(["volume": 5.0, "title": "n"])
        try scratch.writeFile(copy)
        let report = try open(store, later)
        #expect(report.notes.isEmpty && report.entries.map(\.migration.name) == ["title", "volume 3"])
        try scratch.expect(["volume": 5.0, "title": "n"], history: ["volume 1", "title", "volume 3"])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `by restoring a backup from before its first migration is upgraded again`(store: PrimaryStore) throws {
        let backup = try suite.backUp()
        try open(store, registry)
        try suite.restore(backup)
        try scratch.expect(["volume": 1.0, "name": "n"])
        #expect(try open(store, registry).notes.isEmpty)
        try scratch.expect(["volume": 0.5, "title": "n"])
    }

    @Test func `by restoring such a backup is still the same suite, of which there may be copies`() throws {
        let backup = try suite.backUp()
        try open(.suite, registry)
        let copy = try scratch.bytes
        try suite.restore(backup)
        try open(.suite, registry)
        try scratch.writeFile(copy)
        #expect(try open(.suite, registry).isEmpty)
        // A ledger of a fixture has no identifier.
        try scratch.putBack(["volume": 1.0, "name": "n"])
        try open(.suite, registry)
        try scratch.expect(["volume": 0.5, "title": "n"])
        try scratch.writeFile(copy)
        #expect(try open(.suite, registry).isEmpty)
    }

    @Test(arguments: PrimaryStore.allCases)
    func `by putting back what it was before the changes of a killed upgrade gets them again`(
        store: PrimaryStore
    ) throws {
        let old = try scratch.bytes
        #expect(throws: (any Error).self) {
            try store.upgrade(suite, cache: cache, with: registry) {
                if $0.kind == .clearJournal { throw TestFailure.expected }
            }
        }
        try scratch.expect(["volume": 0.5, "title": "n"])
        try scratch.writeFile(old)
        try open(store, registry)
        try scratch.expect(["volume": 0.5, "title": "n"], history: ["volume 1", "title"])
    }

    // MARK: Other devices

    /// The ledger of another device, which has the migrations of a registry.
    private func ledger(_ migrations: (Suite) -> MigrationRegistry) throws -> PropertyListValue {
        let other = try ScratchSuite(["other": 1])
        try other.suite.upgrade(with: migrations(other.suite))
        return try #require(try other.allValues[Suite.ledgerKey])
    }

    private static func named(_ versions: (Int, String)..., in suite: Suite) -> MigrationRegistry {
        MigrationRegistry(versions.map { Migration(to: $0.0, $0.1, .changeSettings(in: suite) { _ in }) })
    }

    @Test(arguments: PrimaryStore.allCases)
    func `by copying an older device's ledger runs nothing again`(store: PrimaryStore) throws {
        try open(store, registry)
        try write(["molt.ledger": try ledger { Self.named((1, "volume 1"), in: $0) }.object])
        let report = try open(store, later)
        #expect(report.notes.count == 1 && report.notes[0].contains(Self.foreign))
        #expect(report.entries.map(\.migration.name) == ["volume 3"])
        try scratch.expect(["volume": 5.0, "title": "n"], history: ["volume 1", "title", "volume 3"])
        #expect(try open(store, later).isEmpty)
    }

    @Test(arguments: PrimaryStore.allCases)
    func `by copying a newer device's ledger is not locked out`(store: PrimaryStore) throws {
        try open(store, registry)
        let ledger = try ledger { Self.named((1, "volume 1"), (2, "title"), (9, "newest"), in: $0) }
        try write(["molt.ledger": ledger.object])
        let report = try open(store, registry)
        #expect(report.notes.count == 1 && report.entries.isEmpty)
        try scratch.expect(["volume": 0.5, "title": "n"], history: ["volume 1", "title"])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `by copying the settings of a device that is further is as far as that one`(store: PrimaryStore) throws {
        try open(store, [first])
        let (memory, copy) = try (Data(contentsOf: SuiteFiles(suite).memory), scratch.bytes)
        try open(.suite, later)
        var ledger = try #require(try scratch.allValues[Suite.ledgerKey]?.string)
        let range = try #require(ledger.range(of: #""identifier":"[^"]*""#, options: .regularExpression))
        ledger.replaceSubrange(range, with: #""identifier":"another""#)
        try memory.write(to: SuiteFiles(suite).memory)
        try scratch.writeFile(copy)
        try write(["molt.ledger": ledger, "volume": 9.0])
        let report = try open(store, later)
        #expect(
            report.notes.count == 1
                && !report.entries.contains { $0.outcome == .ran && $0.steps.contains { !$0.keys.isEmpty } }
        )
        try scratch.expect(["volume": 9.0, "name": "n"])
    }

    /// A suite from which settings were copied gets no ledger, and has lost none.
    @Test func `is not taken for changed if migrations have only read it`() throws {
        let group = try ScratchSuite()
        let copy = Migration.suiteToAppGroup(to: 1, from: suite, into: group.suite)
        try open(.cache, [copy])
        let report = try open(.cache, [copy, second])
        #expect(report.notes.isEmpty)
        try scratch.expect(["volume": 1.0, "title": "n"])
    }

    // MARK: Suites that nothing remembers

    @Test func `and is empty where nothing remembers it is waited for by a cache that has upgraded it`() throws {
        try open(.cache, registry)
        try removeDomain()
        try FileManager.default.removeItem(at: SuiteFiles(suite).memory)
        #expect(try open(.cache, later).deferred.map(\.migration.name) == ["volume 3"])
    }

    /// Takes the suite's ledger away, and expects that the cache's file tells what the suite has been through.
    private func expectUpgradedByFile() throws {
        try removeDomain()
        try FileManager.default.removeItem(at: SuiteFiles(suite).memory)
        try write()
        let report = try open(.cache, later)
        #expect(report.notes.count == 1 && report.entries.map(\.migration.name) == ["volume 3"])
        try scratch.expect(["volume": 7.0], history: ["volume 1", "title", "volume 3"])
    }

    @Test func `and was not restored with its cache counts as upgraded, as the cache's file says`() throws {
        try open(.cache, registry)
        try expectUpgradedByFile()
    }

    @Test(arguments: [true, false])
    func `and was not restored counts as upgraded by the file of a cache that has found it so`(isNew: Bool) throws {
        if !isNew {
            let store = try CodableCache(at: cache)
            try store.set(1, forKey: "a")
            store.close()
        }
        try open(.suite, registry)
        try open(.cache, registry)
        try expectUpgradedByFile()
    }

    /// The file of a cache knows only the migrations of the release that opened it last.
    @Test(arguments: [false, true])
    func `and was not restored with two caches counts as the first one says, and so does the report`(
        isNewerFirst: Bool
    ) throws {
        let newer = directory.file("newer.molt")
        try open(.cache, [first])
        try PrimaryStore.cache.upgrade(suite, cache: newer, with: later)
        try removeDomain()
        try FileManager.default.removeItem(at: SuiteFiles(suite).memory)
        try write()
        let reports = try (isNewerFirst ? [newer, cache] : [cache, newer]).map {
            try PrimaryStore.cache.upgrade(suite, cache: $0, with: later)
        }
        #expect(reports[0].notes.first?.contains("count as those of version \(isNewerFirst ? 3 : 1),") == true)
        #expect(reports[1].notes.isEmpty)
        try scratch.expect(
            ["volume": isNewerFirst ? 0.7 : 7.0],
            history: ["volume 1", "title", "volume 3"]
        )
    }

    @Test func `by damaging its ledger is not upgraded where nothing remembers it`() throws {
        try write(["molt.ledger": "{"])
        try scratch.expectUnchanged {
            let error = MoltError.thrown { try open(.suite, registry) }
            error?.expect(.settingUnreadable, key: Suite.ledgerKey)
            #expect(error?.outcome != .committed)
        }
    }

    @Test func `is not upgraded if only a newer release of Molt can read what is remembered`() throws {
        try open(.suite, registry)
        let memory = try SuiteFiles(suite).memory
        let newer = Data(#"{"format":99,"version":7}"#.utf8)
        try newer.write(to: memory)
        MoltError.thrown { try open(.suite, later) }?.expect(.newerFormat, store: scratch.name)
        try scratch.expect(["volume": 0.5, "title": "n"])
        #expect(try Data(contentsOf: memory) == newer)
    }

    @Test func `is remembered though a kill has left a part of the file`() throws {
        let memory = try SuiteFiles(suite).memory
        try Data("{".utf8).write(to: URL(fileURLWithPath: memory.path + "-part"))
        try open(.suite, registry)
        let ledger = try scratch.allValues[Suite.ledgerKey]?.string
        #expect(try String(contentsOf: memory, encoding: .utf8) == ledger)
    }

    @Test(arguments: [Data(), Data("{".utf8), Data(#"{"format":2,"version":1}"#.utf8), Data([0xFF])])
    func `is not kept from being upgraded by a damaged memory`(bytes: Data) throws {
        try open(.suite, registry)
        try bytes.write(to: SuiteFiles(suite).memory)
        try open(.suite, later)
        try scratch.expect(["volume": 5.0, "title": "n"])
        try bytes.write(to: SuiteFiles(suite).memory)
        try removeDomain()
        try write(["volume": 1.0])
        try open(.suite, later)
        try scratch.expect(["volume": 5.0])
    }
}
