import Foundation
import Testing

@testable import Molt

/// A type with more records than a batch is read through a second connection while the previous batch is written.
@Suite struct `A pass over many batches` {
    private struct Item: Codable, Equatable, Sendable {
        var n: Int
        var seen: [String]?
    }

    private struct Other: Codable, Equatable, Sendable {
        var n: Int
        var seen: [String]?
    }

    private let scratch: ScratchDirectory
    private let count = 1_500

    init() throws {
        scratch = try ScratchDirectory()
        let cache = try CodableCache(at: scratch.file())
        // The types alternate, so that one scan meets both.
        try cache.batch { batch in
            for n in 0..<count {
                try batch.set(Item(n: n), forKey: "item \(n)")
                try batch.set(Other(n: n), forKey: "other \(n)")
            }
        }
        cache.close()
    }

    private static func see(_ word: String) -> @Sendable (inout Record) throws -> Void {
        { record in
            var seen = record.contains("seen") ? try record.value("seen", as: [String].self) : []
            seen.append(word)
            record["seen"] = .array(seen.map { .string($0) })
        }
    }

    @discardableResult
    private func upgraded(_ steps: MigrationStep...) throws -> CodableCache {
        let cache = try CodableCache(at: scratch.file(), migrations: [Migration(to: 1, "all", steps: steps)])
        #expect(try SQLite(scratch.file()).text("PRAGMA integrity_check") == "ok")
        return cache
    }

    private func check(_ cache: CodableCache, items: [String]?, others: [String]?) throws {
        #expect(try cache.values(of: Item.self).map(\.value) == (0..<count).map { Item(n: $0, seen: items) })
        #expect(try cache.values(of: Other.self).map(\.value) == (0..<count).map { Other(n: $0, seen: others) })
    }

    @Test func `changes each record of each type once, in the order of ids`() throws {
        let cache = try upgraded(
            .transform("Item", Self.see("a")),
            .transform("Other", Self.see("b")),
            .transform("Item", Self.see("c"))
        )
        try check(cache, items: ["a", "c"], others: ["b"])
    }

    @Test func `sees the changes of blocks before it, and its changes are seen by blocks after it`() throws {
        let cache = try upgraded(
            .transform("Item", Self.see("pass")),
            .run { migration in
                try migration.enumerate("Item") { old, new in
                    #expect(try old.value("seen", as: [String].self) == ["pass"])
                    try Self.see("block")(&new)
                }
            },
            .transform("Item", Self.see("last")),
            .transform("Other", Self.see("last"))
        )
        try check(cache, items: ["pass", "block", "last"], others: ["last"])
    }

