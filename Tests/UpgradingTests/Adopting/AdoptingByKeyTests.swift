import Foundation
import Molt
import MoltTesting
import Testing

/// A directory that Cache 7 itself wrote, adopted by the keys that it was written with.
@Suite struct `Adopting a Cache directory by its keys` {
    let old: OldDirectory

    init() throws {
        old = try OldDirectory("Floppy")
    }

    @Test func `Every entry keeps its content and its expiry, and nothing is written to the directory`() throws {
        let cache = try old.open(old.adoption(.list(FloppyKeys.all), FloppyKeys.type))
        let stored = try Snapshot(of: old.store)
        #expect(stored.keys == FloppyKeys.all.filter { $0 != "expired" })
        for file in old.archived {
            guard let key = FloppyKeys.all.first(where: { file.name.contains(MD5.hexadecimal(of: $0.utf8)) }),
                key != "expired"
            else { continue }
            let record = try #require(stored[key])
            var expected = StoredRecord("Data", key, data: Array(file.content))
            if let type = FloppyKeys.type(key).typeName {
                let value = file.content.dropFirst(#"{"object":"#.utf8.count).dropLast()
                expected = StoredRecord(type, key, String(decoding: value, as: UTF8.self))
            }
            expected.version = 1
            expected.expiration = record.expiration
            #expect(record == expected)
            // SQLite prints 15 digits.
            let end = file.modified == OldDirectory.never ? nil : file.modified / 100_000
            #expect(record.expiration.map { Int64(($0 * 10_000).rounded(.down)) } == end)
        }
        #expect(cache.report.counts.created == 112)
        #expect(try old.contents() == Set(old.archived))
    }

    @Test func `Values can be read as the types with which Cache wrote them`() throws {
        let cache = try old.open(old.adoption(.list(FloppyKeys.all), FloppyKeys.type))
        let friends = ["person-7": 7, "in1h": 8, "photo.json": 9, "https://example.com/a/b.png?x=1": 10]
        for (key, id) in friends { try cache.expectFriend(id, forKey: key) }
        func expect<Value: Codable & Equatable & Sendable>(_ value: Value, _ key: String) throws {
            let found = try cache.value(Value.self, forKey: key)
            #expect(found == value, "\(key)")
        }
        try expect(42, "int")
        try expect("hello", "string")
        try expect(true, "bool")
        try expect(Date(timeIntervalSinceReferenceDate: -978_307_100), "date")
        try expect(Data([1, 2, 3]).base64EncodedString(), "dataCodable")
        try expect([Friend(1), Friend(2)], "array")
        try expect(Int?.none, "optnil")
        #expect(try cache.data(forKey: "raw") == Data("raw bytes".utf8))
    }

    @Test(arguments: [false, true])
    func `One type name serves for all entries, or a closure names that of each key`(isClosure: Bool) throws {
        let keys = CacheDirectory.Keys.list(["int", "raw"])
        let migration: Migration =
            if isClosure {
                .adoptCacheDirectory(
                    to: 1,
                    directory: CacheDirectory(at: old.url, keys: keys) { $0 == "int" ? "Int" : .data }
                )
            } else {
                .adoptCacheDirectory(to: 1, directory: CacheDirectory(at: old.url, keys: keys, type: "Int"))
            }
        let cache = try old.open(migration)
        // The key of the last one is not listed, and an entry that is no value is data.
        let types = try ["int", "raw", old.file("string").lastPathComponent].map { try cache.typeName(forKey: $0) }
        #expect(types == ["Int", "Data", isClosure ? "Data" : "Int"])
    }

    @Test func `A directory is adopted once`() throws {
        let adoption = old.adoption(.list(FloppyKeys.people))
        let first = try old.open(adoption)
        try first.remove(forKey: "person-0")
        try first.set(1, forKey: "person-1")
        first.close()
        let second = try old.open(adoption)
        #expect(second.report.isEmpty)
        try second.expectCount(111)
        #expect(try second.value(Int.self, forKey: "person-1") == 1)
    }

    @Test(arguments: [false, true], [false, true])
    func `An existing record is kept, or replaced on request, also under a key from a value`(
        replaces: Bool,
        isFromValue: Bool
    ) throws {
        try old.set("mine", forKey: "person-0")
        let keys: CacheDirectory.Keys =
            isFromValue ? .fromValues { "person-\(try $0.int("id"))" } : .list(["person-0", "person-1"])
        let cache = try old.open(old.adoption(keys, onConflict: replaces ? .replace : .keep))
        if !replaces {
            #expect(try cache.value(String.self, forKey: "person-0") == "mine")
        } else {
            try cache.expectFriend(0, forKey: "person-0")
            #expect(try cache.typeName(forKey: "person-0") == "Person")
        }
        if !isFromValue { #expect(cache.report.keys.first?.outcome == (replaces ? .replaced : .kept)) }
        try cache.expectCount(112)
    }

    @Test func `An existing record fails an adoption that says so, and nothing is changed`() throws {
        try old.set("mine", forKey: "person-0")
        let adoption = old.adoption(.list(["person-0"]), onConflict: .fail, removingSource: true)
        let names = try old.names
        MoltError.thrown { try old.open(adoption) }?.expect(.keyExists, key: "person-0", outcome: .rolledBack)
        #expect(try old.names == names)
        try old.open().expectCount(1)
    }

    @Test func `An in-memory store adopts a directory, too`() throws {
        let cache = try CodableCache(inMemory: [old.adoption(.list(FloppyKeys.people))])
        try cache.expectFriend(3, forKey: "person-3")
        try cache.expectFriend(9, forKey: CacheDirectory.fileName(forKey: "photo.json"))
    }

    @Test(arguments: ["/a/Floppy", "/b/Other"])
    func `The fingerprint is the same in all releases of Molt, wherever the directory is`(path: String) {
        let directory = URL(filePath: path)
        let migration = Migration.adoptCacheDirectory(
            to: 1,
            directory: CacheDirectory(at: directory, keys: .list(["key"]), type: "Person")
        )
        #expect(migration.fingerprint == "2feb03004bbb3f979b573fab1b953f8c")
    }
}
