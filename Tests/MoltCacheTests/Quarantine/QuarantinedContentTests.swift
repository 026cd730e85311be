import MoltCache
import MoltCore
import Testing

@Suite struct `The content of a record in quarantine` {
    static let contents: [(String, [UInt8])] = [
        ("plain", Array(#"{"n":1.0,"n":2,"\u006e\"":18446744073709551615}"#.utf8)),
        ("spaced", Array(" {\n \"a\" : [ 1 , 2 ] }\n".utf8)), ("inner", Array("{\n \"a\" : [ 1 , 2 ] }".utf8)),
        ("broken", Array("{\"a\":".utf8)), ("empty", []), ("bytes", [0x22, 0xFF, 0x22]),
        ("text", Array("\"\u{2028}é\"".utf8)),
        ("key \"with\" \n\u{0}\u{1F600}", Array("null".utf8)),
        ("deep", Array(repeating: 0x5B, count: 510) + Array(repeating: 0x5D, count: 510)),
    ]

    static func cache(_ old: OldStore) throws -> CodableCache {
        let step = MigrationStep.transform("T") { _ in throw Refusal() }
        let other = MigrationStep.transform("Data") { _ in throw Refusal() }
        return try FailurePolicyTests.open(old, registry(step, other), .quarantine(upTo: .none))
    }

    static func records() -> [StoredRecord] {
        var records = contents.map { key, bytes in
            var record = StoredRecord("T", key, "")
            record.content = bytes
            return record
        }
        records[0].expiration = 4e9 + 0.1
        records[1].expiration = .infinity
        return records + [StoredRecord("Data", "data", data: [0, 1, 255])]
    }

    @Test func `is kept byte for byte`() throws {
        let old = try OldStore(Self.records())
        // The store's directory is removed when `old` is released.
        defer { withExtendedLifetime(old) {} }
        let cache = try Self.cache(old)
        let records = try cache.quarantined()
        #expect(records.count == Self.contents.count + 1)
        let stored = Dictionary(uniqueKeysWithValues: Self.records().map { ($0.key, $0.content) })
        for record in records { #expect(Array(record.content) == stored[record.key]) }
        #expect(try cache.quarantinedCount == Self.contents.count + 1)
    }
}
