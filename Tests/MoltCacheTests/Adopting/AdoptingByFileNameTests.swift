import Foundation
import Molt
import MoltCache
import MoltCore
import MoltSalvage
import Testing

/// An entry whose key was not listed keeps its file's name as its key until its own key is first written.
@Suite struct `Adopting a Cache directory by file names` {
    let old: OldDirectory

    init() throws {
        old = try OldDirectory("Floppy")
    }

    private func open() throws -> CodableCache {
        try old.open(old.adoption(.fileNames))
    }

    /// The keys of all records, as they are on disk.
    private func storedKeys() throws -> [String] {
        try Snapshot(of: old.store).keys
    }

    private let name = MD5.hexadecimal(of: "person-7".utf8)

    @Test func `Each entry has its file's name as its key`() throws {
        let cache = try open()
        let names = try FileManager.default.contentsOfDirectory(atPath: old.url.path)
        let expired = MD5.hexadecimal(of: "expired".utf8)
        #expect(try Set(cache.keys()) == Set(names).subtracting([expired]))
        #expect(try cache.value(Friend.self, forKey: name) == Friend(7))
        #expect(try storedKeys().contains(name))
        #expect(cache.report.keys.map(\.key) == [expired])
        #expect(cache.report.keys.map(\.outcome) == [.expired])
    }

    @Test func `Every key finds its entry`() throws {
        var cache = try open()
        for round in 1...2 {
            for (id, key) in FloppyKeys.people.enumerated() {
                #expect(try cache.value(Friend.self, forKey: key) == Friend(id))
            }
            #expect(try cache.value(Friend.self, forKey: "photo.json") == Friend(9))
            #expect(try cache.value(Friend.self, forKey: "https://example.com/a/b.png?x=1") == Friend(10))
            #expect(try cache.value(Friend.self, forKey: "ünïcode ключ 🔑") == Friend(11))
            #expect(try cache.value(Int.self, forKey: "int") == 42)
            #expect(try cache.data(forKey: "raw") == Data("raw bytes".utf8))
            #expect(try cache.value(Int.self, forKey: "expired") == nil)
            guard round == 1 else { break }
            cache.close()
            cache = try open()
        }
        #expect(try !cache.keys().contains("photo.json"))
        #expect(try cache.count() == 112)
    }

    static let readers: [(String, @Sendable (CodableCache) async throws -> Bool)] = [
        ("value", { try $0.value(Friend.self, forKey: "person-7") == Friend(7) }),
        ("entry", { try $0.entry(Friend.self, forKey: "person-7")?.key == "person-7" }),
        ("contains", { try $0.contains("person-7") }),
        ("typeName", { try $0.typeName(forKey: "person-7") == "Person" }),
        ("values", { try $0.values(Friend.self, forKeys: ["nobody", "person-7"]) == [nil, Friend(7)] }),
        ("async values", { try await $0.values(Friend.self, forKeys: ["person-7"]) == [Friend(7)] }),
    ]

    @Test(arguments: readers.indices)
    func `Every kind of read finds an entry, and writes nothing`(reader: Int) async throws {
        let cache = try open()
        let before = try Snapshot(of: old.store)
        for _ in 1...2 {
            #expect(try await Self.readers[reader].1(cache), "\(Self.readers[reader].0)")
            #expect(try cache.value(Friend.self, forKey: name) == Friend(7))
        }
        #expect(try Snapshot(of: old.store) == before)
        #expect(try cache.count() == 112)
    }

    static let writers: [(String, @Sendable (CodableCache) async throws -> Void)] = [
        ("set", { try $0.set("new", forKey: "person-7") }),
        ("setAll", { try $0.setAll(["person-7": "new"]) }),
        ("async setAll", { try await $0.setAll(["person-7": "new"]) }),
        ("batch", { try $0.batch { try $0.set("new", forKey: "person-7") } }),
    ]

    @Test(arguments: writers.indices)
    func `Setting a key replaces the adopted entry`(writer: Int) async throws {
        let cache = try open()
        try await Self.writers[writer].1(cache)
        #expect(try cache.value(String.self, forKey: "person-7") == "new", "\(Self.writers[writer].0)")
        #expect(try !storedKeys().contains(name))
        #expect(try cache.count() == 112)
        try cache.remove(forKey: "person-7")
        #expect(try cache.value(String.self, forKey: "person-7") == nil)
    }

    @Test(arguments: [false, true])
    func `Removing a key removes the adopted entry`(inBatch: Bool) throws {
        let cache = try open()
        if inBatch {
            try cache.batch { $0.remove(forKey: "person-7") }
        } else {
            #expect(try cache.remove(forKey: "person-7"))
        }
        #expect(try cache.value(Friend.self, forKey: "person-7") == nil)
        #expect(try cache.count() == 111)
    }

    @Test func `A change is delivered under the key that was written`() async throws {
        let cache = try open()
        let changes = cache.changes()
        try cache.set("new", forKey: "person-7")
        try cache.remove(forKey: "person-8")
        cache.close()
        var seen: [CodableCache.Change] = []
        for await change in changes { seen.append(change) }
        #expect(seen.map(\.key) == ["person-7", "person-8"])
        #expect(seen.map(\.kind) == [.set, .removed])
    }

    @Test func `A read is answered while another process writes`() throws {
        let cache = try open()
        let other = try SQLite(old.store)
        try other.run("BEGIN IMMEDIATE")
        #expect(try cache.value(Friend.self, forKey: "person-7") == Friend(7))
        #expect(try cache.contains("person-7"))
        try other.run("COMMIT")
    }

