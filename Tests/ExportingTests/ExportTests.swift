import Foundation
import Molt
import TestSupport
import Testing

@Suite("An export") struct ExportTests {
    private let directory: ScratchDirectory
    private let cache: CodableCache
    private var file: URL { directory.file("export.json") }

    init() throws {
        directory = try ScratchDirectory()
        cache = try CodableCache(
            at: directory.file(),
            configuration: .init { $0.now = { Date(timeIntervalSince1970: 1.25) } }
        )
    }

    private func expectNoFile(sourceLocation: SourceLocation = #_sourceLocation) throws {
        cache.close()
        try expectNames("cache.molt", in: directory, sourceLocation: sourceLocation)
    }

    @Test func `is one JSON text with a line for each record`() throws {
        cache.close()
        let cache = try CodableCache(
            at: directory.file(),
            migrations: [Migration(to: 3, "a \"b\""), Migration(to: 4, "late").onRead()],
            configuration: .init {
                $0.now = { Date(timeIntervalSince1970: 1_750_000_000.125) }
                $0.appVersion = "2.1"
            }
        )
        try cache.set(Person.john, forKey: "john", expiry: .at(Date(timeIntervalSince1970: 1e16)))
        try cache.set([1, 2], forKey: "two\nlines", expiry: .after(seconds: .infinity))
        try cache.set(Data([0, 0xFF]), forKey: "photo")
        try cache.set(1, forKey: "past", expiry: .after(seconds: 0))
        let summary = try cache.exportAndWait(to: file)
        let text = try String(contentsOf: file, encoding: .utf8)
        let dates = #""created":1750000000.125,"updated":1750000000.125"#
        #expect(
            text == #"""
                {"format":"molt-export","formatVersion":1,"version":4,"migrations":[{"name":"a \"b\"","version":3},{"name":"late","version":4}],\#
                "appVersion":"2.1","exportedAt":1750000000.125,"records":[
                {"key":"john","type":"Person",\#(dates),"expires":1e+16,\#
                "content":{"firstName":"John","lastName":"Appleseed"}},
                {"key":"two\nlines","type":"Array<Int>",\#(dates),"content":[1,2]},
                {"key":"photo","type":"Data",\#(dates),"data":"AP8="}
                ]}

                """#
        )
        #expect(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) is [String: Any])
        #expect(summary.description == "exported 3 records at version 4, \(text.utf8.count) bytes")
        cache.close()
    }

    @Test func `takes chosen types and keys, and names a key that is missing`() throws {
        try cache.setAll([("a", Person.john), ("b", Person.jane)])
        try cache.set(City(zipCode: 1), forKey: "c")
        try cache.set(Named(), forKey: "d")
        for (selection, count) in [
            (RecordSelection.types([City.self, Named.self]), 2), (.keys(["c", "a"]), 2), (.types([Account.self]), 0),
            (RecordSelection(types: ["City"], keys: ["a", "c"]), 2),
        ] {
            #expect(try cache.exportAndWait(to: file, only: selection).records == count)
        }
        try FileManager.default.removeItem(at: file)
        MoltError.thrown { try cache.exportAndWait(to: file, only: .keys(["a", "e\u{301}"])) }?
            .expect(.recordMissing, key: "e\u{301}", outcome: .unchanged)
        try expectNoFile()
    }

    @Test func `of content that is not JSON text names the record, and keeps an earlier file`() throws {
        try cache.set(Person.john, forKey: "john")
        try cache.exportAndWait(to: file)
        let before = try Data(contentsOf: file)
        try SQLite(directory.file()).run("UPDATE molt_record SET content = '{secret'")
        let error = MoltError.thrown { try cache.exportAndWait(to: file) }
        error?.expect(.malformedContent, key: "john", type: "Person")
        #expect(error?.description.contains("secret") == false)
        #expect(try Data(contentsOf: file) == before)
        cache.close()
        try expectNames("cache.molt", "export.json", in: directory)
    }

    @Test func `that is cancelled leaves nothing`() async throws {
        try cache.set(Person.john, forKey: "john")
        let task = Task { [cache, file] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await cache.export(to: file)
        }
        await #expect(throws: MoltError.self) { try await task.value }?.expect(.cancelled, outcome: .unchanged)
        try expectNoFile()
    }

    @Test func `counts records and those in quarantine, which it leaves out`() async throws {
        let store = try OldStore([StoredRecord("A", "a", #"{"n":1}"#), StoredRecord("A", "b", #"{"n":"x"}"#)])
        let migrations = registry(.transform("A") { _ = try $0.value("n", as: Int.self) }).onFailure(.quarantine())
        let other = try CodableCache(at: store.url, migrations: migrations)
        let shares = Locked<[Double]>([])
        let summary = try await other.export(to: file) { share in shares.withLock { $0.append(share) } }
        #expect(summary.records == 1 && summary.quarantined == 1 && summary.version == 1)
        #expect(shares.withLock { $0 } == [1])
        #expect("\(summary)".hasPrefix("exported 1 record at version 1"))
        other.close()
    }

    @Test func `is in today's form while records wait for migrations on read`() throws {
        let store = try OldStore([StoredRecord("Note", "a", #"{ "old" : 1}"#)])
        let change = Migration(to: 1, "new", .renameProperty("Note", "old", to: "new")).onRead()
        let other = try CodableCache(
            at: store.url,
            migrations: [change],
            configuration: .init { $0.runsBackfill = false }
        )
        try other.exportAndWait(to: file)
        #expect(try String(contentsOf: file, encoding: .utf8).contains(#""content":{ "new" : 1}}"#))
        #expect(try store.snapshot().contents == [#"{ "old" : 1}"#])
        try SQLite(store.url).run(#"UPDATE molt_record SET content = '{"old":1,"new":2}'"#)
        let error = MoltError.thrown { try other.exportAndWait(to: file) }
        error?.expect(.unreadableContent, key: "a", outcome: .unchanged)
        #expect((error?.underlying as? MoltError)?.migration == change.id)
        other.close()
    }

    @Test func `of a record that cannot be converted on read says what to do, and that helps`() throws {
        let records = [StoredRecord("Note", "a", #"{"n":"x"}"#), StoredRecord("Note", "b", #"{"n":1}"#)]
        let store = try OldStore(records + [StoredRecord("Tag", "c", "1")])
        let change = Migration(
            to: 1,
            "strict",
            .changeValue("Note", "n", to: .integer).onFailure(.quarantine()),
            .addProperty("Note", "m", default: 0)
        ).onRead()
        let still = MoltConfiguration { $0.runsBackfill = false }
        try CodableCache(at: store.url, migrations: [change], configuration: still).close()
        let before = try store.snapshot()
        let readers = [
            try CodableCache(reading: store.url, migrations: [change]),
            try CodableCache(at: store.url, migrations: [change], configuration: still),
        ]
        defer { for reader in readers { reader.close() } }
        for other in readers {
            let error = MoltError.thrown { try other.exportAndWait(to: file) }
            error?.expect(.unreadableContent, key: "a", outcome: .unchanged)
            let advice = other.isReadOnly ? "that is not only readable" : "`finishBackfill()` first"
            #expect(error?.advice?.contains(advice) == true)
            try expectNoFile()
            #expect(try other.exportAndWait(to: file, only: .keys(["b", "c"])).records == 2)
            try FileManager.default.removeItem(at: file)
        }
        #expect(try store.snapshot() == before)
        try readers[1].backfillAndWait()
        let summary = try readers[1].exportAndWait(to: file)
        #expect(summary.records == 2 && summary.quarantined == 1)
    }

    @Test func `works in memory, and is not written over the store or a directory`() throws {
        let memory = try CodableCache(inMemory: [])
        try memory.set(1, forKey: "one")
        #expect(try memory.exportAndWait(to: file).records == 1)
        let link = directory.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory.file())
        for url in [directory.file(), link, directory.file("cache.molt-wal"), directory.url] {
            MoltError.thrown { try cache.exportAndWait(to: url) }?.expect(.notAFile, outcome: .unchanged)
        }
        MoltError.thrown { try cache.exportAndWait(to: directory.file("none/export.json")) }?.expect(.storeFailed)
    }

    @Test func `is not written over a backup or the file of a suite, but over an earlier export`() throws {
        let other = directory.file("other.molt")
        try CodableCache(at: other).close()
        let lists = [PropertyListSerialization.PropertyListFormat.xml, .binary].map { format in
            (directory.file("\(format.rawValue).plist"), format)
        }
        for (url, format) in lists {
            let list = ["theme": "dark"]
            try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0).write(to: url)
        }
        for url in [try CacheFile(at: directory.file()).backUp().url, other] + lists.map(\.0) {
            let bytes = try Data(contentsOf: url)
            MoltError.thrown { try cache.exportAndWait(to: url) }?.expect(
                .notAFile,
                outcome: .unchanged,
                says: url.path
            )
            #expect(try Data(contentsOf: url) == bytes)
        }
        try Data().write(to: file)
        try cache.exportAndWait(to: file)
        try cache.exportAndWait(to: file)
    }
}
