import Foundation
import Testing

@testable import Molt

@Suite("The ledger and the report of an upgrade")
struct LedgerTests {
    private static let records =
        (0..<10).map { StoredRecord("Person", "p\($0)", #"{"id":\#($0)}"#) }
        + (0..<3).map { StoredRecord("City", "c\($0)", "{}") }

    private static let migrations: MigrationRegistry = [
        Migration(to: 1, "bump"),
        Migration(
            to: 2,
            "fused",
            .transform("Person") { if try $0.int("id") < 4 { $0["a"] = 1 } },
            .transform("Person") { if try $0.int("id") == 9 { $0.drop() } },
            .transform("Person") { if try $0.int("id") < 2 { $0["b"] = 1 } },
            .renameType("City", to: "Place")
        ),
        Migration(to: 3, "places", .addProperty("Place", "x", default: 1), .deleteType("Nobody")),
        Migration(
            to: 3,
            "block",
            .run("make one") { try $0.create("Place", forKey: "new", ["x": 2]) },
            .removeProperty("Person", "a")
        ),
    ]

    @Test(.throughEveryEntryPoint) func `The report counts records for each migration and each step`() async throws {
        let report = try await OldStore(Self.records).upgrade(Self.migrations)

        #expect(report.from == 0)
        #expect(report.to == 3)
        #expect(!report.isFresh)
        #expect(report.entries.map(\.migration.name) == ["bump", "fused", "places", "block"])
        // The steps of one migration share a pass, so a record that two of them change counts once for the migration.
        #expect(
            report.entries.map { "\($0.counts)" } == [
                "none", "10 read, 4 changed, 1 dropped", "3 read, 3 changed", "9 read, 4 changed, 1 created",
            ]
        )
        let fused = ["10 read, 4 changed", "10 read, 1 dropped", "9 read, 2 changed", "none"]
        #expect(report.entries[1].steps.map { "\($0.counts)" } == fused)
        #expect("\(report.entries[3].steps)" == "[make one: 1 created, remove Person.a: 9 read, 4 changed]")
        #expect("\(report.counts)" == "22 read, 11 changed, 1 dropped, 1 created")
        #expect(report.duration >= 0)
        #expect(report.entries.allSatisfy { $0.duration >= 0 && $0.duration <= report.duration })
    }

    @Test(.throughEveryEntryPoint)
    func `The ledger has a row for each migration, written with the change`() async throws {
        let store = try OldStore(Self.records)
        let configuration = CodableCache.Configuration { $0.appVersion = "2.5 (77)" }
        let start = Date()

        let report = try await store.upgrade(Self.migrations, configuration)

        let ledger = try store.snapshot().ledger
        #expect(ledger.map(\.name) == ["bump", "fused", "places", "block"])
        #expect(ledger.map(\.version) == [1, 2, 3, 3])
        #expect(ledger.map(\.counts) == report.entries.map(\.counts))
        #expect(ledger.map(\.duration) == report.entries.map(\.duration))
        for row in ledger {
            #expect(row.outcome == .ran)
            #expect(row.appVersion == "2.5 (77)")
            #expect(row.moltVersion == MoltRelease.version)
            #expect(row.appliedAt >= start.addingTimeInterval(-1))
            #expect(row.appliedAt <= Date().addingTimeInterval(1))
        }
    }

    @Test func `Ledger rows are added and never changed`() async throws {
        let store = try OldStore(Self.records)
        var configuration = CodableCache.Configuration()
        for (index, name) in Self.migrations.names.enumerated() {
            configuration.appVersion = "\(index)"
            try await store.upgrade(try Self.migrations.upTo(name), configuration)
        }

        #expect(try store.snapshot().ledger.map(\.appVersion) == ["0", "1", "2", "3"])
    }

    @Test func `A record's row has the version at which the record was last written`() async throws {
        let store = try OldStore(Self.records)

        try await store.upgrade(Self.migrations)

        let after = try store.snapshot()
        #expect(after["p5"]?.version == 0)
        #expect(after["p3"]?.version == 3)
        #expect(after["c0"]?.version == 3)
        #expect(after["new"]?.version == 3)
    }
}