    @Test func `A value that another cache on the file wrote is found`() throws {
        let one = try open()
        let other = try open()
        #expect(try other.value(Friend.self, forKey: "person-7") == Friend(7))
        try one.set(Friend(1), forKey: "person-7")
        #expect(try other.value(Friend.self, forKey: name) == nil)
        #expect(try other.value(Friend.self, forKey: "person-7") == Friend(1))
    }

    /// The file's name is a key, too, under which the entry can be written.
    @Test func `A value found by its file's name is not kept in memory`() throws {
        let cache = try open()
        #expect(try cache.value(Friend.self, forKey: "person-7") == Friend(7))
        try cache.set(Friend(1), forKey: name)
        #expect(try cache.value(Friend.self, forKey: "person-7") == Friend(1))
        try cache.remove(forKey: name)
        #expect(try cache.value(Friend.self, forKey: "person-7") == nil)
    }

    @Test func `A record that the store already had under the key takes precedence`() throws {
        let before = try old.open { $0.now = { Date(timeIntervalSince1970: 100) } }
        try before.setAll(["person-7": "mine", "person-8": "mine"])
        before.close()
        let cache = try open()
        #expect(try cache.value(String.self, forKey: "person-7") == "mine")
        #expect(try cache.count() == 114)
        try cache.set("new", forKey: "person-7")
        #expect(try cache.entry(String.self, forKey: "person-7")?.created == Date(timeIntervalSince1970: 100))
        try cache.remove(forKey: "person-8")
        #expect(try !cache.contains("person-8"))
        #expect(try cache.count() == 111)
    }

    @Test func `A listed key is adopted under its own name, and the rest by file names`() throws {
        let cache = try old.open(old.adoption(.list(["person-7", "nobody"]).and(.fileNames)))
        #expect(try cache.keys().first == "person-7")
        #expect(try cache.count() == 112)
        #expect(try cache.contains("person-8"))
    }

    @Test func `A migration that changes a record's key takes precedence over its file's name`() throws {
        let name = name
        let rekey = Migration(
            to: 2,
            "rekey",
            .transform("Person") { record in
                if record.key == name { record.key = "seven" }
            }
        )
        let cache = try old.open(old.adoption(.fileNames), rekey)
        #expect(try !cache.contains("person-7"))
        #expect(try cache.value(Friend.self, forKey: "seven") == Friend(7))
        #expect(try cache.contains("person-8"))
    }

    @Test func `No entry is found after all values were removed`() throws {
        let cache = try open()
        try cache.removeAll()
        #expect(try !cache.contains("person-7"))
        #expect(try SQLite(old.store).text("SELECT count(*) FROM molt_adopted") == "0")
    }

    @Test func `An entry that has expired since the adoption is not found`() throws {
        let clock = Clock(OldDirectory.time)
        let cache = try old.open(old.adoption(.fileNames)) { $0.now = { clock.date } }
        clock.advance(to: OldDirectory.time + 3601)
        #expect(try !cache.contains("in1h"))
        #expect(try cache.removeExpired() == 1)
        try cache.set("new", forKey: "in1h")
        #expect(try cache.count() == 112)
    }

    @Test func `A cache with a size limit counts a record once`() throws {
        let cache = try old.open(old.adoption(.fileNames)) { $0.sizeLimit = 1_000_000 }
        let size = try cache.contentSize()
        let friend = try #require(try cache.entry(Friend.self, forKey: "person-7"))
        try cache.remove(forKey: "person-7")
        #expect(try cache.contentSize() == size - friend.size)
        try cache.remove(forKey: "person-8")
        #expect(
            try SQLite(old.store).text("SELECT sum(length(content)) FROM molt_record")
                == String(try cache.contentSize())
        )
    }

    @Test func `The decimal strings of integers find entries with integer keys`() throws {
        let old = try OldDirectory("IntKeys")
        let cache = try old.open(old.adoption(.fileNames))
        #expect(try cache.value(Friend.self, forKey: "1") == Friend(1))
        #expect(try !cache.contains("01"))
    }

    @Test func `A file that is not Cache's own is left alone`() throws {
        for name in ["notes.txt", ".hidden", ".dat.nosync1234", "cache.molt"] {
            try Data("x".utf8).write(to: old.url.appendingPathComponent(name))
        }
        let cache = try open()
        #expect(try cache.count() == 112)
        let left = cache.report.keys.filter { $0.outcome == .notConvertible }
        #expect(left.map(\.key) == ["cache.molt", "notes.txt"])
    }

    @Test func `A cache that adopted nothing by file names has no table for it`() throws {
        let cache = try old.open(old.adoption(.list(FloppyKeys.people)))
        #expect(try !cache.contains("photo.json"))
        #expect(try SQLite(old.store).rows("SELECT name FROM sqlite_schema WHERE name LIKE 'molt_adopted%'") == [])
    }

    @Test func `Salvaged records can still be found by their keys`() throws {
        let old = try OldDirectory()
        let scratch = try ScratchDirectory()
        let newURL = scratch.file("saved.molt")
        for key in ["john", "jane"] { try old.write(#"{"object":{"name":"\#(key)"}}"#, for: key) }
        try old.open(old.adoption(.fileNames)).close()
        let rows = try SQLite(old.store).rows("SELECT * FROM molt_adopted ORDER BY 1")
        #expect(rows.count == 2)
        #expect(try CodableCache.salvage(from: old.store, to: newURL).isWhole)
        #expect(try SQLite(newURL).rows("SELECT * FROM molt_adopted ORDER BY 1") == rows)
        let cache = try CodableCache(at: newURL, migrations: [old.adoption(.fileNames)])
        #expect(try cache.contains("jane"))
    }
}
