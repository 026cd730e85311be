import Foundation
import Molt
import TestSupport
import Testing

/// Migrations of an app group before a move into it, in an extension.
///
/// The extension sees the group, whose name begins with "group.", but not the app's own suite.
@Suite struct `Migrations before a deferred one on the same suite` {
    private let fixture: MoveFixture
    private let group = ScratchSuite(named: "group.\(UUID())")

    init() throws {
        fixture = try MoveFixture()
    }

    enum Before: CaseIterable, Sendable {
        case conversion, rename, block

        func migration(_ suite: Suite) -> Migration {
            switch self {
            case .conversion: .defaultsV4ToV5(to: 1, "before", suite: suite, keys: [.key("tags", .array(of: .string))])
            case .rename: Migration(to: 1, "before", .renameSetting("tagz", to: "tags", in: suite))
            case .block: Migration(to: 1, "before", .changeSettings(in: suite) { try $0.set(true, forKey: "ran") })
            }
        }
    }

    private var move: Migration {
        .suiteToAppGroup(to: 2, "move", from: fixture.old.suite, into: group.suite)
    }

    private func migrations(_ before: Before) -> MigrationRegistry {
        [
            before.migration(group.suite), move,
            Migration(to: 3, "behind", .renameSetting("sound", to: "volume", in: group.suite)),
        ]
    }

    @Test(arguments: Before.allCases, PrimaryStore.allCases)
    func `are deferred with it in plan, dry run and upgrade, until the app opens the store`(
        before: Before,
        primary: PrimaryStore
    ) throws {
        let (registry, url, group) = (migrations(before), fixture.cache.url, group)
        try fixture.old.suite.update(set: ["tags": #"["a"]"#, "sound": 3])
        try CodableCache(at: url).close()
        var configuration = MoltConfiguration()
        configuration.process = .tool
        for _ in 0..<2 {
            let plan: MigrationPlan
            let reports: [MigrationReport]
            switch primary {
            case .cache:
                plan = try CacheFile(at: url).plan(registry, configuration: configuration)
                reports = [
                    try CacheFile(at: url).dryRunAndWait(registry, configuration: configuration),
                    try fixture.cache.upgrade(registry, process: .tool),
                ]
                #expect(plan.problems.isEmpty && plan.pending.isEmpty)
                let other = "and so does migration \"move\" (version 2), which must wait."
                #expect(plan.deferred[0].reason == "It works on \(group.suite.attachedName), \(other)")
                #expect(try group.values.isEmpty)
            case .suite:
                plan = try group.suite.plan(registry, configuration: configuration)
                reports = [
                    try group.suite.dryRun(registry, configuration: configuration),
                    try group.suite.upgrade(with: registry, configuration: configuration),
                ]
                #expect(try Set(group.allValues.keys) == ["molt.ledger"])
                let outcomes = try group.suite.history().map(\.outcome)
                #expect(outcomes == [.deferred, .deferred, .deferred])
            }
            for report in reports {
                report.expectDeferred("before", "move", "behind")
                #expect(report.deferred == plan.deferred)
            }
        }
        let report = try primary == .cache ? fixture.cache.upgrade(registry) : group.suite.upgrade(with: registry)
        report.expectDeferred()
        let names = report.entries.map(\.migration.name)
        #expect(names == ["before", "move", "behind"])
        let values = try group.values
        #expect(values["volume"] == 3)
        #expect(values["tags"] == #"["a"]"#)
        if primary == .cache { #expect(try fixture.cache.upgrade(registry, process: .tool).isEmpty) }
    }

    @Test func `are the only deferred ones: migrations of other suites and of records run`() throws {
        let other = ScratchSuite(named: "group.\(UUID())")
        try other.suite.set(1, forKey: "a")
        let registry: MigrationRegistry = [
            Migration(to: 1, "records", .renameType("A", to: "B")),
            Migration(to: 1, "other", .renameSetting("a", to: "b", in: other.suite)),
            Migration(to: 1, "before", .renameSetting("tagz", to: "tags", in: group.suite)),
            move,
        ]
        try fixture.cache.upgrade(registry, process: .tool).expectDeferred("before", "move")
        #expect(try other.values == ["b": 1])
    }

    /// A block may have looked at records that later migrations change.
    @Test func `keep the store closed if they also look at records`() throws {
        var registry = MigrationRegistry()
        registry.register(Migration(to: 1, "block", .run(suites: [group.suite]) { _ in Issue.record("It ran.") }))
        registry.register(move)
        try CodableCache(at: fixture.cache.url).close()
        var configuration = MoltConfiguration()
        configuration.process = .tool
        let plan = try CacheFile(at: fixture.cache.url).plan(registry, configuration: configuration)
        #expect(plan.problems.map(\.code) == [.deferred])
        MoltError.thrown {
            try fixture.cache.upgrade(registry, process: .tool)
        }?.expect(.deferred, migration: "block")
    }
}
