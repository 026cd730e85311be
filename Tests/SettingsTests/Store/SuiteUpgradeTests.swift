import Foundation
import Molt
import TestSupport
import Testing

@Suite(.enabled(if: TestHome.isAvailable)) struct `An upgrade of a suite without a cache` {
    private let scratch: ScratchSuite
    private var suite: Suite { scratch.suite }
    private static let ledgerKey = "molt.ledger"
    private static let old: [String: PropertyListValue] = ["volume": 0.5, "name": "n"]
    private static let renamed: [String: PropertyListValue] = ["volume": 0.5, "title": "n"]

    init() throws {
        scratch = try ScratchSuite(Self.old)
    }

    private var state: StoreState {
        get throws { try suite.upgradeState() }
    }

    private func renaming(to version: Int = 1) -> Migration {
        Migration(to: version, "rename \(version)", .renameSetting("name", to: "title", in: suite))
    }

    private var second: Migration { Migration(to: 2, "second", .changeSettings(in: suite) { _ in }) }

    // MARK: Which migrations run

    @Test func `A suite with settings and no ledger is at version 0, and every migration runs`() throws {
        let suite = suite
        try expect(state, is: StoreState(version: 0, isFresh: false, ledger: []))
        let report = try suite.upgrade(with: [
            renaming(),
            Migration(to: 3, "block", .run(suites: [suite]) { try $0.suite(suite).set("b", forKey: "block") }),
        ])
        #expect(report.from == 0 && report.to == 3)
        #expect(report.outline == ["rename 1 ran", "block ran"])
        try scratch.expect(["volume": 0.5, "title": "n", "block": "b"])
    }

    @Test func `The ledger is stored under one key, with the migrations before each`() throws {
        let configuration = MoltConfiguration {
            $0.appVersion = "2.1"
            $0.process = .app
        }
        try suite.upgrade(with: [renaming()], configuration: configuration)
        try suite.upgrade(with: [renaming(), Migration(to: 2, "second", .removeSettings("volume", in: suite))])
        try state.expect(version: 2)
        let ledger = try state.ledger
        #expect(ledger.map(\.name) == ["rename 1", "second"])
        #expect(ledger[0].appVersion == "2.1")
        #expect(ledger.map(\.attachedCounts) == [[suite.attachedName: 2], [suite.attachedName: 1]])
        try expect(suite.history(), is: ledger)
        let values = try scratch.allValues
        #expect(values.keys.sorted() == [Self.ledgerKey, "title"])
        let text = try #require(values[Self.ledgerKey]?.string)
        #expect(text.contains(#""orders":[["rename 1"]]"#) && text.contains(#""predecessors":1"#), "\(text)")
    }

    @Test(arguments: [Migration.Access.nothing, .read, .write])
    func `Settings of a newer release are left to older ones if its migrations let them write`(
        access: Migration.Access
    ) throws {
        let newer = Migration(to: 2, "newer", steps: access == .write ? [] : [.removeSettings("volume", in: suite)])
        try suite.upgrade(with: [renaming(), newer.olderReleases(may: access)])
        let older: MigrationRegistry = [renaming()]
        let before = try scratch.allValues
        if access == .write {
            #expect(try suite.upgrade(with: older).isEmpty)
        } else {
            MoltError.thrown { try suite.upgrade(with: older) }?.expect(
                .superseded,
                says: access == .read ? "olderReleases(may: .write)" : "does not declare `olderReleases(may: .read)`"
            )
        }
        try expect(scratch.allValues, is: before)
        // An empty migration needs no cache.
        let plan = try suite.plan([renaming(), newer, Migration(to: 3, "bump")])
        #expect(plan.entries.last?.description == "3  bump  (nothing to do)")
    }

    @Test func `A ledger grows with the number of migrations, and names what came before each of them once`() throws {
        func adding(_ number: Int, _ prefix: String) -> Migration {
            Migration(
                to: number,
                "\(prefix)\(number)",
                .changeSettings(in: suite) { try $0.set(1, forKey: "k\(number)") }
            )
        }
        func size() throws -> Int { try scratch.allValues[Self.ledgerKey]?.string?.utf8.count ?? 0 }
        let all = MigrationRegistry((1...60).map { adding($0, "own ") })
        var sizes: [Int] = []
        for version in [20, 40, 60] {
            try suite.upgrade(with: all.upTo(version: version))
            sizes.append(try size())
        }
        #expect(sizes[2] - sizes[1] < (sizes[1] - sizes[0]) * 11 / 10, "\(sizes)")
        #expect(sizes[2] < 60 * 300, "\(sizes)")
        // Another registry has its own order, and neither takes the other's rows for those of a newer build.
        let other = MigrationRegistry([adding(1, "other "), adding(70, "other ")])
        for _ in 1...2 {
            try suite.upgrade(with: other)
            #expect(try suite.upgrade(with: all).isEmpty)
        }
        let text = try #require(try scratch.allValues[Self.ledgerKey]?.string)
        #expect(text.contains(#","orders":[["own 1","own 2","#), "\(text)")
        #expect(text.contains(#","own 59"],["other 1"]]"#), "\(text)")
        // The other registry's first build knows that the second one is newer.
        MoltError.thrown { try suite.upgrade(with: other.upTo(version: 1)) }?.expect(.superseded)
    }

    @Test func `A ledger in the form of builds before the first release is refused by name`() throws {
        try suite.write(set: [Self.ledgerKey: #"{"format":1,"version":0,"entries":[]}"#])
        MoltError.thrown { try suite.upgrade(with: [renaming()]) }?
            .expect(
                .settingUnreadable,
                key: Self.ledgerKey,
                says: "format 1, which only builds of Molt before its first"
            )
    }

    #if os(Linux)
        /// Another process that writes the suite without Molt may be killed during this upgrade.
        @Test func `A suite whose file is truncated during the upgrade is restored and changed`() throws {
            let (suite, scratch) = (suite, scratch)
            try suite.set(1, forKey: "gone")
            let report = try suite.upgrade(with: [
                renaming(),
                Migration(to: 2, "remove", .removeSettings("gone", in: suite)),
                Migration(to: 3, "cut off", .run { _ in try scratch.writeFile("") }),
            ])
            #expect(report.to == 3)
            try scratch.expect(Self.renamed)
            try state.expect(version: 3)
        }
    #endif

    @Test func `A journal exists between the commit and the last change`() throws {
        let other = try ScratchSuite()
        let migrations: MigrationRegistry = [
            renaming(), Migration(to: 1, "volume", .removeSettings("volume", in: suite)),
            Migration(to: 2, "other", .changeSettings(in: other.suite) { try $0.set(1, forKey: "a") }),
        ]
        try scratch.commit(migrations)
        #expect(exists(".molt"))
        try state.expect(version: 2, journal: [suite, other.suite].map(\.attachedName))
        try scratch.expect(Self.old, history: [])
        try suite.upgrade(with: migrations)
        try expect(scratch.otherFiles().sorted(), is: ["molt-ledger", "molt-lock"].map { "\(scratch.name).\($0)" })
        try scratch.expect(["title": "n"], history: ["rename 1", "volume", "other"])
        try other.expect(["a": 1], history: ["other"])
    }

    @Test func `A fresh suite is born at the registry's version, and only steps that import run`() throws {
        let fresh = try ScratchSuite()
        let report = try fresh.suite.upgrade(with: [
            Migration(to: 1, "records", .renameType("A", to: "B")),
            Migration(to: 2, "block", .run { _ in Issue.record("It ran.") }),
            Migration(to: 3, "import", .changeSettings(in: fresh.suite) { try $0.set(1, forKey: "imported") }),
        ])
        #expect(report.isFresh)
        // The first one works on records only, which a suite does not have.
        #expect(report.outline == ["block createdAtVersion", "import ran"])
        try fresh.suite.upgradeState().expect(version: 3)
        try fresh.expect(["imported": 1])
    }

    @Test(arguments: [false, true])
    func `A new suite that takes over settings is upgraded, and one that finds none is created`(hasOld: Bool) throws {
        let old = try ScratchSuite(hasOld ? Self.old : [:])
        let new = try ScratchSuite()
        let monitor = MigrationMonitor()
        let report = try new.suite.upgrade(
            with: [
                .suiteToAppGroup(to: 1, from: old.suite, into: new.suite),
                Migration(to: 2, "rename", .renameSetting("name", to: "title", in: new.suite)),
                Migration(to: 3, "first", .changeSettings(in: new.suite) { try $0.set(1, forKey: "first") }),
            ],
            configuration: MoltConfiguration {
                $0.monitor = monitor
                $0.backup = BackupPolicy()
            }
        )
        #expect(report.isFresh)
        let backups = try new.suite.backups()
        #expect(backups.map(\.suites) == (hasOld ? [[old.suite.attachedName]] : []))
        #expect(monitor.summary?.outcome == (hasOld ? .upgraded : .created))
        let start = hasOld ? "version 0 to 3 in" : "created at version 3"
        #expect(report.headline.hasPrefix("\(report.store): \(start)"))
        try new.expect(hasOld ? ["volume": 0.5, "title": "n", "first": 1] : ["first": 1])

        guard let backup = backups.first else { return }
        try new.suite.restore(backup, suites: [old.suite])
        try new.expect([:])
        try old.expect(Self.old)
    }

    @Test func `A new suite beside another one with unrelated settings is new, and not too old`() throws {
        let (old, new) = (try ScratchSuite(["unrelated": 1]), try ScratchSuite())
        let move = Migration.suiteToAppGroup(to: 6, from: old.suite, into: new.suite, keys: .only(["volume"]))
        let report = try new.suite.upgrade(with: MigrationRegistry([move]).oldestVersion(5))
        #expect(report.isFresh && report.to == 6)
        try new.expect([:])
    }

    @Test func `A suite that is up to date is neither written nor locked`() throws {
        try suite.upgrade(with: [renaming()])
        func modified() throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: scratch.file.path)[.modificationDate] as? Date
        }
        let date = try modified()
        try? FileManager.default.removeItem(at: file(".molt-lock"))
        try scratch.expectUnchanged { try expect(suite.upgrade(with: [renaming()]).isEmpty, is: true) }
        try expect(modified(), is: date)
        try expect(scratch.otherFiles(), is: ["\(scratch.name).molt-ledger"])
    }

    @Test func `Migrations that only work on records are left to caches, and blocks find no records`() throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "records", .renameType("A", to: "B"), .deleteType("B")),
            Migration(to: 2, "block", .run { try expect($0.count(ofType: "A"), is: 0) }),
            Migration(to: 3, "more records", .renameType("B", to: "C")),
        ]
        let report = try suite.upgrade(with: registry)
        #expect(report.outline == ["block ran"])
        #expect(report.counts == MigrationReport.Counts())
        try scratch.expect(Self.old, history: ["block"])
        try expect(suite.upgrade(with: registry).isEmpty, is: true)
        #expect(!exists(".molt"))
        // The cache of the same registry still has all of its own to do.
        let cache = try ScratchCache()
        try CodableCache(at: cache.url).close()
        try expect(cache.upgrade(registry).outline, is: ["records ran", "block ran", "more records ran"])
    }

    @Test func `An upgrade that creates a record in a suite is rolled back`() throws {
        let create = Migration(to: 2, "create", .run { try $0.create("T", forKey: "k", "secret") })
        MoltError.thrown {
            try suite.upgrade(with: [renaming(), create])
        }?.expect(.unsupported, migration: "create", store: suite.attachedName)
        try scratch.expect(Self.old, history: [])
        #expect(!exists(".molt"))
    }

    // MARK: Plans, queues and cancellation

    @Test func `A plan and a dry run of a suite write nothing`() throws {
        try scratch.expectUnchanged {
            let plan = try suite.plan([renaming()])
            #expect(plan.entries.map(\.status) == [.pending])
            #expect(plan.store == suite.attachedName)
            let report = try suite.dryRun([renaming(), second])
            #expect(report.outline == ["rename 1 ran", "second ran"])
            #expect(report.to == 2)
        }
        try expect(scratch.otherFiles(), is: [])
        try state.expect(version: 0)
    }

    // MARK: Other suites

    @Test func `An unreadable other suite defers its own migrations only`() throws {
        let (suite, other) = (suite, try ScratchSuite(["flag": true]))
        let looking = Migration(to: 1, "look", .changeSettings(in: other.suite) { _ in })
        try suite.upgrade(with: [looking])
        let registry: MigrationRegistry = [
            looking, Migration(to: 2, "later", .changeSettings(in: other.suite) { try $0.set(1, forKey: "later") }),
            renaming(to: 3),
        ]
        try other.whileClosed {
            var report = try suite.upgrade(with: registry)
            #expect(report.deferred.map(\.migration.name) == ["later"])
            try scratch.expect(Self.renamed)
            try scratch.expectUnchanged { report = try suite.upgrade(with: registry) }
            #expect(report.deferred.count == 1)
        }
        try expect(suite.upgrade(with: registry).deferred, is: [])
        try other.expect(["flag": true, "later": 1], history: ["look", "later"])
        try expect(state.ledger.map(\.outcome), is: [.ran, .ran, .ran])
    }

    // MARK: The ledger's key

    @Test func `The ledger is hidden from steps and not moved`() throws {
        try suite.upgrade(with: [renaming()])
        let other = try ScratchSuite()
        let look = MigrationStep.changeSettings(in: suite) { settings in
            try expect(settings.keys, is: ["title", "volume"])
            #expect(settings.count == 2)
            MoltError.thrown { try settings.removeValue(forKey: Self.ledgerKey) }?.expect(.cannotStore)
        }
        try suite.upgrade(with: [
            renaming(), Migration(to: 2, "look", look),
            .suiteToAppGroup(to: 3, from: suite, into: other.suite, removingSource: true),
        ])
        try other.expect(Self.renamed, history: ["suite-to-app-group"])
        try expect(scratch.allValues.keys.sorted(), is: [Self.ledgerKey])
        try state.expect(version: 3)
    }

    @Test func `A ledger that Molt did not write is an error and is left unchanged`() throws {
        let ledgers: [PropertyListValue] = [1, "{}", #"{"version": "secret"}"#]
        for ledger in ledgers {
            try suite.write(set: [Self.ledgerKey: ledger])
            try scratch.expectUnchanged {
                let error = MoltError.thrown { try suite.upgrade(with: [renaming()]) }
                error?.expect(.settingUnreadable, key: Self.ledgerKey, store: suite.domainName)
                let text = "\(error?.description ?? "") \(String(reflecting: error))"
                #expect(!text.contains("secret"))
            }
        }
    }

    // MARK: The suite's files

    #if os(Linux)
        @Test func `A file that is no journal is an error, and an empty one in its place counts as none`() throws {
            let store = try file(".molt")
            for text in ["noise", String(repeating: "long noise ", count: 1_000)] {
                let journal = Data(text.utf8)
                try journal.write(to: store)
                try scratch.expectUnchanged {
                    MoltError.thrown { try suite.upgrade(with: [renaming()]) }?.expect(.notADatabase, says: store.path)
                    MoltError.thrown { try state }?.expect(.notADatabase, says: store.path)
                }
                try expect(Data(contentsOf: store), is: journal)
            }
            try Data().write(to: store)
            try suite.upgrade(with: [renaming()])
            try scratch.expect(Self.renamed)
            #expect(!exists(".molt"))
        }
    #endif

    @Test func `An upgrade waits for the suite's lock no longer than allowed`() throws {
        let (suite, renaming) = (suite, renaming())
        let configuration = MoltConfiguration {
            $0.timeout = .milliseconds(30)
            $0.process = .app
        }
        let holding = MigrationStep.changeSettings(in: suite) { _ in
            // As another thread or process would.
            MoltError.thrown { try suite.upgrade(with: [renaming], configuration: configuration) }?.expect(.busy)
        }
        try suite.upgrade(with: [Migration(to: 1, "holds the lock", holding)])
        try scratch.expect(Self.old, history: ["holds the lock"])
    }

    private func file(_ suffix: String) throws -> URL {
        try TestHome.directory.appendingPathComponent(suite.domainName + suffix)
    }

    private func exists(_ suffix: String) -> Bool {
        (try? FileManager.default.fileExists(atPath: file(suffix).path)) ?? false
    }

    /// The device is unlocked during the upgrade: from then on the old settings are visible.
    @Test func `A ledger that could not be seen when the upgrade began is not overwritten`() throws {
        let scratch = try ScratchSuite()
        let suite = scratch.suite
        let old = Migration(to: 1, "old", .changeSettings(in: suite) { try $0.set(2, forKey: "a") })
        let stored = try ScratchSuite(["a": 0])
        let other = try ScratchSuite(["b": 1])
        try stored.suite.upgrade(with: [Migration(to: 1, "old", .changeSettings(in: stored.suite) { _ in })])
        let ledger = try #require(try stored.suite.value(forKey: Self.ledgerKey))
        let unlocking = MigrationStep.changeSettings(in: other.suite) { _ in
            try suite.write(set: ["a": 1, Self.ledgerKey: ledger])
        }
        try suite.upgrade(with: [old, Migration(to: 2, "unlocking", unlocking)])
        try expect(scratch.allValues, is: ["a": 1, Self.ledgerKey: ledger])
        try scratch.expect(["a": 1], history: ["old"])
        try suite.upgradeState().expect(version: 1)
    }

    #if os(Linux)
        /// Its ledger is as it was remembered, so that the plan need not read its values.
        @Test func `A value of another suite that cannot be read keeps no migration from running`() throws {
            let other = try ScratchSuite(["a": 1])
            let migrations: MigrationRegistry = [
                Migration(to: 1, "other", .renameSetting("a", to: "b", in: other.suite)),
                renaming(to: 2),
            ]
            try suite.upgrade(with: migrations.upTo(version: 1))
            try other.defaults.set(Date(timeIntervalSinceReferenceDate: .infinity), forKey: "c")
            defer { try? other.defaults.removeObject(forKey: "c") }
            try suite.upgrade(with: migrations)
            try scratch.expect(Self.renamed)
            MoltError.thrown {
                try suite.upgrade(
                    with: MigrationRegistry(
                        migrations.migrations + [
                            Migration(to: 3, "again", .renameSetting("b", to: "c", in: other.suite))
                        ]
                    )
                )
            }?.expect(.settingUnreadable, suite: other.suite.attachedName)
        }
    #endif

    /// An extension has a standard suite of its own.
    @Test func `that is not that of the process is deferred, and left as it is`() throws {
        try scratch.suite.set(1, forKey: "a")
        let before = try scratch.allValues
        let migrations: MigrationRegistry = [
            Migration(to: 1, "rename", .renameSetting("a", to: "b", in: scratch.suite))
        ]
        for _ in 0..<2 {
            MoltError.thrown {
                try scratch.suite.upgrade(with: migrations, configuration: .init { $0.process = .tool })
            }?.expect(.deferred)
        }
        try expect(scratch.allValues, is: before)
        try expect(scratch.suite.pendingJournal(), is: [])
        // A cache that waits for the app does so, although it cannot see the suite.
        let cache = try ScratchCache()
        try cache.upgrade([])
        let later = MigrationRegistry(
            migrations.migrations + [Migration(to: 2, "block", .run(suites: [scratch.suite]) { _ in })]
        )
        let waited = Locked(0)
        let configuration = MoltConfiguration {
            $0.process = .tool
            $0.process = .helper(waiting: .milliseconds(50))
            $0.monitor = MigrationMonitor { if case .waiting = $0 { waited.withLock { $0 += 1 } } }
        }
        MoltError.thrown { try CodableCache(at: cache.url, migrations: later, configuration: configuration) }?
            .expect(.needsMigration)
        #expect(waited.withLock { $0 } == 1)
    }
}
