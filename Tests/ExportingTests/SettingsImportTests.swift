import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// Settings and records that are exported by an earlier release and imported by a later one.
@Suite("An import of settings") struct SettingsImportTests {
    private let old: ScratchSuite
    private let group: ScratchSuite
    private let cache: ScratchCache
    private var file: URL { cache.directory.appending(path: "export.json") }
    private var other: URL { cache.directory.appending(path: "other.molt") }

    init() throws {
        old = try ScratchSuite()
        group = try ScratchSuite()
        cache = try ScratchCache()
    }

    private var migrations: MigrationRegistry { Self.migrations(of: old.suite) }

    /// The migrations of three releases.
    private static func migrations(of suite: Suite) -> MigrationRegistry {
        [
            Migration(to: 1, "first", .renameSetting("0", to: "tags", in: suite)),
            .defaultsV4ToV5(to: 2, suite: suite, keys: [.key("tags", .array(of: .string))]),
            Migration(to: 2, "nest", .moveProperty(.setting("profile", in: suite), "theme", to: ["look", "theme"])),
            Migration(to: 3, "rename", .renameSetting("profile", to: "user", in: suite)),
            Migration(to: 3, "note", .renameProperty("Note", "text", to: "body")),
            Migration(
                to: 3,
                "both",
                .run(suites: [suite]) { migration in
                    let count = try migration.suite(suite).count
                    try migration.suite(suite).set(true, forKey: "ran")
                    try migration.enumerate("Note") { _, new in new["count"] = .number(.init(count)) }
                }
            ),
        ]
    }

