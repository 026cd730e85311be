import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// Invariant 8: upgrading at once gives byte for byte what upgrading with a close at each version gives.
@Suite("The path of an upgrade")
struct PathTests {
    @Test(arguments: 0..<TestRun.choose(1, long: 20))
    func `Random registries give the same rows at once and step by step`(block: UInt64) throws {
        let counts = try (block * 20..<block * 20 + 20).compactMap {
            try Self.comparePaths(seed: $0, [.records, .models, .handovers, .imports])
        }
        // Some upgrades fail on both paths because a key or a property is taken; most must succeed.
        #expect(counts.count >= 8, "\(counts.count) of 20 succeeded")
    }

    @Test(arguments: 0..<TestRun.choose(1, long: 120))
    func `Random registries with failing steps leave the same rows and the same quarantine on both paths`(
        block: UInt64
    ) throws {
        let first = block * 20 + 10_000
        let counts = try (first..<first + 20).compactMap {
            try Self.comparePaths(seed: $0, [.records, .models, .failures, .handovers, .imports])
        }
        #expect(counts.count >= 8, "\(counts.count) of 20 succeeded")
        #expect(counts.contains { $0 > 0 }, "No store has a record in quarantine.")
    }

    @Test func `Random registries import tables of other libraries`() {
        let upgrades = (0..<20 as Range<UInt64>).map { RandomUpgrade(seed: $0, [.records, .imports]) }
        #expect(upgrades.count { "\($0)".contains("from the table") } > 5)
    }

    /// - Returns: The number of records in quarantine; nil if the upgrade failed on both paths.
    private static func comparePaths(seed: UInt64, _ traits: RandomUpgrade.Traits) throws -> Int? {
        var upgrade = RandomUpgrade(seed: seed, traits)
        let registry = upgrade.registry
        let records = try upgrade.records().map(StoredRecord.init)
        let atOnce = try OldStore(records)
        let stepByStep = try OldStore(records)
        let before = try atOnce.snapshot()
        func configuration() -> MoltConfiguration {
            var configuration = upgrade.configuration()
            configuration.droppedKeyLifetime = .seconds(3_600)
            return configuration
        }

        var failed: [MigrationReport.FailedRecord] = []
        // The records that were rejected by imports, which have not created them, by migration.
        var notImported: [String: Int] = [:]
        let error = capture {
            let report = try Migrator(registry, configuration: configuration())
                .migrate(StoreFile(at: atOnce.url))
            failed = report.failedRecords
            for entry in report.entries {
                let imports = entry.steps.filter { $0.summary.hasPrefix("import ") }
                notImported[entry.migration.name] = imports.reduce(0) { $0 + $1.failedRecords.count }
            }
        }
        let removed = upgrade.takeRemovals()
        var stepError: MoltError?
        var stepsFailed: [MigrationReport.FailedRecord] = []
        for version in 1...registry.version where stepError == nil {
            stepError = capture {
                stepsFailed += try Migrator(registry.upTo(version: version), configuration: configuration())
                    .migrate(StoreFile(at: stepByStep.url)).failedRecords
            }
        }

        let removedStepByStep = upgrade.takeRemovals()
        let comment: Comment = "\(upgrade)"
        #expect((error == nil) == (stepError == nil), comment)
        guard error == nil, stepError == nil else {
            if error != nil { #expect(try atOnce.snapshot() == before, comment) }
            return nil
        }
        let (one, other) = (try atOnce.snapshot(), try stepByStep.snapshot())
        #expect(one.records == other.records, comment)
        #expect(one.version == other.version, comment)
        for record in one.records where record.type == Resident.name {
            #expect(throws: Never.self, comment) { try Resident.read(record.content) }
        }
        func counts(_ snapshot: Snapshot) -> [String] { snapshot.ledger.map { "\($0.name): \($0.counts)" } }
        #expect(counts(one) == counts(other), comment)
        // Types are read in the order of their names at the start of the upgrade.
        #expect(failed.map { "\($0)" }.sorted() == stepsFailed.map { "\($0)" }.sorted(), comment)
        let kept = try StoreFile.quarantine(at: atOnce.url)
        #expect(try kept == StoreFile.quarantine(at: stepByStep.url), comment)
        #expect(kept.count == one.ledger.reduce(0) { $0 + $1.counts.quarantined }, comment)
        #expect(failed.count { $0.outcome != .dropped } == kept.count, comment)
        let handovers = try StoreFile.handovers(at: atOnce.url)
        #expect(try handovers == StoreFile.handovers(at: stepByStep.url), comment)
        // No record is lost or doubled.
        let (dropped, added) = one.ledger.reduce((0, 0)) { ($0.0 + $1.counts.dropped, $0.1 + $1.counts.created) }
        let rejected = notImported.values.reduce(0, +)
        #expect(one.records.count + kept.count + dropped + handovers.count == records.count + added + rejected, comment)
        try expectDroppedKeys([atOnce, stepByStep], of: records, by: registry, leaving: one, comment)
        // A source is removed at most once, and only if all of it was imported. A later migration of the same upgrade
        // that quarantines a record keeps it, too.
        #expect(Set(removedStepByStep).count == removedStepByStep.count, comment)
        #expect(removedStepByStep.allSatisfy { notImported[$0] == 0 }, comment)
        #expect(Set(removed).isSubset(of: removedStepByStep), comment)
        if failed.isEmpty { #expect(removed.sorted() == removedStepByStep.sorted(), comment) }
        return kept.count
    }

    /// Expects that the keys that records had before and do not have after an upgrade are those that it has noted.
    private static func expectDroppedKeys(
        _ stores: [OldStore],
        of records: [StoredRecord],
        by registry: MigrationRegistry,
        leaving after: Snapshot,
        _ comment: Comment
    ) throws {
        let live = records.filter { $0.expiration.map { $0 > Date().timeIntervalSince1970 } ?? true }
        let before = Set(live.map { ExactName($0.key) })
        // A record in quarantine keeps its key there, which another one may have had.
        let upgraded = try CodableCache(reading: stores[0].url, migrations: registry)
        defer { upgraded.close() }
        let quarantined = try upgraded.quarantined().map { ExactName($0.key) }
        let expected = before.subtracting(after.keys.map { ExactName($0) }).subtracting(quarantined)
        for (index, store) in stores.enumerated() {
            var noted: Set<ExactName> = []
            let cache = try CodableCache(reading: store.url, migrations: registry)
            try cache.droppedKeys { noted.insert(ExactName($0.key)) }
            cache.close()
            // Step by step, records that one upgrade has made may be dropped by the next.
            if index > 0 { noted.formIntersection(before) }
            #expect(noted.subtracting(quarantined) == expected, comment)
        }
    }

    private static func capture(_ body: () throws -> Void) -> MoltError? {
        do {
            try body()
            return nil
        } catch let error as MoltError {
            return error
        } catch {
            return MoltError(.storeFailed, "\(error)")
        }
    }
}
