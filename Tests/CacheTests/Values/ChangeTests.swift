import Foundation
import Molt
import Testing

@Suite struct `The sequence of changes` {
    let scratch: ScratchDirectory
    let clock = Clock(1_000)
    let cache: CodableCache

    init() throws {
        scratch = try ScratchDirectory()
        let clock = clock
        let configuration = MoltConfiguration {
            $0.now = { clock.date }
            $0.sizeLimit = 1_000
        }
        cache = try CodableCache(at: scratch.file(), configuration: configuration)
    }

    @Test func `The sequence delivers every kind of change, in order, until the cache is closed`() async throws {
        try cache.set(0, forKey: "before")
        let changes = cache.changes()
        try cache.set(Person.john, forKey: "john")
        try cache.batch { batch in
            try batch.set(1, forKey: "one", expiry: .after(seconds: 1))
            batch.remove(forKey: "john")
            batch.remove(forKey: "nobody")
        }
        clock.advance(to: 1_002)
        try cache.removeExpired()
        try cache.set(Data(count: 900), forKey: "big")
        try cache.set(Data(count: 950), forKey: "bigger")
        try cache.removeAll(of: Person.self)
        try cache.removeAll()
        let found = await cache.close(thenAll: changes).map(\.description).joined(separator: "\n")
        let expected = """
            set: "john" of type Person
            set: "one" of type Int
            removed: "john" of type Person
            expired: "one" of type Int
            set: "big" of type Data
            set: "bigger" of type Data
            evicted: "before" of type Int
            evicted: "big" of type Data
            removedAll: all of type Person
            removedAll: all values
            """
        #expect(found == expected)
        #expect(await cache.close(thenAll: cache.changes()) == [])
    }

    @Test func `The changes of one key, by its bytes, or of one type can be selected`() async throws {
        let ofKey = cache.changes(forKey: "é")
        let ofType = cache.changes(of: Person.self)
        try cache.set("other spelling", forKey: "e\u{301}")
        try cache.set(1, forKey: "é")
        try cache.set(Person.john, forKey: "john")
        try cache.remove(forKey: "john")
        try cache.removeAll(of: Int.self)
        try cache.removeAll()
        let keyChanges = await cache.close(thenAll: ofKey).map(\.description)
        #expect(keyChanges == ["set: \"é\" of type Int", "removedAll: all of type Int", "removedAll: all values"])
        let typeChanges = await cache.close(thenAll: ofType).map { "\($0.kind)" }
        #expect(typeChanges == ["set", "removed", "removedAll"])
    }
}