    @Test func `upgrades the opened file, even if the link to it is redirected meanwhile`() throws {
        let other = scratch.file("other.molt")
        let others = try CodableCache(at: other)
        try others.setAll((0..<count).map { (key: "item \($0)", value: Item(n: -1)) })
        others.close()
        let link = scratch.file("link.molt")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: scratch.file())
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "all",
                .run { _ in
                    try FileManager.default.removeItem(at: link)
                    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other)
                },
                .transform("Item", Self.see("a"))
            )
        ]
        let error = #expect(throws: MoltError.self) { _ = try CodableCache(at: link, migrations: migrations) }
        #expect(error?.code == .fileReplaced)
        try check(CodableCache(at: scratch.file(), migrations: migrations), items: ["a"], others: nil)
        let untouched = try CodableCache(at: other)
        #expect(try untouched.values(of: Item.self).map(\.value) == Array(repeating: Item(n: -1), count: count))
    }

    @Test func `leaves neither a lock nor a file beside the store, whether it succeeds or fails`() throws {
        #expect(throws: MoltError.self) {
            try upgraded(.transform("Item") { if try $0.int("n") == 1_400 { throw Refusal(value: "n") } })
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == [scratch.file().lastPathComponent]
        )

        let cache = try upgraded(.transform("Item", Self.see("a")))
        // The whole log has been checkpointed, because no reader holds an older snapshot.
        #expect(try SQLite(scratch.file()).rows("PRAGMA wal_checkpoint(TRUNCATE)") == [["0", "0", "0"]])
        try check(cache, items: ["a"], others: nil)
        cache.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == [scratch.file().lastPathComponent]
        )
    }

    @Test func `works beside a reader with an older snapshot, and with a log that is not checkpointed`() throws {
        let writer = try CodableCache(at: scratch.file())
        try writer.set(Item(n: 0, seen: ["log"]), forKey: "item 0")
        let reader = try SQLite(scratch.file())
        try reader.run("BEGIN")
        #expect(try reader.text("SELECT count(*) FROM molt_record") == String(2 * count))

        let cache = try upgraded(.transform("Item", Self.see("a")))

        #expect(try cache.value(Item.self, forKey: "item 0") == Item(n: 0, seen: ["log", "a"]))
        #expect(try cache.value(Item.self, forKey: "item 1") == Item(n: 1, seen: ["a"]))
        #expect(try reader.text("SELECT count(*) FROM molt_record WHERE version = 0") == String(2 * count))
    }

    @Test func `converts with coders of the same configuration on each core`() throws {
        let word = try #require(CodingUserInfoKey(rawValue: "word"))
        let coding = RecordCoding { encoder, decoder in
            encoder.dateEncodingStrategy = .iso8601
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dataEncodingStrategy = .base64
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf",
                negativeInfinity: "-inf",
                nan: "nan"
            )
            encoder.outputFormatting = .prettyPrinted
            encoder.userInfo[word] = "written"
            decoder.dateDecodingStrategy = .iso8601
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            decoder.dataDecodingStrategy = .base64
            decoder.allowsJSON5 = true
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf",
                negativeInfinity: "-inf",
                nan: "nan"
            )
            decoder.userInfo[word] = "read"
        }
        let url = scratch.file("coded")
        let cache = try CodableCache(at: url, migrations: MigrationRegistry().coding(coding))
        let values = (0..<count).map {
            Odd(someDate: Date(timeIntervalSince1970: Double($0)), someData: Data([1]), aNumber: .infinity)
        }
        try cache.setAll(values.enumerated().lazy.map { (key: String($0), value: $1) })
        cache.close()

        let upgraded = try CodableCache(
            at: url,
            migrations: MigrationRegistry([
                Migration(to: 1, "same", .convert("Odd", from: Odd.self, to: Odd.self) { $0 })
            ]).coding(coding)
        )

        let rows = try SQLite(url).rows("SELECT content, version FROM molt_record ORDER BY id")
        #expect(rows.map { $0[1] } == Array(repeating: "1", count: count))
        #expect(
            try rows.map { $0[0] } == values.map { String(decoding: try coding.encoder.encode($0.read), as: UTF8.self) }
        )
        upgraded.close()
    }
}

/// Uses every option of the coders.
private struct Odd: Codable, Sendable {
    var someDate: Date
    var someData: Data
    var aNumber: Double
    var words: [String] = []

    private enum CodingKeys: String, CodingKey {
        case someDate, someData, aNumber, words
    }

    init(someDate: Date, someData: Data, aNumber: Double) {
        self.someDate = someDate
        self.someData = someData
        self.aNumber = aNumber
    }

    /// The value that results from encoding and decoding this one.
    var read: Odd {
        var read = self
        read.words = words + ["written", "read"]
        return read
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        someDate = try container.decode(Date.self, forKey: .someDate)
        someData = try container.decode(Data.self, forKey: .someData)
        aNumber = try container.decode(Double.self, forKey: .aNumber)
        words = try container.decode([String].self, forKey: .words)
        if let word = decoder.userInfo.values.first as? String { words.append(word) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(someDate, forKey: .someDate)
        try container.encode(someData, forKey: .someData)
        try container.encode(aNumber, forKey: .aNumber)
        let word = encoder.userInfo.values.first as? String
        try container.encode(words + (word.map { [$0] } ?? []), forKey: .words)
    }
}
