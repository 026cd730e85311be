import Foundation
import Molt
import MoltTesting
import Testing

/// Thousands of failures, on all cores.
@Suite struct `Many records that cannot be converted` {
    struct Old: Codable { var n: Int }
    struct New: Codable { var n: Int, twice: Int }

    static let count = TestRun.choose(1_300, long: 4_000)
    /// Four of five fail, so that there are more than a report names.
    static func fails(_ number: Int) -> Bool { (number &* 2_654_435_761) >> 7 % 5 != 0 }

    static let records = (0..<count).map { StoredRecord("T", "k\($0)", "{\"n\": \($0)}") }

    static func registry(isFixed: Bool = false) -> MigrationRegistry {
        [
            Migration(to: 1, "keys", .transform("T") { $0.key += "!" }),
            Migration(
                to: 2,
                "twice",
                .convert("T", from: Old.self, to: New.self) { old in
                    guard isFixed || !fails(old.n) else { throw Refusal(value: "\(old.n)") }
                    return New(n: old.n, twice: 2 * old.n)
                }
            ),
            Migration(to: 3, "more", .addProperty("T", "more", default: 1)),
        ]
    }

    @Test func `The same records are quarantined in the same order, whatever the batch size and the number of cores`()
        throws
    {
        let failing = (0..<Self.count).filter(Self.fails)
        var seen: [[String]] = []
        for batchSize in TestRun.choose([7, 512, 5_000], long: [7, 100, 512, 5_000]) {
            let old = try OldStore(Self.records)
            var configuration = MoltConfiguration()
            configuration.hooks.batchSize = batchSize
            let registry = Self.registry().onFailure(.quarantine(upTo: .unlimited))
            let report = try Migrator(registry, configuration: configuration).migrate(StoreFile(at: old.url))
            let kept = Self.count - failing.count
            let counts = "\(Self.count) read, \(kept) changed, \(failing.count) quarantined"
            #expect("\(report.entries[1].counts)" == counts)
            #expect(report.entries[2].counts.read == kept)
            // The report names only the first thousand.
            #expect(failing.count > 1_000 && report.failedRecords.count == 1_000)
            #expect(report.failedRecords.first?.key == "k\(failing[0])!")
            let rows = try old.snapshot().records
            let isUpgraded = rows.allSatisfy { $0.version == 3 && $0.text.hasSuffix(",\"more\":1}") }
            #expect(rows.count == kept && isUpgraded)
            let cache = try CodableCache(at: old.url, migrations: Self.registry())
            var after: Int64 = 0
            var keys: [String] = []
            while true {
                let page = try cache.quarantined(after: after, limit: 100)
                guard let last = page.last else { break }
                let isSound = page.allSatisfy { $0.version == 1 && $0.id > after }
                #expect(page.count <= 100 && isSound)
                after = last.id
                keys += page.map(\.key)
            }
            #expect(keys == failing.map { "k\($0)!" })
            cache.close()
            seen.append(try StoreFile.quarantine(at: old.url))
        }
        #expect(Set(seen).count == 1)
    }

    @Test func `All records can be retried and put back, as if they had never failed`() throws {
        let old = try OldStore(Self.records)
        let cache = try FailurePolicyTests.open(old, Self.registry(), .quarantine(upTo: .unlimited))
        let fixed = Self.registry(isFixed: true)
        let retried = try cache.retryQuarantined(with: fixed)
        #expect(retried.count { $0.outcome == .converted } == cache.report.counts.quarantined)
        #expect(try cache.quarantinedCount == 0)
        cache.close()
        let direct = try OldStore(Self.records)
        _ = try Migrator(fixed).migrate(StoreFile(at: direct.url))
        let (one, other) = (try old.snapshot().records, try direct.snapshot().records)
        #expect(one.sorted { $0.key < $1.key } == other.sorted { $0.key < $1.key })
    }
}
