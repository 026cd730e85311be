import Foundation
import Testing

@testable import Molt

/// Invariant 4: a store of a newer app is neither written to nor read as an old shape.
@Suite("The refusal of a newer store")
struct RefusalTests {
    private struct Person: Codable, Equatable, Sendable { var name: String }

    private static let new: MigrationRegistry = [
        Migration(to: 3, "rename", .renameProperty("Person", "name", to: "title"))
    ]

    @Test func `A store of a newer app is refused, and no byte of its file changes`() async throws {
        let store = try OldStore([StoredRecord("Person", "p", #"{"name":"Ada"}"#)])
        try await store.upgrade(Self.new)
        func modified() throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: store.url.path)[.modificationDate] as? Date
        }
        let bytes = try Data(contentsOf: store.url)
        let date = try modified()

        for registry: MigrationRegistry in [[], [Migration(to: 2, "other")]] {
            #expect(throws: MoltError.self) {
                try CodableCache(at: store.url, migrations: registry)
            }?.expect(.superseded, store: store.url.path, storeVersion: 3, registryVersion: registry.version)
        }
        await #expect(throws: MoltError.self) { try await CodableCache.open(at: store.url) }?.expect(.superseded)

        #expect(try Data(contentsOf: store.url) == bytes)
        #expect(try modified() == date)
        #expect(try store.directory.names() == ["cache.molt"])
    }

    @Test func `An open cache neither reads nor writes after another cache upgraded the store`() async throws {
        let store = try OldStore([StoredRecord("Person", "p", #"{"name":"Ada"}"#)])
        let old = try CodableCache(at: store.url)
        #expect(try old.value(Person.self, forKey: "p") == Person(name: "Ada"))

        try CodableCache(at: store.url, migrations: Self.new).close()
        let after = try store.snapshot()

        // The value was read before, and must not come from memory either.
        let calls: [() throws -> Void] = [
            { _ = try old.value(Person.self, forKey: "p") },
            { try old.set(Person(name: "Eve"), forKey: "p") },
            { try old.set(Person(name: "Eve"), forKey: "q") },
            { try old.remove(forKey: "p") },
            { _ = try old.keys() },
            { _ = try old.count() },
            { _ = try old.values(of: Person.self) },
            { _ = try old.contains("p") },
            { try old.removeAll() },
            { try old.setAll(["q": Person(name: "Eve")]) },
        ]
        for call in calls {
            #expect(throws: MoltError.self) { try call() }?.expect(.storeChanged, storeVersion: 3, registryVersion: 0)
        }
        old.close()
        #expect(try store.snapshot() == after)
        #expect(after["p"]?.text == #"{"title":"Ada"}"#)
    }
}
