import Foundation
import MoltCache
import MoltCore
import MoltDefaults
import Testing

/// The first example of the guide to app groups, and other migrations before a deferred one.
@Suite struct `Migrations before a deferred one on the same suite` {
    private let fixture: MoveFixture

    init() throws {
        fixture = try MoveFixture()
    }

    enum Before: CaseIterable, Sendable {
        case conversion, rename, block

        func migration(_ suite: Suite) -> Migration {
            switch self {
            case .conversion: .defaultsV4ToV5(to: 1, "before", suite: suite, keys: [.key("tags", .array(of: .string))])
            case .rename: Migration(to: 1, "before", .renameKey("tagz", to: "tags", in: suite))
            case .block:
                Migration(to: 1, "before", .settings(in: suite) { try $0.set(true, forKey: "ran") })
            }
        }
    }

    private func migrations(_ before: Before) -> MigrationRegistry {
        [
            before.migration(fixture.old.suite),
            fixture.move(to: 2, canary: .key("firstLaunch")),
            Migration(to: 3, "behind", .renameKey("sound", to: "volume", in: fixture.new.suite)),
        ]
    }

    private static let waiting = ["before", "move", "behind"]

    @Test(arguments: Before.allCases)
    func `are deferred with it in plan, dry run and opening, and the store opens`(before: Before) throws {
        let (registry, url) = (migrations(before), fixture.cache.url)
        try CodableCache(at: url).close()
        for _ in 0..<2 {
            let plan = try MigrationPlan(forFileAt: url, migrations: registry)
            #expect(plan.problems.isEmpty)
            #expect(plan.deferred.map(\.migration.name) == Self.waiting)
            #expect(plan.deferred[0].reason == "It works on what migration \"move\" (version 2) waits for.")
            #expect(plan.pending.isEmpty)
            let dryRun = try CodableCache.dryRun(at: url, migrations: registry)
            #expect(dryRun.deferred == plan.deferred)
            #expect(try fixture.cache.upgrade(registry).deferred == plan.deferred)
            #expect(try fixture.old.values.isEmpty && fixture.new.values.isEmpty)
        }
        try fixture.old.suite.update(set: ["firstLaunch": true, "tags": #"["a"]"#, "sound": 3])
        let report = try fixture.cache.upgrade(registry)
        #expect(report.deferred.isEmpty)
        #expect(report.entries.map(\.migration.name) == Self.waiting)
        #expect(try fixture.new.values["volume"] == 3)
        #expect(try fixture.new.values["tags"] == (before == .conversion ? ["a"] : #"["a"]"#))
        #expect(try fixture.cache.upgrade(registry).isEmpty)
    }

    @Test(arguments: Before.allCases)
    func `are deferred with it when a suite is the store`(before: Before) throws {
        let (registry, group) = (migrations(before), fixture.new.suite)
        for _ in 0..<2 {
            let plan = try MigrationPlan(for: DefaultsStore(group), migrations: registry)
            #expect(plan.deferred.map(\.migration.name) == Self.waiting)
            #expect(try group.dryRun(of: registry).deferred == plan.deferred)
            #expect(try group.upgrade(with: registry).deferred == plan.deferred)
            #expect(try Set(fixture.new.values.keys) == ["molt.ledger"])
        }
        try fixture.old.suite.update(set: ["firstLaunch": true, "sound": 3])
        #expect(try group.upgrade(with: registry).entries.map(\.migration.name) == Self.waiting)
        #expect(try fixture.new.values["volume"] == 3)
    }

    /// The extension sees the group, whose name begins with "group.", but not the app's own suite.
    @Test(arguments: [UpgradeScenario.Primary.cache, .suite])
    func `are deferred with it in an extension`(primary: UpgradeScenario.Primary) throws {
        let group = Suite("group.\(UUID())")
        defer { group.erase() }
        let registry: MigrationRegistry = [
            Migration(to: 1, "before", .renameKey("tagz", to: "tags", in: group)),
            .suiteToAppGroup(to: 2, "move", from: fixture.old.suite, into: group),
            Migration(to: 3, "behind", .settings(in: group) { try $0.set(true, forKey: "ran") }),
        ]
        try group.set(1, forKey: "tagz")
        try fixture.old.suite.set(2, forKey: "a")
        func upgrade(_ role: MigrationRole) throws -> MigrationReport {
            var options = MigrationOptions()
            options.role = role
            return try primary == .cache
                ? fixture.cache.upgrade(registry, role: role) : group.upgrade(with: registry, options: options)
        }
        for _ in 0..<2 {
            #expect(try upgrade(.appExtension).deferred.map(\.migration.name) == Self.waiting)
            #expect(try group.values().filter { $0.key != "molt.ledger" } == ["tagz": 1])
        }
        #expect(try upgrade(.app).deferred.isEmpty)
        #expect(try group.values().filter { $0.key != "molt.ledger" } == ["tags": 1, "a": 2, "ran": true])
        #expect(try upgrade(.appExtension).isEmpty)
    }

    @Test func `are the only deferred ones: migrations of other suites and of records run`() throws {
        let other = try ScratchSuite(["a": 1])
        let report = try fixture.cache.upgrade([
            Migration(to: 1, "records", .renameType("A", to: "B")),
            Migration(to: 1, "other", .renameKey("a", to: "b", in: other.suite)),
            Migration(to: 1, "before", .renameKey("tagz", to: "tags", in: fixture.old.suite)),
            fixture.move(to: 2, canary: .key("firstLaunch")),
        ])
        #expect(report.deferred.map(\.migration.name) == ["before", "move"])
        #expect(try other.values == ["b": 1])
    }

    /// A block may have looked at records that later migrations change.
    @Test func `keep the store closed if they also look at records`() throws {
        var registry = MigrationRegistry()
        registry.register(to: 1, "block", attaching: [fixture.old.suite]) { _ in Issue.record("It ran.") }
        registry.register(fixture.move(to: 2, canary: .key("firstLaunch")))
        try CodableCache(at: fixture.cache.url).close()
        let plan = try MigrationPlan(forFileAt: fixture.cache.url, migrations: registry)
        #expect(plan.problems.map(\.code) == [.deferred])
        let error = #expect(throws: MigrationError.self) { try fixture.cache.upgrade(registry) }
        #expect(error?.code == .deferred)
        #expect(error?.migration?.name == "block")
    }
}
