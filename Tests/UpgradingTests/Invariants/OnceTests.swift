import Foundation
import Molt
import Testing

/// Invariant 2: each migration is applied once, whichever process opens first.
@Suite("Applying each migration once")
struct OnceTests {
    private static let records = (0..<500).map { StoredRecord("Person", "p\($0)", #"{"count":0}"#) }

    /// Increments a number in each record, so that a second run is noticed.
    private static let migrations: MigrationRegistry = [
        Migration(to: 1, "count", .transform("Person") { $0["count"] = .int(try $0.int("count") + 1) }),
        Migration(
            to: 2,
            "block",
            .run { migration in
                try migration.enumerate("Person") { _, new in new["count"] = .int(try new.int("count") + 1) }
            }
        ),
    ]

    private static func check(_ store: OldStore) throws {
        let after = try store.snapshot()
        #expect(after.contents == Array(repeating: #"{"count":2}"#, count: records.count))
        #expect(after.outcomes == "count ran, block ran")
    }

    @Test func `When several threads open a store, one migrates or creates it, and the others see the result`()
        async throws
    {
        let store = try OldStore(Self.records)
        for (url, count) in [(store.url, Self.records.count), (store.directory.file("fresh.molt"), 0)] {
            let reports = try await withThrowingTaskGroup(of: MigrationReport.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let cache = try await CodableCache.open(at: url, migrations: Self.migrations)
                        #expect(try cache.count() == count)
                        defer { cache.close() }
                        return cache.report
                    }
                }
                return try await group.reduce(into: [MigrationReport]()) { $0.append($1) }
            }
            #expect(reports.count { !$0.entries.isEmpty } == 1)
            #expect(reports.allSatisfy { $0.to == 2 })
        }
        try Self.check(store)
    }

    @Test func `A store upgraded by another process between plan and lock is not upgraded again`() async throws {
        let store = try OldStore(Self.records)
        let url = store.url
        let plans = Log<MigrationPlan>()
        // The other process upgrades first.
        let other = Once()
        other.set { try? CodableCache(at: url, migrations: Self.migrations).close() }
        var configuration = MoltConfiguration()
        configuration.monitor = MigrationMonitor { event in
            guard case .planned(let plan) = event else { return }
            plans.append(plan)
            other.run()
        }

        let report = try await store.upgrade(Self.migrations, configuration)

        #expect(report.entries.isEmpty && report.to == 2)
        #expect(plans.all.map(\.needsUpgrade) == [true, false])
        try Self.check(store)
    }
}
