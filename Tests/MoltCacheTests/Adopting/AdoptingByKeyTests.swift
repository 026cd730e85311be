import Foundation
import MoltTesting
import Testing

@testable import Molt

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
            let isData = key == "raw"
            #expect(record.isData == isData)
            #expect(Data(record.content) == (isData ? file.content : file.content.dropFirst(10).dropLast()))
            #expect(record.version == 1)
            // SQLite prints 15 digits.
            let end = file.modified == OldDirectory.never ? nil : file.modified / 100_000
            #expect(record.expiration.map { Int64(($0 * 10_000).rounded(.down)) } == end)
        }
        #expect(cache.report.counts.created == 112)
        #expect(try old.contents() == Set(old.archived))
    }

    @Test func `Every value can be read, and has the declared type`() throws {
        let cache = try old.open(old.adoption(.list(FloppyKeys.all), FloppyKeys.type))
        let others = ["in1h": 8, "photo.json": 9, "https://example.com/a/b.png?x=1": 10, "ünïcode ключ 🔑": 11]
        for (key, id) in others { #expect(try cache.value(forKey: key) == Friend(id)) }
        for (id, key) in FloppyKeys.people.enumerated() {
            #expect(try cache.value(Friend.self, forKey: key) == Friend(id))
        }
        #expect(try cache.value(Friend.self, forKey: "expired") == nil)
        #expect(try cache.value(Int.self, forKey: "int") == 42)
        #expect(try cache.value(String.self, forKey: "string") == "hello")
        #expect(try cache.value(Bool.self, forKey: "bool") == true)
        let date = Date(timeIntervalSinceReferenceDate: -978_307_100)
        #expect(try cache.value(Date.self, forKey: "date") == date)
        let text = try #require(try cache.value(String.self, forKey: "dataCodable"))
        #expect(Data(base64Encoded: text) == Data([1, 2, 3]))
        #expect(try cache.value([Friend].self, forKey: "array") == [Friend(1), Friend(2)])
        #expect(try cache.value(Int?.self, forKey: "optnil") == .some(nil))
        #expect(try cache.data(forKey: "raw") == Data("raw bytes".utf8))
        let end = try #require(try cache.entry(Friend.self, forKey: "in1h")?.expiration)
        #expect(abs(end.timeIntervalSince1970 - 1_795_250_694.579523) < 0.000_001)
        let types = ["person-7": "Friend", "int": "Int", "array": "Array<Friend>", "raw": "Data"]
        for (key, type) in types { #expect(try cache.typeName(forKey: key) == type) }
    }

    @Test func `One type name serves for all entries, and an entry that is no value is data`() throws {
        let keys = CacheDirectory.Keys.list(["person-1", "raw"])
        let cache = try old.open(.adoptCacheDirectory(to: 1, directory: old.url, keys: keys, type: "Friend"))
        #expect(try cache.typeName(forKey: "person-1") == "Friend")
        #expect(try cache.typeName(forKey: "raw") == "Data")
        #expect(try cache.data(forKey: "raw") == Data("raw bytes".utf8))
    }

    @Test func `A closure can name the type of each key`() throws {
        let migration = Migration.adoptCacheDirectory(to: 1, directory: old.url, keys: .list(["int", "raw"])) { key in
            key == "int" ? "Int" : .data
        }
        let cache = try old.open(migration)
        // The last one is that of a file whose key is not listed.
        let types = try ["int", "raw", old.file("string").lastPathComponent].map { try cache.typeName(forKey: $0) }
        #expect(types == ["Int", "Data", "Data"])
    }

    @Test func `Later migrations run on the adopted records`() throws {
        let rename = Migration(to: 2, "rename", .renameProperty("Friend", "fullName", to: "name"))
        let cache = try old.open(old.adoption(.list(FloppyKeys.all), FloppyKeys.type), rename)
        #expect(cache.report.isFresh)
        let records = try Snapshot(of: old.store).records.filter { $0.type == "Friend" }
        #expect(records.count == 104)
        #expect(records.allSatisfy { $0.text.contains("\"name\":\"First") && !$0.text.contains("fullName") })
    }

    @Test func `A directory is adopted once`() throws {
        let adoption = old.adoption(.list(FloppyKeys.people))
        let first = try old.open(adoption)
        try first.remove(forKey: "person-0")
        try first.set(1, forKey: "person-1")
        first.close()
        let second = try old.open(adoption)
        #expect(second.report.isEmpty)
        #expect(try second.count() == 111)
        #expect(try second.value(Int.self, forKey: "person-1") == 1)
    }

    @Test(arguments: [CacheDirectory.Existing.keep, .replace], [false, true])
    func `An existing record is kept, or replaced on request, also under a key from a value`(
        existing: CacheDirectory.Existing,
        isFromValue: Bool
    ) throws {
        try old.set("mine", forKey: "person-0")
        let keys: CacheDirectory.Keys =
            isFromValue ? .fromValues { "person-\(try $0.int("id"))" } : .list(["person-0", "person-1"])
        let cache = try old.open(old.adoption(keys, existing: existing))
        if existing == .keep {
            #expect(try cache.value(String.self, forKey: "person-0") == "mine")
        } else {
            #expect(try cache.value(Friend.self, forKey: "person-0") == Friend(0))
            #expect(try cache.typeName(forKey: "person-0") == "Person")
        }
        if !isFromValue { #expect(cache.report.keys.first?.outcome == (existing == .keep ? .kept : .replaced)) }
        #expect(try cache.count() == 112)
    }

    @Test func `An in-memory store adopts a directory, too`() throws {
        let cache = try CodableCache(inMemory: [old.adoption(.list(FloppyKeys.people))])
        #expect(try cache.value(Friend.self, forKey: "person-3") == Friend(3))
        let photo = CacheDirectory.fileName(forKey: "photo.json")
        #expect(try cache.value(Friend.self, forKey: photo) == Friend(9))
    }

    @Test(arguments: ["/a/Floppy", "/b/Other"])
    func `The fingerprint is the same in all releases of Molt, wherever the directory is`(path: String) {
        let directory = URL(filePath: path)
        let migration = Migration.adoptCacheDirectory(to: 1, directory: directory, keys: .list(["key"]), type: "Person")
        #expect(migration.fingerprint == "2feb03004bbb3f979b573fab1b953f8c")
    }
}
