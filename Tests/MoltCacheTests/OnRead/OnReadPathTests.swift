import Foundation
import Generators
import Molt
import MoltCore
import TestSupport
import Testing

/// Invariant 8 for migrations on read: when a record is upgraded makes no difference.
@Suite("The path of an upgrade on read") struct OnReadPathTests {
    @Test(arguments: 0..<TestRun.choose(2, long: 20))
    func `Random registries give the same rows whenever records are upgraded`(block: UInt64) throws {
        var passed = 0
        for seed in (block * 20)..<(block * 20 + 20) {
            if try Self.comparePaths(seed: seed) { passed += 1 }
        }
        #expect(passed >= 5, "\(passed) of 20 succeeded")
    }

    /// - Returns: Whether the upgrade succeeded; if not, it failed on both paths.
    private static func comparePaths(seed: UInt64) throws -> Bool {
        var random = SeededGenerator(seed: seed)
        let plain = RandomUpgrade.registry(&random)
        let registry = MigrationRegistry(plain.migrations.map { onRead($0, &random) })
        guard registry.migrations.contains(where: \.isOnRead) else { return false }
        let records = RandomUpgrade.records(&random)
        let atOnce = try OldStore(records)
        let later = try OldStore(records)
        let comment: Comment = "seed \(seed): \(registry.migrations.map { "\($0.isOnRead ? "on read " : "")\($0)" })"

        var error: (any Error)?
        do { _ = try Migrator(registry).migrate(CacheStore(at: atOnce.url)) } catch let failure { error = failure }
        var other: (any Error)?
        do { try walk(later, registry, &random) } catch let failure { other = failure }
        #expect((error == nil) == (other == nil), comment)
        guard error == nil, other == nil else { return false }

        let expected = try atOnce.snapshot()
        try compareReads(of: later, registry, expected, comment)
        let cache = try CodableCache(at: later.url, migrations: registry, configuration: still)
        try cache.upgradeRest()
        cache.close()
        let found = try later.snapshot()
        #expect(found.records == expected.records, comment)
        #expect(found.version == expected.version, comment)
        #expect(found.ledger.map(\.outcome) == expected.ledger.map(\.outcome), comment)
        #expect(found.ledger.map(\.counts.changed) == expected.ledger.map(\.counts.changed), comment)
        return true
    }

    private static var still: CodableCache.Configuration { .init { $0.upgradesRest = false } }

    /// The migration on read, if its steps allow it; those with closures less often, because many closures do not.
    private static func onRead(_ migration: Migration, _ random: inout SeededGenerator) -> Migration {
        let candidate = migration.onRead()
        guard MigrationRegistry([candidate]).faults.isEmpty, !migration.steps.isEmpty else { return migration }
        let hasClosure = !migration.steps.allSatisfy(\.isDeclared)
        return random.below(hasClosure ? 4 : 8) > 2 ? candidate : migration
    }

    /// Opens the store at each version, or skips some, and upgrades the rest at some of them.
    private static func walk(_ store: OldStore, _ registry: MigrationRegistry, _ random: inout SeededGenerator) throws {
        for version in 1...registry.version where version == registry.version || random.below(3) > 0 {
            let cache = try CodableCache(
                at: store.url,
                migrations: registry.upTo(version: version),
                configuration: still
            )
            defer { cache.close() }
            if random.below(3) == 0 { try cache.upgradeRest() }
        }
        // An error that a record will cause at the end must not be missed.
        let copy = try ScratchDirectory()
        try FileManager.default.copyItem(at: store.url, to: copy.file())
        let cache = try CodableCache(at: copy.file(), migrations: registry, configuration: still)
        defer { cache.close() }
        try cache.upgradeRest()
    }

    /// Compares what reads return before the rest is upgraded with the rows of the other path.
    private static func compareReads(
        of store: OldStore,
        _ registry: MigrationRegistry,
        _ expected: Snapshot,
        _ comment: Comment
    ) throws {
        let cache = try CodableCache(at: store.url, migrations: registry, configuration: still)
        defer { cache.close() }
        let before = try store.snapshot()
        for record in expected.records {
            let value = try cache.value([String: RandomUpgrade.Value].self, forKey: record.key)
            #expect(value == (try record.decoded()), comment)
        }
        #expect(try store.snapshot() == before, comment)
    }
}
