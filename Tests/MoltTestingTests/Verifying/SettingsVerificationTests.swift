import Foundation
import MoltTesting
import Testing

@testable import Molt

@Suite("Verification of settings")
struct SettingsVerificationTests {
    private static let group = Molt.Suite("group.molt.matrix")

    private let migrations: MigrationRegistry = [
        Migration(to: 1, "theme", .renameKey("theme", to: "style", in: .standard)),
        .suiteToAppGroup(to: 2, from: .standard, into: group, afterwards: .clean),
        Migration(to: 3, "old-keys", .removeKeys("old", in: group)),
    ]
    private let settings: [String: PropertyListValue] = [
        "theme": "dark", "old": 1, "sizes": [1.0, 2.5], "since": .date(Date(timeIntervalSinceReferenceDate: 86_400)),
        "recent": ["names": ["Ada", "Grace"], "bytes": .data(Data([1, 2, 255]))],
    ]

    private func recorded(_ fixture: StoreFixture, _ migrations: MigrationRegistry) async throws -> CatalogDirectory {
        let directory = CatalogDirectory()
        try directory.catalog(recording: .missing).keep(fixture, named: "settings")
        for version in 1...3 {
            let store = try fixture.migrated(through: migrations, upTo: version).fixture
            try directory.catalog(recording: .missing).keep(store, named: "settings")
        }
        let recording = await Releases.failure {
            try await directory.catalog(recording: .missing).verify(migrations, types: [])
        }
        if let recording, recording.kinds != [.recorded] { throw recording }
        return directory
    }

    @Test func `A setting in an old form that no migration names fails`() async throws {
        let fixture = StoreFixture(schemaVersion: 0, suites: [.standard: ["tags": #"["a"]"#, "sizes": "[1]"]])
        let migrations: MigrationRegistry = [
            .defaultsV4ToV5(to: 1, suite: .standard, keys: [.key("tags", .array(of: .string))])
        ]
        let directory = CatalogDirectory()
        try directory.catalog(recording: .missing).keep(fixture, named: "settings")
        let failure = await Releases.failure {
            try await directory.catalog(recording: .missing).verify(migrations, types: [])
        }
        #expect(failure?.kinds.contains(.unmatchedName) == true)
        #expect(failure?.description.contains("not named: its value looks like an old form") == true)
    }

    @Test func `A cache with settings passes`() async throws {
        let fixture = StoreFixture(
            schemaVersion: 0,
            records: [.init("photo", "Data", .data(Data([1])))],
            suites: [.standard: settings]
        )
        let directory = try await recorded(fixture, migrations)

        let report = try await directory.catalog().verify(migrations, types: [])

        #expect(report.rows.map(\.targets) == [[1, 2, 3], [2, 3], [3], [3]])
        #expect(report.rows.first?.entryPoints == [.open, .asyncOpen, .inMemory])
        // Without the digest, the file is that of a fixture.
        let text = try directory.text("Golden/0-settings@3.json")
        let golden = try StoreFixture(json: text.replacing(#/ *"fixtureDigest": "[0-9a-f]{64}",\n/#, with: ""))
        #expect(golden.suites[Self.group]?["style"] == "dark")
        #expect(golden.suites[Self.group]?["old"] == nil)
        #expect(golden.suites[.standard] == nil)
        // The settings of this process were not touched.
        #expect(try Self.group.values().isEmpty)
    }

    @Test func `A suite without a cache passes`() async throws {
        let fixture = StoreFixture(
            primary: .suite(.standard),
            schemaVersion: 0,
            suites: [.standard: settings]
        )
        let directory = try await recorded(fixture, migrations)

        let report = try await directory.catalog().verify(migrations, types: [])

        #expect(report.rows.map(\.targets) == [[1, 2, 3], [2, 3], [3], [3]])
        #expect(report.rows.first?.entryPoints == [.suite, .asyncSuite])
        #expect(report.rows.first?.upgrades == 3 * 5 + 3)
    }

    @Test func `A setting that a step loses is named by its key`() async throws {
        let fixture = StoreFixture(schemaVersion: 0, suites: [.standard: settings])
        let directory = try await recorded(fixture, migrations)
        let losing: MigrationRegistry = [
            migrations.migrations[0],
            migrations.migrations[1],
            Migration(to: 3, "old-keys", .removeKeys("old", "sizes", in: Self.group)),
        ]

        let failure = try #require(
            await Releases.failure { try await directory.catalog().verify(losing, types: []) }
        )

        #expect(
            failure.first(.golden).message.contains(
                #"suite group.molt.matrix, "sizes": missing, expected [{"double":1},{"double":2.5}]"#
            )
        )
        #expect(failure.all(.edited).count == 1)
    }

    @Test func `A suite that a migration emptied does not defer the next one, even if the ledger has no times`()
        async throws
    {
        let migrations: MigrationRegistry = [
            migrations.migrations[0], migrations.migrations[1],
            Migration(to: 3, "rest", .removeKeys("rest", in: .standard)),
        ]
        let directory = try await recorded(StoreFixture(schemaVersion: 0, suites: [.standard: settings]), migrations)

        let emptied = try directory.catalog().fixture(2, "settings")
        #expect(emptied.ledger.map { $0.attachedCounts["standard"] } == [5, 0])
        #expect(Set(emptied.ledger.map(\.appliedAt)).count == 1)
        try await directory.catalog().verify(migrations, types: [])
    }

    @Test func `A deferred migration is a failure that states the reason`() async throws {
        let waiting: MigrationRegistry = [Migration(to: 1, "waiting", .settings(in: .standard) { _ in })]
        var configuration = CodableCache.Configuration()
        configuration.role = .appExtension
        let directory = CatalogDirectory()
        let fixture = StoreFixture(schemaVersion: 0, suites: [.standard: settings])
        try directory.catalog(recording: .missing).keep(fixture, named: "settings")

        let failure = try #require(
            await Releases.failure {
                try await directory.catalog(recording: .missing)
                    .verify(waiting, types: [], versions: [0], configuration: configuration)
            }
        )

        #expect(failure.kinds == [.ledger, .missingGolden])
        #expect(failure.first().place == "to version 1")
        #expect(failure.first().message.hasPrefix("migration \"waiting\" (version 1) still waits: "))
        #expect(failure.first().message.contains("An app extension cannot see the app's settings"))
    }

    @Test func `A ledger whose counts of settings depend on the path is a failure`() async throws {
        let isSame = Locked(false)
        let first = Migration(to: 1, "first", .run { _ in isSame.withLock { $0 = true } })
        let second = Migration(
            to: 2,
            "second",
            .run(attaching: [Molt.Suite.standard]) { migration in
                if isSame.withLock({ $0 }) { _ = try migration.suite(.standard) }
            }
        )
        let configuration = Releases.afterEachUpgrade { isSame.withLock { $0 = false } }
        let fixture = StoreFixture(schemaVersion: 0, suites: [.standard: settings])

        let failure = try #require(
            await Releases.failure {
                try await fixture.verifyUpgrades(through: [first, second], types: [], configuration: configuration)
            }
        )

        #expect(failure.kinds == [.path])
        #expect(
            failure.first().message.hasSuffix(
                #"ledger: "second": settings in suites: expected none, found 5 in standard"#
            )
        )
    }
}
