import Foundation
import TestSupport
import Testing

@testable import Molt

@Suite(.enabled(if: TestHome.isAvailable)) struct `An upgrade of a suite without a cache` {
    private let scratch: ScratchSuite
    private var suite: Suite { scratch.suite }
    private static let ledgerKey = "molt.ledger"

    init() throws {
        scratch = try ScratchSuite(["volume": 0.5, "name": "n"])
    }

    private var state: StoreState {
        get throws { try suite.upgradeState() }
    }

    private func renaming(to version: Int = 1) -> Migration {
        Migration(to: version, "rename \(version)", .renameKey("name", to: "title", in: suite))
    }

    private var second: Migration { Migration(to: 2, "second", .settings(in: suite) { _ in }) }

    // MARK: Which migrations run

    @Test func `A suite with settings and no ledger is at version 0, and every migration runs`() throws {
        #expect(try state == StoreState(version: 0, isFresh: false, ledger: []))
        let suite = suite
        let report = try suite.upgrade(with: [
            renaming(),
            Migration(to: 3, "block", .run(attaching: [suite]) { try $0.suite(suite).set("b", forKey: "block") }),
        ])
        #expect(report.from == 0 && report.to == 3)
        #expect(report.entries.map(\.outcome) == [.ran, .ran])
        #expect(try scratch.values == ["volume": 0.5, "title": "n", "block": "b"])
    }

    @Test func `The ledger is stored under one key, with the migrations before each`() throws {
        var configuration = MoltConfiguration()
        configuration.appVersion = "2.1"
        configuration.role = .app
        try suite.upgrade(with: [renaming()], configuration: configuration)
        try suite.upgrade(with: [renaming(), Migration(to: 2, "second", .removeKeys("volume", in: suite))])
        let ledger = try state.ledger
        #expect(try state.version == 2)
        #expect(ledger.map(\.name) == ["rename 1", "second"])
        #expect(ledger[0].appVersion == "2.1")
        #expect(ledger.map(\.attachedCounts) == [[suite.attachedName: 2], [suite.attachedName: 1]])
        #expect(try suite.history() == ledger)
        #expect(try Set(scratch.allValues.keys) == ["title", Self.ledgerKey])
        let text = try #require(try scratch.allValues[Self.ledgerKey]?.string)
        #expect(text.contains(#""predecessors":[]"#) && text.contains(#""predecessors":["rename 1"]"#), "\(text)")
    }

    #if os(Linux)
        /// Another process that writes the suite without Molt may be killed during this upgrade.
        @Test func `A suite whose file is truncated during the upgrade is restored and changed`() throws {
            let (suite, scratch) = (suite, scratch)
            try suite.set(1, forKey: "gone")
            let report = try suite.upgrade(with: [
                renaming(),
                Migration(to: 2, "remove", .removeKeys("gone", in: suite)),
                Migration(to: 3, "cut off", .run { _ in try scratch.writeFile("") }),
            ])
            #expect(report.to == 3)
            #expect(try scratch.values == ["volume": 0.5, "title": "n"])
            #expect(try state.version == 3)
        }
    #endif

    @Test(arguments: [false, true])
    func `A journal exists between the commit and the last change, with one suite or two`(both: Bool) throws {
        let other = try ScratchSuite()
        var migrations: MigrationRegistry = [renaming(), Migration(to: 1, "volume", .removeKeys("volume", in: suite))]
        if both {
            migrations.register(
                Migration(to: 2, "other", .settings(in: other.suite) { try $0.set(1, forKey: "a") })
            )
        }
        struct Stop: Error {}
        var configuration = MoltConfiguration()
        configuration.hooks.atPoint = { if $0.kind == .afterCommit { throw Stop() } }
        #expect(throws: (any Error).self) { try suite.upgrade(with: migrations, configuration: configuration) }
        #expect(exists(".molt"))
        #expect(try state.version == (both ? 2 : 1))
        #expect(try suite.pendingJournal() == [suite, other.suite].prefix(both ? 2 : 1).map(\.attachedName))
        #expect(try suite.history().isEmpty)
        #expect(try scratch.values == ["volume": 0.5, "name": "n"])
        try suite.upgrade(with: migrations)
        #expect(try scratch.otherFiles() == ["\(scratch.name).molt-lock"])
        #expect(try scratch.values == ["title": "n"])
        #expect(try scratch.history == ["rename 1", "volume"] + (both ? ["other"] : []))
        #expect(try other.values["a"] == (both ? 1 : nil))
        #expect(try other.history == (both ? ["other"] : []))
    }

    @Test func `A fresh suite is born at the registry's version, and only steps that import run`() throws {
        let fresh = try ScratchSuite()
        let report = try fresh.suite.upgrade(with: [
            Migration(to: 1, "records", .renameType("A", to: "B")),
            Migration(to: 2, "block", .run { _ in Issue.record("It ran.") }),
            Migration(to: 3, "import", .settings(in: fresh.suite) { try $0.set(1, forKey: "imported") }),
        ])
        #expect(report.isFresh)
        // The first one works on records only, which a suite does not have.
        #expect(report.entries.map(\.migration.name) == ["block", "import"])
        #expect(report.entries.map(\.outcome) == [.createdAtVersion, .ran])
        #expect(try fresh.suite.upgradeState().version == 3)
        #expect(try fresh.values["imported"] == 1)
    }

    @Test func `A suite that is up to date is neither written nor locked`() throws {
        try suite.upgrade(with: [renaming()])
        let bytes = try Data(contentsOf: scratch.file)
        func modified() throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: scratch.file.path)[.modificationDate] as? Date
        }
        let date = try modified()
        try? FileManager.default.removeItem(at: file(".molt-lock"))
        #expect(try suite.upgrade(with: [renaming()]).isEmpty)
        #expect(try Data(contentsOf: scratch.file) == bytes)
        #expect(try modified() == date)
        #expect(try scratch.otherFiles() == [])
    }

    @Test func `Migrations that only work on records are left to caches, and blocks find no records`() throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "records", .renameType("A", to: "B"), .deleteType("B")),
            Migration(to: 2, "block", .run { migration throws in #expect(try migration.count(ofType: "A") == 0) }),
            Migration(to: 3, "more records", .renameType("B", to: "C")),
        ]
        let report = try suite.upgrade(with: registry)
        #expect(report.entries.map(\.migration.name) == ["block"])
        #expect(report.entries.map(\.outcome) == [.ran])
        #expect(report.entries.allSatisfy { $0.counts == MigrationReport.Counts() })
        #expect(try scratch.history == ["block"])
        #expect(try suite.upgrade(with: registry).isEmpty)
        #expect(!exists(".molt"))
        // The cache of the same registry still has all of its own to do.
        let cache = try ScratchCache()
        try CodableCache(at: cache.url).close()
        #expect(try cache.upgrade(registry).entries.map(\.migration.name) == ["records", "block", "more records"])
    }

    @Test func `An upgrade that creates a record in a suite is rolled back`() throws {
        #expect(throws: MoltError.self) {
            try suite.upgrade(with: [
                renaming(), Migration(to: 2, "create", .run { try $0.create("T", forKey: "k", "secret") }),
            ])
        }?.expect(.unsupported, migration: "create", store: suite.attachedName)
        #expect(try scratch.allValues == ["volume": 0.5, "name": "n"])
        #expect(!exists(".molt"))
    }

    // MARK: Plans, queues and cancellation

    @Test func `A plan and a dry run of a suite write nothing`() throws {
        let bytes = try Data(contentsOf: scratch.file)
        let plan = try MigrationPlan(for: suite, migrations: [renaming()])
        #expect(plan.entries.map(\.status) == [.pending])
        #expect(plan.store == suite.attachedName)
        let report = try suite.dryRun(of: [renaming(), second])
        #expect(report.entries.map(\.outcome) == [.ran, .ran])
        #expect(report.to == 2)
        #expect(try Data(contentsOf: scratch.file) == bytes)
        #expect(try scratch.otherFiles() == [])
        #expect(try state.version == 0)
    }

    @Test func `A suite can be upgraded on a queue of its own`() async throws {
        let report = try await suite.upgrade(with: [renaming()])
        #expect(report.to == 1)
        // Another registry may have applied what is in the ledger.
        #expect(try await suite.upgrade(with: []).isEmpty)
        #expect(try scratch.values["title"] == "n")
    }

    @Test func `Cancelling the waiting task stops the upgrade`() async throws {
        let (suite, renaming) = (suite, renaming())
        let task = Task { try await suite.upgrade(with: [renaming]) }
        task.cancel()
        let error = await #expect(throws: MoltError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(try scratch.values["name"] == "n")
        #expect(try state.version == 0)
    }

    // MARK: Other suites

    @Test func `An unreadable other suite defers its own migrations only`() throws {
        let (suite, other) = (suite, try ScratchSuite(["flag": true]))
        let looking = Migration(to: 1, "look", .settings(in: other.suite) { _ in })
        try suite.upgrade(with: [looking])
        try other.suite.removeValue(forKey: "flag")
        let registry: MigrationRegistry = [
            looking, Migration(to: 2, "later", .settings(in: other.suite) { try $0.set(1, forKey: "later") }),
            renaming(to: 3),
        ]
        #expect(try suite.upgrade(with: registry).deferred.map(\.migration.name) == ["later"])
        #expect(try scratch.values["title"] == "n")
        let bytes = try Data(contentsOf: scratch.file)
        #expect(try suite.upgrade(with: registry).deferred.count == 1)
        #expect(try Data(contentsOf: scratch.file) == bytes)
        try other.suite.set(true, forKey: "flag")
        #expect(try suite.upgrade(with: registry).deferred.isEmpty)
        #expect(try other.values["later"] == 1)
        #expect(try state.ledger.map(\.outcome) == [.ran, .ran, .ran])
        #expect(try other.history == ["look", "later"])
    }

    // MARK: The ledger's key

    @Test func `The ledger is hidden from steps and not moved`() throws {
        try suite.upgrade(with: [renaming()])
        let other = try ScratchSuite()
        try suite.upgrade(with: [
            renaming(),
            Migration(
                to: 2,
                "look",
                .settings(in: suite) { settings throws in
                    #expect(try scratch.values.keys.sorted() == ["title", "volume"])
                    #expect(try scratch.values[Self.ledgerKey] == nil)
                    #expect(settings.count == 2)
                    let error = #expect(throws: MoltError.self) { try settings.removeValue(forKey: Self.ledgerKey) }
                    #expect(error?.code == .cannotStore)
                }
            ), .suiteToAppGroup(to: 3, from: suite, into: other.suite, afterwards: .clean),
        ])
        #expect(try other.values == ["title": "n", "volume": 0.5])
        #expect(try other.history == ["suite-to-app-group"])
        #expect(try Array(scratch.allValues.keys) == [Self.ledgerKey])
        #expect(try state.version == 3)
    }

    @Test(arguments: [PropertyListValue.int(1), "{}", #"{"version": "secret"}"#])
    func `A ledger that Molt did not write is an error and is left unchanged`(ledger: PropertyListValue) throws {
        try suite.write(set: [Self.ledgerKey: ledger])
        let bytes = try Data(contentsOf: scratch.file)
        let error = #expect(throws: MoltError.self) { try suite.upgrade(with: [renaming()]) }
        error?.expect(.unreadable, key: Self.ledgerKey, store: suite.domainName)
        #expect(error.map { "\($0) \(String(reflecting: $0))".contains("secret") } == false)
        #expect(try Data(contentsOf: scratch.file) == bytes)
    }

    @Test func `The ledger is kept when the suite is lost while changes are pending`() throws {
        try suite.upgrade(with: [renaming()])
        let new = Migration(to: 2, "new", .settings(in: suite) { try $0.set(1, forKey: "new") })
        let migrations: MigrationRegistry = [renaming(), new]
        try scratch.commit(migrations)
        try scratch.writeFile("")
        try suite.upgrade(with: migrations)
        #expect(try scratch.values == ["volume": 0.5, "title": "n", "new": 1])
        #expect(try scratch.history == ["rename 1", "new"])
    }

    // MARK: The suite's files

    #if os(Linux)
        @Test(arguments: ["noise", String(repeating: "long noise ", count: 1_000)])
        func `A file that is no journal is an error, and all files are left unchanged`(journal: String) throws {
            let bytes = try Data(contentsOf: scratch.file)
            try Data(journal.utf8).write(to: file(".molt"))
            for call in [{ _ = try suite.upgrade(with: [renaming()]) }, { _ = try state }] {
                let error = #expect(throws: MoltError.self) { try call() }
                #expect(error?.code == .notADatabase)
                #expect(error?.message.contains(try file(".molt").path) == true)
            }
            #expect(try Data(contentsOf: scratch.file) == bytes)
            #expect(try Data(contentsOf: file(".molt")) == Data(journal.utf8))
        }

        @Test func `An empty file in the place of the journal counts as none`() throws {
            try Data().write(to: file(".molt"))
            #expect(try suite.upgrade(with: [renaming()]).entries.count == 1)
            #expect(try scratch.values == ["volume": 0.5, "title": "n"])
            #expect(!exists(".molt"))
        }
    #endif

    @Test func `An upgrade waits for the suite's lock no longer than allowed`() throws {
        let (suite, renaming) = (suite, renaming())
        var configuration = MoltConfiguration()
        configuration.timeout = .milliseconds(30)
        configuration.role = .app
        try suite.upgrade(with: [
            Migration(
                to: 1,
                "holds the lock",
                .settings(in: suite) { [configuration] _ in
                    // As another thread or process would.
                    #expect(throws: MoltError.self) {
                        try suite.upgrade(with: [renaming], configuration: configuration)
                    }?.expect(.busy)
                }
            )
        ])
        #expect(try scratch.values == ["volume": 0.5, "name": "n"])
        #expect(try state.ledger.map(\.name) == ["holds the lock"])
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
        let old = Migration(to: 1, "old", .settings(in: suite) { try $0.set(2, forKey: "a") })
        let stored = try ScratchSuite(["a": 0])
        let other = try ScratchSuite(["b": 1])
        try stored.suite.upgrade(with: [Migration(to: 1, "old", .settings(in: stored.suite) { _ in })])
        let ledger = try #require(try stored.suite.value(forKey: Self.ledgerKey))
        let unlocking = MigrationStep.settings(in: other.suite) { _ in
            try suite.write(set: ["a": 1, Self.ledgerKey: ledger])
        }
        try suite.upgrade(with: [old, Migration(to: 2, "unlocking", unlocking)])
        #expect(try scratch.allValues == ["a": 1, Self.ledgerKey: ledger])
        #expect(try scratch.history == ["old"])
        #expect(try suite.upgradeState().version == 1)
    }
}
