import Foundation
import Molt
import Testing

@Suite struct `Values in a cache` {
    let scratch: ScratchDirectory
    let cache: CodableCache

    init() throws {
        scratch = try ScratchDirectory()
        cache = try CodableCache(at: scratch.file())
    }

    @Test func `A stored value is returned, also when the file is opened again, until it is removed`() throws {
        try cache.set(Person.john, forKey: "john")
        #expect(try cache.contains("john"))
        cache.close()
        let again = try CodableCache(at: scratch.file())
        try again.expect(Person.john, forKey: "john")
        #expect(try again.remove(forKey: "john"))
        for key in ["john", "nobody"] { try again.expectNothing(forKey: key) }
    }

    @Test func `Scalars, arrays and dictionaries can be stored`() throws {
        try cache.set(42, forKey: "int")
        try cache.set("text", forKey: "string")
        try cache.set([1.5, 2], forKey: "array")
        try cache.set(["a": true], forKey: "dictionary")
        try cache.set(Int?.none, forKey: "nothing")
        try cache.expect(42, forKey: "int")
        try cache.expect("text", forKey: "string")
        try cache.expect([1.5, 2], forKey: "array")
        try cache.expect(["a": true], forKey: "dictionary")
        #expect(try cache.value(Int?.self, forKey: "nothing") == .some(nil))
    }

    @Test func `A value can be read as a type with the same structure, and not as one with another`() throws {
        try cache.set(Person.john, forKey: "john")
        try cache.expect(Alien(firstName: "John", lastName: "Appleseed"), forKey: "john")
        MoltError.thrown { try cache.data(forKey: "john") }?.expect(.unreadableContent, type: "Person")
        let error = try #require(MoltError.thrown { try cache.value(City.self, forKey: "john") })
        error.expect(.unreadableContent, key: "john", type: "Person", requestedType: "City")
        #expect(error.message.hasPrefix(#""zipCode": missing. The content of "john", JSON text that was"#))
        #expect(error.underlying is DecodingError)
        #expect(try cache.typeName(forKey: "john") == "Person")
        try cache.expect(Person.john, forKey: "john")
    }

    @Test func `A value of another type replaces the one under its key, with its type`() throws {
        try cache.set(Person.john, forKey: "key")
        try cache.set(City(zipCode: 1), forKey: "key")
        try cache.expect(City(zipCode: 1), forKey: "key")
        #expect(try cache.typeName(forKey: "key") == "City")
        #expect(try cache.count() == 1)
    }

    @Test func `A value is set over one that another cache has replaced or removed since`() throws {
        let other = try CodableCache(at: scratch.file())
        try cache.set(Person.john, forKey: "key")
        try other.set(City(zipCode: 1), forKey: "key")
        try cache.set(Person.john, forKey: "key")
        try cache.expect(Person.john, forKey: "key")
        #expect(try cache.typeName(forKey: "key") == "Person")
        try other.remove(forKey: "key")
        try cache.set(Person.john, forKey: "key")
        try cache.expect(Person.john, forKey: "key")
        #expect(try cache.count() == 1)
    }

    @Test func `A value that is set over an expired one counts as created then`() throws {
        let clock = Clock(1_000)
        let file = scratch.file("expiring.molt")
        let cache = try CodableCache(at: file, configuration: .init { $0.now = { clock.date } })
        for (seconds, created) in [(1_000, 1_000), (1_005, 1_000), (1_020, 1_020)] {
            clock.advance(to: Double(seconds))
            try cache.set(Person.john, forKey: "key", expiry: .after(seconds: 10))
            let rows = try SQLite(file).rows("SELECT created_at, updated_at, expires_at FROM molt_record")
            #expect(rows == [["\(created).0", "\(seconds).0", "\(seconds + 10).0"]])
        }
    }

    @Test func `A decoding error begins with the property, and contains no value`() throws {
        struct Visit: Codable { var rooms: [String: [Int]] }
        try cache.set(["rooms": ["s3cret": ["s3cret"]]], forKey: "visit")
        let error = try #require(MoltError.thrown { try cache.value(Visit.self, forKey: "visit") })
        #expect(error.message.hasPrefix(#""rooms.….0": Int expected, string found. The content of "visit", "#))
        #expect(!error.debugDescription.contains("s3cret"))
    }

