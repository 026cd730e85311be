import Foundation
import Generators
import MoltCache
import MoltCore
import Testing

/// Invariant 8 for records that fail: the quarantine does not depend on the path of the upgrade either.
@Suite struct `The upgrade path of records in quarantine` {
    static let blocks: Range<UInt64> = 0..<TestRun.choose(2, long: 120)

    @Test(arguments: blocks)
    func `Random registries with failing steps leave the same rows and the same quarantine on both paths`(
        block: UInt64
    ) throws {
        var (passed, withQuarantine) = (0, 0)
        for seed in (block * 20 + 10_000)..<(block * 20 + 10_020) {
            guard let count = try Self.comparePaths(seed: seed) else { continue }
            passed += 1
            if count > 0 { withQuarantine += 1 }
        }
        // The other upgrades fail on both paths, because a key is taken.
        #expect(passed >= 8, "\(passed) of 20 succeeded")
        #expect(withQuarantine >= 1, "\(withQuarantine) of 20 have records in quarantine")
    }

    /// - Returns: The number of records in quarantine; nil if the upgrade failed on both paths.
    private static func comparePaths(seed: UInt64) throws -> Int? {
        var random = SeededGenerator(seed: seed)
        let registry = RandomUpgrade.registry(&random, fails: true)
        let records = RandomUpgrade.records(&random)
        let isDropping = random.below(5) == 0
        let atOnce = try OldStore(records)
        let stepByStep = try OldStore(records)
        var options = MigrationOptions()
        options.unconvertible = isDropping ? .drop(upTo: .none) : .quarantine(upTo: .none)
        options.batchSize = 1 + random.below(5)

        var failed: [MigrationReport.FailedRecord] = []
        let error = capture {
            let report = try Migrator(registry, options: options).migrate(CacheStore(at: atOnce.url))
            failed = report.failedRecords
        }
        var stepError: MigrationError?
        var stepsFailed: [MigrationReport.FailedRecord] = []
        for version in 1...registry.version where stepError == nil {
            options.batchSize = 1 + random.below(5)
            stepError = capture {
                let report = try Migrator(registry.upTo(version: version), options: options)
                    .migrate(CacheStore(at: stepByStep.url))
                stepsFailed += report.failedRecords
            }
        }
        let words = registry.migrations.flatMap { migration in
            migration.steps.map { "\(migration.version): \($0)" }
        }
        let comment: Comment = "seed \(seed): \(words)"
        #expect((error == nil) == (stepError == nil), comment)
        guard error == nil, stepError == nil else { return nil }
        let (one, other) = (try atOnce.snapshot(), try stepByStep.snapshot())
        #expect(one.records == other.records, comment)
        #expect(one.ledger.map(\.counts) == other.ledger.map(\.counts), comment)
        // Types are read in the order of their names at the start of the upgrade.
        func sorted(_ records: [MigrationReport.FailedRecord]) -> [String] { records.map { "\($0)" }.sorted() }
        #expect(sorted(failed) == sorted(stepsFailed), comment)
        let kept = try CacheStore.quarantine(at: atOnce.url)
        let otherKept = try CacheStore.quarantine(at: stepByStep.url)
        #expect(kept == otherKept, comment)
        #expect(kept.count == one.ledger.reduce(0) { $0 + $1.counts.quarantined }, comment)
        #expect(failed.count { $0.outcome != .dropped } == kept.count, comment)
        // No record is lost or doubled.
        let gone = one.ledger.reduce(0) { $0 + $1.counts.dropped }
        #expect(one.records.count + kept.count + gone == records.count, comment)
        return kept.count
    }

    private static func capture(_ body: () throws -> Void) -> MigrationError? {
        do {
            try body()
            return nil
        } catch let error as MigrationError {
            return error
        } catch {
            return MigrationError(.storeFailed, "\(error)")
        }
    }

    /// A record that fails in one of five migrations, after changes of its key, type, expiry and content.
    @Test(arguments: 1...5, [1, 2, 512])
    func `A record that fails in any migration is kept in its state before that migration`(
        failing: Int,
        batchSize: Int
    ) throws {
        let registry = MigrationRegistry(
            (1...5).map { version in
                Migration(
                    to: version,
                    "m\(version)",
                    .transform(version % 2 == 1 ? "A" : "B") { record in
                        record["seen"] = .int(version)
                        record.key += "\(version)"
                        record.expiration = Date(timeIntervalSince1970: 4e9 + Double(version))
                    },
                    .renameType(version % 2 == 1 ? "A" : "B", to: version % 2 == 1 ? "B" : "A"),
                    .transform(version % 2 == 1 ? "B" : "A") { record in
                        if version == failing, record.key.hasPrefix("b") { throw Refusal(value: record.key) }
                        record["done"] = .int(version)
                    }
                )
            }
        )
        let old = try OldStore(["a", "b", "c"].map { StoredRecord("A", $0, "{ \"n\" : 1.0 }") })
        var options = MigrationOptions()
        options.unconvertible = .quarantine()
        options.batchSize = batchSize
        _ = try Migrator(registry, options: options).migrate(CacheStore(at: old.url))

        let before = try OldStore(["b"].map { StoredRecord("A", $0, "{ \"n\" : 1.0 }") })
        _ = try Migrator(registry.upTo(version: failing - 1)).migrate(CacheStore(at: before.url))
        let expected = try #require(try before.snapshot().records.first)

        #expect(try old.snapshot().keys == ["a12345", "c12345"])
        let cache = try CodableCache(at: old.url, migrations: registry)
        let record = try #require(try cache.quarantined().first)
        #expect(try cache.quarantinedCount == 1)
        #expect(Array(record.content) == expected.content)
        #expect(record.key == expected.key)
        #expect(record.typeName == expected.type)
        #expect(record.version == failing - 1)
        #expect(record.expiration?.timeIntervalSince1970 == expected.expiration)
        #expect(!record.isData)
        #expect(record.failure.migration == MigrationID(name: "m\(failing)", version: failing))
        #expect(record.failure.step.number == 3)
        #expect(record.failure.firstStep == 1)
        #expect(record.failure.code == .stepFailed)
    }

    @Test func `A record that fails after a block is kept in its state after the block`() throws {
        let migration = Migration(
            to: 1,
            "m",
            .transform("A") { $0["one"] = 1 },
            .run("two") { try $0.enumerate("A") { _, new in new["two"] = 2 } },
            .transform("A") { $0["three"] = 3 },
            .transform("A") { if $0.key == "b" { throw Refusal() } }
        )
        let old = try OldStore(["a", "b"].map { StoredRecord("A", $0, "{}") })
        var configuration = CodableCache.Configuration()
        configuration.unconvertible = .quarantine()
        let cache = try CodableCache(at: old.url, migrations: [migration], configuration: configuration)
        let record = try #require(try cache.quarantined().first)
        #expect(String(decoding: record.content, as: UTF8.self) == #"{"one":1,"two":2}"#)
        #expect(record.failure.step.number == 4)
        #expect(record.failure.firstStep == 3)
        #expect(record.version == 1)
        // A retry continues from that state.
        let fixed = Migration(
            to: 1,
            "m",
            steps: migration.steps.dropLast() + [.transform("A") { $0["four"] = 4 }]
        )
        #expect(try cache.retryQuarantined(with: [fixed]).count(of: .converted) == 1)
        cache.close()
        #expect(try old.snapshot()["b"]?.text == #"{"one":1,"two":2,"three":3,"four":4}"#)
    }
}
