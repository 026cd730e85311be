import Foundation
import Molt
import TestSupport
import Testing

@Suite("Settings in an upgrade") struct SuiteEditorTests {
    private static let old: [String: PropertyListValue] = ["volume": 0.5, "name": "n", "count": 3]

    private let scratch: ScratchSuite
    private let cache: ScratchCache
    private var suite: Suite { scratch.suite }

    init() throws {
        scratch = try ScratchSuite(Self.old)
        cache = try ScratchCache()
    }

    private func settings(_ body: @escaping @Sendable (SuiteEditor) throws -> Void) -> MigrationRegistry {
        [Migration(to: 1, "settings", .changeSettings(in: suite, "change", body))]
    }

    @Test func `A step sets, removes and renames keys in the suite`() throws {
        try cache.upgrade(
            settings { settings in
                try settings.set(0.5, forKey: "musicVolume")
                try settings.removeValue(forKey: "volume")
                try settings.rename("name", to: "title")
                try expect(settings.keys, is: ["count", "musicVolume", "title"])
                try expect([settings.value(forKey: "title"), settings.value(forKey: "name")], is: ["n", nil])
            }
        )
        try scratch.expect(["musicVolume": 0.5, "title": "n", "count": 3])
    }

    @Test func `Setting an unchanged value adds nothing but the ledger, and the next upgrade writes nothing`() throws {
        let same = settings { try $0.set(3, forKey: "count") }
        try cache.upgrade(same)
        try scratch.expect(Self.old, history: ["settings"])
        try scratch.expectUnchanged { try expect(cache.upgrade(same).isEmpty, is: true) }
    }

    @Test func `A key is renamed onto an existing key only if both have the same value`() throws {
        MoltError.thrown {
            try cache.upgrade([Migration(to: 1, "rename", .renameSetting("name", to: "count", in: suite))])
        }?.expect(.keyExists, key: "name", suite: suite.attachedName)
        try scratch.expect(Self.old)

        try suite.set("n", forKey: "title")
        let steps: [MigrationStep] = [
            .renameSetting("name", to: "title", in: suite), .renameSetting("absent", to: "count", in: suite),
            .removeSettings("volume", "missing", in: suite),
        ]
        try cache.upgrade([Migration(to: 1, "rename", steps: steps)])
        try scratch.expect(["title": "n", "count": 3])
    }

    @Test func `A value that no suite can hold is refused before anything is written`() throws {
        let values: [PropertyListValue] = [["k": ["\u{FEFF}a"]], ["CF$UID": 1]]
        for value in values {
            let migrations = settings { settings in
                try settings.set(1, forKey: "count")
                try settings.set(value, forKey: "bad")
            }
            let error = MoltError.thrown { try cache.upgrade(migrations) }
            error?.expect(.cannotStore, key: "bad", suite: suite.attachedName)
        }
        try scratch.expect(Self.old)
    }

    @Test func `Typed keys work in a step, and a failed subscript assignment fails the upgrade`() throws {
        let count = SettingKey<Int>("count", default: 0)
        let wrong = SettingKey<[Int]>("name", default: [])
        var migrations = settings { $0[count] += 1 }
        try cache.upgrade(migrations)
        let upgraded: [String: PropertyListValue] = ["volume": 0.5, "name": "n", "count": 4]
        try scratch.expect(upgraded)
        let reading = MigrationStep.changeSettings(in: suite) { settings in
            settings[count] += 1
            #expect(settings[wrong] == [])
        }
        migrations.register(Migration(to: 2, "reads", reading))
        MoltError.thrown { try cache.upgrade(migrations) }?.expect(.typeMismatch, migration: "reads", step: 1)
        try scratch.expect(upgraded)
    }

    @Test func `The report says what steps did with each key`() throws {
        try suite.write(set: ["start": 1])
        let change = MigrationStep.changeSettings(in: suite) { settings in
            try settings.set(4, forKey: "count")
            try settings.set("n", forKey: "title")
            try settings.removeValue(forKey: "volume")
            try settings.set(1, forKey: "gone")
            try settings.removeValue(forKey: "gone")
            try settings.removeValue(forKey: "start")
        }
        let renames = [
            MigrationStep.renameSetting("name", to: "title", in: suite), .renameSetting("nam", to: "x", in: suite),
        ]
        let report = try cache.upgrade([
            Migration(to: 1, "rename", steps: renames),
            Migration(to: 2, "remove", .removeSettings("volume", "volum", in: suite)),
            Migration(to: 3, "change", change),
        ])
        let rows = report.keys.map { "\($0.key) \($0.outcome)" }
        let expected = [
            "name renamed", "nam absent", "volume removed", "volum absent", "count changed", "gone absent",
            "start removed", "title already current", "volume absent",
        ]
        #expect(rows == expected)
        let text = report.description
        let absent = "  absent: \"volum\" of \(suite.attachedName)"
        #expect(text.contains("\nremove: 1 absent, 1 removed\n\(absent)\nchange: "))
        #expect(!text.contains("≈ time"))
    }

