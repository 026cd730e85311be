import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

/// A store that the app versioned itself enters at the version that the app says.
@Suite("Baselines")
struct BaselineTests {
    private static let records = [
        StoredRecord("Person", "p", #"{"trace":"123"}"#), StoredRecord("Int", "schemaVersion", "3"),
    ]

    private static func trace(_ version: Int) -> Migration {
        Migration(
            to: version,
            "v\(version)",
            .transform("Person") { $0["trace"] = .string(try $0.string("trace") + "\(version)") }
        )
    }

    private static let migrations = MigrationRegistry((1...5).map(trace))

    /// Only migrations above the baseline version are applied.
    ///
    /// A database with a history table is not baselined again, and an empty one runs all migrations:
    /// https://documentation.red-gate.com/fd/flyway-baseline-on-migrate-setting-277578974.html
    @Test(.throughEveryEntryPoint)
    func `Flyway's baselineOnMigrate: a store without a ledger runs only what is above the baseline`() async throws {
        let registry = Self.migrations.baseline(3)
        let store = try OldStore(Self.records)
        let report = try await store.upgrade(registry)
        #expect(report.from == 3 && report.to == 5)
        #expect(report.outcomes == "v1 baseline, v2 baseline, v3 baseline, v4 ran, v5 ran")
        let after = try store.snapshot()
        #expect(after.contents.first == #"{"trace":"12345"}"# && after.version == 5)
        #expect(after.outcomes == report.outcomes)
        #expect(after.ledger.map(\.fingerprint).prefix(3) == [nil, nil, nil])
        #expect(try await store.upgrade(registry).isEmpty)

        let versioned = try OldStore([StoredRecord("Person", "p", #"{"trace":"1"}"#)], version: 1, ledger: [("v1", 1)])
        try await versioned.upgrade(registry)
        #expect(try versioned.snapshot().contents == [#"{"trace":"12345"}"#])
        let empty = try CodableCache(inMemory: registry)
        #expect(empty.report.entries.allSatisfy { $0.outcome == .createdAtVersion })
    }

    @Test func `The baseline may be the version of the registry, so that nothing runs`() async throws {
        let store = try OldStore(Self.records)
        try SQLite(store.url).run("PRAGMA user_version = 5")
        let registry = Self.migrations.baseline { $0.version }
        #expect(
            try await store.upgrade(registry).outcomes
                == "v1 baseline, v2 baseline, v3 baseline, v4 baseline, v5 baseline"
        )
        #expect(try await store.upgrade(registry).isEmpty)
        #expect(try store.snapshot().contents.first == #"{"trace":"123"}"#)
    }

    // MARK: Looking

    enum Place: CaseIterable {
        case setting, record, count, userVersion
    }

    @Test(arguments: Place.allCases)
    func `The app may look at a setting, a record, or the user_version of the file`(place: Place) async throws {
        let notebook = try Notebook(["a", "b", "c", "schemaVersion"])
        let store = try OldStore(Self.records)
        if place == .userVersion { try SQLite(store.url).run("PRAGMA user_version = 3") }
        let suite = notebook.suite
        let registry = Self.migrations.baseline { store in
            switch place {
            case .setting: try store.settings(in: suite)["schemaVersion"]?.int.map { Int($0) }
            case .record: try store.record(forKey: "schemaVersion")?.content().number?.integer()
            case .count: try store.count(ofType: "Person") == 1 && store.count(ofType: "Alien") == 0 ? 3 : nil
            case .userVersion: store.version
            }
        }
        let plan = try CacheFile(at: store.url).plan(registry)
        #expect(plan.baseline == 3 && plan.from == 3 && plan.pending.map(\.name) == ["v4", "v5"])
        #expect(
            plan.description.hasSuffix(
                """
                : gets version 3 from `baseline`, version 3 to 5, 2 of 5 migrations to run
                  · 1  v1  (counts as applied, by `baseline`)
                  · 2  v2  (counts as applied, by `baseline`)
                  · 3  v3  (counts as applied, by `baseline`)
                  > 4  v4  (pending)
                       - transform Person
                  > 5  v5  (pending)
                       - transform Person
                """
            ),
            "\(plan)"
        )
        let cache = try CodableCache(reading: store.url, migrations: registry)
        #expect(try cache.value([String: String].self, forKey: "p") == ["trace": "12345"])
        cache.close()
        #expect(try await CacheFile(at: store.url).dryRun(registry).from == 3)
        try await store.upgrade(registry)
        #expect(try store.snapshot().contents.first == #"{"trace":"12345"}"#)
    }

    private struct Unknown: Error {}

    @Test func `A baseline that cannot be told, or that the registry does not know, changes nothing`() async throws {
        let store = try OldStore(Self.records)
        func failure(_ baseline: @escaping @Sendable (StoreSnapshot) throws -> Int?) async throws -> MoltError {
            try await store.failure(Self.migrations.baseline(from: baseline))
        }
        let error = try await failure { _ in throw Unknown() }
        error.expect(.baselineFailed, outcome: .unchanged)
        #expect(error.underlying is Unknown)
        try await failure { _ in -1 }.expect(.baselineFailed, says: "a version is 0 or more")
        try await failure { _ in 6 }.expect(
            .superseded,
            storeVersion: 6,
            registryVersion: 5,
            says: "The store gets version 6 from `baseline`"
        )
        let retired = MigrationRegistry([Self.trace(5)]).oldestVersion(4)
        try await store.failure(retired.baseline(3)).expect(.tooOld, storeVersion: 3)
        #expect(try await store.upgrade(retired.baseline(4)).outcomes == "v5 ran")
        // A number of the app's own may be higher than all versions.
        let own = try OldStore(Self.records)
        try SQLite(own.url).run("PRAGMA user_version = 9")
        let counting = Self.migrations.baseline { $0.version == 9 ? 3 : nil }
        #expect(try CodableCache(reading: own.url, migrations: counting).version == 5)
        #expect(try await own.upgrade(counting).from == 3)
        #expect(try own.snapshot().contents.first == #"{"trace":"12345"}"# && own.snapshot().version == 5)
        // Without a row to write, the version is written once.
        let retiredAll = MigrationRegistry([]).oldestVersion(3).baseline(3)
        let last = try OldStore(Self.records)
        try await last.upgrade(retiredAll)
        #expect(try last.snapshot().version == 3)
        #expect(try !CacheFile(at: last.url).plan(retiredAll).needsUpgrade)
        // Nil leaves the store at its version.
        let other = try OldStore(Self.records)
        try await other.upgrade(Self.migrations.baseline { _ in nil })
        #expect(try other.snapshot().contents.first == #"{"trace":"12312345"}"#)
    }

    // MARK: Settings

    private func registry(_ notebook: Notebook) -> MigrationRegistry {
        let suite = notebook.suite
        return MigrationRegistry((1...4).map { notebook.adding("line \($0)", to: $0) })
            .baseline { store in try store.settings(in: suite)["schemaVersion"]?.int.map { Int($0) } }
    }

    /// The number of a line is its place.
    private static let lines = ["a", "b", "schemaVersion"]

    @Test func `Settings enter with a new file, and another store finds them through the same migrations`() async throws
    {
        let notebook = try Notebook(Self.lines)
        let registry = registry(notebook)
        let report = try CodableCache(inMemory: registry).report
        #expect(report.outcomes == "line 1 baseline, line 2 baseline, line 3 ran, line 4 ran")
        #expect(try notebook.lines == Self.lines + ["line 3", "line 4"])
        let history = try notebook.suite.history().map { "\($0.name) \($0.outcome)" }
        #expect(history == ["line 1 baseline", "line 2 baseline", "line 3 ran", "line 4 ran"])

        let store = try OldStore(Self.records)
        #expect(try await store.upgrade(registry).outcomes == report.outcomes)
        #expect(try notebook.lines == Self.lines + ["line 3", "line 4"])
        #expect(try notebook.suite.upgrade(with: registry).isEmpty)
    }

    @Test func `A new file still imports records, whatever the version of its settings`() throws {
        let notebook = try Notebook(Self.lines)
        let suites = registry(notebook)
        let imported = Migration(to: 1, "import", .run(onFreshStore: true) { try $0.create("Person", forKey: "p", 1) })
        var registry = MigrationRegistry([imported] + suites.migrations)
        registry.baseline = suites.baseline
        let cache = try CodableCache(inMemory: registry)
        #expect(try cache.keys() == ["p"])
        #expect(try notebook.lines == Self.lines + ["line 3", "line 4"])
    }

    @Test func `Settings alone enter at their version`() throws {
        let notebook = try Notebook(Self.lines)
        let registry = registry(notebook)
        let report = try notebook.suite.upgrade(with: registry)
        #expect(report.from == 2)
        #expect(report.outcomes == "line 1 baseline, line 2 baseline, line 3 ran, line 4 ran")
        #expect(try notebook.lines == Self.lines + ["line 3", "line 4"])
        #expect(try notebook.suite.upgrade(with: registry).isEmpty)
        #expect(try CodableCache(inMemory: registry).report.from == 0)
        #expect(try notebook.lines == Self.lines + ["line 3", "line 4"])
    }

    @Test func `A store waits if a suite that enters with it cannot get its ledger`() async throws {
        let notebook = try Notebook(Self.lines)
        let registry = MigrationRegistry((1...3).map { notebook.adding("line \($0)", to: $0) }).baseline(2)
        let store = try OldStore(Self.records)
        let error = MoltError.thrown {
            try notebook.whileClosed { try CodableCache(at: store.url, migrations: registry).close() }
        }
        error?.expect(.deferred, says: "The store gets version 2 from `baseline`")
        try await store.upgrade(registry)
        try await OldStore(Self.records).upgrade(registry)
        #expect(try notebook.suite.upgrade(with: registry).isEmpty)
        #expect(try notebook.lines == Self.lines + ["line 3"])
    }

    @Test func `An import is not judged by the settings of this device`() throws {
        let notebook = try Notebook(Self.lines)
        let suite = notebook.suite
        let registry = Self.migrations.baseline { store in
            try store.settings(in: suite)["schemaVersion"]?.int.map { Int($0) }
                ?? store.record(forKey: "schemaVersion")?.content().number?.integer()
        }
        let store = try OldStore(Self.records)
        let cache = try CodableCache(inMemory: registry)
        try cache.importAndWait(from: store.url)
        #expect(try cache.value([String: String].self, forKey: "p") == ["trace": "12345"])
    }

    @Test func `The view finds no records where there is no file, and in settings alone`() throws {
        let notebook = try Notebook(Self.lines)
        let found = Log<String>()
        let registry = registry(notebook).baseline { store in
            var visited = 0
            try store.enumerate("Person") { _ in visited += 1 }
            let record = try store.record(forKey: "p")
            found.append(try "\(store.types) \(store.count(ofType: "Person")) \(record == nil) \(visited)")
            return 2
        }
        #expect(try CodableCache(inMemory: registry).report.from == 2)
        let other = try Notebook(Self.lines)
        let migration = other.adding("line 3", to: 3)
        let alone = MigrationRegistry([migration]).baseline(from: registry.baseline ?? { _ in nil })
        #expect(try other.suite.upgrade(with: alone).from == 2)
        #expect(found.count >= 2 && found.all.allSatisfy { $0 == "[] 0 true 0" })
    }

    @Test func `A store waits if the setting with its version cannot be read now`() async throws {
        let notebook = try Notebook(Self.lines)
        let registry = registry(notebook)
        let store = try OldStore(Self.records)
        let error = MoltError.thrown {
            try notebook.whileClosed { try CodableCache(at: store.url, migrations: registry).close() }
        }
        error?.expect(.deferred)
        #expect(try store.snapshot().ledger.isEmpty)
        try await store.upgrade(registry)
        #expect(try notebook.lines == Self.lines + ["line 3", "line 4"])
    }

    @Test func `A failure at any moment leaves the store without a ledger, or entered and upgraded`() async throws {
        let fixture = StoreFixture(
            version: 0,
            records: [.init("p", "Person", .json(#"{"trace":"123"}"#))],
            suites: [Suite("app.baseline"): ["schemaVersion": 3, "name": "n"]]
        )
        let suite = Suite("app.baseline")
        let registry = MigrationRegistry(
            (1...3).map { Migration(to: $0, "v\($0)", Self.trace($0).steps[0], .removeSettings("name", in: suite)) }
                + [Migration(to: 4, "v4", Self.trace(4).steps[0], .renameSetting("name", to: "title", in: suite))]
        ).baseline { try $0.settings(in: suite)["schemaVersion"]?.int.map { Int($0) } }
        let report = try await fixture.verifyInterruptions(through: registry, limit: TestRun.choose(6, long: nil))
        #expect(report.failures.isEmpty)
        let after = try fixture.migrated(through: registry).fixture
        #expect(after.suites[suite] == ["schemaVersion": 3, "title": "n"])
    }
}
