import Foundation
import Testing

@testable import Molt

/// Invariant 12: other connections see the old store until the commit.
@Suite("The isolation of an upgrade")
struct IsolationTests {
    private struct Person: Codable, Equatable, Sendable { var name: String }

    @Test func `Other connections read the old store while an upgrade runs`() async throws {
        let store = try OldStore((0..<50).map { StoredRecord("Person", "p\($0)", #"{"name":"old"}"#) })
        let url = store.url
        let before = try store.snapshot()
        let reader = try CodableCache(at: url)
        defer { reader.close() }
        let looks = Log<Bool>()
        @Sendable func look() throws {
            #expect(try Snapshot(of: url) == before)
            #expect(try StoreFile.state(at: url).version == 0)
            #expect(try reader.value(Person.self, forKey: "p49") == Person(name: "old"))
            #expect(try reader.count() == 50)
            #expect(try MigrationPlan(forFileAt: url, migrations: []).problems.isEmpty)
            looks.append(true)
        }

        try CodableCache(
            at: url,
            migrations: [
                Migration(
                    to: 1,
                    "a",
                    .transform("Person") { person in
                        if person.key == "p49" { try look() }
                        person["name"] = "new"
                        person.key = "new-" + person.key
                    }
                ),
                Migration(
                    to: 2,
                    "b",
                    .run { migration in
                        try migration.enumerate("Person") { _, new in new["again"] = true }
                        try migration.deleteAll(ofType: "Person")
                        try look()
                    }
                ),
            ]
        ).close()

        #expect(looks.count == 2)
        #expect(try store.snapshot().records.isEmpty)
        #expect(throws: MoltError.self) { try reader.count() }?.expect(.storeChanged)
    }

    @Test func `A write of another connection waits for the upgrade, and is then refused`() async throws {
        let store = try OldStore([StoredRecord("Person", "p", #"{"name":"old"}"#)])
        let writer = try CodableCache(at: store.url, configuration: .init { $0.timeout = .zero })
        defer { writer.close() }

        try CodableCache(
            at: store.url,
            migrations: registry(
                .transform("Person") { _ in
                    #expect(throws: MoltError.self) { try writer.set(Person(name: "x"), forKey: "q") }?.expect(.busy)
                }
            )
        ).close()

        #expect(throws: MoltError.self) { try writer.set(Person(name: "x"), forKey: "q") }?.expect(.storeChanged)
        #expect(try store.snapshot().keys == ["p"])
    }
}
