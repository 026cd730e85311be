import Foundation
import Molt
import Testing

@Suite("The keys whose values changed since a version")
struct ChangedKeyTests {
    private struct Person: Codable, RecordType {
        static let recordTypeName = "Person"
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
        try cache.set(Draft(), forKey: "draft")
        cache.close()
    }

    private static let first = Migration(
        to: 1,
        "first",
        .transform("Person") { person in
            switch person.key {
            case "person-1": person["name"] = "changed"
            case "person-2": person.drop()
            case "person-3": person.key = "moved"
            case "person-4": person.expiration = .distantFuture
            default: break
            }
        },
        .run { try $0.create("Person", forKey: "created", Person(name: "created")) },
        .addProperty("Draft", "isSent", default: false)
    )

    private static let second = Migration(
        to: 2,
        "second",
        .transform("Person") { if $0.key == "person-5" { $0["name"] = "changed" } },
        .renameType("Draft", to: "Note")
    )

    private func open(_ migrations: Migration...) throws -> CodableCache {
        try CodableCache(at: url, migrations: MigrationRegistry(migrations))
    }

    /// The keys, separated by spaces.
    private func keys(_ cache: CodableCache, since version: Int, of type: Any.Type = Person.self) throws -> String {
        var keys: [String] = []
        try cache.keys(changedSince: version, of: type) { keys.append($0) }
        return keys.joined(separator: " ")
    }

    @Test(arguments: [false, true])
    func `are those of records that a migration changed, moved or created`(isAtOnce: Bool) throws {
        if !isAtOnce { try open(Self.first).close() }
        // The second opening has nothing to do.
        for _ in 1...2 {
            let cache = try open(Self.first, Self.second)
            let found = try (-1...2).map { try keys(cache, since: $0) }
            let all = "person-1 moved person-4 person-5 person-6 created"
            #expect(found == [all, "person-1 moved person-4 person-5 created", "person-5", ""])
            cache.close()
        }
    }

    @Test func `are none for a renamed type, whose records stay as they are`() throws {
        struct Note: Codable {}
        let cache = try open(Self.first, Self.second)
        let notes = try (0...1).map { try keys(cache, since: $0, of: Note.self) }
        let drafts = try keys(cache, since: 0, of: Draft.self)
        #expect(notes + [drafts] == ["draft", "", ""])
    }

    @Test func `include those that the app has set since, and leave out expired and removed ones`() throws {
        let clock = Clock(1_000_000)
        let configuration = MoltConfiguration { $0.now = { clock.date } }
        let cache = try CodableCache(at: url, migrations: [Self.first], configuration: configuration)
        try cache.set(Person(name: "later"), forKey: "person-6")
        try cache.set(Person(name: "short-lived"), forKey: "person-5", expiry: .after(seconds: 10))
        try cache.remove(forKey: "moved")
        let before = try keys(cache, since: 0)
        clock.advance(to: 1_000_010)
        let after = try keys(cache, since: 0)
        #expect(before == "person-1 person-4 person-5 person-6 created")
        #expect(after == "person-1 person-4 person-6 created")
    }

    @Test func `include those of a migration on read once they are written`() throws {
        let migration = Migration(to: 1, "on-read", .addProperty("Person", "age", default: 1)).onRead()
        let cache = try CodableCache(at: url, migrations: [migration], configuration: .init { $0.runsBackfill = false })
        let before = try keys(cache, since: 0)
        try cache.backfillAndWait()
        let after = try keys(cache, since: 0)
        #expect([before, after] == ["", (1...6).map { "person-\($0)" }.joined(separator: " ")])
    }

    @Test(arguments: [false, true])
    func `arrive in parts of a thousand, between which the cache can be used`(isInMemory: Bool) throws {
        let numbers = 1...1_100
        let migration = Migration(
            to: 1,
            "numbers",
            .run(onFreshStore: true) { migration in
                for number in numbers { try migration.create("Int", forKey: "\(number)", number) }
            }
        )
        let cache = try isInMemory ? CodableCache(inMemory: [migration]) : open(migration)
        var keys: [String] = []
        try cache.keys(changedSince: 0, of: Int.self) { key in
            keys.append(key)
            guard let number = try cache.value(Int.self, forKey: key) else { return }
            try cache.set(-number, forKey: key)
            try cache.set(number, forKey: "new-\(key)")
        }
        #expect(keys == numbers.map(String.init))
        let last = try cache.value(Int.self, forKey: "1100")
        #expect(last == -1100)
        #expect(throws: TestFailure.expected) {
            try cache.keys(changedSince: 0, of: Int.self) { _ in throw TestFailure.expected }
        }
        cache.close()
        MoltError.thrown { try cache.keys(changedSince: 0, of: Int.self) { _ in } }?.expect(.closed)
    }
}
