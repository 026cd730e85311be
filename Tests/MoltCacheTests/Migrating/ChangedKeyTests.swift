import Foundation
import MoltCache
import MoltCore
import Testing

@Suite("The keys that an upgrade changed")
struct ChangedKeyTests {
    private struct Person: Codable {
        var name: String
    }

    private struct Draft: Codable {
        var text = "draft"
    }

    private let scratch: ScratchDirectory
    private let url: URL

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
        let cache = try CodableCache(at: url)
        for number in 1...6 { try cache.set(Person(name: "\(number)"), forKey: "person-\(number)") }
        for number in 1...2 { try cache.set(Draft(), forKey: "draft-\(number)") }
        cache.close()
    }

    private func changes(_ steps: MigrationStep..., records: Bool = true) throws -> [String: CodableCache.Change.Kind] {
        var configuration = CodableCache.Configuration()
        configuration.recordsChangedKeys = records
        let migrations: MigrationRegistry = [Migration(to: 1, "first", steps: steps)]
        let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
        return try changes(of: cache)
    }

    private func changes(of cache: CodableCache) throws -> [String: CodableCache.Change.Kind] {
        var changes: [String: CodableCache.Change.Kind] = [:]
        try cache.forEachUpgradedKey { key, kind in
            #expect(changes[key] == nil, "\(key) occurs twice")
            changes[key] = kind
            let isThere = try cache.contains(key)
            #expect(isThere == (kind == .set))
        }
        return changes
    }

    @Test func `are those of changed, deleted and created records, and no others`() throws {
        let changes = try changes(
            .transform("Person") { person in
                switch person.key {
                case "person-1": person["name"] = "changed"
                case "person-2": person.drop()
                case "person-3": person.key = "moved"
                default: break
                }
            },
            .deleteType("Draft"),
            .run { migration in
                try migration.create("Note", forKey: "note", Draft())
                try migration.create("Note", forKey: "short-lived", Draft())
                try migration.delete("short-lived")
                try migration.delete("person-6")
                try migration.create("Person", forKey: "person-6", Person(name: "new"))
            }
        )
        #expect(
            changes == [
                "person-1": .set, "person-2": .removed, "person-3": .removed, "moved": .set, "draft-1": .removed,
                "draft-2": .removed, "note": .set, "person-6": .set,
            ]
        )
    }

    @Test func `include both keys of records that swap them`() throws {
        let changes = try changes(
            .transform("Person") { person in
                if person.key == "person-1" {
                    person.key = "person-2"
                } else if person.key == "person-2" {
                    person.key = "person-1"
                }
            }
        )
        #expect(changes == ["person-1": .set, "person-2": .set])
    }

    @Test func `are none for a renamed type, without the option, and in an up-to-date store`() throws {
        #expect(try changes(.renameType("Person", to: "Human")).isEmpty)
        #expect(try changes(.renameType("Person", to: "Human")).isEmpty)
        let other = try ChangedKeyTests()
        #expect(try other.changes(.deleteType("Draft"), records: false).isEmpty)
    }

    @Test func `stay known while changes to an attached store are applied`() throws {
        let notebook = Notebook(url: scratch.file("notes"))
        try notebook.write(["old"])
        let changes = try changes(.deleteType("Draft"), .notes(notebook) { try $0.pages(notebook).add("new") })
        #expect(changes == ["draft-1": .removed, "draft-2": .removed])
        #expect(try notebook.lines == ["old", "new"])
    }

    @Test func `do not include what the app writes after the upgrade`() throws {
        var configuration = CodableCache.Configuration()
        configuration.recordsChangedKeys = true
        let migrations: MigrationRegistry = [Migration(to: 1, "first", .deleteType("Draft"))]
        let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
        try cache.set(Person(name: "later"), forKey: "person-1")
        try cache.set(Person(name: "later"), forKey: "later")
        #expect(try changes(of: cache) == ["draft-1": .removed, "draft-2": .removed])
        cache.close()
        let error = #expect(throws: CacheError.self) { try cache.forEachUpgradedKey { _, _ in } }
        #expect(error?.code == .closed)
    }

    @Test func `are complete in a cache in memory and in a large store`() throws {
        let cache = try CodableCache(at: url)
        try cache.batch { batch in
            for number in 1...5_000 { try batch.set(Person(name: "\(number)"), forKey: "more-\(number)") }
        }
        cache.close()
        let changes = try changes(.addProperty("Person", "age", default: 1))
        #expect(changes.count == 5_006)
        #expect(changes.values.allSatisfy { $0 == .set })
    }
}
