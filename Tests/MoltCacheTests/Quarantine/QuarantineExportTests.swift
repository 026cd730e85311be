import Foundation
import MoltCache
import MoltCore
import MoltTesting
import Testing

@Suite struct `An export of the quarantine` {
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

    @Test func `holds every record byte for byte, and can be read back`() throws {
        let old = try OldStore(Self.records())
        let cache = try Self.cache(old)
        let url = old.directory.file("export.json")
        #expect(try cache.exportQuarantine(to: url) == Self.contents.count + 1)
        let export = try QuarantineExport(contentsOf: url)
        #expect(export.schemaVersion == 1)
        #expect(export.records == (try cache.quarantined()))
        let stored = Dictionary(uniqueKeysWithValues: Self.records().map { ($0.key, $0.content) })
        for record in export.records { #expect(Array(record.content) == stored[record.key]) }
        #expect(try cache.quarantinedCount == Self.contents.count + 1)
    }

    @Test func `is JSON that any reader takes, with content to be read in it, for the owner's eyes only`() throws {
        let old = try OldStore(Self.records())
        let url = old.directory.file("export.json")
        try Self.cache(old).exportQuarantine(to: url)
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
        let records = try #require(object?["records"] as? [[String: Any]])
        #expect(records.count == Self.contents.count + 1)
        let inner = records.first { $0["key"] as? String == "inner" }
        #expect((inner?["content"] as? [String: [Int]])?["a"] == [1, 2])
        let failure = records[0]["failure"] as? [String: Any]
        #expect((failure?["migration"] as? [String: Any])?["name"] as? String == "change")
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
        #expect(try !old.directory.names().contains { $0.hasSuffix(".part") })
    }

    @Test func `replaces nothing: no file, no directory, no link`() throws {
        let old = try OldStore(Self.records())
        let cache = try Self.cache(old)
        let file = old.directory.file("file")
        try Data("mine".utf8).write(to: file)
        let directory = old.directory.file("directory")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let link = old.directory.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: old.directory.file("nowhere"))
        for url in [file, directory, link] {
            let error = #expect(throws: CacheError.self) { try cache.exportQuarantine(to: url) }
            #expect(error?.code == .fileExists)
        }
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
        #expect(try !old.directory.names().contains("nowhere"))
        let missing = #expect(throws: CacheError.self) {
            try cache.exportQuarantine(to: old.directory.file("none/there.json"))
        }
        #expect(missing?.code == .storeFailed)
        #expect(try !old.directory.names().contains { $0.hasSuffix(".part") })
    }

    @Test func `of nothing is empty`() throws {
        let old = try OldStore([StoredRecord("Other", "a", "{}")])
        let url = old.directory.file("export.json")
        #expect(try Self.cache(old).exportQuarantine(to: url) == 0)
        #expect(try QuarantineExport(contentsOf: url).records == [])
    }

    @Test func `is told from other files`() throws {
        let directory = try ScratchDirectory()
        let texts = [
            "", "{}", "[]", "\u{FF}", #"{"moltQuarantine":2,"schemaVersion":1,"records":[]}"#,
            #"{"moltQuarantine":1,"schemaVersion":1,"records":[{"id":1}]}"#, #"{"moltQuarantine":1,"records":[]}"#,
        ]
        for text in texts {
            try Data(text.utf8).write(to: directory.file())
            let error = #expect(throws: CacheError.self) { try QuarantineExport(contentsOf: directory.file()) }
            #expect(error?.code == .notAnExport)
        }
        let error = #expect(throws: CacheError.self) { try QuarantineExport(contentsOf: directory.file("none")) }
        #expect(error?.code == .fileMissing)
    }
}
