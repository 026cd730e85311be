import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

@Suite("Migrated stores")
struct MigratedStoreTests {
    @Test func `One migration can be tested alone, on a store without a ledger`() throws {
        let name = "split-full-name"
        var fixture = Releases.first
        fixture.version = 1
        fixture.records = [.init("john", "Person", .json(#"{"fullName":"John Appleseed"}"#))]
        let alone = try fixture.migrated(through: [Releases.migrations[name]])
        #expect(alone.fixture.records.map(\.content) == [.json(#"{"firstName":"John","lastName":"Appleseed"}"#)])
        #expect(alone.fixture.history == "2, split-full-name 2 ran")
        let whole = try fixture.migrated(through: Releases.migrations)
        #expect(
            whole.fixture.history
                == "3, alien-becomes-person 1 baseline, split-full-name 2 ran, nickname 3 ran"
        )
        let error = #expect(throws: MoltError.self) { try Releases.migrations["split"] }
        #expect(error?.code == .unknownMigration && error?.problem.contains("split-full-name") == true)
    }

    @Test(arguments: [false, true]) func `What is handed over waits in a copy until the test says so`(isSuite: Bool)
        async throws
    {
        let suite = Molt.Suite("group.example")
        let received = Log<String>()
        let isLocked = Locked(true)
        let fixture = StoreFixture(
            primary: isSuite ? .suite(suite) : .cache,
            version: 0,
            records: isSuite ? [] : [.init("mail", "Token", .json(#"{"value":"t"}"#))],
            suites: [suite: ["token": "s", "theme": "dark"]]
        )
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "out",
                .handOverSettings("token", in: suite, to: "a list") { key, _ in
                    if isLocked.withLock({ $0 }) { throw Refusal() }
                    received.append(key)
                },
                .handOverRecords("Token", to: "a list") { token in
                    if isLocked.withLock({ $0 }) { throw Refusal() }
                    received.append(token.key)
                }
            )
        ]
        let store = try TemporaryStore(fixture)
        let report = try await store.upgrade(through: migrations)
        #expect(received.count == 0 && report.work.isEmpty)
        #expect(try store.contents().suites == [suite: ["theme": "dark"]] && store.contents().records.isEmpty)
        #expect(try store.doWork(of: migrations).work.allSatisfy { $0.problem != nil })
        isLocked.withLock { $0 = false }
        try await store.upgrade(through: migrations)
        #expect(received.count == 0)
        try store.doWork(of: migrations)
        #expect(received.all.sorted() == (isSuite ? ["token"] : ["mail", "token"]))
        #expect(try store.doWork(of: migrations).work.isEmpty)
    }

    @Test func `A fixture made in code names the migrations that were applied`() throws {
        let applied = [MigrationID(name: "alien-becomes-person", version: 1)]
        let fixture = StoreFixture(version: 1, applied: applied, records: [])
        let row = #"{"name": "alien-becomes-person", "version": 1}"#
        #expect(fixture == (try StoreFixture(json: "{\"format\": 1, \"schemaVersion\": 1, \"ledger\": [\(row)]}")))
        let migrated = try fixture.migrated(through: Releases.migrations.upTo(version: 2))
        #expect(migrated.fixture.history == "2, alien-becomes-person 1 ran, split-full-name 2 ran")
    }

    @Test func `A fixture made in code can be migrated, and its values can be read`() throws {
        struct Person: Codable, Equatable { var name: String }
        let settings = Molt.Suite("group.example")
        let fixture = StoreFixture(
            version: 0,
            records: [.init("john", "Alien", .json(#"{"fullName":"John"}"#))],
            suites: [settings: ["theme": "dark"]]
        )
        let migrations: MigrationRegistry = [
            Migration(to: 1, "alien", .renameType("Alien", to: "Person")),
            Migration(to: 2, "name", .renameProperty("Person", "fullName", to: "name")),
            Migration(to: 3, "style", .renameSetting("theme", to: "style", in: settings)),
        ]

        let migrated = try fixture.migrated(through: migrations)

        #expect(try migrated.value(Person.self, forKey: "john") == Person(name: "John"))
        #expect(migrated.record(forKey: "john")?.typeName == "Person")
        #expect(migrated.setting("style", in: settings) == "dark")
        #expect(migrated.fixture.suites == [settings: ["style": "dark"]])
        #expect(migrated.fixture.history == "3, alien 1 ran, name 2 ran, style 3 ran")
        #expect(migrated.fixture.ledger.map(\.fingerprint) == migrations.migrations.map(\.fingerprint))
        #expect(migrated.report.to == 3)
        #expect(try settings.values().isEmpty)
    }

    @Test func `A temporary store has the data of the current release, and the real settings are left alone`() throws {
        let settings = Molt.Suite("group.example.\(UUID().uuidString)")
        try settings.set("real", forKey: "theme")
        defer { try? settings.removeAll() }
        let migrations: MigrationRegistry = [
            Migration(to: 1, "person"),
            Migration(to: 2, "style", .renameSetting("theme", to: "style", in: settings)),
        ]

        let store = try TemporaryStore()
        let cache = try store.open(migrations: migrations)
        try cache.set("Ada", forKey: "name")
        try store.temporarySuite(for: settings).set("dark", forKey: "style")
        cache.close()

        #expect(cache.report.isFresh)
        let fixture = try store.contents()
        #expect(fixture.history == "2, person 1 bornFresh, style 2 ran")
        #expect(fixture.records.map(\.key) == ["name"])
        #expect(fixture.suites == [settings: ["style": "dark"]])
        #expect(try settings.values() == ["theme": "real"])
    }
}
