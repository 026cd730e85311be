import Foundation
import MoltCache
import MoltCore
import Testing

@Suite("Damage between two batches")
struct BatchDamageTests {
    private let old: OldStore

    /// Records of two types, the last one a draft; and a migration of the others that is cut off behind two batches.
    init() async throws {
        old = try OldStore(
            (0..<20).map { StoredRecord($0 % 4 == 3 ? "Draft" : "Person", "\($0)", "{}") }
        )
        let old = old
        await #expect(throws: MigrationError.self) { try await old.upgrade(Self.registry(failingAt: "9")) }
        #expect(try CacheStore.state(at: old.url).unfinished?.counts.read == 6)
        #expect(try CacheStore.state(at: old.url).unfinished?.total == 15)
    }

    private static func registry(failingAt key: String? = nil) -> MigrationRegistry {
        let step = MigrationStep.transform("Person") { person in
            if person.key == key { throw Refusal() }
            person["seen"] = true
        }
        return [Migration(to: 1, "batched", step).committingInBatches(of: 3)]
    }

    private func failure() async throws -> MigrationError {
        let error = await #expect(throws: MigrationError.self) { try await old.upgrade(Self.registry()) }
        #expect(try CacheStore.state(at: old.url).ledger.isEmpty)
        return try #require(error)
    }

    @Test func `that takes a record away is noticed at the end`() async throws {
        try SQLite(old.url).run("DELETE FROM molt_record WHERE key = '16'")
        let error = try await failure()
        #expect(error.code == .storeFailed)
        #expect(error.message.contains("gave 14 of 15 records"), "\(error.message)")
        #expect(error.message.contains("It is damaged"))
        #expect(!error.message.contains("the store is as it was"))
    }

    @Test func `that adds a record is noticed at the end`() async throws {
        try SQLite(old.url).run(
            "INSERT INTO molt_record SELECT id + 100, key || 'x', type_id, version, created_at, updated_at, accessed_at, "
                + "expires_at, content FROM molt_record WHERE key = '16'"
        )
        let error = try await failure()
        #expect(error.message.contains("gave 16 of 15 records"), "\(error.message)")
    }

    @Test func `of an index is noticed by the opening that goes on`() async throws {
        let sql = try #require(
            try SQLite(old.url).text("SELECT sql FROM sqlite_schema WHERE name = 'molt_record_type'")
        )
        let root = try #require(
            try SQLite(old.url).text("SELECT rootpage FROM sqlite_schema WHERE name = 'molt_record_type'")
        )
        // A draft, at which no step looks, stays in the index alone.
        try SQLite(old.url).run(
            "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'molt_record_type'"
        )
        try SQLite(old.url).run("DELETE FROM molt_record WHERE key = '19'")
        try SQLite(old.url).run(
            """
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema VALUES('index', 'molt_record_type', 'molt_record', \(root), '\(sql)')
            """
        )
        let error = try await failure()
        #expect(error.code == .storeFailed)
        #expect(try CacheStore.state(at: old.url).unfinished?.counts.read == 6)
    }

    @Test func `that did not happen is not told`() async throws {
        #expect(try await old.upgrade(Self.registry()).entries.map(\.counts.changed) == [15])
    }
}
