import Foundation
import Testing

@testable import Molt

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
        #expect(try again.value(Person.self, forKey: "john") == .john)
        #expect(try again.remove(forKey: "john"))
        for key in ["john", "nobody"] {
            #expect(try again.value(Person.self, forKey: key) == nil)
            #expect(try again.data(forKey: key) == nil)
            #expect(try again.entry(Person.self, forKey: key) == nil)
            #expect(try again.typeName(forKey: key) == nil)
            #expect(try !again.contains(key))
            #expect(try !again.remove(forKey: key))
        }
    }

    @Test func `Setting a key again replaces the value and its type`() throws {
        try cache.set(Person.john, forKey: "key")
        try cache.set(City(zipCode: 1), forKey: "key")
        #expect(try cache.value(City.self, forKey: "key") == City(zipCode: 1))
        #expect(try cache.typeName(forKey: "key") == "City")
        #expect(try cache.count() == 1)
    }

    @Test func `Scalars, arrays and dictionaries can be stored`() throws {
        try cache.set(42, forKey: "int")
        try cache.set("text", forKey: "string")
        try cache.set([1.5, 2], forKey: "array")
        try cache.set(["a": true], forKey: "dictionary")
        try cache.set(Int?.none, forKey: "nothing")
        #expect(try cache.value(Int.self, forKey: "int") == 42)
        #expect(try cache.value(String.self, forKey: "string") == "text")
        #expect(try cache.value([Double].self, forKey: "array") == [1.5, 2])
        #expect(try cache.value([String: Bool].self, forKey: "dictionary") == ["a": true])
        #expect(try cache.value(Int?.self, forKey: "nothing") == .some(nil))
    }

    @Test func `A value can be read as a type with the same structure, and not as one with another`() throws {
        try cache.set(Person.john, forKey: "john")
        #expect(try cache.value(Alien.self, forKey: "john") == Alien(firstName: "John", lastName: "Appleseed"))
        #expect(throws: MoltError.self) { try cache.data(forKey: "john") }?.expect(.unreadableContent, type: "Person")
        let error = #expect(throws: MoltError.self) { try cache.value(City.self, forKey: "john") }
        error?.expect(.unreadableContent, key: "john", type: "Person", requestedType: "City")
        #expect(error?.message.hasPrefix(#""zipCode": missing. The content of "john", JSON text that was"#) == true)
        #expect(error?.underlying is DecodingError)
        #expect(try cache.typeName(forKey: "john") == "Person")
        #expect(try cache.value(Person.self, forKey: "john") == .john)
    }

    @Test func `A decoding error begins with the property, and contains no value`() throws {
        struct Visit: Codable { var rooms: [String: [Int]] }
        try cache.set(["rooms": ["s3cret": ["s3cret"]]], forKey: "visit")
        let error = #expect(throws: MoltError.self) { try cache.value(Visit.self, forKey: "visit") }
        #expect(error?.message.hasPrefix(#""rooms.….0": Int expected, string found. The content of "visit", "#) == true)
        #expect(error?.debugDescription.contains("s3cret") == false)
    }

    @Test func `Corrupt content is an error that does not contain it`() throws {
        try cache.set(Person.john, forKey: "john")
        try SQLite(scratch.file()).run("UPDATE molt_record SET content = '{\"secret'")
        let error = try #require(throws: MoltError.self) { try cache.value(Person.self, forKey: "john") }
        #expect(error.code == .unreadableContent)
        for words in [error.description, error.debugDescription, error.localizedDescription] {
            #expect(!words.contains("secret"))
            #expect(words.contains("Person"))
        }
        #expect(!error.description.contains("\n"))
        #expect(try SQLite(scratch.file()).text("SELECT content FROM molt_record") == "{\"secret")
    }

    @Test func `A value that cannot be encoded is an error that names the key`() throws {
        let error = #expect(throws: MoltError.self) { try cache.set(Double.nan, forKey: "nan") }
        error?.expect(.notEncodable, key: "nan")
        let message = """
            The content: JSON has no NaN and no infinity. The value of type Double for "nan" was not stored.
            """
        #expect(error?.message == message)
        #expect(try !cache.contains("nan"))
    }

    @Test func `Raw data is stored as it is`() throws {
        let data = Data([0, 255, 0x7B])
        try cache.setData(data, forKey: "raw")
        try cache.set(Data(), forKey: "empty")
        #expect(try cache.data(forKey: "raw") == data)
        #expect(try cache.value(Data.self, forKey: "raw") == data)
        #expect(try cache.data(forKey: "empty") == Data())
        #expect(
            try SQLite(scratch.file()).text("SELECT count(*) FROM molt_record WHERE typeof(content) = 'blob'") == "2"
        )
        #expect(throws: MoltError.self) { try cache.value(Person.self, forKey: "raw") }
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
            #expect(try keys.map { try cache.typeName(forKey: $0) } == types)
            for _ in 1...2 {
                #expect(try cache.entry(Person.self, forKey: "john")?.typeName == "Person")
                #expect(try cache.entry(Int.self, forKey: "number")?.typeName == "Int")
                #expect(try cache.entry(Person?.self, forKey: "nobody")?.typeName == "Optional<Person>")
                #expect(try cache.entry(Person.self, forKey: "jim")?.typeName == "Person")
            }
            #expect(try cache.values(of: Person.self).map(\.value) == [.john, .john])
            #expect(try cache.keys(of: Named.self) == ["named"])
            #expect(try cache.data(forKey: "data") == Data([1]))
            #expect(try cache.value(Person?.self, forKey: "nobody") == .some(nil))
            try cache.removeAll()
        }
    }

    @Test func `A value that is too large for SQLite is an error, and the previous value stays`() throws {
        try cache.set(1, forKey: "key")
        #expect(throws: MoltError.self) {
            try cache.setData(Data(count: 1_000_000_001), forKey: "key")
        }?.expect(.tooLarge, key: "key")
        #expect(try cache.value(Int.self, forKey: "key") == 1)
    }

    @Test func `The registry's coders are used`() throws {
        let coding = RecordCoding { encoder, decoder in
            encoder.dateEncodingStrategy = .iso8601
            decoder.dateDecodingStrategy = .iso8601
        }
        let cache = try CodableCache(at: scratch.file("dates"), migrations: MigrationRegistry().coding(coding))
        try cache.set([Date(timeIntervalSince1970: 0)], forKey: "dates")
        #expect(
            try SQLite(scratch.file("dates")).text("SELECT content FROM molt_record") == #"["1970-01-01T00:00:00Z"]"#
        )
        #expect(try cache.value([Date].self, forKey: "dates") == [Date(timeIntervalSince1970: 0)])
    }

    @Test func `An entry has dates, size and type`() throws {
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
    }

    @Test func `Two spellings of the same letter are two keys, in memory as well`() throws {
        try cache.set(1, forKey: "é")
        try cache.set(2, forKey: "e\u{301}")
        for _ in 0..<2 {
            #expect(try cache.value(Int.self, forKey: "é") == 1)
            #expect(try cache.value(Int.self, forKey: "e\u{301}") == 2)
        }
        #expect(try cache.count() == 2)
        #expect(try cache.values(of: Int.self).map(\.value) == [1, 2])
    }

    @Test func `Keys, values and counts can be read by type`() throws {
        try cache.set(Person.john, forKey: "john")
        try cache.set(City(zipCode: 1), forKey: "city")
        try cache.set(Person.jane, forKey: "jane")
        #expect(try cache.keys() == ["john", "city", "jane"])
        #expect(try cache.keys(of: Person.self) == ["john", "jane"])
        #expect(try cache.count() == 3)
        #expect(try cache.count(of: Person.self) == 2)
        #expect(try cache.count(of: Alien.self) == 0)
        #expect(try cache.values(of: Person.self).map(\.key) == ["john", "jane"])
        #expect(try cache.values(of: Person.self).map(\.value) == [.john, .jane])
        try cache.removeAll(of: Person.self)
        #expect(try cache.keys() == ["city"])
        try cache.removeAll()
        #expect(try cache.count() == 0)
    }

    @Test func `Values of a type can be read despite one that cannot be decoded`() throws {
        try cache.set(Person.john, forKey: "john")
        try cache.set(Person.jane, forKey: "misfit")
        try cache.set(Person.jane, forKey: "jane")
        try SQLite(scratch.file()).run("UPDATE molt_record SET content = '{}' WHERE key = 'misfit'")
        var failures: [MoltError] = []
        #expect(try cache.values(of: Person.self) { failures.append($0) }.map(\.value) == [.john, .jane])
        #expect(failures.map(\.key) == ["misfit"])
        #expect(failures.map(\.code) == [.unreadableContent])
        #expect(throws: MoltError.self) { try cache.values(of: Person.self) }?.expect(key: "misfit")
    }

    @Test func `A closed cache throws an error, and closing it again has no effect`() throws {
        try cache.set(1, forKey: "one")
        #expect(try cache.value(Int.self, forKey: "one") == 1)
        cache.close()
        cache.close()
        for call in [
            { _ = try cache.value(Int.self, forKey: "one") }, { try cache.set(1, forKey: "one") },
            { _ = try cache.keys() }, { _ = try cache.totalSize() },
        ] as [() throws -> Void] {
            #expect(throws: MoltError.self) { try call() }?.expect(.closed)
        }
    }

    @Test func `A cache in memory works like a file, and both have a size`() throws {
        let memory = try CodableCache(inMemory: [Migration(to: 4, "fourth")])
        #expect(memory.schemaVersion == 4)
        try memory.set(Person.john, forKey: "john")
        #expect(try memory.value(Person.self, forKey: "john") == .john)
        #expect(try CodableCache(inMemory: []).count() == 0)
        for cache in [cache, memory] {
            try cache.setData(Data(count: 100_000), forKey: "big")
            #expect(try cache.totalSize() > 100_000)
        }
    }
}
