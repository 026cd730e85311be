import Foundation
import Testing

@testable import Molt

/// An entry whose key is not known has its file's name as its key.
@Suite struct `Adopting a Cache directory by file names` {
    let old: OldDirectory

    init() throws {
        old = try OldDirectory("Floppy")
    }

    private let expired = MD5.hexadecimal(of: "expired".utf8)

    @Test func `Each entry has its file's name as its key`() throws {
        let cache = try old.open(old.adoption(.fileNames))
        #expect(try Set(cache.keys()) == Set(old.names).subtracting([expired]))
        // Adopted files are counted, and only the others are listed.
        #expect(cache.report.counts.created == 112)
        #expect(cache.report.keys.map(\.key) == [expired])
        #expect(cache.report.keys.map(\.outcome) == [.expired])
        for (id, key) in FloppyKeys.people.enumerated() {
            #expect(try cache.value(Friend.self, forKey: CacheDirectory.fileName(forKey: key)) == Friend(id))
            #expect(try !cache.contains(key))
        }
        #expect(try cache.data(forKey: CacheDirectory.fileName(forKey: "raw")) == Data("raw bytes".utf8))
    }

    @Test func `The report gives each key's outcome, and a file whose key is not listed is adopted under its name`()
        throws
    {
        let cache = try old.open(old.adoption(.list(["person-7", "expired", "nobody", "person-7"])))
        #expect(try cache.keys().first == "person-7")
        #expect(try cache.count() == 112)
        #expect(try cache.value(Friend.self, forKey: CacheDirectory.fileName(forKey: "person-8")) == Friend(8))
        let outcomes = cache.report.keys
        #expect(outcomes.prefix(3).map(\.key) == ["person-7", "expired", "nobody"])
        #expect(outcomes.prefix(3).map(\.outcome) == [.adopted, .expired, .absent])
        #expect(outcomes.allSatisfy { $0.store == old.url.path })
        let others = outcomes.dropFirst(3)
        let listed: Set = [old.file("person-7").lastPathComponent, expired]
        #expect(try Set(others.map(\.key)) == Set(old.names).subtracting(listed))
        #expect(others.count == 111)
        #expect(others.allSatisfy { $0.outcome == .adopted && $0.reason?.contains("not listed") == true })
    }

    @Test func `A key can be taken from the value, if its file has that name`() throws {
        let keys = CacheDirectory.Keys.fromValues { record in
            let id = try record.int("id")
            return id == 7 ? nil : "person-\(id)"
        }
        let cache = try old.open(old.adoption(keys))
        #expect(try cache.count() == 112)
        for (id, key) in FloppyKeys.people.enumerated() where id != 7 {
            #expect(try cache.value(Friend.self, forKey: key) == Friend(id))
        }
        // Others have an id, too, but not the key that would follow from it.
        let others = FloppyKeys.others.filter { $0 != "expired" } + ["person-7"]
        for key in others { #expect(try cache.contains(CacheDirectory.fileName(forKey: key))) }
        let named = cache.report.keys.filter { $0.outcome == .adopted }
        #expect(Set(named.map(\.key)) == Set(others.map { CacheDirectory.fileName(forKey: $0) }))
        #expect(named.allSatisfy { $0.reason?.contains("taken from its value") == true })
    }

    @Test func `A later migration can change a file's name to the key`() throws {
        let rekey = Migration(
            to: 2,
            "rekey",
            .transform("Friend") { friend in
                let key = "person-\(try friend.int("id"))"
                if friend.key == CacheDirectory.fileName(forKey: key) { friend.key = key }
            }
        )
        let type: @Sendable (String) -> CacheDirectory.Content = { [file = old.file("raw").lastPathComponent] name in
            name == file ? .data : "Friend"
        }
        for key in FloppyKeys.others.dropFirst(5) where key != "raw" {
            try FileManager.default.removeItem(at: old.file(key))
        }
        let cache = try old.open(old.adoption(.fileNames, type), rekey)
        #expect(try cache.value(Friend.self, forKey: "person-7") == Friend(7))
        #expect(try cache.value(Friend.self, forKey: CacheDirectory.fileName(forKey: "photo.json")) == Friend(9))
        #expect(try cache.keys().count { $0.hasPrefix("person-") } == 100)
    }

    @Test func `The file of a key that is not a string is adopted under its name`() throws {
        let old = try OldDirectory("IntKeys")
        let cache = try old.open(old.adoption(.list(["1"])))
        #expect(try Set(cache.keys()) == Set(old.archived.map(\.name)))
        let ids = try old.archived.map { try cache.value(Friend.self, forKey: $0.name)?.id }
        #expect(Set(ids) == [0, 1, 2])
    }
}

/// Up to version 5.0, Cache left the path extension out of a file's name, and later versions do not remove that file.
@Suite struct `Two Cache files of one key` {
    enum Form: CaseIterable {
        case list, fileNames, fromValues
    }

