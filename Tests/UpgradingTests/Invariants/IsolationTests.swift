import Foundation
import Molt
import Testing

/// Invariants 4 and 12: other connections see the old store until the commit, and no store of a newer app.
@Suite("Other connections during and after an upgrade")
struct IsolationTests {
    private struct Person: Codable, Equatable, Sendable { var name: String }

    @Test func `Other connections read the old store while an upgrade runs, and cannot write to it`() async throws {
        let store = try OldStore((0..<50).map { StoredRecord("Person", "p\($0)", #"{"name":"old"}"#) })
        let url = store.url
        let before = try store.snapshot()
        let reader = try CodableCache(at: url, configuration: .init { $0.timeout = .zero })
        defer { reader.close() }
        let looks = Log<Bool>()
        @Sendable func look() throws {
            #expect(try Snapshot(of: url) == before)
            try reader.expect(Person(name: "old"), forKey: "p49")
            #expect(try reader.count() == 50)
            // The upgrade holds the write lock.
            MoltError.thrown { try reader.set(Person(name: "x"), forKey: "q") }?.expect(.busy)
            #expect(try CacheFile(at: url).plan([]).problems.isEmpty)
            looks.append(true)
        }

        let step = MigrationStep.transform("Person") { person in
            if person.key == "p49" { try look() }
            person["name"] = "new"
            person.key = "new-" + person.key
        }
        let block = MigrationStep.run { migration in
            try migration.enumerate("Person") { _, new in new["again"] = true }
            try migration.deleteAll(ofType: "Person")
            try look()
        }
        try CodableCache(at: url, migrations: [Migration(to: 1, "a", step), Migration(to: 2, "b", block)]).close()

        #expect(looks.count == 2)
        #expect(try store.snapshot().records.isEmpty)
        MoltError.thrown { try reader.count() }?.expect(.storeChanged)
    }

    @Test func `An open cache neither reads nor writes after another cache upgraded the store`() async throws {
        let store = try OldStore([StoredRecord("Person", "p", #"{"name":"Ada"}"#)])
        let old = try CodableCache(at: store.url)
        try old.expect(Person(name: "Ada"), forKey: "p")

        let new: MigrationRegistry = [Migration(to: 3, "rename", .renameProperty("Person", "name", to: "title"))]
        try CodableCache(at: store.url, migrations: new).close()
        let after = try store.snapshot()

        // The value was read before, and must not come from memory either.
        let calls: [() throws -> Void] = [
            { _ = try old.value(Person.self, forKey: "p") },
            { try old.set(Person(name: "Eve"), forKey: "p") },
            { try old.set(Person(name: "Eve"), forKey: "q") },
            { try old.remove(forKey: "p") },
            { _ = try old.keys() }, { _ = try old.count() }, { _ = try old.values(of: Person.self) },
            { _ = try old.contains("p") }, { try old.removeAll() }, { try old.setAll(["q": Person(name: "Eve")]) },
        ]
        for call in calls {
            MoltError.thrown { try call() }?.expect(.storeChanged, storeVersion: 3, registryVersion: 0)
        }
        old.close()
        // Neither can the store be opened again.
        for registry: MigrationRegistry in [[], [Migration(to: 2, "other")]] {
            MoltError.thrown {
                try CodableCache(at: store.url, migrations: registry)
            }?.expect(.superseded, store: store.url.path, storeVersion: 3, registryVersion: registry.version)
        }
        await #expect(throws: MoltError.self) { try await CodableCache.open(at: store.url) }?.expect(.superseded)
        #expect(try store.snapshot() == after)
        #expect(after["p"]?.text == #"{"title":"Ada"}"#)
    }
}
