import Foundation
import Molt
import Testing

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

    @Test(.throughEveryEntryPoint)
    func `The report counts records for each migration and each step, and the ledger has a row for each migration`()
        async throws
    {
        let store = try OldStore(Self.records)
        let start = Date()
        let report = try await store.upgrade(Self.migrations, .init { $0.appVersion = "2.5 (77)" })

        #expect((report.from, report.to) == (0, 3))
        #expect(!report.isFresh)
        // The steps of one migration share a pass, so a record that two of them change counts once for the migration.
        let entries = report.entries.map { "\($0.migration): \($0.counts)" }
        let expected = [
            #""bump" (version 1): none"#,
            #""fused" (version 2): 10 read, 4 changed, 1 dropped"#,
            #""places" (version 3): 3 read, 3 changed"#,
            #""block" (version 3): 9 read, 4 changed, 1 created"#,
        ]
        #expect(entries == expected)
        let fused = report.entries[1].steps.map { "\($0.counts)" }
        #expect(fused == ["10 read, 4 changed", "10 read, 1 dropped", "9 read, 2 changed", "none"])
        #expect("\(report.entries[3].steps)" == "[make one: 1 created, remove Person.a: 9 read, 4 changed]")
        #expect("\(report.counts)" == "22 read, 11 changed, 1 dropped, 1 created")

        let after = try store.snapshot()
        #expect(after.ledger.count == report.entries.count)
        for (row, entry) in zip(after.ledger, report.entries) {
            #expect(MigrationID(name: row.name, version: row.version) == entry.migration)
            #expect(row.counts == entry.counts)
            #expect(row.duration == entry.duration)
            #expect((0...report.duration).contains(row.duration))
            #expect(row.outcome == .ran)
            #expect(row.appVersion == "2.5 (77)")
            #expect(row.moltVersion == MoltRelease.version)
            #expect((start.addingTimeInterval(-1)...Date().addingTimeInterval(1)).contains(row.appliedAt))
        }
        // A record's row has the version at which the record was last written.
        let versions = ["p5", "p3", "c0", "new"].map { after[$0]?.version }
        #expect(versions == [0, 3, 3, 3])
    }
}
