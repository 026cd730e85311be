import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

@Suite("Verification of settings")
struct SettingsVerificationTests {
    private static let group = Molt.Suite("group.molt.matrix")

    private let migrations: MigrationRegistry = [
        Migration(to: 1, "theme", .renameSetting("theme", to: "style", in: .standard)),
        .suiteToAppGroup(to: 2, from: .standard, into: group, removingSource: true),
        Migration(to: 3, "old-keys", .removeSettings("old", in: group)),
    ]
    private let settings: [String: PropertyListValue] = [
        "theme": "dark", "old": 1, "sizes": [1.0, 2.5], "since": .date(Date(timeIntervalSinceReferenceDate: 86_400)),
        "recent": ["names": ["Ada", "Grace"], "bytes": .data(Data([1, 2, 255]))],
    ]

    /// Creates a catalog with the stores of some versions, and their upgraded fixtures.
    private func recorded(
        _ fixture: StoreFixture,
        _ migrations: MigrationRegistry,
        at versions: [Int]
    ) async throws -> CatalogDirectory {
        let directory = CatalogDirectory()
        let catalog = directory.catalog(recording: .missing)
        for version in versions {
            let store = version == 0 ? fixture : try fixture.migrated(through: migrations, upTo: version).fixture
            try catalog.keep(store, named: "settings")
        }
        let recording = await Releases.failure {
            try await catalog.verify(migrations, types: [], versions: versions)
        }
        if let recording, recording.kinds != [.recorded] { throw recording }
        return directory
    }

    /// The versions of the fixtures of a catalog, and those that each is upgraded to.
    private static let versions = TestRun.choose([0, 2], long: [0, 1, 2, 3])
    private static let targets = TestRun.choose([[1, 2, 3], [3]], long: [[1, 2, 3], [2, 3], [3], [3]])

    @Test func `A setting in an old form that no migration names fails`() async throws {
        let fixture = StoreFixture(version: 0, suites: [.standard: ["tags": #"["a"]"#, "sizes": "[1]"]])
        let migrations: MigrationRegistry = [
            .defaultsV4ToV5(to: 1, suite: .standard, keys: [.key("tags", .array(of: .string))])
        ]
        let directory = try CatalogDirectory(keeping: [fixture])
        let failure = try await Releases.requireFailure {
            // That the app cannot read it is the consequence.
            try await directory.catalog(recording: .missing)
                .verify(migrations, types: [], settings: [.setting("sizes", [String].self, in: .standard)])
        }
        failure.expect(kinds: .missingFixture, .decoding, .missingUpgradedFixture, .unmatchedName)
        let older: MigrationRegistry = [Migration(to: 1, "a"), Migration(to: 2, "b")]
        let missing = try await Releases.requireFailure {
            let settings: [FixtureSetting] = [.setting("sizes", String.self, in: Self.group)]
            try await directory.catalog().verify(older, types: [], settings: settings, versions: [1])
        }
        let proposal = #"StoreFixture(settings: propertyList, of: Suite("group.molt.matrix"))"#
        missing.expect(.missingFixture, says: proposal, "by hand")
        #expect(failure.description.contains("not named: it probably has an old form"))
    }

    @Test func `Settings that no key and no step names are a failure, unless they are listed or the system's`()
        async throws
    {
        let fixture = StoreFixture(
            version: 0,
            suites: [
                .standard: [
                    "a": 1, "b": 2, "fax": 3, "ui.x": 4, "other.library": 5, "moved": 6, "AppleLanguages": ["de"],
                    "NSWindow Frame main": "0 0",
                ],
                Self.group: ["a": 1, "b": 2],
            ]
        )
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "names",
                .renameSetting("a", to: "c", in: .standard),
                .copySettings(withPrefix: "ui.", to: "view.", in: .standard)
            ),
            .suiteToAppGroup(to: 1, from: .standard, into: Self.group, keys: .only(["moved"])),
        ]
        let directory = try await recorded(fixture, migrations, at: [0])
        func failure(_ settings: FixtureSetting...) async -> VerificationFailure? {
            await Releases.failure {
                try await directory.catalog().verify(migrations, types: [], settings: settings, versions: [0])
            }
        }
        #expect(await failure() == nil)
        let key = FixtureSetting.key(SettingKey<Int?>("b"), in: .standard)
        let unnamed = """
            reads, or a migration that renames or removes it. List those that are not the app's:
                .unread("fax", in: .standard),
                .unread("other.library", in: .standard),
                .unread("a", in: Suite("group.molt.matrix")),
                .unread("b", in: Suite("group.molt.matrix")),
            """
        let first = #"`.setting("fax", Value.self, in: .standard)` for one that the app "#
        try #require(await failure(key)).expect(only: .unnamedSetting, of: ["catalog"], says: first + unnamed)
        let unread: [FixtureSetting] = [.unread("fax", in: .standard), .unread(withPrefix: "other.", in: .standard)]
        let group: [FixtureSetting] = [.unread("a", in: Self.group), .unread("b", in: Self.group)]
        #expect(await failure(key, unread[0], unread[1], group[0], group[1]) == nil)
        // One that is misspelled is named, too.
        try #require(await failure(key, unread[0], .unread("other.libary", in: .standard), group[0], group[1])).expect(
            .unmatchedName,
            says: #"did you mean "other.library"?"#
        )
    }

