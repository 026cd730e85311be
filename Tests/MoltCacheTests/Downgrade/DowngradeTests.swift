import Foundation
import Molt
import MoltCore
import Testing

@Suite struct `A store that a newer app has upgraded` {
    let scenario: BackupScenario

    init() throws {
        scenario = try BackupScenario()
    }

    private func configuration(_ policy: DowngradePolicy) -> CodableCache.Configuration {
        BackupScenario.configuration { $0.downgrade = policy }
    }

    /// A store at version 3 with 4 records, and a backup of it at version 1 with 3.
    private func upgrade(readable: Set<Int> = []) throws {
        try scenario.fill(1)
        let cache = try CodableCache(
            at: scenario.url,
            migrations: BackupScenario.registry(3, readable: readable),
            configuration: BackupScenario.configuration()
        )
        try cache.set(Person.jane, forKey: "later")
        cache.close()
    }

    private func expectSuperseded(
        _ words: String...,
        code: MigrationError.Code = .superseded,
        sourceLocation: SourceLocation = #_sourceLocation,
        body: () throws -> CodableCache
    ) {
        let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation) { _ = try body() }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(error?.storeVersion == 3, sourceLocation: sourceLocation)
        for word in words {
            #expect(
                error?.message.contains(word) == true,
                "\(error?.message ?? "")",
                sourceLocation: sourceLocation
            )
        }
    }

    // MARK: Refusing

    @Test func `is refused by default, and not touched`() throws {
        try upgrade()
        let bytes = try Data(contentsOf: scenario.url)
        let names = try scenario.scratch.names()
        expectSuperseded("Update the app") { try scenario.open(1) }
        #expect(try Data(contentsOf: scenario.url) == bytes)
        #expect(try scenario.scratch.names() == names)
    }

    // MARK: Reading

    @Test func `is opened for reading when all newer migrations may be read`() throws {
        try upgrade(readable: [2, 3])
        let names = try scenario.otherNames()
        let bytes = try Data(contentsOf: scenario.url)
        let log = Log<String>()
        var configuration = configuration(.openReadOnly)
        configuration.memory = .init()
        configuration.monitor = MigrationMonitor { event in
            switch event {
            case .planned(let plan): log.append("planned \(plan.isSuperseded)")
            case .finished(let report): log.append("finished \(report.from) \(report.to)")
            default: log.append("\(event)")
            }
        }
        let cache = try scenario.open(1, configuration)
        #expect(cache.isReadOnly)
        #expect(cache.schemaVersion == 3)
        #expect(cache.report.from == 3 && cache.report.to == 3 && cache.report.isEmpty)
        #expect(log.all == ["planned true", "finished 3 3"])
        #expect(cache.report.isReadOnly)
        #expect("\(cache.report)".contains("open for reading only, at version 3"), "\(cache.report)")
        #expect(!"\(cache.report)".contains("up to date"))
        for _ in 0..<2 { #expect(try cache.value(Person.self, forKey: "later") == .jane) }
        #expect(try cache.count() == 4)

        func expectRefusal(_ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) {
            let error = #expect(throws: CacheError.self, sourceLocation: sourceLocation, performing: body)
            #expect(error?.code == .readOnly, sourceLocation: sourceLocation)
            #expect(error?.message.contains("newer app") == true, sourceLocation: sourceLocation)
        }
        expectRefusal { try cache.set(1, forKey: "1") }
        expectRefusal { try cache.remove(forKey: "1") }
        expectRefusal { try cache.removeAll() }
        expectRefusal { try cache.removeExpired() }
        expectRefusal { try cache.setAll(["a": 1]) }
        #expect(try cache.count() == 4)
        cache.close()
        #expect(try Data(contentsOf: scenario.url) == bytes)
        #expect(try scenario.otherNames() == names)
    }

    @Test func `is said by a dry run to be open for reading, or what is in the way`() throws {
        try upgrade(readable: [2, 3])
        let bytes = try Data(contentsOf: scenario.url)
        let report = try CodableCache.dryRun(
            at: scenario.url,
            migrations: BackupScenario.registry(1),
            configuration: configuration(.openReadOnly)
        )
        #expect(report.isDryRun && report.isReadOnly && report.store == scenario.url.path)
        #expect("\(report)".contains("would be open for reading only, at version 3"), "\(report)")
        #expect(try Data(contentsOf: scenario.url) == bytes)
        let error = #expect(throws: MigrationError.self) {
            try CodableCache.dryRun(
                at: scenario.url,
                migrations: MigrationRegistry(BackupScenario.registry(1).migrations + [Migration(to: 1, "own")]),
                configuration: configuration(.openReadOnly)
            )
        }
        #expect(error?.code == .superseded && error?.store == scenario.url.path)
        #expect(error?.message.contains("cannot be opened for reading either") == true, "\(error?.message ?? "")")
    }

    @Test func `is read while the newer app writes, which waits for nobody`() throws {
        try upgrade(readable: [2, 3])
        var configuration = configuration(.openReadOnly)
        configuration.memory = .init()
        let old = try scenario.open(1, configuration)
        let new = try CodableCache(at: scenario.url, migrations: BackupScenario.registry(3, readable: [2, 3]))
        #expect(try old.value(Person.self, forKey: "0") == .john)
        try new.set(Person.jane, forKey: "0")
        #expect(try old.value(Person.self, forKey: "0") == .jane)
        // A still newer one upgrades it further.
        try CodableCache(at: scenario.url, migrations: BackupScenario.registry(4, readable: [2, 3])).close()
        let error = #expect(throws: MigrationError.self) { try old.value(Person.self, forKey: "0") }
        #expect(error?.code == .storeChanged && error?.storeVersion == 4)
    }

    @Test func `is read from a directory and a file that cannot be written`() throws {
        try upgrade(readable: [2, 3])
        let paths = [scenario.url.path, scenario.scratch.url.path]
        for path in paths {
            let mode = path == scenario.url.path ? 0o400 : 0o500
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: paths[1]) }
        // Root may write everywhere; the others need what SQLite's shared memory does.
        guard geteuid() == 0 else { return }
        #expect(try scenario.open(1, configuration(.openReadOnly)).count() == 4)
    }

    @Test(arguments: [[2], [3], []] as [Set<Int>])
    func `is refused when one newer migration has not declared it`(readable: Set<Int>) throws {
        try upgrade(readable: readable)
        let first = readable.contains(2) ? "add-3" : "add-2"
        expectSuperseded("cannot be opened for reading either", "\"\(first)\"") {
            try scenario.open(1, configuration(.openReadOnly))
        }
    }

    @Test func `is refused for reading when a migration of this app was never applied to it`() throws {
        try upgrade(readable: [2, 3])
        let registry = MigrationRegistry(
            BackupScenario.registry(1).migrations + [Migration(to: 1, "own")]
        )
        expectSuperseded("migration", "own", "was not applied") {
            try CodableCache(at: scenario.url, migrations: registry, configuration: configuration(.openReadOnly))
        }
    }

    @Test func `A store that is no newer is opened as ever`() throws {
        try scenario.fill(1)
        let cache = try scenario.open(2, configuration(.openReadOnly))
        #expect(!cache.isReadOnly)
        try cache.set(1, forKey: "1")
        let fresh = scenario.scratch.file("fresh")
        let other = try CodableCache(
            at: fresh,
            migrations: BackupScenario.registry(2),
            configuration: configuration(.openReadOnly)
        )
        #expect(!other.isReadOnly && other.report.isFresh)
    }

    // MARK: Going back to a backup

    @Test func `is replaced by the newest backup that this app can open, when it says so`() throws {
        try upgrade()
        // One that this app could not open is newer.
        _ = try CodableCache.backUp(at: scenario.url)
        let backups = try scenario.backups
        #expect(backups.map(\.schemaVersion) == [3, 1])
        let asked = Log<DowngradeLoss>()
        let events = Log<String>()
        var configuration = configuration(
            .restoreBackup { loss in
                asked.append(loss)
                return true
            }
        )
        configuration.monitor = MigrationMonitor { event in
            if case .restored(let backup) = event { events.append("restored \(backup.schemaVersion)") }
        }
        let cache = try scenario.open(1, configuration)
        #expect(cache.schemaVersion == 1 && !cache.isReadOnly)
        #expect(try cache.keys() == ["0", "1", "2"])
        try cache.set(1, forKey: "1")
        #expect(events.all == ["restored 1"])
        let loss = try #require(asked.all.first)
        #expect(asked.count == 1)
        #expect(loss.store == scenario.url.path)
        #expect(loss.storeVersion == 3 && loss.registryVersion == 1)
        #expect(loss.unknownMigrations == [.init(name: "add-2", version: 2), .init(name: "add-3", version: 3)])
        #expect(loss.recordCount == 4)
        #expect(loss.backup == backups[1] && loss.backup?.recordCount == 3)
        #expect(loss.attachedStores == [])
        for text in ["version 3", "add-2", "add-3", "4 records", "version 1", "3 records"] {
            #expect("\(loss)".contains(text), "\(loss)")
        }
        #expect(!"\(loss)".contains("Appleseed"))
        #expect(!"\(loss)".contains("half done") && loss.unfinishedMigration == nil)
        #expect(try scenario.backups.count == 2)
        // What would have been lost was kept.
        let kept = try #require(try CodableCache.filesAside(at: scenario.url).first)
        #expect(kept.schemaVersion == 3 && kept.recordCount == 4)
    }

    @Test func `and that is half done is said to be so`() throws {
        try scenario.fill(1, count: 25)
        struct Stop: Error {}
        let migrations = MigrationRegistry(
            BackupScenario.registry(1).migrations
                + [Migration(to: 2, "batched", .addProperty("Person", "b", default: 1)).committingInBatches(of: 10)]
        )
        let stopping = BackupScenario.configuration { configuration in
            configuration.batchSize = 10
            configuration.atPoint = { if $0.kind == .afterCommit { throw Stop() } }
        }
        #expect(throws: Stop.self) {
            try CodableCache(at: scenario.url, migrations: migrations, configuration: stopping)
        }
        let asked = Log<DowngradeLoss>()
        let policy = DowngradePolicy.restoreBackup { loss in
            asked.append(loss)
            return true
        }
        let cache = try scenario.open(1, configuration(policy))
        #expect(try cache.count() == 25)
        let loss = try #require(asked.all.first)
        #expect(loss.unfinishedMigration == MigrationID(name: "batched", version: 2))
        #expect("\(loss)".contains("at version 2 (\"batched\" half done) with 25 records"), "\(loss)")
        #expect(loss.backup?.schemaVersion == 1)
    }

    @Test func `is left where there is no room to keep what would be replaced, and the advice can be followed`() throws
    {
        try upgrade()
        let before = try scenario.contents
        var configuration = configuration(.restoreBackup { _ in true })
        configuration.backup = BackupPolicy()
        configuration.backup?.freeSpace = { _ in 10 }
        let error = #expect(throws: MigrationError.self) { try scenario.open(1, configuration) }
        #expect(error?.code == .noSpaceForBackup)
        let words = "or put the backup back with CodableCache.restore and keepsReplaced: false."
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(try scenario.contents == before)
        let backup = try #require(try scenario.backups.first)
        try CodableCache.restore(backup, at: scenario.url, keepsReplaced: false)
        #expect(try scenario.open(1).count() == 3)
    }

    @Test func `is replaced by an older backup and upgraded to this app's version`() throws {
        try scenario.fill(0)
        try scenario.open(4).close()
        let cache = try scenario.open(2, configuration(.restoreBackup { _ in true }))
        #expect(cache.report.from == 0 && cache.report.to == 2)
        #expect(try cache.count() == 3)
    }

    @Test func `is refused when the app says no`() throws {
        try upgrade()
        let bytes = try Data(contentsOf: scenario.url)
        expectSuperseded("The backup was not put back") {
            try scenario.open(1, configuration(.restoreBackup { _ in false }))
        }
        expectSuperseded("It was not started afresh") {
            try scenario.open(1, configuration(.startAfresh { _ in false }))
        }
        #expect(try Data(contentsOf: scenario.url) == bytes)
        #expect(try scenario.otherNames().count == 1)
    }

    @Test func `is refused, and nobody asked, when there is no backup that could be opened`() throws {
        try upgrade()
        let policy = DowngradePolicy.restoreBackup { _ in
            Issue.record("It was asked.")
            return true
        }
        let backup = try #require(try scenario.backups.first)
        let bytes = try Data(contentsOf: backup.url)
        // Damaged: its head is whole, so that it is listed.
        try (bytes.prefix(8_192) + Data(repeating: 0x5A, count: bytes.count - 8_192)).write(to: backup.url)
        expectSuperseded("no backup that this app could open") { try scenario.open(1, configuration(policy)) }
        try bytes.write(to: backup.url)
        // Older than this app supports.
        var registry = MigrationRegistry([Migration(to: 3, "of another branch")])
        registry.oldestSupportedVersion = 2
        expectSuperseded("no backup that this app could open", code: .migrationMissing) { [registry] in
            try CodableCache(at: scenario.url, migrations: registry, configuration: configuration(policy))
        }
        try CodableCache.removeBackup(backup, at: scenario.url)
        expectSuperseded("no backup that this app could open") { try scenario.open(1, configuration(policy)) }
        #expect(try scenario.contents.version == 3)
    }

    @Test func `is left to another process that upgrades it while the app is asked`() throws {
        try upgrade()
        let url = scenario.url
        let policy = DowngradePolicy.restoreBackup { _ in
            (try? CodableCache(at: url, migrations: BackupScenario.registry(4))) != nil
        }
        let error = #expect(throws: MigrationError.self) { try scenario.open(1, configuration(policy)) }
        #expect(error?.code == .superseded)
        #expect(error?.message.contains("Another process changed it meanwhile") == true)
        #expect(try scenario.contents.version == 4)
        let afresh = DowngradePolicy.startAfresh { _ in
            (try? CodableCache(at: url, migrations: BackupScenario.registry(5))) != nil
        }
        #expect(throws: MigrationError.self) { try scenario.open(1, configuration(afresh)) }
        #expect(try scenario.contents.version == 5)
        #expect(try scenario.otherNames().allSatisfy { !$0.contains("aside") })
    }

    // MARK: Starting afresh

    @Test func `is kept aside, and a fresh one takes its place`() throws {
        try upgrade()
        let before = try scenario.contents
        let open = try CodableCache(at: scenario.url, migrations: BackupScenario.registry(3))
        #expect(try open.count() == 4)
        let asked = Log<DowngradeLoss>()
        let events = Log<String>()
        var configuration = configuration(
            .startAfresh { loss in
                asked.append(loss)
                return true
            }
        )
        configuration.monitor = MigrationMonitor { event in
            if case .startedAfresh(let aside) = event { events.append(aside.url.lastPathComponent) }
        }
        let imported = MigrationRegistry(
            [
                Migration(to: 1, "add-1", .addProperty("Person", "added1", default: .int(1))),
                Migration(to: 1, "block", .run { _ in Issue.record("It ran.") }),
                Migration(
                    to: 2,
                    "import",
                    .run(onFreshStore: true) { try $0.create("Person", forKey: "new", Person.john) }
                ),
            ]
        )
        let cache = try CodableCache(at: scenario.url, migrations: imported, configuration: configuration)
        #expect(cache.report.isFresh && cache.schemaVersion == 2)
        #expect(cache.report.entries.map(\.outcome) == [.bornFresh, .bornFresh, .ran])
        #expect(try cache.keys() == ["new"])
        try cache.set(Person.jane, forKey: "jane")
        let loss = try #require(asked.all.first)
        #expect(loss.recordCount == 4 && loss.backup == nil && loss.registryVersion == 2)
        #expect("\(loss)".contains("kept aside"))

        let name = try #require(try scenario.otherNames().first { $0.hasSuffix(".aside") })
        #expect(events.all == [name])
        #expect(name.hasPrefix("cache.molt.v3-"))
        #expect(try CacheStore.contents(at: scenario.scratch.file(name)) == before)
        // It is no backup: nothing removes it, and nothing goes back to it.
        #expect(try scenario.backups.count == 1)
        // Who had it open is told.
        let error = #expect(throws: MigrationError.self) { try open.count() }
        #expect(error?.code == .storeChanged)
        #expect(try CacheStore.damage(at: scenario.url) == [])
    }

    @Test func `that is a backup put in its place by hand is kept aside, too`() throws {
        try upgrade()
        let backup = try CodableCache.backUp(at: scenario.url)
        try FileManager.default.removeItem(at: scenario.url)
        try FileManager.default.moveItem(at: backup.url, to: scenario.url)
        #expect(try SQLite(scenario.url).text("PRAGMA journal_mode") == "delete")
        let cache = try scenario.open(1, configuration(.startAfresh { _ in true }))
        #expect(cache.report.isFresh)
        let name = try #require(try scenario.otherNames().first { $0.hasSuffix(".aside") })
        #expect(try CacheStore.contents(at: scenario.scratch.file(name)).records.count == 4)
    }

    @Test func `that was emptied and then left by a kill is a fresh store`() throws {
        try upgrade()
        let store = CacheStore(at: scenario.url)
        _ = try store.startAfresh(BackupRequest(.aside, version: 3), checking: { _ in }, waiting: {})
        #expect(try CacheStore.state(at: scenario.url) == .fresh)
        #expect(try CacheStore.state(at: scenario.url).isFresh)
        let cache = try scenario.open(2)
        #expect(cache.report.isFresh)
        #expect(try cache.count() == 0)
    }

    @Test func `A damaged file that has lost its tables is not taken for one that was emptied`() throws {
        try scenario.fill(1)
        var bytes = try Data(contentsOf: scenario.url)
        // The number of cells on the first page: of rows in the schema.
        bytes.replaceSubrange(103..<105, with: [0, 0])
        try bytes.write(to: scenario.url)
        #expect(throws: CacheError.self) { try CacheStore.state(at: scenario.url) }
        #expect(throws: (any Error).self) { try scenario.open(1) }
        #expect(try Data(contentsOf: scenario.url) == bytes)
    }
}
