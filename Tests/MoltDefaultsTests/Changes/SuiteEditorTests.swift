import Foundation
import TestSupport
import Testing

@testable import Molt

@Suite("Settings in an upgrade") struct SuiteEditorTests {
    private let scratch: ScratchSuite
    private let cache: ScratchCache
    private var suite: Suite { scratch.suite }

    init() throws {
        scratch = try ScratchSuite(["volume": 0.5, "name": "n", "count": 3])
        cache = try ScratchCache()
    }

    private func settings(_ body: @escaping @Sendable (SuiteEditor) throws -> Void) -> MigrationRegistry {
        [Migration(to: 1, "settings", .settings(in: suite, "change", body))]
    }

    @Test func `A step sets, removes and renames keys in the suite`() throws {
        try cache.upgrade(
            settings { settings in
                try settings.set(0.5, forKey: "musicVolume")
                try settings.removeValue(forKey: "volume")
                try settings.renameKey("name", to: "title")
                #expect(try settings.keys == ["count", "musicVolume", "title"])
                #expect(try settings.value(forKey: "title") == "n")
                #expect(try settings.value(forKey: "name") == nil)
            }
        )
        #expect(try scratch.values == ["musicVolume": 0.5, "title": "n", "count": 3])
    }

    @Test func `A key is renamed onto an existing key only if both have the same value`() throws {
        #expect(throws: MoltError.self) {
            try cache.upgrade([Migration(to: 1, "rename", .renameKey("name", to: "count", in: suite))])
        }?.expect(.keyExists, key: "name", attachedStore: suite.attachedName)
        #expect(try scratch.values["name"] == "n")

        try suite.set("n", forKey: "title")
        try cache.upgrade([
            Migration(
                to: 1,
                "rename",
                .renameKey("name", to: "title", in: suite),
                .renameKey("absent", to: "count", in: suite),
                .removeKeys("volume", "missing", in: suite)
            )
        ])
        #expect(try scratch.values == ["title": "n", "count": 3])
    }

    @Test(arguments: [
        PropertyListValue.dictionary(["k": .array([.string("\u{FEFF}a")])]), .dictionary(["CF$UID": 1]),
    ])
    func `A value that no suite can hold is refused before anything is written`(value: PropertyListValue) throws {
        let error = #expect(throws: MoltError.self) {
            try cache.upgrade(
                settings { settings in
                    try settings.set(1, forKey: "count")
                    try settings.set(value, forKey: "bad")
                }
            )
        }
        error?.expect(.cannotStore, key: "bad", attachedStore: suite.attachedName)
        #expect(try scratch.values["count"] == 3)
    }

    @Test func `Typed keys work in a step, and a failed subscript assignment fails the upgrade`() throws {
        let count = DefaultsKey<Int>("count", default: 0)
        let wrong = DefaultsKey<[Int]>("name", default: [])
        try cache.upgrade(settings { $0[count] += 1 })
        #expect(try scratch.values["count"] == 4)
        let again: MigrationRegistry = [
            Migration(
                to: 2,
                "reads",
                .settings(in: suite) { settings in
                    settings[count] += 1
                    #expect(settings[wrong] == [])
                }
            )
        ]
        let error = #expect(throws: MoltError.self) {
            try cache.upgrade(MigrationRegistry(settings { _ in }.migrations + again.migrations))
        }
        error?.expect(.typeMismatch, migration: "reads", step: 1)
        #expect(try scratch.values["count"] == 4)
        #expect(try scratch.values["name"] == "n")
    }

    @Test func `The report says what steps did with each key`() throws {
        let suite = suite
        let report = try cache.upgrade([
            Migration(
                to: 1,
                "rename",
                .renameKey("name", to: "title", in: suite),
                .renameKey("nam", to: "x", in: suite)
            ),
            Migration(to: 2, "remove", .removeKeys("volume", "volum", in: suite)),
            Migration(
                to: 3,
                "change",
                .settings(in: suite) { settings in
                    try settings.set(4, forKey: "count")
                    try settings.set("n", forKey: "title")
                    try settings.removeValue(forKey: "volume")
                    try settings.set(1, forKey: "gone")
                    try settings.removeValue(forKey: "gone")
                }
            ),
        ])
        #expect(
            report.keys.map { "\($0.key) \($0.outcome)" } == [
                "name renamed", "nam absent", "volume removed", "volum absent", "count changed", "gone absent",
                "title already current", "volume absent",
            ]
        )
        #expect(report.description.contains("\nremove: 1 absent, 1 removed\n"))
        #expect(report.description.contains("\nremove: 1 absent, 1 removed\n  absent: \"volum\"\nchange: "))
        #expect(!report.description.contains("≈ time"))
    }

    @Test func `The report names missing keys and suggests similar ones`() throws {
        let suite = suite
        let report = try cache.upgrade([
            Migration(to: 1, "rename", .renameKey("nam", to: "title", in: suite)),
            Migration(to: 2, "remove", .removeKeys("volum", "nothing like it", "Count", in: suite)),
            .defaultsV4ToV5(
                to: 3,
                suite: suite,
                keys: [.key("nane", .string), .key("name", .string)] + (0..<12).map { .key("setting \($0)", .int) }
            ),
            .suiteToAppGroup(to: 4, from: suite, into: try ScratchSuite().suite, keys: .only(["vlume", "count"])),
        ])
        let store = suite.attachedName
        let lines = report.description.split(separator: "\n").map(String.init)
        let expected = [
            "rename: 1 absent", "  absent: \"nam\" of \(store): the nearest key is \"name\"",
            "remove: 3 absent", "  absent: \"volum\" of \(store): the nearest key is \"volume\"",
            "  absent: \"Count\" of \(store): the nearest key is \"count\"", "  absent: \"nothing like it\"",
            "defaults-v4-to-v5: 13 absent, 1 already current",
            #"  absent: "nane", "setting 0", "setting 1", "setting 2", "setting 3", "setting 4", "setting 5", "setting 6", "#
                + #""setting 7", "setting 8" and 3 more"#,
            "suite-to-app-group: 1 absent, 1 copied",
            "  absent: \"vlume\" of \(store): the nearest key is \"volume\"",
        ]
        #expect(Array(lines.suffix(expected.count)) == expected)
    }

    @Test func `Keys reserved by Molt, and empty keys, are faults of the registry`() throws {
        for step in [
            MigrationStep.renameKey("molt.ledger", to: "a", in: suite),
            .renameKey("a", to: "molt.ledger", in: suite),
            .removeKeys("molt.ledger", in: suite), .removeKeys(in: suite), .renameKey("", to: "a", in: suite),
            .renameKey("a", to: "a", in: suite),
        ] {
            let error = #expect(throws: MoltError.self) { try cache.upgrade([Migration(to: 1, "bad", step)]) }
            #expect(error?.code == .invalidRegistry)
        }
    }

    @Test func `An app cannot overwrite Molt's reserved keys in a suite, and removing all settings leaves the ledger`()
        throws
    {
        let migrations: MigrationRegistry = [
            Migration(to: 1, "one", .settings(in: suite) { try $0.set(1, forKey: "count") })
        ]
        try suite.upgrade(with: migrations)
        let key = Suite.ledgerKey
        for change in [{ try suite.set(1, forKey: key) }, { try suite.removeValue(forKey: key) }] {
            #expect(throws: MoltError.self) { try change() }?.expect(.cannotStore, key: key)
        }
        try suite.removeAll()
        #expect(try Array(scratch.allValues.keys) == [key])
        #expect(try scratch.history == ["one"])
        // What the app sets from now on is not upgraded as if an older release had written it.
        try suite.set(3, forKey: "count")
        #expect(try suite.upgrade(with: migrations).isEmpty)
        #expect(try scratch.values == ["count": 3])
    }

    @Test(.enabled(if: TestHome.isAvailable))
    func `Setting an unchanged value adds nothing but the ledger, and the next opening writes nothing`() throws {
        let before = try scratch.values
        let migrations = settings { try $0.set(3, forKey: "count") }
        let report = try cache.upgrade(migrations)
        #expect(report.entries[0].attachedCounts == [suite.attachedName: 3])
        #expect(try scratch.values == before)
        #expect(try scratch.history == ["settings"])
        let bytes = try Data(contentsOf: scratch.file)
        #expect(try cache.upgrade(migrations).isEmpty)
        #expect(try Data(contentsOf: scratch.file) == bytes)
    }

    #if os(Linux)
        /// The app may have removed the rest on purpose.
        @Test func `A truncated file that was written since is not restored`() throws {
            let migrations = try scratch.commit { try $0.set("migrated", forKey: "name") }
            try scratch.writeFile("")
            try suite.update(set: ["count": 5, "later": true])
            try suite.upgrade(with: migrations)
            #expect(try scratch.values == ["count": 5, "later": true])
        }
    #endif

    @Test func `An app extension, which cannot see the app's own settings, leaves the migration to the app`() throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "standard", .settings(in: .standard) { _ in Issue.record("It ran.") })
        ]
        let report = try cache.upgrade(registry, role: .appExtension)
        #expect(report.deferred.map(\.migration.name) == ["standard"])
        let own = Migration(to: 1, "own", .settings(in: suite) { _ in Issue.record("It ran.") })
        #expect(try ScratchCache().upgrade([own], role: .appExtension).deferred.count == 1)
        for name in ["group.\(UUID())", "ABCDE12345.\(UUID())"] {
            let group = Suite(name)
            let shared = Migration(to: 1, "group", .settings(in: group) { try $0.set(true, forKey: "done") })
            #expect(try ScratchCache().upgrade([shared], role: .appExtension).deferred.isEmpty)
            #expect(try group.values() == ["done": true])
        }
    }
}

