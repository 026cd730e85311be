import Foundation
import Molt
import Testing

/// A batch is encoded into chunks of one megabyte before it is written; the result equals setting each value by itself.
@Suite struct `Batches of changes` {
    let scratch: ScratchDirectory
    let cache: CodableCache

    init() throws {
        scratch = try ScratchDirectory()
        cache = try CodableCache(at: scratch.file())
    }

    /// Bytes that differ from those at every other place of a chunk.
    private func data(_ seed: Int, count: Int) -> Data {
        let words = (0..<count / 4 + 1).map { UInt32(truncatingIfNeeded: $0 &+ seed << 24) }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }

    private func rows() throws -> [[String]] {
        try SQLite(scratch.file()).rows(
            """
            SELECT hex(key), typeof(content), hex(content), name, version, expires_at
            FROM molt_record JOIN molt_type ON molt_type.id = type_id ORDER BY key
            """
        )
    }

    @Test func `A write that fails halfway is undone, in memory as well, and delivers no change`() async throws {
        try cache.set(0, forKey: "old")
        try cache.expect(0, forKey: "old")
        try SQLite(scratch.file()).run(
            """
            CREATE TRIGGER no BEFORE INSERT ON molt_record WHEN NEW.key = 'bad'
            BEGIN SELECT RAISE(ABORT, 'no'); END
            """
        )
        let changes = cache.changes()
        let error = try #require(
            MoltError.thrown {
                try cache.batch { batch in
                    try batch.set(1, forKey: "old")
                    try batch.set(1, forKey: "bad")
                }
            }
        )
        error.expect(.storeFailed)
        let failure = error.underlying as? SQLiteError
        #expect(failure?.resultCode == 19)
        try cache.expect(0, forKey: "old")
        try cache.expect(keys: ["old"])
        #expect(await cache.close(thenAll: changes) == [])
    }

    @Test func `Several values are read from one snapshot, in the order of the keys`() throws {
        try cache.setAll(["a": Person.john, "b": .jane])
        #expect(try cache.values(Person.self, forKeys: ["b", "nobody", "a", "b"]) == [.jane, nil, .john, .jane])
        #expect(try cache.values(Person.self, forKeys: []) == [])
    }

    // MARK: Large batches

    @Test(arguments: [
        ("around a chunk", [1_048_560, 1_048_570, 1_048_575, 1_048_576, 1_048_577, 1, 0]),
        ("more than a chunk each", [2_200_000, 1_100_000, 5, 1_100_000]),
        ("many to a chunk", Array(repeating: 3_001, count: 400)),
        ("none to anything", [0, 0, 0]),
        ("small, then large", [10, 1_048_566, 10, 700_000, 700_000]),
    ])
    func `Each value keeps its bytes, wherever a chunk ends`(name: String, sizes: [Int]) throws {
        let values = sizes.enumerated().map { (key: "k\($0)", value: data($0, count: $1)) }
        try cache.setAll(values)

        cache.close()
        let reopened = try CodableCache(at: scratch.file())
        #expect(try reopened.count() == values.count)
        for (key, value) in values { #expect(try reopened.data(forKey: key) == value, "\(key) of \(name)") }
    }

    @Test func `Each value is stored under its own key, whatever the key contains`() throws {
        let keys = ["", "a\u{0}b", "a", "é", "e\u{301}", String(repeating: "long ", count: 250_000), "🙂", "z"]
        try cache.setAll(keys.enumerated().map { (key: $1, value: $0) })

        let found = try cache.keys()
        let isSame = found.elementsEqual(keys) { $0.utf8.elementsEqual($1.utf8) }
        #expect(isSame)
        for (index, key) in keys.enumerated() { try cache.expect(index, forKey: key) }
    }

    @Test func `A batch leaves the same rows as setting one value after the other`() throws {
        let dates = [Date(timeIntervalSince1970: 4_000_000_000), Date(timeIntervalSince1970: 5_000_000_000)]
        func setAll(_ set: (any Encodable, String, CodableCache.Expiry?) throws -> Void) rethrows {
            // More types than the batch remembers, repeated, and some of them alternating.
            let values: [any Encodable] = [
                1, "two", 3.5, true, Data([5]), NamedAsData(), Person.john, [7], ["eight": 8], UInt8(9), Int8(10),
                Int?.some(11), Int?.none, Data(), Data?.some(Data([13])), [Person.jane],
            ]
            for round in 0..<3 {
                for (index, value) in values.enumerated() {
                    let expiry: [CodableCache.Expiry?] = [nil, .at(dates[0]), .never, .at(dates[1])]
                    try set(value, "\(round)-\(index)", expiry[index % 4])
                }
            }
        }
        try setAll { try cache.set($0, forKey: $1, expiry: $2) }
        let expected = try rows()
        try cache.removeAll()

        try cache.batch { batch in try setAll { try batch.set($0, forKey: $1, expiry: $2) } }

        #expect(expected.count == 48)
        #expect(try rows() == expected)
        #expect(try SQLite(scratch.file()).text("PRAGMA integrity_check") == "ok")
    }

    @Test func `A value that cannot be encoded is named, and nothing is written or delivered`() async throws {
        struct Measured: Codable {
            var text = String(repeating: "x", count: 1_000)
            var number = 1.5
        }
        try cache.set(0.5, forKey: "old")
        let before = try rows()
        let changes = cache.changes()

        var values = (0..<2_000).map { (key: "key \($0)", value: Measured()) }
        values[1_500].value.number = .nan
        let error = try #require(MoltError.thrown { try cache.setAll(values) })
        error.expect(.notEncodable, key: "key 1500")
        let message = """
            "number": JSON has no NaN and no infinity. The value of type Measured for "key 1500" was not stored.
            """
        #expect(error.message == message)
        let single = try #require(MoltError.thrown { try cache.set(Double.nan, forKey: "nan") })
        single.expect(.notEncodable, key: "nan")
        #expect(
            single.message
                == "The content: JSON has no NaN and no infinity. The value of type Double for \"nan\" was not stored."
        )
        #expect(try rows() == before)
        #expect(await cache.close(thenAll: changes).isEmpty)
    }

    @Test func `The last of several changes of a key in a batch counts, and all are delivered in order`() async throws {
        try cache.set(1, forKey: "old")
        let changes = cache.changes()
        try cache.batch { batch in
            try batch.set("first", forKey: "a")
            try batch.set(1, forKey: "b")
            // It begins a new chunk.
            try batch.set(data(1, count: 2_000_000), forKey: "large")
            batch.remove(forKey: "old")
            batch.remove(forKey: "nobody")
            try batch.set("second", forKey: "a")
            try batch.set("other type", forKey: "b")
            batch.remove(forKey: "large")
        }
        try cache.expect(keys: ["a", "b"])
        try cache.expect("second", forKey: "a")
        #expect(try cache.typeName(forKey: "b") == "String")
        let found = await cache.close(thenAll: changes).map(\.description).joined(separator: "\n")
        let expected = """
            set: "a" of type String
            set: "b" of type Int
            set: "large" of type Data
            removed: "old" of type Int
            set: "a" of type String
            set: "b" of type String
            removed: "large" of type Data
            """
        #expect(found == expected)
    }

    @Test func `An empty batch does not wait for a writer`() throws {
        let cache = try CodableCache(at: scratch.file("other.molt"), configuration: .init { $0.timeout = .zero })
        let other = try SQLite(scratch.file("other.molt"))
        try other.run("BEGIN IMMEDIATE")
        try cache.setAll([(key: String, value: Int)]())
        try cache.batch { _ in }
        // A batch with a change does wait.
        MoltError.thrown { try cache.setAll(["a": 1]) }
    }

    @Test func `A batch larger than the size limit keeps the values that were set last`() async throws {
        let cache = try CodableCache(at: scratch.file("limited.molt"), configuration: .init { $0.sizeLimit = 2_500 })
        let changes = cache.changes()
        try cache.setAll([
            (key: "a", value: Data(count: 1_000)), (key: "b", value: Data(count: 1_000)),
            (key: "too large", value: Data(count: 3_000)), (key: "a", value: Data(count: 1_200)),
            (key: "c", value: Data(count: 900)),
        ])
        try cache.expect(keys: ["a", "c"])
        #expect(try cache.contentSize() == 2_100)

        let found = await cache.close(thenAll: changes).map { "\($0.kind) \($0.key ?? "")" }
        let expected = ["set a", "set b", "set too large", "evicted too large", "set a", "set c", "evicted b"]
        #expect(found == expected)
    }
}

/// A value that is JSON text, under the type name of raw data.
private struct NamedAsData: Codable, RecordType {
    static var recordTypeName: String { "Data" }

    var number = 1
}