    @Test func `Corrupt content is an error that does not contain it`() throws {
        try cache.set(Person.john, forKey: "john")
        try SQLite(scratch.file()).run("UPDATE molt_record SET content = '{\"secret'")
        let error = try #require(MoltError.thrown { try cache.value(Person.self, forKey: "john") })
        error.expect(.unreadableContent)
        for words in [error.description, error.debugDescription, error.localizedDescription] {
            #expect(!words.contains("secret"))
            #expect(words.contains("Person"))
        }
        #expect(!error.description.contains("\n"))
        #expect(try SQLite(scratch.file()).text("SELECT content FROM molt_record") == "{\"secret")
    }

    @Test func `Raw data is stored as it is`() throws {
        let data = Data([0, 255, 0x7B])
        try cache.set(data, forKey: "raw")
        try cache.set(Data(), forKey: "empty")
        for (key, bytes) in ["raw": data, "empty": Data()] {
            #expect(try cache.data(forKey: key) == bytes)
            try cache.expect(bytes, forKey: key)
        }
        let count = try SQLite(scratch.file()).text("SELECT count(*) FROM molt_record WHERE typeof(content) = 'blob'")
        #expect(count == "2")
        MoltError.thrown { try cache.value(Person.self, forKey: "raw") }
    }

    @Test func `Values of alternating types keep their type names, and an optional has its value's`() throws {
        let keys = ["nobody", "john", "number", "jim", "named", "data"]
        let types: [String?] = ["Optional<Person>", "Person", "Int", "Person", "stable-name", "Data"]
        func setAll(_ set: (any Encodable, String) throws -> Void) throws {
            let values: [any Encodable] = [
                Person?.none, Person.john as Person?, 1, Person.john, Named(), Data([1]) as Data?,
            ]
            for (key, value) in zip(keys, values) { try set(value, key) }
        }
        for isBatch in [false, true, false, true] {
            if isBatch {
                try cache.batch { batch in try setAll { try batch.set($0, forKey: $1) } }
            } else {
                try setAll { try cache.set($0, forKey: $1) }
            }
            let found = try keys.map { try cache.typeName(forKey: $0) }
            #expect(found == types)
            for _ in 1...2 {
                let entries: [String?] = [
                    try cache.entry(Person?.self, forKey: "nobody")?.typeName,
                    try cache.entry(Person.self, forKey: "john")?.typeName,
                    try cache.entry(Int.self, forKey: "number")?.typeName,
                    try cache.entry(Person.self, forKey: "jim")?.typeName,
                ]
                #expect(entries == Array(types[..<4]))
            }
            let people = try cache.values(of: Person.self).map(\.value)
            #expect(people == [.john, .john])
            #expect(try cache.keys(of: Named.self) == ["named"])
            #expect(try cache.data(forKey: "data") == Data([1]))
            #expect(try cache.value(Person?.self, forKey: "nobody") == .some(nil))
            try cache.removeAll()
        }
    }

    @Test func `A value that is too large for SQLite is an error, and the previous value stays`() throws {
        try cache.set(1, forKey: "key")
        let error = try #require(MoltError.thrown { try cache.set(Data(count: 1_000_000_001), forKey: "key") })
        error.expect(.tooLarge, key: "key")
        try cache.expect(1, forKey: "key")
    }

    @Test func `The registry's coders are used`() throws {
        let coding = RecordCoding { encoder, decoder in
            encoder.dateEncodingStrategy = .iso8601
            decoder.dateDecodingStrategy = .iso8601
        }
        let cache = try CodableCache(at: scratch.file("dates"), migrations: MigrationRegistry().coding(coding))
        try cache.set([Date(timeIntervalSince1970: 0)], forKey: "dates")
        let content = try SQLite(scratch.file("dates")).text("SELECT content FROM molt_record")
        #expect(content == #"["1970-01-01T00:00:00Z"]"#)
        try cache.expect([Date(timeIntervalSince1970: 0)], forKey: "dates")
    }

