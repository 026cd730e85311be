import Foundation
import Molt
import Testing

@Suite struct `A store that a newer app upgraded` {
    let scenario: BackupScenario

    init() throws {
        scenario = try BackupScenario()
    }

    private func reading(_ configuration: MoltConfiguration = MoltConfiguration()) throws -> CodableCache {
        try CodableCache(reading: scenario.url, migrations: BackupScenario.registry(1), configuration: configuration)
    }

    /// Makes a store at version 3 with 4 records, and a backup of it at version 1 with 3.
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

    // MARK: Opening

    @Test func `is refused by default, and unchanged`() throws {
        try upgrade()
        let bytes = try Data(contentsOf: scenario.url)
        let names = try scenario.scratch.names()
        MoltError.thrown {
            try scenario.open(1)
        }?.expect(
            .superseded,
            storeVersion: 3,
            says: "Update the app",
            "restore a backup",
            "CacheFile.startAfresh()"
        )
        #expect(try Data(contentsOf: scenario.url) == bytes)
        #expect(try scenario.scratch.names() == names)
    }

    @Test func `is read when all newer migrations allow it`() throws {
        try upgrade(readable: [2, 3])
        let names = try scenario.otherNames()
        let bytes = try Data(contentsOf: scenario.url)
        let log = Log<String>()
        var configuration = BackupScenario.configuration()
        configuration.memory = .init()
        configuration.monitor = MigrationMonitor { event in
            if case .planned(let plan) = event { return log.append("planned \(plan.isSuperseded)") }
            log.append(event.word)
        }
        let cache = try reading(configuration)
        #expect(cache.isReadOnly && cache.version == 3)
        let report = cache.report
        #expect(report.isReadOnly && report.isEmpty && report.to == 3)
        #expect(log.all == ["planned true", "finished"])
        #expect("\(report)".contains("open for reading only, at version 3") && !"\(report)".contains("up to date"))
        for _ in 0..<2 { #expect(try cache.value(Person.self, forKey: "later") == .jane) }

        let writes: [() throws -> Void] = [
            { try cache.set(1, forKey: "1") }, { try cache.remove(forKey: "1") }, { try cache.removeAll() },
            { try cache.removeExpired() }, { try cache.setAll(["a": 1]) },
        ]
        for write in writes { MoltError.thrown { try write() }?.expect(.readOnly, says: "newer release") }
        #expect(try cache.count() == 4)
        cache.close()
        #expect(try Data(contentsOf: scenario.url) == bytes)
        #expect(try scenario.otherNames() == names)
    }

    @Test func `is refused by an opening and a dry run, which name what prevents them`() throws {
        try upgrade(readable: [2, 3])
        let bytes = try Data(contentsOf: scenario.url)
        let words = "migration \"add-2\" does not declare `olderReleases(may: .write)`"
        MoltError.thrown { try scenario.open(1) }?.expect(.superseded, says: "can only be opened for reading", words)
        MoltError.thrown {
            try CacheFile(at: scenario.url).dryRunAndWait(BackupScenario.registry(1))
        }?.expect(.superseded, store: scenario.url.path, says: words)
        let own = MigrationRegistry(BackupScenario.registry(1).migrations + [Migration(to: 1, "own")])
        MoltError.thrown {
            try CacheFile(at: scenario.url).dryRunAndWait(own)
        }?.expect(.superseded, store: scenario.url.path, says: "cannot be opened for reading either")
        #expect(try Data(contentsOf: scenario.url) == bytes)
    }

    @Test func `is read while the newer app writes, without either waiting for the other`() throws {
        try upgrade(readable: [2, 3])
        let old = try reading(BackupScenario.configuration { $0.memory = .init() })
        let new = try CodableCache(at: scenario.url, migrations: BackupScenario.registry(3, readable: [2, 3]))
        #expect(try old.value(Person.self, forKey: "0") == .john)
        try new.set(Person.jane, forKey: "0")
        #expect(try old.value(Person.self, forKey: "0") == .jane)
        // An even newer app upgrades the store.
        try CodableCache(at: scenario.url, migrations: BackupScenario.registry(4, readable: [2, 3])).close()
        MoltError.thrown {
            try old.value(Person.self, forKey: "0")
        }?.expect(.storeChanged, storeVersion: 4)
    }

    @Test(arguments: [[2], [3], []] as [Set<Int>])
    func `is refused unless every newer migration allows reading`(readable: Set<Int>) throws {
        try upgrade(readable: readable)
        let first = readable.contains(2) ? "\"add-3\"" : "\"add-2\""
        try scenario.expectRefusal(.superseded, says: "cannot be opened for reading either", first) {
            try reading()
        }
    }

    // MARK: Starting afresh

    @Test func `is kept aside, and a fresh store takes its place`() throws {
        try upgrade()
        let before = try scenario.contents
        let open = try CodableCache(at: scenario.url, migrations: BackupScenario.registry(3))
        #expect(try open.count() == 4)
        let aside = try #require(try CacheFile(at: scenario.url).startAfresh())
        // A kill now leaves a fresh store.
        #expect(try StoreFile.state(at: scenario.url) == .fresh)
        #expect(aside.url.lastPathComponent.hasPrefix("cache.molt.v3-") && aside.url.pathExtension == "aside")
        #expect(aside.version == 3)
        #expect(try CacheFile(at: scenario.url).filesAside().first?.recordCount == 4)
        let cache = try scenario.open(2)
        #expect(cache.report.isFresh && cache.version == 2)
        #expect(try cache.keys() == [])
        try cache.set(Person.jane, forKey: "jane")
        MoltError.thrown { try cache.importAndWait(from: aside.url) }?
            .expect(.superseded, storeVersion: 3, says: aside.url.path, "was set aside", "CacheFile.restore(_:)")

        #expect(try CacheFile(at: scenario.url).filesAside().map(\.url) == [aside.url])
        try scenario.expectContents(before, at: aside.url)
        // The file is no backup: no upgrade removes it.
        try scenario.expectBackups(1)
        // A cache that had the old store open gets an error.
        MoltError.thrown { try open.count() }?.expect(.storeChanged)
        // The file that was kept aside can be restored.
        cache.close()
        try CacheFile(at: scenario.url).restore(aside)
        try scenario.expectContents(before)
    }

    @Test func `is kept aside even if its file is a backup that was moved there by hand`() throws {
        try upgrade()
        let backup = try CacheFile(at: scenario.url).backUp()
        try FileManager.default.removeItem(at: scenario.url)
        try FileManager.default.moveItem(at: backup.url, to: scenario.url)
        #expect(try SQLite(scenario.url).text("PRAGMA journal_mode") == "delete")
        let aside = try #require(try CacheFile(at: scenario.url).startAfresh())
        #expect(try scenario.open(1).report.isFresh)
        #expect(try StoreFile.contents(at: aside.url).records.count == 4)
    }

    @Test func `A store that is too old is kept aside, as its error advises`() throws {
        try scenario.fill(1)
        let before = try scenario.contents
        let registry = MigrationRegistry([Migration(to: 3, "third")]).oldestVersion(2)
        try scenario.expectRefusal(.tooOld, says: "CacheFile.startAfresh()") {
            try CodableCache(at: scenario.url, migrations: registry)
        }
        let aside = try #require(try CacheFile(at: scenario.url).startAfresh())
        #expect(aside.version == 1)
        #expect(try CodableCache(at: scenario.url, migrations: registry).report.isFresh)
        try scenario.expectContents(before, at: aside.url)
    }

    @Test(arguments: ["noise", "emptied", "damaged page"])
    func `A damaged file is kept aside with its log, as its error advises`(damage: String) throws {
        try scenario.fill(1, count: 400)
        var bytes = try Data(contentsOf: scenario.url)
        switch damage {
        case "noise": bytes = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
        case "emptied": bytes = Data()
        default: for offset in 8_192..<8_292 { bytes[offset] = 0xA5 }
        }
        try bytes.write(to: scenario.url)
        let log = Data("the log".utf8)
        let logURL = URL(fileURLWithPath: scenario.url.path + "-wal")
        if damage != "damaged page" { try log.write(to: logURL) }
        let error = MoltError.thrown { try scenario.open(2, MoltConfiguration()) }
        #expect(error.map(MoltError.isDamage) == true)
        error?.expect(says: "CacheFile.startAfresh()")
        let aside = try #require(try CacheFile(at: scenario.url).startAfresh())
        #expect(aside.url.pathExtension == "damaged")
        let left = try Data(contentsOf: aside.url)
        if damage == "damaged page" {
            #expect(left.count == bytes.count && left[8_192..<8_292] == bytes[8_192..<8_292])
        } else {
            #expect(left == bytes)
            #expect(try Data(contentsOf: URL(fileURLWithPath: aside.url.path + "-wal")) == log)
        }
        let cache = try scenario.open(1)
        #expect(cache.report.isFresh)
        try cache.set(1, forKey: "one")
        #expect(try StoreFile.damage(at: scenario.url) == [])
        #expect(try scenario.otherNames().allSatisfy { $0.contains(".damaged") })
    }

    @Test func `A missing or fresh store leaves nothing to keep aside`() throws {
        #expect(try CacheFile(at: scenario.url).startAfresh() == nil)
        #expect(try scenario.scratch.names() == [])
        try scenario.open(1).close()
        #expect(try CacheFile(at: scenario.url).startAfresh() != nil)
        #expect(try CacheFile(at: scenario.url).startAfresh() == nil)
        #expect(try CacheFile(at: scenario.url).filesAside().count == 1)
    }

    @Test func `A file of another app is left in place`() throws {
        try SQLite(scenario.url).run("CREATE TABLE mine(a); INSERT INTO mine VALUES(1)")
        let bytes = try Data(contentsOf: scenario.url)
        MoltError.thrown { try CacheFile(at: scenario.url).startAfresh() }?.expect(.foreignFile)
        #expect(try Data(contentsOf: scenario.url) == bytes)
        try scenario.expectOtherNames()
    }

    @Test func `Starting afresh waits for a writer until its timeout, and then changes nothing`() throws {
        try scenario.fill(1)
        let writer = try SQLite(scenario.url)
        try writer.run("BEGIN IMMEDIATE")
        try scenario.expectRefusal(.busy) {
            try CacheFile(at: scenario.url).startAfresh(timeout: .milliseconds(20))
        }
        try writer.run("ROLLBACK")
    }

    @Test func `A damaged file that has lost its tables is not taken for an emptied one`() throws {
        try scenario.fill(1)
        var bytes = try Data(contentsOf: scenario.url)
        // The number of cells on the first page, that is, of rows in the schema.
        bytes.replaceSubrange(103..<105, with: [0, 0])
        try bytes.write(to: scenario.url)
        MoltError.thrown { try StoreFile.state(at: scenario.url) }
        #expect(throws: (any Error).self) { try scenario.open(1) }
        #expect(try Data(contentsOf: scenario.url) == bytes)
    }
}
