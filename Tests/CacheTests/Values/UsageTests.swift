import Foundation
import Molt
import Testing

/// Calls as an app's author would write them, in every kind of context; that they compile is half of the test.
@Suite struct `An app's calls` {
    let scratch: ScratchDirectory
    let cache: CodableCache

    init() throws {
        scratch = try ScratchDirectory()
        cache = try CodableCache(at: scratch.file())
    }

    @Test func `The calls compile and work in an asynchronous function`() async throws {
        let cache = try await CodableCache.open(at: scratch.file())
        try cache.set(Person.john, forKey: "john")
        let john: Person? = try cache.value(forKey: "john")
        #expect(john == .john)
        try cache.setAll(["a": Plain(name: "p")])
        try cache.setAll([(key: "n", value: 1)], expiry: .after(seconds: -1))
        let numbers: [Int?] = try cache.values(forKeys: ["x"])
        #expect(numbers == [nil])
        let plain = try cache.values(Plain.self, forKeys: ["a"])
        #expect(plain.first??.name == "p")
        try cache.batch { batch in try batch.set(1, forKey: "one") }
        let expired = try cache.removeExpired()
        #expect(expired == 1)
        try cache.removeAll(of: Int.self)
        try cache.expect(keys: ["john", "a"])
        try cache.removeAll()
        try cache.expect(keys: [])
    }

    @Test func `The calls compile and work in an actor and in a generic function`() async throws {
        let jack = try await Model(cache).rename()
        #expect(jack == Person(firstName: "Jack", lastName: "Appleseed"))
        let numbers: [Int?] = [try replaced(1, by: 2), try replaced(1, by: 3)]
        #expect(numbers == [1, 2])
    }

    private func replaced<Value: Codable>(_ value: Value, by other: Value) throws -> Value? {
        let found = try cache.value(Value.self, forKey: "generic")
        try cache.set(other, forKey: "generic")
        return found ?? value
    }
}

private actor Model {
    private let cache: CodableCache
    private var plain = Plain(name: "Jack")

    init(_ cache: CodableCache) {
        self.cache = cache
    }

    func rename() async throws -> Person? {
        try cache.set(Person.john, forKey: "john")
        try cache.batch { batch in
            var john = try cache.value(Person.self, forKey: "john") ?? .jane
            john.firstName = plain.name
            try batch.set(john, forKey: "john")
            try batch.set(plain, forKey: "plain")
        }
        plain = try cache.values(Plain.self, forKeys: ["plain"])[0] ?? plain
        return try cache.value(forKey: "john")
    }
}