    @Test func `A cache with settings passes, and a suite that a migration emptied defers no later one`() async throws {
        let fixture = StoreFixture(
            version: 0,
            records: [.init("photo", "Data", .data(Data([1])))],
            suites: [.standard: settings]
        )
        // Before the last migration, another one has emptied its suite.
        let rest = Migration(to: 3, "rest", .changeSettings(in: .standard) { try $0.removeValue(forKey: "rest") })
        let migrations = MigrationRegistry(self.migrations.migrations + [rest])
        let directory = try await recorded(fixture, migrations, at: Self.versions)
        let emptied = try directory.catalog().fixture(2, "settings")
        #expect(emptied.ledger.map { $0.attachedCounts["standard"] } == [5, 0])
        #expect(Set(emptied.ledger.map(\.appliedAt)).count == 1)

        let report = try await directory.catalog().verify(migrations, types: [], versions: Self.versions)

        #expect(report.rows.map(\.targets) == Self.targets)
        #expect(report.rows.first?.entryPoints == [.open, .asyncOpen, .inMemory])
        // Without the digest, the file is that of a fixture.
        let text = try directory.text("0-settings@3.json")
        let upgraded = try StoreFixture(json: text.replacing(#/ *"fixtureDigest": "[0-9a-f]{64}",\n/#, with: ""))
        #expect(upgraded.suites[Self.group]?["style"] == "dark")
        #expect(upgraded.suites[Self.group]?["old"] == nil)
        #expect(upgraded.suites[.standard] == nil)
        // The settings of this process were not touched.
        #expect(try Self.group.values().isEmpty)
    }

    @Test func `A suite without a cache passes`() async throws {
        let fixture = StoreFixture(primary: .suite(.standard), version: 0, suites: [.standard: settings])
        let directory = try await recorded(fixture, migrations, at: Self.versions)
        let report = try await directory.catalog().verify(migrations, types: [], versions: Self.versions)
        #expect(report.rows.map(\.targets) == Self.targets)
        #expect(report.rows.first?.entryPoints == [.suite])
        #expect(report.rows.first?.upgrades == 2 * 5 + 2)
    }

    @Test func `A setting that a step loses is named by its key`() async throws {
        let fixture = StoreFixture(version: 0, suites: [.standard: settings])
        let directory = try await recorded(fixture, migrations, at: [2, 3])
        let losing: MigrationRegistry = [
            migrations.migrations[0],
            migrations.migrations[1],
            Migration(to: 3, "old-keys", .removeSettings("old", "sizes", in: Self.group)),
        ]

        let failure = try await Releases.requireFailure {
            try await directory.catalog().verify(losing, types: [], versions: [2, 3])
        }

        let words = #"suite group.molt.matrix, "sizes": missing, expected [{"double":1},{"double":2.5}]"#
        failure.expect(.upgradedFixture, says: words)
        failure.expect(.edited, of: ["registry"])
    }

    @Test func `A deferred migration is a failure that states the reason`() async throws {
        let waiting: MigrationRegistry = [Migration(to: 1, "waiting", .changeSettings(in: .standard) { _ in })]
        var configuration = MoltConfiguration()
        configuration.process = .tool
        let fixture = StoreFixture(version: 0, suites: [.standard: settings])
        let directory = try CatalogDirectory(keeping: [fixture])

        let failure = try await Releases.requireFailure {
            try await directory.catalog(recording: .missing)
                .verify(waiting, types: [], versions: [0], configuration: configuration)
        }

        failure.expect(kinds: .ledger, .missingUpgradedFixture)
        let waits = failure.failures[0].description
        #expect(waits.hasPrefix(#"to version 1: migration "waiting" (version 1) still waits: "#))
        #expect(waits.contains("An app extension cannot see the app's settings"))
    }

    @Test func `A ledger whose counts of settings depend on the path is a failure`() async throws {
        let isSame = Locked(false)
        let first = Migration(to: 1, "first", .run { _ in isSame.withLock { $0 = true } })
        let second = Migration(
            to: 2,
            "second",
            .run(suites: [Molt.Suite.standard]) { migration in
                if isSame.withLock({ $0 }) { _ = try migration.suite(.standard) }
            }
        )
        let configuration = Releases.afterEachUpgrade { isSame.withLock { $0 = false } }
        let fixture = StoreFixture(version: 0, suites: [.standard: settings])

        let failure = try await Releases.requireFailure {
            try await fixture.verifyUpgrades(through: [first, second], types: [], configuration: configuration)
        }

        failure.expect(only: .path)
        let words = #"ledger: "second": settings in suites: expected none, found 5 in standard"#
        #expect(failure.messages(.path).first?.hasSuffix(words) == true)
    }
}