@Suite("Samples of settings in a dry run") struct SettingSampleTests {
    @Test func `show each step's own changes, and write nothing`() throws {
        let scratch = try ScratchSuite(["theme": "dark", "volume": 3, "other": true])
        let suite = scratch.suite
        let migrations: MigrationRegistry = [
            Migration(to: 1, "rename", .renameKey("theme", to: "appearance", in: suite)),
            Migration(
                to: 2,
                "change",
                .settings(in: suite) { settings in
                    try settings.set("light", forKey: "appearance")
                    try settings.set(["left": 3, "since": .date(Date(timeIntervalSince1970: 0))], forKey: "volume")
                }
            ),
            Migration(to: 3, "remove", .removeKeys("other", in: suite)),
        ]
        let report = try suite.dryRun(of: migrations, samples: 5)
        let samples = report.entries.map { $0.steps[0].samples.map(\.description) }
        let name = suite.attachedName
        #expect(
            samples == [
                [
                    "\"appearance\" of \(name), created\n  + \"dark\"", "\"theme\" of \(name), deleted\n  - \"dark\"",
                ],
                [
                    "\"appearance\" of \(name)\n  - \"dark\"\n  + \"light\"",
                    "\"volume\" of \(name)\n  - 3\n  + left: 3\n  + since: \"1970-01-01T00:00:00Z\"",
                ],
                ["\"other\" of \(name), deleted\n  - true"],
            ]
        )
        #expect(report.losses == [MigrationReport.DataLoss(.setting, "other")])
        #expect(try scratch.values == ["theme": "dark", "volume": 3, "other": true])
        #expect(try suite.dryRun(of: migrations).entries.allSatisfy { $0.steps.allSatisfy(\.samples.isEmpty) })
    }
}