    @Test func `An entry has dates, size and type, and new dates if its key was set after it had expired`() throws {
        let clock = Clock(1_000)
        let cache = try CodableCache(at: scratch.file("entries"), configuration: .init { $0.now = { clock.date } })
        try cache.set([1], forKey: "key", expiry: .after(seconds: 500))
        clock.advance(to: 1_100)
        try cache.set([1, 2], forKey: "key", expiry: .after(seconds: 500))
        let entry = try #require(try cache.entry([Int].self, forKey: "key"))
        #expect(entry.value == [1, 2])
        #expect(entry.key == "key")
        #expect(entry.typeName == "Array<Int>")
        #expect(entry.size == 5)
        #expect(abs(entry.created.timeIntervalSince1970 - 1_000) < 1)
        #expect(abs(entry.updated.timeIntervalSince1970 - 1_100) < 1)
        #expect(entry.expiration == Date(timeIntervalSince1970: 1_600))

        clock.advance(to: 2_000)
        try cache.set([3], forKey: "key")
        let next = try #require(try cache.entry([Int].self, forKey: "key"))
        #expect(abs(next.created.timeIntervalSince1970 - 2_000) < 1)
        #expect(next.expiration == nil)
    }

    @Test func `A value is set over one of another type that was read as its own, and after a removal`() throws {
        try cache.set(Person.john, forKey: "john")
        let again = try CodableCache(at: scratch.file())
        let alien = Alien(firstName: "John", lastName: "Appleseed")
        try again.expect(alien, forKey: "john")
        for _ in 0..<2 {
            try again.set(alien, forKey: "john")
            #expect(try again.typeName(forKey: "john") == "Alien")
            #expect(try [again.count(of: Person.self), again.count(of: Alien.self)] == [0, 1])
            #expect(try again.remove(forKey: "john"))
        }
    }

    @Test func `Keys, values and counts can be read by type`() throws {
        try cache.set(Person.john, forKey: "john")
        try cache.set(City(zipCode: 1), forKey: "city")
        try cache.set(Person.jane, forKey: "jane")
        try cache.expect(keys: ["john", "city", "jane"])
        #expect(try cache.keys(of: Person.self) == ["john", "jane"])
        let counts = [try cache.count(), try cache.count(of: Person.self), try cache.count(of: Alien.self)]
        #expect(counts == [3, 2, 0])
        let people = try cache.values(of: Person.self).map { "\($0.key): \($0.value.firstName)" }
        #expect(people == ["john: John", "jane: Jane"])
        try cache.removeAll(of: Person.self)
        try cache.expect(keys: ["city"])
        try cache.removeAll()
        try cache.expect(keys: [])
    }

    @Test func `Values of a type can be read despite one that cannot be decoded`() throws {
        try cache.set(Person.john, forKey: "john")
        try cache.set(Person.jane, forKey: "misfit")
        try cache.set(Person.jane, forKey: "jane")
        try SQLite(scratch.file()).run("UPDATE molt_record SET content = '{}' WHERE key = 'misfit'")
        var failures: [MoltError] = []
        let people = try cache.values(of: Person.self) { failures.append($0) }.map(\.value)
        #expect(people == [.john, .jane])
        #expect(failures.count == 1)
        failures.first?.expect(.unreadableContent, key: "misfit")
        MoltError.thrown { try cache.values(of: Person.self) }?.expect(.unreadableContent, key: "misfit")
    }

    @Test func `A closed cache throws an error, and closing it again has no effect`() throws {
        try cache.set(1, forKey: "one")
        try cache.expect(1, forKey: "one")
        cache.close()
        cache.close()
        MoltError.thrown { try cache.value(Int.self, forKey: "one") }?.expect(.closed)
        MoltError.thrown { try cache.set(1, forKey: "one") }?.expect(.closed)
        MoltError.thrown { try cache.keys() }?.expect(.closed)
        MoltError.thrown { try cache.totalSize() }?.expect(.closed)
    }

    @Test func `A cache in memory works like a file, and both have a size`() throws {
        let memory = try CodableCache(inMemory: [Migration(to: 4, "fourth")])
        #expect(memory.version == 4)
        try memory.set(Person.john, forKey: "john")
        try memory.expect(Person.john, forKey: "john")
        #expect(try CodableCache(inMemory: []).count() == 0)
        for cache in [cache, memory] {
            try cache.set(Data(count: 100_000), forKey: "big")
            #expect(try cache.totalSize() > 100_000)
        }
    }
}