    /// Writes a store and settings of the first release, exports them, and removes the settings.
    private func exportFirstRelease() throws {
        try old.suite.update(set: ["0": #"["a","b"]"#, "profile": #"{"theme":"dark","id":1}"#, "count": 2])
        try write(StoreContents(version: 0, records: [note(#"{"text":"x"}"#)]))
        let source = try CodableCache(at: cache.url, migrations: migrations.upTo(version: 1))
        #expect(try source.exportAndWait(to: file, suites: [old.suite]).settings == 3)
        source.close()
        try old.erase()
    }

    private func note(_ json: String) -> StoreContents.StoredRecord {
        StoreContents.StoredRecord(key: "n", typeName: "Note", content: Array(json.utf8), version: 0)
    }

    private func write(_ contents: StoreContents) throws {
        try contents.write(to: StoreFile(at: cache.url))
    }

    private static let upgraded: [String: PropertyListValue] = [
        "tags": ["a", "b"], "user": #"{"id":1,"look":{"theme":"dark"}}"#, "count": 2, "ran": true,
    ]

    private func open(_ migrations: MigrationRegistry? = nil, _ hook: UpgradeHook? = nil) throws -> CodableCache {
        try CodableCache(
            at: other,
            migrations: migrations ?? self.migrations,
            configuration: MoltConfiguration {
                $0.suites = [old.suite, group.suite]
                $0.hooks.atPoint = hook
            }
        )
    }

    @Test func `of a suite that has taken a shortcut, which is retired, goes through later migrations only`() throws {
        let suite = old.suite
        func rename(_ version: Int, _ name: String, replacing parts: [String] = [], _ key: String, _ newKey: String)
            -> Migration
        { Migration(to: version, name, replacing: parts, .renameSetting(key, to: newKey, in: suite)) }
        try suite.update(set: ["a": 1])
        try write(StoreContents(version: 0, records: [note("{}")]))
        let parts = [rename(1, "one", "a", "b"), rename(2, "two", "b", "c")]
        let shortcut = rename(2, "short", replacing: ["one", "two"], "a", "c")
        let was = MigrationRegistry(parts + [shortcut, rename(3, "three", "c", "d")])
        let source = try CodableCache(at: cache.url, migrations: was)
        try source.exportAndWait(to: file, suites: [suite])
        source.close()
        try old.expect(["d": 1])
        try old.erase()

        let today: MigrationRegistry = [
            rename(3, "all", replacing: ["one", "two", "three"], "a", "d"), rename(4, "four", "d", "e"),
        ]
        let target = try open(today)
        try target.importAndWait(from: file, suites: [suite])
        target.close()
        try old.expect(["e": 1])
    }

    @Test(arguments: [0, 1]) func `upgrades them though the suite has been upgraded, and is remembered`(version: Int)
        throws
    {
        try old.suite.update(set: ["0": #"["a","b"]"#, "profile": #"{"theme":"dark","id":1}"#, "count": 2])
        try write(StoreContents(version: 0, records: [note(#"{"text":"x"}"#)]))
        let source = try CodableCache(at: cache.url, migrations: migrations.upTo(version: version))
        try source.exportAndWait(to: file, suites: [old.suite])
        source.close()
        let target = try open()
        defer { target.close() }
        try old.suite.update(set: [:], remove: ["tags", "user", "count", "ran"])
        try target.importAndWait(from: file, suites: [old.suite])
        try expectImported()
    }

    private func expectImported(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try old.expect(Self.upgraded, sourceLocation: sourceLocation)
        let records = try StoreFile.contents(at: other).records.map { String(decoding: $0.content, as: UTF8.self) }
        #expect(records == [#"{"body":"x","count":3}"#], sourceLocation: sourceLocation)
        #expect(try StoreFile.state(at: other).journal.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func `upgrades them by all migrations since, and the next opening has nothing to do`() throws {
        try exportFirstRelease()
        let target = try open()
        try old.erase()
        let summary = try target.importAndWait(from: file, suites: [old.suite])
        target.close()
        #expect(summary.settings == 4 && summary.added == 1 && summary.version == 1)
        #expect(summary.report.keys.contains { $0.outcome == .converted })
        try expectImported()
        // The suite has lost its ledger, which the import has restored.
        let again = try open()
        #expect(again.report.isEmpty)
        try again.exportAndWait(to: file, suites: [old.suite])
        again.close()
        try old.expect(Self.upgraded, history: migrations.names.filter { $0 != "note" })
    }

    @Test func `changes nothing if a step on records fails`() throws {
        try exportFirstRelease()
        let failing = MigrationRegistry(
            migrations.migrations + [Migration(to: 4, "fail", .transform("Note") { _ in throw Refusal() })]
        )
        let target = try open(failing)
        let before = try old.allValues
        MoltError.thrown { try target.importAndWait(from: file, suites: [old.suite]) }?
            .expect(.stepFailed, key: "n", migration: "fail", outcome: .unchanged)
        try old.expect(before.filter { $0.key != Suite.ledgerKey })
        #expect(try target.count() == 0 && StoreFile.state(at: other).journal.isEmpty)
        target.close()
    }

    @Test(arguments: [true, false])
    func `leaves other suites alone, and does not lose what comes into them`(removingSource: Bool) throws {
        let move = Migration.suiteToAppGroup(to: 4, from: old.suite, into: group.suite, removingSource: removingSource)
        let later: [Migration] = [
            move, Migration(to: 4, "group", .changeSettings(in: group.suite) { try $0.set(1, forKey: "group") }),
        ]
        let all = MigrationRegistry(migrations.migrations + later)
        try exportFirstRelease()
        let target = try open(all)
        try group.suite.removeAll()
        try old.suite.removeAll()
        MoltError.thrown { try target.importAndWait(from: file, suites: [old.suite]) }?
            .expect(.unsupported, suite: group.suite.attachedName, outcome: .unchanged)
        try target.importAndWait(from: file, onConflict: .replace)
        for suite in [old, group] { try suite.expect([:]) }
        let summary = try target.importAndWait(from: file, suites: [old.suite, group.suite], onConflict: .replace)
        #expect(summary.settings == (removingSource ? 5 : 9))
        target.close()
        try old.expect(removingSource ? [:] : Self.upgraded)
        try group.expect(Self.upgraded.merging(["group": 1]) { $1 })
    }

    // MARK: Between the commit and the change

    @Test func `that is stopped after its commit is finished by the next opening`() throws {
        try exportFirstRelease()
        let isOn = Locked(false)
        let target = try open(nil) { point in
            if point.kind == .beforeApply, isOn.withLock({ $0 }) { throw Refusal() }
        }
        try old.suite.removeAll()
        isOn.withLock { $0 = true }
        let error = MoltError.thrown { try target.importAndWait(from: file, suites: [old.suite]) }
        error?.expect(.suiteFailed, suite: old.suite.attachedName, outcome: .committed)
        #expect(try target.count() == 1)
        try old.expect([:])
        MoltError.thrown { try target.exportAndWait(to: file, suites: [old.suite]) }?.expect(.journalPending)
        target.close()
        // What the app sets meanwhile stays.
        try old.suite.update(set: ["count": 7])
        try open().close()
        try old.expect(Self.upgraded.merging(["count": 7]) { $1 })
    }

    @Test func `goes through blocks that also run on a new store, and is finished after another store was opened`()
        throws
    {
        let registry: MigrationRegistry = [
            Migration(to: 1, "rename", .renameSetting("0", to: "minutes", in: old.suite)),
            Migration(
                to: 2,
                "minutes",
                .run(suites: [old.suite], onFreshStore: true) { migration in
                    guard try migration.suite(old.suite).value(forKey: "minutes") == 600 else { return }
                    try migration.suite(old.suite).set(10, forKey: "minutes")
                }
            ),
        ]
        try old.suite.update(set: ["0": 600])
        let source = try CodableCache(at: cache.url, migrations: registry.upTo(version: 1))
        try source.exportAndWait(to: file, suites: [old.suite])
        source.close()
        try old.erase()
        let isOn = Locked(false)
        let target = try open(registry) { point in
            if point.kind == .beforeApply, isOn.withLock({ $0 }) { throw Refusal() }
        }
        try old.erase()
        isOn.withLock { $0 = true }
        #expect(MoltError.thrown { try target.importAndWait(from: file, suites: [old.suite]) }?.outcome == .committed)
        target.close()
        try old.suite.update(set: ["other": 1])
        try old.suite.upgrade(with: registry)
        try open(registry).close()
        try old.expect(["minutes": 10, "other": 1])
    }

    #if CHILD_PROCESSES
        @Test(arguments: [UpgradePoint.Kind.beforeApply, .afterApply, .clearJournal])
        func `that is killed after its commit is finished by the next opening`(kind: UpgradePoint.Kind) async throws {
            try exportFirstRelease()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    kind = kind as UpgradePoint.Kind, name = old.name as String, other = other as URL,
                    file = file as URL
                ] in
                let (suite, isOn) = (Suite(name), Locked(false))
                let configuration = MoltConfiguration {
                    $0.hooks.atPoint = { if $0.kind == kind, isOn.withLock({ $0 }) { raise(SIGKILL) } }
                }
                let registry = SettingsImportTests.migrations(of: suite)
                let target = try CodableCache(at: other, migrations: registry, configuration: configuration)
                try suite.removeAll()
                isOn.withLock { $0 = true }
                try await target.import(from: file, suites: [suite])
            }
            if kind == .beforeApply { try old.expect([:]) }
            try expect(StoreFile.state(at: other).journal, is: [old.suite.attachedName])
            try open().close()
            try expectImported()
        }

        /// The settings that the import replaces are those of an earlier import, which has left its mark, too.
        @Test(arguments: [UpgradePoint.Kind.beforeApply, .afterApply, .clearJournal])
        func `that is killed leaves what the app then removes or sets back`(kind: UpgradePoint.Kind) async throws {
            try exportFirstRelease()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    kind = kind as UpgradePoint.Kind, name = old.name as String, other = other as URL,
                    file = file as URL
                ] in
                let (suite, isOn) = (Suite(name), Locked(false))
                let configuration = MoltConfiguration {
                    $0.hooks.atPoint = { if $0.kind == kind, isOn.withLock({ $0 }) { raise(SIGKILL) } }
                }
                let registry = SettingsImportTests.migrations(of: suite)
                let target = try CodableCache(at: other, migrations: registry, configuration: configuration)
                try suite.removeAll()
                try await target.import(from: file, suites: [suite])
                try suite.update(set: ["count": 1, "user": "text"], remove: ["tags"])
                isOn.withLock { $0 = true }
                try await target.import(from: file, suites: [suite], onConflict: .replace)
            }
            let isSet = kind != .beforeApply
            try old.expect(isSet ? Self.upgraded : ["count": 1, "user": "text", "ran": true])
            // One is removed, one is set back, and one is new.
            try old.suite.update(set: ["count": isSet ? 1 : 3, "user": 5], remove: ["tags"])
            try open().close()
            var expected: [String: PropertyListValue] = ["count": isSet ? 1 : 3, "user": 5, "ran": true]
            // That a setting is missing says nothing before the import has set it.
            if !isSet { expected["tags"] = ["a", "b"] }
            try old.expect(expected)
        }

        @Test(arguments: [false, true])
        func `that is killed is finished before a newer release upgrades the suite`(isCache: Bool) async throws {
            try exportFirstRelease()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [name = old.name as String, other = other as URL, file = file as URL] in
                let (suite, isOn) = (Suite(name), Locked(false))
                let configuration = MoltConfiguration {
                    $0.hooks.atPoint = { if $0.kind == .beforeApply, isOn.withLock({ $0 }) { raise(SIGKILL) } }
                }
                let registry = SettingsImportTests.migrations(of: suite)
                let target = try CodableCache(at: other, migrations: registry, configuration: configuration)
                try suite.removeAll()
                isOn.withLock { $0 = true }
                try await target.import(from: file, suites: [suite])
            }
            let newer = MigrationRegistry(
                migrations.migrations + [Migration(to: 4, "theme", .renameSetting("user", to: "person", in: old.suite))]
            )
            if isCache {
                try cache.upgrade(newer, attaching: [old.suite])
            } else {
                try old.suite.upgrade(with: newer)
            }
            var upgraded = Self.upgraded
            upgraded["person"] = upgraded.removeValue(forKey: "user")
            try old.expect(upgraded)
            try open(newer).close()
            try old.expect(upgraded)
        }
    #endif

    // MARK: Random registries

    @Test func `of any release gives what its upgrade gives`() throws {
        let seeds = TestRun.choose(16, long: 300) as UInt64
        var imported = 0
        for seed in 0..<seeds where try Self.compare(seed: seed) { imported += 1 }
        #expect(imported >= seeds / 3, "\(imported) of \(seeds) succeeded")
    }

    /// - Returns: Whether the upgrade succeeded.
    private static func compare(seed: UInt64) throws -> Bool {
        let device = try SettingsImportTests()
        let suites = [device.old, device.group]
        var random = SeededGenerator(seed: seed)
        for suite in suites { try suite.suite.update(set: RandomUpgrade.settings(&random)) }
        var upgrade = RandomUpgrade(seed: seed, [.records, .models], suites: suites.map(\.suite))
        let comment: Comment = "\(upgrade)"
        let records = try upgrade.records().filter { (try? RecordValue(json: $0.content)) != nil }
        try device.write(StoreContents(version: 0, records: records))
        let first = upgrade.eagerRegistry.upTo(version: upgrade.random.below(upgrade.registry.version + 1))
        guard let source = try? CodableCache(at: device.cache.url, migrations: first) else { return false }
        try source.exportAndWait(to: device.file, suites: suites.map(\.suite))
        source.close()
        let failure = try error(of: { try device.cache.upgrade(upgrade.eagerRegistry) })
        let settings = try suites.map { try $0.values }
        let expected = try StoreFile.contents(at: device.cache.url).records

        for suite in suites { try suite.erase() }
        guard let target = try? device.open(upgrade.eagerRegistry) else { return false }
        // Migrations may have set values in the empty suites.
        for suite in suites { try suite.suite.removeAll() }
        let found = try error(of: { try target.importAndWait(from: device.file, suites: suites.map(\.suite)) })
        let alike = found?.code == failure?.code && found?.migration == failure?.migration
        #expect(alike, "\(String(describing: found)), not \(String(describing: failure)): \(upgrade)")
        let imported = try target.contents().records
        target.close()
        guard failure == nil else {
            for suite in suites { try suite.expect([:], comment) }
            #expect(imported.isEmpty, comment)
            return false
        }
        for (suite, values) in zip(suites, settings) { try suite.expect(values, comment) }
        #expect(imported.map(\.content) == expected.map(\.content), comment)
        #expect(imported.map(\.key) == expected.map(\.key), comment)
        return true
    }

    private static func error<Value>(of body: () throws -> Value) throws -> MoltError? {
        do {
            _ = try body()
            return nil
        } catch let error as MoltError {
            return error
        }
    }
}
