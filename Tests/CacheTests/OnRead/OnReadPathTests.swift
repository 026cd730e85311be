import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// Invariant 8 for migrations on read: when a record is upgraded makes no difference.
@Suite("The path of an upgrade on read") struct OnReadPathTests {
    @Test(arguments: TestRun.choose([0], long: Array(0..<20)) as [UInt64], [false, true])
    func `Random registries give the same rows whenever records are upgraded`(block: UInt64, fails: Bool) throws {
        var passed = 0
        let traits: RandomUpgrade.Traits =
            fails ? [.records, .models, .onRead, .failures] : [.records, .models, .onRead]
        for seed in (block * 20)..<(block * 20 + 20) {
            if try Self.comparePaths(seed: seed, traits) { passed += 1 }
        }
        #expect(passed >= 5, "\(passed) of 20 succeeded")
    }

    /// - Returns: Whether the upgrade succeeded; if not, it failed on both paths.
    private static func comparePaths(seed: UInt64, _ traits: RandomUpgrade.Traits) throws -> Bool {
        var upgrade = RandomUpgrade(seed: seed, traits)
        let registry = upgrade.registry
        guard registry.migrations.contains(where: \.isOnRead) else { return false }
        let records = try upgrade.records().map(StoredRecord.init)
        let atOnce = try OldStore(records)
        let later = try OldStore(records)
        let comment: Comment = "\(upgrade)"

        var error: (any Error)?
        do {
            _ = try Migrator(registry, configuration: upgrade.configuration()).migrate(StoreFile(at: atOnce.url))
        } catch let failure { error = failure }
        var other: (any Error)?
        do { try walk(later, &upgrade) } catch let failure { other = failure }
        #expect((error == nil) == (other == nil), "\(upgrade): \("\(error as Any)"), \("\(other as Any)")")
        guard error == nil, other == nil else { return false }

        let expected = try atOnce.snapshot()
        try compareReads(of: later, upgrade, expected)
        let cache = try CodableCache(at: later.url, migrations: registry, configuration: still)
        try cache.backfillAndWait()
        cache.close()
        let found = try later.snapshot()
        #expect(found.records == expected.records, comment)
        #expect(found.version == expected.version, comment)
        func changes(_ snapshot: Snapshot) -> [String] {
            snapshot.ledger.map { "\($0.name) \($0.outcome) \($0.counts.changed) \($0.counts.quarantined)" }
        }
        #expect(changes(found) == changes(expected), comment)
        #expect(try quarantine(of: later) == quarantine(of: atOnce), comment)
        return true
    }

    /// The rows of the quarantine without their ids, which depend on when each record failed.
    private static func quarantine(of store: OldStore) throws -> [String] {
        try StoreFile.quarantine(at: store.url).map { String($0.drop { $0 != "," }) }.sorted()
    }

    /// The backfill runs only when the test says so.
    private static var still: MoltConfiguration {
        .init { $0.runsBackfill = false }
    }

    /// Opens the store with each release, or skips some, and backfills at some of them.
    private static func walk(_ store: OldStore, _ upgrade: inout RandomUpgrade) throws {
        let last = upgrade.registry.version
        for version in 1...last where version == last || upgrade.random.below(3) > 0 {
            try disturb(store, before: version, &upgrade)
            let registry = upgrade.registry(of: version)
            let cache = try CodableCache(at: store.url, migrations: registry, configuration: still)
            defer { cache.close() }
            if upgrade.random.below(3) == 0 { try cache.backfillAndWait() }
        }
        // An error that a record will cause at the end must not be missed.
        let copy = try ScratchDirectory()
        try FileManager.default.copyItem(at: store.url, to: copy.file())
        let cache = try CodableCache(at: copy.file(), migrations: upgrade.registry, configuration: still)
        defer { cache.close() }
        try cache.backfillAndWait()
    }

    /// Processes that must not upgrade the store leave it as it is.
    private static func disturb(
        _ store: OldStore,
        before version: Int,
        _ upgrade: inout RandomUpgrade
    ) throws {
        let before = try store.snapshot()
        var configuration = still
        switch upgrade.random.below(6) {
        case 0:
            let registry = upgrade.registry(of: version)
            configuration.process = .helper()
            let error = MoltError.thrown {
                try CodableCache(at: store.url, migrations: registry, configuration: configuration)
            }
            #expect(error?.code == .needsMigration, "\(upgrade)")
        case 1 where before.version > 0:
            // An earlier release.
            let registry = upgrade.registry(of: upgrade.random.below(before.version))
            let error = MoltError.thrown {
                try CodableCache(at: store.url, migrations: registry, configuration: configuration)
            }
            #expect(error?.code == .superseded, "\(upgrade)")
        case 2:
            // It may fail as the upgrade will.
            let registry = upgrade.registry(of: version)
            _ = try? CacheFile(at: store.url).dryRunAndWait(registry, configuration: configuration)
        default: return
        }
        #expect(try store.snapshot() == before, "\(upgrade)")
    }

    /// Compares what reads return before the backfill with the rows of the other path.
    private static func compareReads(of store: OldStore, _ upgrade: RandomUpgrade, _ expected: Snapshot) throws {
        let cache = try CodableCache(at: store.url, migrations: upgrade.registry, configuration: still)
        defer { cache.close() }
        let before = try store.snapshot()
        for record in expected.records {
            let value = try cache.value([String: RandomUpgrade.Value].self, forKey: record.key)
            let content = Data(record.content)
            let coding = upgrade.registry.coding
            #expect(try value == coding.decoder.decode([String: RandomUpgrade.Value].self, from: content), "\(upgrade)")
        }
        #expect(try store.snapshot() == before, "\(upgrade)")
    }
}
