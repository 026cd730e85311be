import Foundation
import Molt
import Testing

/// An entry whose key is not known has its file's name as its key.
@Suite struct `Adopting a Cache directory by file names` {
    let old: OldDirectory

    init() throws {
        old = try OldDirectory("Floppy")
    }

    private var expired: String { old.file("expired").lastPathComponent }

    @Test func `Each entry has its file's name as its key`() throws {
        let cache = try old.open(old.adoption(.fileNames))
        #expect(try Set(cache.keys()) == Set(old.names).subtracting([expired]))
        // Adopted files are counted, and only the others are listed.
        #expect(cache.report.counts.created == 112)
        cache.report.expectOutcomes(.expired)
        #expect(cache.report.keys.first?.key == expired)
        for (id, key) in FloppyKeys.people.enumerated() {
            try cache.expectFriend(id, forKey: CacheDirectory.fileName(forKey: key))
        }
        #expect(try cache.data(forKey: CacheDirectory.fileName(forKey: "raw")) == Data("raw bytes".utf8))
    }

    @Test func `The report gives each key's outcome, and a file whose key is not listed is adopted under its name`()
        throws
    {
        let cache = try old.open(old.adoption(.list(["person-7", "expired", "nobody", "person-7"])))
        #expect(try cache.keys().first == "person-7")
        try cache.expectCount(112)
        try cache.expectFriend(8, forKey: CacheDirectory.fileName(forKey: "person-8"))
        func outcome(
            _ key: String,
            _ outcome: MigrationReport.KeyOutcome.Outcome,
            _ reason: String? = nil
        ) -> MigrationReport.KeyOutcome {
            MigrationReport.KeyOutcome(store: old.url.path, key: key, outcome: outcome, reason: reason)
        }
        let listed = [outcome("person-7", .adopted), outcome("expired", .expired), outcome("nobody", .absent)]
        // The others follow in the order of their names.
        let names = try Set(old.names).subtracting([old.file("person-7").lastPathComponent, expired]).sorted()
        let others = names.map { outcome($0, .adopted, "its key is not listed, so the key is the file's name") }
        #expect(cache.report.keys == listed + others)
    }

    @Test func `A key can be taken from the value, if its file has that name`() throws {
        let keys = CacheDirectory.Keys.fromValues { record in
            let id = try record.int("id")
            return id == 7 ? nil : "person-\(id)"
        }
        let cache = try old.open(old.adoption(keys))
        for (id, key) in FloppyKeys.people.enumerated() where id != 7 { try cache.expectFriend(id, forKey: key) }
        // Others have an id, too, but not the key that would follow from it.
        let others = FloppyKeys.others.filter { $0 != "expired" } + ["person-7"]
        let names = Set(others.map { CacheDirectory.fileName(forKey: $0) })
        #expect(try Set(cache.keys()) == names.union(FloppyKeys.people).subtracting(["person-7"]))
        let named = cache.report.keys.filter { $0.outcome == .adopted }
        #expect(Set(named.map(\.key)) == names)
        #expect(named.allSatisfy { $0.reason?.contains("taken from its value") == true })
    }

    @Test func `The file of a key that is not a string is adopted under its name`() throws {
        let old = try OldDirectory("IntKeys")
        let cache = try old.open(old.adoption(.list(["1"]), { _ in "Friend" }))
        #expect(try Set(cache.keys()) == Set(old.archived.map(\.name)))
        let ids = try cache.values(of: Friend.self).map { $0.value.id }
        #expect(ids.sorted() == [0, 1, 2])
    }
}

/// Up to version 5.0, Cache left the path extension out of a file's name, and later versions do not remove that file.
@Suite struct `Two Cache files of one key` {
    enum Form: CaseIterable {
        case list, fileNames, fromValues
    }

    static let settings = Form.allCases.flatMap { form in
        [(form, false), (form, true)]
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
        try UpgradingTests.write(content, to: old.url.appending(path: name), modified: modified)
    }

    private func open(_ form: Form, _ replaces: Bool) throws -> CodableCache {
        let keys: CacheDirectory.Keys =
            switch form {
            case .list: .list([Self.key])
            case .fileNames: .fileNames
            case .fromValues: .fromValues { try $0.string("key") }
            }
        return try old.open(old.adoption(keys, onConflict: replaces ? .replace : .keep, removingSource: true))
    }

    private func text(_ cache: CodableCache, _ key: String) throws -> String? {
        try cache.value([String: String].self, forKey: key)?["text"]
    }

    @Test(arguments: settings)
    func `The one that today's Cache reads is adopted, and the report names the other`(
        form: Form,
        replaces: Bool
    ) throws {
        let cache = try open(form, replaces)
        let key = form == .fileNames ? Self.name : Self.key
        #expect(try cache.keys() == [key])
        #expect(try text(cache, key) == "new")
        let kept = MigrationReport.KeyOutcome(
            store: old.url.path,
            key: form == .list ? Self.key : Self.bareName,
            outcome: .kept,
            reason: "the file \(Self.bareName) is out of date: today's Cache reads \(Self.name)"
        )
        let listed = MigrationReport.KeyOutcome(store: old.url.path, key: Self.key, outcome: .adopted)
        #expect(cache.report.keys == (form == .list ? [listed, kept] : [kept]))
        #expect(try old.names == [Self.bareName])
    }

    @Test(arguments: settings)
    func `The other does not come back when the current one has expired or cannot be read`(
        form: Form,
        replaces: Bool
    ) throws {
        try write("new", in: Self.name, modified: 1_000_000_000)
        var cache = try open(form, replaces)
        try cache.expectCount(0)
        cache.report.expectOutcomes(.expired, .kept)
        cache.close()
        try FileManager.default.removeItem(at: old.store)
        let file = old.url.appending(path: Self.name)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        cache = try open(form, replaces)
        try cache.expectCount(0)
        cache.report.expectOutcomes(.unreadable, .kept)
        #expect(try Set(old.names) == [Self.bareName, Self.name])
    }

    @Test(arguments: settings)
    func `A name without an extension is adopted when it is the only one`(
        form: Form,
        replaces: Bool
    ) throws {
        try FileManager.default.removeItem(at: old.url.appending(path: Self.name))
        let cache = try open(form, replaces)
        #expect(try text(cache, form == .fileNames ? Self.bareName : Self.key) == "old")
        if form == .list { cache.report.expectOutcomes(.adopted) } else { cache.report.expectOutcomes() }
    }

    @Test func `A listed key without an extension is that of the name without one`() throws {
        let bare = old.file("plain").lastPathComponent
        try write("new", in: bare)
        try write("odd", in: bare + ".odd")
        let cache = try old.open(old.adoption(.list(["plain"])))
        #expect(try text(cache, "plain") == "new")
        // The last two are those of the key with an extension.
        cache.report.expectOutcomes(.adopted, .kept, .adopted, .kept)
    }
}