    static let settings = Form.allCases.flatMap { form in
        [(form, CacheDirectory.Existing.keep), (form, .replace)]
    }

    private static let key = "photo.json"
    private static let name = CacheDirectory.fileName(forKey: key)
    private static let bareName = String(name.prefix(32))
    private let old: OldDirectory

    init() throws {
        old = try OldDirectory()
        try write("old", in: Self.bareName)
        try write("new", in: Self.name)
    }

    private func write(_ text: String, in name: String, modified: Int64 = OldDirectory.never) throws {
        let content = Data(#"{"object":{"key":"\#(Self.key)","text":"\#(text)"}}"#.utf8)
        try MoltCacheTests.write(content, to: old.url.appending(path: name), modified: modified)
    }

    private func open(_ form: Form, _ existing: CacheDirectory.Existing) throws -> CodableCache {
        let keys: CacheDirectory.Keys =
            switch form {
            case .list: .list([Self.key])
            case .fileNames: .fileNames
            case .fromValues: .fromValues { try $0.string("key") }
            }
        return try old.open(old.adoption(keys, existing: existing, afterwards: .remove))
    }

    @Test(arguments: settings)
    func `The one that today's Cache reads is adopted, and the report names the other`(
        form: Form,
        existing: CacheDirectory.Existing
    ) throws {
        let cache = try open(form, existing)
        let key = form == .fileNames ? Self.name : Self.key
        #expect(try cache.keys() == [key])
        #expect(try cache.value([String: String].self, forKey: key)?["text"] == "new")
        let kept = try #require(cache.report.keys.last)
        #expect(kept.outcome == .kept)
        #expect(kept.key == (form == .list ? Self.key : Self.bareName))
        #expect(kept.reason == "the file \(Self.bareName) is out of date: today's Cache reads \(Self.name)")
        #expect(cache.report.keys.count == (form == .list ? 2 : 1))
        #expect(try old.names == [Self.bareName])
    }

    @Test(arguments: settings)
    func `The other does not come back when the current one has expired or cannot be read`(
        form: Form,
        existing: CacheDirectory.Existing
    ) throws {
        try write("new", in: Self.name, modified: 1_000_000_000)
        var cache = try open(form, existing)
        #expect(try cache.count() == 0)
        #expect(cache.report.keys.map(\.outcome) == [.expired, .kept])
        cache.close()
        try FileManager.default.removeItem(at: old.store)
        let file = old.url.appending(path: Self.name)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        cache = try open(form, existing)
        #expect(try cache.count() == 0)
        #expect(cache.report.keys.map(\.outcome) == [.unreadable, .kept])
        #expect(try Set(old.names) == [Self.bareName, Self.name])
    }

    @Test(arguments: settings)
    func `A name without an extension is adopted when it is the only one`(
        form: Form,
        existing: CacheDirectory.Existing
    ) throws {
        try FileManager.default.removeItem(at: old.url.appending(path: Self.name))
        let cache = try open(form, existing)
        let key = form == .fileNames ? Self.bareName : Self.key
        #expect(try cache.value([String: String].self, forKey: key)?["text"] == "old")
        #expect(cache.report.keys.map(\.outcome) == (form == .list ? [.adopted] : []))
    }

    @Test(arguments: [CacheDirectory.Existing.keep, .replace])
    func `A record that the store has under the key is kept or replaced by the current file`(
        existing: CacheDirectory.Existing
    ) throws {
        try old.set("mine", forKey: Self.key)
        let cache = try open(.list, existing)
        if existing == .keep {
            #expect(try cache.value(String.self, forKey: Self.key) == "mine")
        } else {
            #expect(try cache.value([String: String].self, forKey: Self.key)?["text"] == "new")
        }
        #expect(cache.report.keys.map(\.outcome) == [existing == .keep ? .kept : .replaced, .kept])
    }

    @Test func `A listed key without an extension is that of the name without one`() throws {
        let bare = MD5.hexadecimal(of: "plain".utf8)
        try write("new", in: bare)
        try write("odd", in: bare + ".odd")
        let cache = try old.open(old.adoption(.list(["plain"])))
        #expect(try cache.value([String: String].self, forKey: "plain")?["text"] == "new")
        #expect(cache.report.keys.prefix(2).map(\.outcome) == [.adopted, .kept])
    }
}
