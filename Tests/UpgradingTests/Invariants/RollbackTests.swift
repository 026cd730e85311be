import Foundation
import Molt
import Testing

/// Invariant 1: after a failure the store is as it was before.
@Suite("The atomicity of an upgrade")
struct RollbackTests {
    private static let records =
        (0..<6).map { StoredRecord("Person", "p\($0)", #"{ "id" : \#($0) }"#, expiration: 4e9) }
        + [StoredRecord("City", "rome", #"{"a":1}"#), StoredRecord("Data", "blob", data: [0, 1])]

    #if CHILD_PROCESSES
        /// `Faults/KillTests` kills at other points too, in the long run at each.
        @Test(arguments: [UpgradePoint.Kind.beforeCommit, .afterCommit])
        func `A kill at the commit leaves the old store or the new one, and the next opening ends with the new one`(
            kind: UpgradePoint.Kind
        ) async throws {
            let (store, other) = (try OldStore(Self.records), try OldStore(Self.records))
            let before = try store.snapshot()
            let report = try CodableCache(at: other.url, migrations: Self.failing(at: -1)).report
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = store.url as URL, kind = kind as UpgradePoint.Kind] in
                let killing = MoltConfiguration {
                    $0.hooks.atPoint = { if $0.kind == kind { raise(SIGKILL) } }
                }
                _ = try CodableCache(at: url, migrations: Self.failing(at: -1), configuration: killing)
            }
            let killed = try store.snapshot()
            if kind == .beforeCommit { #expect(killed == before) } else { #expect(killed.version == report.to) }
            try CodableCache(at: store.url, migrations: Self.failing(at: -1)).close()
            let (found, expected) = (try store.snapshot(), try other.snapshot())
            #expect(found.records == expected.records && found.version == expected.version)
            #expect(found.ledger.map(\.name) == report.entries.map(\.migration.name))
            try expectIntegrity(of: store.url)
        }
    #endif

    /// A registry that changes everything, and fails at one of its steps.
    private static func failing(at point: Int) -> MigrationRegistry {
        @Sendable func check(_ number: Int, _ record: Record? = nil) throws {
            if number == point, record == nil || record?.key.hasSuffix("4") == true { throw Refusal() }
        }
        return [
            Migration(to: 1, "types", .renameType("City", to: "Place"), .deleteType("Data")),
            Migration(
                to: 2,
                "records",
                .transform("Person") { person in
                    try check(0, person)
                    person.key += "-4"
                    person.expiration = nil
                },
                .transform("Person") { person in
                    try check(1, person)
                    if try person.int("id") == 1 { person.drop() }
                    person.typeName = "Human"
                }
            ),
            Migration(
                to: 3,
                "block",
                .run { migration in
                    try migration.create("Place", forKey: "oslo", ["a": 2])
                    try migration.deleteAll(ofType: "Unknown")
                    try migration.enumerate("Human") { old, new in
                        new["id"] = .null
                        try check(2, new)
                    }
                    try migration.renameType("Human", to: "Place")
                    try check(3)
                }
            ),
            Migration(to: 4, "after", .transform("Place") { try check(4, $0) }),
            Migration(to: 5, "last", .run { _ in try check(5) }),
        ]
    }

    @Test(arguments: zip(0..<6, [EntryPoint.initializer, .asyncOpen, .migrator, .inMemory, .initializer, .migrator]))
    func `A failure at any step leaves every byte as it was`(point: Int, entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)

        try await store.failure(Self.failing(at: point))
            .expect(.stepFailed, migration: ["records", "records", "block", "block", "after", "last"][point])
        #expect(try await store.upgrade([]).isEmpty)
        try await store.upgrade(Self.failing(at: -1))
        let after = try store.snapshot()
        #expect(after.version == 5)
        #expect(after.outcomes == "types ran, records ran, block ran, after ran, last ran")
        #expect(after.keys == ["p0-4", "p2-4", "p3-4", "p4-4", "p5-4", "rome", "oslo"])
    }
}
