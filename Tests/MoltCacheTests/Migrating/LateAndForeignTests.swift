import Foundation
import Testing

@testable import Molt

@Suite("Late migrations, fresh stores and other stores")
struct LateAndForeignTests {
    private static let records = [StoredRecord("Person", "ada", "{}"), StoredRecord("Person", "bob", "{}")]

    @Test(.throughEveryEntryPoint)
    func `A late migration leaves the records that it changes at the store's version`() async throws {
        let store = try OldStore(Self.records)
        let five = Migration(to: 5, "five", .transform("Person") { $0["five"] = true })
        try await store.upgrade([five])
        let seen = Log<[Int]>()
        let late = MigrationRegistry(
            [
                Migration(
                    to: 2,
                    "late",
                    .transform("Person") { if $0.key == "ada" { $0["late"] = 1 } },
                    .run { migration in
                        seen.append([migration.oldVersion, migration.version])
                        try migration.enumerate("Person") { old, new in
                            if old.key == "bob" { new["late"] = 2 }
                        }
                    }
                ),
                five,
            ],
            allowsLateMigrations: true
        )

        let after = try await store.upgraded(late)

        #expect(after["ada"]?.text == #"{"five":true,"late":1}"#)
        #expect(after.records.allSatisfy { $0.version == 5 }, "\(after.records)")
        #expect(seen.all == [[5, 2]])
    }

    @Test func `The report of a fresh store lists the steps that ran`() throws {
        let migrations = registry(
            .transform("Person") { _ in },
            .run("bring in", onFreshStore: true) { try $0.create("Person", forKey: "ada", ["name": "Ada"]) }
        )

        let entries = try CodableCache(inMemory: migrations).report.entries

        #expect(entries.first?.steps.map(\.summary) == ["bring in"])
        #expect(entries.first?.steps.first?.counts.created == 1)
    }

    @Test(.throughEveryEntryPoint)
    func `An error that a closure gets from another store is reported as the cause, not as this store's error`()
        async throws
    {
        let other = try OldStore(Self.records, through: .initializer)
        try await other.upgrade([Migration(to: 9, "newer")])
        let url = other.url
        let open: @Sendable () throws -> Void = { try CodableCache(at: url).close() }

        for step in [
            MigrationStep.run("import") { _ in try open() },
            .run("import") { try $0.enumerate("Person") { _, _ in try open() } },
            .transform("Person") { _ in try open() },
        ] {
            let error = try await OldStore(Self.records).failure(step)
            error.expect(.stepFailed, migration: "change")
            #expect(error.store != url.path)
            let cause = error.underlying as? MoltError
            #expect(cause?.code == .superseded)
            #expect(cause?.store == url.path)
            #expect(cause?.key == nil)
        }
    }
}