    @Test func `The report names missing keys and suggests similar ones`() throws {
        let suite = suite
        let report = try cache.upgrade([
            Migration(to: 1, "rename", .renameSetting("nam", to: "title", in: suite)),
            Migration(to: 2, "remove", .removeSettings("volum", "nothing like it", "Count", in: suite)),
            .defaultsV4ToV5(
                to: 3,
                suite: suite,
                keys: [.key("nane", .string), .key("name", .string)] + (0..<12).map { .key("setting \($0)", .int) }
            ),
            .suiteToAppGroup(to: 4, from: suite, into: try ScratchSuite().suite, keys: .only(["vlume", "count"])),
        ])
        let store = suite.attachedName
        let expected = """

            rename: 1 absent
              absent: "nam" of \(store): the nearest key is "name"
            remove: 3 absent
              absent: "volum" of \(store): the nearest key is "volume"
              absent: "Count" of \(store): the nearest key is "count"
              absent: "nothing like it" of \(store)
            defaults-v4-to-v5: 13 absent, 1 already current
              absent: "nane", "setting 0", "setting 1", "setting 2", "setting 3", "setting 4", "setting 5", \
            "setting 6", "setting 7", "setting 8" and 3 more of \(store)
            suite-to-app-group: 1 absent, 1 copied
              absent: "vlume" of \(store): the nearest key is "volume"
            """
        let text = report.description
        #expect(text.hasSuffix(expected), "\(text)")
    }

    @Test func `Keys reserved by Molt, and empty keys, are faults of the registry`() throws {
        let steps: [MigrationStep] = [
            .renameSetting("molt.ledger", to: "a", in: suite), .renameSetting("a", to: "molt.ledger", in: suite),
            .removeSettings("molt.ledger", in: suite), .removeSettings(in: suite),
            .renameSetting("", to: "a", in: suite),
            .renameSetting("a", to: "a", in: suite),
        ]
        for step in steps {
            MoltError.thrown { try cache.upgrade([Migration(to: 1, "bad", step)]) }?.expect(.invalidRegistry)
        }
    }

    @Test func `An app cannot overwrite Molt's reserved keys in a suite, and removing all settings leaves the ledger`()
        throws
    {
        let migrations: MigrationRegistry = [
            Migration(to: 1, "one", .changeSettings(in: suite) { try $0.set(1, forKey: "count") })
        ]
        try suite.upgrade(with: migrations)
        let key = Suite.ledgerKey
        MoltError.thrown { try suite.set(1, forKey: key) }?.expect(.cannotStore, key: key)
        MoltError.thrown { try suite.removeValue(forKey: key) }?.expect(.cannotStore, key: key)
        try suite.removeAll()
        try scratch.expect([:], history: ["one"])
        // What the app sets from now on is not upgraded as if an older release had written it.
        try suite.set(3, forKey: "count")
        try expect(suite.upgrade(with: migrations).isEmpty, is: true)
        try scratch.expect(["count": 3])
    }

    @Test func `An app extension, which cannot see the app's own settings, leaves the migration to the app`() throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "standard", .changeSettings(in: .standard) { _ in Issue.record("It ran.") })
        ]
        try expect(cache.upgrade(registry, process: .tool).deferred.count, is: 1)
        let own = Migration(to: 1, "own", .changeSettings(in: suite) { _ in Issue.record("It ran.") })
        try expect(ScratchCache().upgrade([own], process: .tool).deferred.count, is: 1)
        for name in ["group.\(UUID())", "ABCDE12345.\(UUID())"] {
            let group = Suite(name)
            let shared = Migration(to: 1, "group", .changeSettings(in: group) { try $0.set(true, forKey: "done") })
            try ScratchCache().upgrade([shared], process: .tool)
            try expect(group.values(), is: ["done": true])
        }
    }
}

@Suite("Samples of settings in a dry run") struct SettingSampleTests {
    @Test func `show each step's own changes, and write nothing`() throws {
        let scratch = try ScratchSuite(["theme": "dark", "volume": 3, "other": true])
        let suite = scratch.suite
        let change = MigrationStep.changeSettings(in: suite) { settings in
            try settings.set("light", forKey: "appearance")
            try settings.set(["left": 3, "since": .date(Date(timeIntervalSince1970: 0))], forKey: "volume")
        }
        let migrations: MigrationRegistry = [
            Migration(to: 1, "rename", .renameSetting("theme", to: "appearance", in: suite)),
            Migration(to: 2, "change", change),
            Migration(to: 3, "remove", .removeSettings("other", in: suite)),
        ]
        let report = try suite.dryRun(migrations, samples: 5)
        let samples = report.entries.map { $0.steps[0].samples.map(\.description) }
        let name = suite.attachedName
        let expected: [[String]] = [
            ["\"appearance\" of \(name), created\n  + \"dark\"", "\"theme\" of \(name), deleted\n  - \"dark\""],
            [
                "\"appearance\" of \(name)\n  - \"dark\"\n  + \"light\"",
                "\"volume\" of \(name)\n  - 3\n  + left: 3\n  + since: \"date 1970-01-01T00:00:00Z\"",
            ],
            ["\"other\" of \(name), deleted\n  - true"],
        ]
        #expect(samples == expected)
        #expect(report.losses == [MigrationReport.DataLoss(.setting, "other")])
        try scratch.expect(["theme": "dark", "volume": 3, "other": true])
        try expect(suite.dryRun(migrations).entries.flatMap(\.steps).flatMap(\.samples), is: [])
    }
}
