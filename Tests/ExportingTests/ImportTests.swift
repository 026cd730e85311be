import Foundation
import Molt
import TestSupport
import Testing

@Suite("An import") struct ImportTests {
    private let directory: ScratchDirectory
    private var file: URL { directory.file("export.json") }
    private var other: URL { directory.file("other.molt") }

    init() throws {
        directory = try ScratchDirectory()
    }

    /// All that a store has of its records, apart from their ids and uses.
    private static func rows(_ url: URL) throws -> [[String]] {
        try SQLite(url).rows(
            """
            SELECT hex(key), name, version, created_at, updated_at, expires_at, typeof(content), hex(content)
            FROM molt_record JOIN molt_type ON molt_type.id = type_id ORDER BY molt_record.id
            """
        )
    }

    /// Expects that a call throws, that the other store stays as it is, and that no temporary file is left.
    @discardableResult
    private func expectUnchanged<Value>(
        _ cache: CodableCache,
        sourceLocation: SourceLocation = #_sourceLocation,
        by call: () throws -> Value
    ) throws -> MoltError? {
        let before = try cache.contents()
        let names = try directory.names()
        let error = MoltError.thrown(sourceLocation: sourceLocation, by: call)
        #expect(error?.outcome == .unchanged, sourceLocation: sourceLocation)
        #expect(try cache.contents() == before, sourceLocation: sourceLocation)
        #expect(try directory.names() == names, sourceLocation: sourceLocation)
        return error
    }

    private func write(_ records: String, version: Int = 0, migrations: String = "[]") throws {
        let head = #""format":"molt-export","formatVersion":1,"version":\#(version),"migrations":\#(migrations)"#
        try Data("{\(head),\"records\":[\(records)]}".utf8).write(to: file)
    }

    private static func record(_ key: String, _ rest: String = #""content":1"#) -> String {
        #"{"key":"\#(key)","type":"Int","created":1,"updated":2,\#(rest)}"#
    }

    // MARK: Round trips

    @Test(arguments: [false, true]) func `gives every byte and date of a store`(isStore: Bool) throws {
        let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        let long = "\"" + String(repeating: "long text, ", count: 60_000) + "\""
        let contents = [
            "null", "-1.50e3", #""\u00e9 \/ é""#, " {\n  \"a\" : [ ] ,\t\"a\":{}\r\n}\n", "[]", deep, long,
            #"{"key":"}]\\\"","data":1}"#,
        ]
        let keys = ["é", "e\u{301}", "", "a\u{0}b\n\"\\", "😀", "]}", "7", "8"]
        var records = zip(keys, contents).map {
            StoredRecord("T\u{1F}", $0, $1, expiration: $0 == "7" ? 4e9 + 0.1 : nil)
        }
        records += [StoredRecord("Data", "data", data: []), StoredRecord("Data", "more", data: [0, 10, 0xFF])]
        let store = try OldStore(records)
        try SQLite(store.url).run(
            "UPDATE molt_record SET created_at = id / 3.0, updated_at = 1750000000 + id / 7.0, version = 0"
        )
        let cache = try CodableCache(at: store.url)
        try cache.exportAndWait(to: file)
        cache.close()
        let copy = try CodableCache(at: other)
        let summary = try copy.importAndWait(from: isStore ? store.url : file)
        #expect(summary.added == records.count && summary.version == 0)
        #expect("\(summary)" == "imported version 0: \(records.count) added")
        try copy.exportAndWait(to: directory.file("again.json"))
        copy.close()
        #expect(try Self.rows(other) == Self.rows(store.url))
        try expectIntegrity(of: other)
        let texts = try ["export.json", "again.json"].map { name in
            try String(contentsOf: directory.file(name), encoding: .utf8).split(separator: "records").last
        }
        #expect(texts[0] == texts[1])
    }

    @Test func `takes members in any order, and white space anywhere`() throws {
        let text = """
            { "migrations" : [ { "version": 1, "name" : "a" } ], "version":1,"formatVersion":1 , "format":"molt-export", "records" : [
              { "content" :{ "a" : 1 }, "updated" : 2, "created":1.5e0, "type":"\\u0041", "key":"k" } , \
            {"key":"d","type":"Data","created":1,"updated":1,"data":""} ] } \n
            """
        try Data(text.utf8).write(to: file)
        let cache = try CodableCache(at: other, migrations: [Migration(to: 1, "a")])
        try cache.importAndWait(from: file)
        let found = try cache.contents().records.map(StoredRecord.init)
        #expect(found.map(\.description) == [#"A "k" v1 { "a" : 1 }"#, #"Data "d" v1 data "#])
        cache.close()
    }

    // MARK: Upgrading

    @Test func `upgrades the records with blocks, and leaves suites alone`() throws {
        let notebook = try Notebook(["before"])
        var migrations: MigrationRegistry = [
            Migration(to: 1, "person", .renameType("Alien", to: "Person")),
            notebook.adding("settings", to: 2),
        ]
        migrations.register(
            Migration(
                to: 3,
                "block",
                .run(suites: [notebook.suite]) { context in
                    let count = try context.pages(notebook).lines.count
                    // The import runs it again, on settings that it does not change.
                    try context.pages(notebook).set(2, forKey: "block")
                    try context.enumerate("Person") { _, new in new["count"] = .number(.init(count)) }
                }
            )
        )
        let store = try OldStore([StoredRecord("Alien", "a", #"{"n":1}"#)], version: 1, ledger: [("person", 1)])
        let cache = try CodableCache(at: other, migrations: migrations)
        #expect(try notebook.lines == ["before", "settings", "block"])
        let summary = try cache.importAndWait(from: store.url, only: .types([Person.self]))
        #expect(summary.version == 1 && summary.added == 0)
        let old = try OldStore([StoredRecord("Alien", "a", #"{"n":1}"#)])
        let whole = try cache.importAndWait(from: old.url)
        #expect(whole.added == 1 && whole.report.outcomes == "person ran, settings ran, block ran")
        #expect(try cache.contents().records.map(StoredRecord.init).map(\.text) == [#"{"n":1,"count":3}"#])
        #expect(try notebook.lines == ["before", "settings", "block"])
        cache.close()
    }

    /// The store that exported had no access to its suite, and later releases replace migrations.
    @Test func `counts migrations that were deferred or replaced as applied`() throws {
        let notebook = try Notebook(["before"])
        let first: MigrationRegistry = [
            Migration(to: 1, "a"), notebook.adding("settings", to: 2),
            Migration(to: 3, "b", .renameProperty("Int", "x", to: "y")),
        ]
        let old = try OldStore([StoredRecord("Int", "k", #"{"x":1}"#)])
        try notebook.whileClosed {
            let cache = try CodableCache(at: old.url, migrations: first)
            #expect(cache.report.deferred.count == 1)
            try cache.exportAndWait(to: file)
            cache.close()
        }
        #expect(
            try String(contentsOf: file, encoding: .utf8).contains(
                #""migrations":[{"name":"a","version":1},{"name":"b","version":3}]"#
            )
        )
        let today: MigrationRegistry = [
            notebook.adding("settings", to: 2),
            Migration(to: 3, "ab", replacing: ["a", "b"], .renameProperty("Int", "x", to: "y")),
            Migration(to: 4, "z", .renameProperty("Int", "y", to: "z")),
        ]
        let cache = try CodableCache(at: other, migrations: today)
        try cache.importAndWait(from: file)
        #expect(try cache.contents().records.map(StoredRecord.init).map(\.text) == [#"{"z":1}"#])
        cache.close()
    }

    @Test func `puts what a migration cannot convert into the quarantine`() throws {
        let old = try OldStore([StoredRecord("A", "a", #"{"n":1}"#), StoredRecord("A", "b", #"{"n":"x"}"#)])
        let migrations = registry(.transform("A") { _ = try $0.value("n", as: Int.self) })
        let source = try CodableCache(at: old.url)
        try source.exportAndWait(to: file)
        source.close()
        let strict = try CodableCache(at: directory.file(), migrations: migrations)
        try expectUnchanged(strict) { try strict.importAndWait(from: file) }?
            .expect(.typeMismatch, key: "b", migration: "change", step: 1, store: file.path)
        strict.close()
        let cache = try CodableCache(at: other, migrations: migrations.onFailure(.quarantine()))
        let summary = try cache.importAndWait(from: file)
        #expect(summary.added == 1 && summary.quarantined == 1)
        try cache.expect(keys: ["a"], quarantined: ["b"])
        let corrected = registry(.transform("A") { $0["n"] = .number(2) })
        #expect(try cache.retryQuarantined(with: corrected).map(\.outcome) == [.converted])
        // Those that an earlier import or upgrade has put there stay.
        #expect(try cache.importAndWait(from: file, only: .keys(["b"])).quarantined == 1)
        MoltError.thrown { try cache.importAndWait(from: file, only: .keys(["c"])) }?.expect(.recordMissing, key: "c")
        cache.close()
    }

    @Test func `takes records from a backup`() throws {
        let old = try OldStore([StoredRecord("Alien", "a", #"{"firstName":"A","lastName":"B"}"#)])
        let migrations = registry(.renameType("Alien", to: "Person"))
        let cache = try CodableCache(
            at: old.url,
            migrations: migrations,
            configuration: .init { $0.backup = BackupPolicy() }
        )
        try cache.removeAll()
        let backup = try #require(try CacheFile(at: old.url).backups().first)
        let summary = try cache.importAndWait(from: backup.url, only: .types([Person.self]))
        #expect(summary.added == 1 && summary.version == 0)
        try cache.expect(Person(firstName: "A", lastName: "B"), forKey: "a")
        try expectUnchanged(cache) { try cache.importAndWait(from: old.url) }?.expect(.unsupported)
        cache.close()
    }

    // MARK: Conflicts

    @Test func `does what is asked about keys in use`() async throws {
        let clock = Clock(1)
        let cache = try CodableCache(at: other, configuration: .init { $0.now = { clock.date } })
        try write(
            "\(Self.record("a")),\(Self.record("b")),\(Self.record("c")),\(Self.record("d", #""content":1,"expires":4"#))"
        )
        try cache.set(2, forKey: "a")
        clock.advance(to: 2)
        try cache.set(2, forKey: "b", expiry: .at(Date(timeIntervalSince1970: 9)))
        clock.advance(to: 4)
        try expectUnchanged(cache) { try cache.importAndWait(from: file) }?.expect(.keyExists, key: "a")
        #expect(try cache.value(Int.self, forKey: "a") == 2)
        let changes = cache.changes()
        var summary = try await cache.import(from: file, onConflict: .newest)
        #expect(summary.added == 1 && summary.replaced == 1 && summary.kept == 1 && summary.expired == 1)
        #expect(try cache.values(Int.self, forKeys: ["a", "b", "c", "d"]) == [1, 2, 1, nil])
        try cache.expect(1, forKey: "a")
        #expect(try cache.entry(Int.self, forKey: "a")?.updated == Date(timeIntervalSince1970: 2))
        summary = try await cache.import(from: file, onConflict: .keep)
        #expect(summary.kept == 3 && summary.added == 0)
        summary = try await cache.import(from: file, only: .keys(["b"]), onConflict: .replace)
        #expect(summary.replaced == 1 && summary.kept == 0)
        try cache.expect(1, forKey: "b")
        try cache.set(2, forKey: "c", expiry: .after(seconds: 1))
        clock.advance(to: 9)
        #expect(try await cache.import(from: file, only: .keys(["c"])).added == 1)
        // Each import is one change, also if it adds nothing.
        let kinds = await cache.close(thenAll: changes).map { "\($0)" }
        #expect(
            kinds == [
                "imported: all values", "imported: all values", "imported: all values", "set: \"c\" of type Int",
                "imported: all values",
            ]
        )
    }

    @Test func `keeps to the size limit`() throws {
        let cache = try CodableCache(at: other, configuration: .init { $0.sizeLimit = 2 })
        try write(
            [Self.record("a"), Self.record("b"), Self.record("c", #""content":100"#), Self.record("d")].joined(
                separator: ","
            )
        )
        #expect(try cache.importAndWait(from: file).evicted == 2)
        #expect(try cache.keys() == ["b", "d"] && cache.contentSize() == 2)
        // Values of the cache were used later than imported ones.
        try cache.setAll(["x": 1])
        let summary = try cache.importAndWait(from: file, onConflict: .keep)
        #expect(summary.evicted == summary.added)
        #expect(try cache.contains("x"))
        cache.close()
    }

    private static let shortcut: MigrationRegistry = [
        Migration(to: 1, "a"), Migration(to: 2, "b"), Migration(to: 2, "short", replacing: ["a", "b"]),
        Migration(to: 3, "c"),
    ]

    /// A registry decides about an export as about the store that it was made of.
    @Test func `is refused or upgraded as the store itself would be`() throws {
        let rename = MigrationStep.renameProperty("Int", "x", to: "y")
        let cases: [(was: MigrationRegistry, isNow: MigrationRegistry, oldest: Int)] = [
            // A replacement has the name of a part.
            ([Migration(to: 1, "a")], [Migration(to: 3, "a", replacing: ["a", "b"], rename)], 0),
            (
                [Migration(to: 1, "a"), Migration(to: 2, "b")], [Migration(to: 3, "a", replacing: ["a", "b"], rename)],
                0
            ),
            // Another branch.
            ([Migration(to: 3, "branch")], [Migration(to: 3, "c", rename)], 2),
            // A migration of a version that the store has already.
            ([Migration(to: 3, "c")], [Migration(to: 3, "c"), Migration(to: 3, "d", rename)], 0),
            ([Migration(to: 3, "c")], [Migration(to: 2, "late", rename), Migration(to: 3, "c")], 0),
            // A retired squash.
            (
                [Migration(to: 2, "ab", replacing: ["a"]), Migration(to: 3, "c")],
                [Migration(to: 3, "c"), Migration(to: 4, "d", rename)], 2
            ),
            // A retired shortcut, which the store has taken.
            (Self.shortcut, [Migration(to: 3, "ab", replacing: ["a", "b", "c"]), Migration(to: 4, "d", rename)], 0),
            (Self.shortcut, [Migration(to: 3, "ab", replacing: ["short", "c"]), Migration(to: 4, "d", rename)], 0),
            (Self.shortcut, [Migration(to: 3, "ab", replacing: ["a", "b", "x"]), Migration(to: 4, "d", rename)], 0),
        ]
        for (was, isNow, oldest) in cases {
            var today = isNow
            today = today.oldestVersion(oldest)
            let old = try OldStore([StoredRecord("Int", "k", #"{"x":1}"#)])
            let cache = try CodableCache(at: old.url, migrations: was)
            try cache.exportAndWait(to: file)
            cache.close()
            let target = try CodableCache(inMemory: today)
            let imported = Result { try target.importAndWait(from: file) }
            let upgraded = Result { try Migrator(today).migrate(StoreFile(at: old.url)) }
            switch (imported, upgraded) {
            case (.success, .success):
                #expect(try target.contents().records.map(\.content) == old.snapshot().records.map(\.content))
            case (.failure(let one as MoltError), .failure(let other as MoltError)):
                #expect(one.code == other.code, "\(isNow)")
            default:
                Issue.record("\(isNow): \(imported), \(upgraded)")
            }
        }
    }

    @Test func `of what a reader has exported goes through no migration twice, and through none too few`() throws {
        let rename = MigrationStep.transform("Int") { record in record["n"] = .int(try record.int("n") + 1) }
        let was: MigrationRegistry = [Migration(to: 3, "c")]
        let today: MigrationRegistry = [Migration(to: 3, "c"), Migration(to: 3, "c2", rename)]
        let old = try OldStore([StoredRecord("Int", "k", #"{"n":1}"#)])
        try CodableCache(at: old.url, migrations: was).close()
        try CodableCache(reading: old.url, migrations: today).exportAndWait(to: file)
        let target = try CodableCache(inMemory: today)
        try target.importAndWait(from: file)
        #expect(try target.contents().records.map { String(decoding: $0.content, as: UTF8.self) } == [#"{"n":2}"#])

        // A newer app has records that wait for a migration on read, which this release does not know.
        let newer: MigrationRegistry = [
            Migration(to: 3, "c"), Migration(to: 4, "d", rename).olderReleases(may: .read).onRead(),
        ]
        try CodableCache(at: old.url, migrations: newer, configuration: .init { $0.runsBackfill = false }).close()
        MoltError.thrown {
            try CodableCache(reading: old.url, migrations: was).exportAndWait(to: file)
        }?.expect(.needsMigration, migration: "d")

        // An older release that may write exports, and imports, at its own version.
        let writable: MigrationRegistry = [Migration(to: 3, "c"), Migration(to: 4, "e").olderReleases(may: .write)]
        let url = directory.file("writable.molt")
        try CodableCache(at: url, migrations: writable).close()
        let older = try CodableCache(at: url, migrations: was)
        try older.set(1, forKey: "one")
        #expect(try older.exportAndWait(to: file).version == 3)
        #expect(try older.importAndWait(from: file, onConflict: .replace).replaced == 1)
    }

    @Test func `keeps records that were not converted, leaves out other sources, and prefers what a user has set`()
        throws
    {
        let old = try OldStore([StoredRecord("Alien", "k", #"{"n":1}"#), StoredRecord("Alien", "bad", "1")])
        let cache = try CodableCache(at: old.url)
        try cache.exportAndWait(to: file)
        cache.close()
        let today: MigrationRegistry = [
            Migration(
                to: 1,
                "strict",
                .transform("Alien") { _ = try $0.int("n") }.onFailure(.quarantine(upTo: .unlimited))
            ),
            Migration(to: 2, "person", .renameType("Alien", to: "Person")),
            Migration(
                to: 3,
                "legacy",
                .run("legacy", onFreshStore: true) { try $0.create("Int", forKey: "legacy", 1 as RecordValue) }
            ),
            Migration(to: 4, "stats", .run("stats") { try $0.create("Int", forKey: "stats", 1 as RecordValue) }),
        ]
        struct Person: Codable { var n: Int }
        let target = try CodableCache(inMemory: today)
        try target.removeAll()
        try target.set(7, forKey: "stats")
        var summary = try target.importAndWait(from: file, only: .types([Person.self, Int.self]), onConflict: .newest)
        #expect(summary.added == 1 && summary.quarantined == 1 && summary.kept == 1)
        #expect(try target.keys() == ["stats", "k"])
        try target.expect(7, forKey: "stats")
        summary = try target.importAndWait(from: file, only: .keys(["bad"]))
        #expect(summary.quarantined == 1 && summary.added == 0)
        // The same record is there once.
        #expect(try target.quarantinedCount == 1)
    }

    @Test func `names what a later format has, and not the members that it adds`() throws {
        let text = #"{"format":"molt-export","formatVersion":2,"settings":{},"version":1,"migrations":[],"records":[]}"#
        try Data(text.utf8).write(to: file)
        let cache = try CodableCache(at: other)
        MoltError.thrown { try cache.importAndWait(from: file) }?.expect(.newerFormat)
        cache.close()
    }

    /// The store is not locked while the records are upgraded.
    @Test func `finds conflicts with what others set meanwhile`() throws {
        let beside = Once()
        let migrations = registry(.transform("Int") { _ in beside.run() })
        let cache = try CodableCache(at: other, migrations: migrations)
        let second = try CodableCache(at: other, migrations: migrations)
        beside.set { #expect(throws: Never.self) { try second.set(5, forKey: "b") } }
        try write("\(Self.record("a")),\(Self.record("b"))")
        MoltError.thrown { try cache.importAndWait(from: file) }?.expect(.keyExists, key: "b")
        #expect(try second.keys() == ["b"])
        cache.close()
        second.close()
    }

    // MARK: Refusals

    @Test func `refuses other versions, and a cache that can only be read`() throws {
        let cache = try CodableCache(
            at: other,
            migrations: MigrationRegistry([Migration(to: 3, "c")]).oldestVersion(2)
        )
        try write(Self.record("a"), version: 4)
        try expectUnchanged(cache) { try cache.importAndWait(from: file) }?
            .expect(.superseded, store: file.path, storeVersion: 4, registryVersion: 3)
        try write(Self.record("a"), version: 1, migrations: #"[{"name":"a","version":1}]"#)
        try expectUnchanged(cache) { try cache.importAndWait(from: file) }?.expect(
            .tooOld,
            storeVersion: 1,
            registryVersion: 2
        )
        try write(
            Self.record("a"),
            version: 3,
            migrations: #"[{"name":"a","version":1},{"name":"c","version":3},{"name":"branch","version":3}]"#
        )
        try expectUnchanged(cache) { try cache.importAndWait(from: file) }?.expect(.migrationMissing)
        try write(Self.record("a"), version: 2, migrations: #"[{"name":"a","version":1},{"name":"b","version":2}]"#)
        #expect(try cache.importAndWait(from: file).added == 1)
        cache.close()
        let newer = try CodableCache(
            at: other,
            migrations: [Migration(to: 3, "c"), Migration(to: 4, "d").olderReleases(may: .read)]
        )
        newer.close()
        let reading = try CodableCache(
            reading: other,
            migrations: MigrationRegistry([Migration(to: 3, "c")]).oldestVersion(2)
        )
        MoltError.thrown { try reading.importAndWait(from: file) }?.expect(.readOnly)
        #expect(try reading.exportAndWait(to: directory.file("newer.json")).version == 4)
        reading.close()
    }

    #if CHILD_PROCESSES
        @Test func `that is killed while it writes leaves the store as it was`() async throws {
            let target = try CodableCache(at: other)
            try target.set(1, forKey: "before")
            target.close()
            let content = "\"content\":\"\(String(repeating: "long text, ", count: 3_000))\""
            try write((0..<600).map { Self.record("\($0)", content) }.joined(separator: ","))
            let before = try Self.rows(other)
            await #expect(processExitsWith: .signal(SIGKILL)) { [file = file as URL, other = other as URL] in
                let cache = try CodableCache(at: other)
                // The second half of the work is writing.
                try await cache.import(from: file) { share in if share > 0.5 { raise(SIGKILL) } }
            }
            // SQLite has written some of the pages.
            let log = try FileManager.default.attributesOfItem(atPath: other.path + "-wal")[.size] as? Int
            #expect(log ?? 0 > 1_000_000)
            #expect(try Self.rows(other) == before)
            try expectIntegrity(of: other)
            let cache = try CodableCache(at: other)
            #expect(try await cache.import(from: file).added == 600)
            cache.close()
        }

        /// In a child process with a temporary directory of its own, because other tests import meanwhile.
        @Test func `refuses a file that is cut off anywhere, and leaves no temporary file`() async throws {
            let source = try CodableCache(at: directory.file())
            try source.set(Person.john, forKey: "john")
            try source.set(Data([1]), forKey: "photo")
            try await source.export(to: file)
            source.close()
            let temporary = directory.file("temporary")
            try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
            await #expect(processExitsWith: .success) {
                [file = file as URL, other = other as URL, temporary = temporary.path as String] in
                setenv("TMPDIR", temporary, 1)
                let cache = try CodableCache(at: other)
                let text = try Data(contentsOf: file)
                // The last byte is a line feed.
                for length in 0..<(text.count - 1) {
                    try text.prefix(length).write(to: file)
                    let error = MoltError.thrown { try cache.importAndWait(from: file) }
                    guard error?.code == .malformedExport, error?.outcome == .unchanged, try cache.count() == 0 else {
                        fatalError("\(length): \(String(describing: error))")
                    }
                }
                guard try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty else {
                    throw TestFailure.expected
                }
            }
        }
    #endif

    @Test(arguments: [
        (#""content":1,"more":2"#, #""more""#), (#""content":1,"content":2"#, #""content":2"#),
        (#""content":1,"data":"""#, #"{"key":"a""#), (#""data":"!""#, #""!""#), (#""data":1"#, "1}"),
        (#""content":01"#, "1}"), (#""content":"\ud800""#, #"\ud800"#), (#""content":1,"expires":null"#, "null"),
        (#""content":1}],"more":[{"a":1"#, #","more":["#),
    ])
    func `names the place of a malformed record, and shows no value`(rest: String, place: String) throws {
        let cache = try CodableCache(at: other)
        try write("\(Self.record("first", #""content":"secret""#)),\(Self.record("a", rest))")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: place, options: .backwards)).lowerBound
        let error = try expectUnchanged(cache) { try cache.importAndWait(from: file) }
        error?.expect(
            .malformedExport,
            store: file.path,
            says: "at byte \(text.utf8.distance(from: text.startIndex, to: start))."
        )
        #expect(error?.debugDescription.contains("secret") == false)
        cache.close()
    }

    @Test func `refuses a record without a type, and one from beyond the calendar`() throws {
        let cache = try CodableCache(at: other)
        for (record, words) in [
            (Self.record("a").replacing("Int", with: ""), "the name of a type"),
            (Self.record("a").replacing("\"updated\":2", with: "\"updated\":1e300"), "in seconds since 1970"),
            (Self.record("a").replacing("\"created\":1", with: "\"created\":-2e11"), "in seconds since 1970"),
        ] {
            try write(record)
            try expectUnchanged(cache) { try cache.importAndWait(from: file) }?.expect(.malformedExport, says: words)
        }
        // A store with such a date is damaged, and would win over everything.
        let damaged = directory.file("damaged.molt")
        try CodableCache(at: damaged).set(1, forKey: "a")
        try SQLite(damaged).run("UPDATE molt_record SET updated_at = 1e300")
        try expectUnchanged(cache) { try cache.importAndWait(from: damaged, onConflict: .newest) }?
            .expect(.storeFailed, key: "a", says: "that no calendar has")
    }

    @Test func `names a chosen type that no record has, and takes types and keys together`() throws {
        let cache = try CodableCache(at: other)
        try write("\(Self.record("a")),\(Self.record("b").replacing("Int", with: "Bool")),\(Self.record("c"))")
        let summary = try cache.importAndWait(from: file, only: .types([Inte.self]))
        #expect(summary.added == 0)
        #expect("\(summary)".hasSuffix(#"; no record of type "Inte"; did you mean "Int"?"#), "\(summary)")
        let both = RecordSelection.types([Bool.self]).union(.keys(["c"]))
        #expect(try cache.importAndWait(from: file, only: both).missingTypes.isEmpty)
        #expect(try cache.keys() == ["b", "c"])
        let exported = try cache.exportAndWait(to: directory.file("again.json"), only: .types([Inte.self]).union(both))
        #expect(exported.records == 2 && exported.missingTypes == [#"no record of type "Inte"; did you mean "Int"?"#])
        #expect(RecordSelection.all.union(both) == .all)
    }

    private struct Inte: Codable {}

    @Test func `refuses what is no export, and two records with the same key`() throws {
        let cache = try CodableCache(at: other)
        try write("\(Self.record("a")),\(Self.record("\\u0061"))")
        try expectUnchanged(cache) { try cache.importAndWait(from: file) }?.expect(
            .malformedExport,
            key: "a",
            says: "same key"
        )
        for (text, words) in [
            (#"{"a":1}"#, "unknown or repeated"), (#"[1]"#, "object"),
            (#"{"format":"other","records":[]}"#, "molt-export"),
            (#"{"format":"molt-export","formatVersion":1,"version":-1,"migrations":[],"records":[]}"#, "version"),
        ] {
            try Data(text.utf8).write(to: file)
            try expectUnchanged(cache) { try cache.importAndWait(from: file) }?.expect(.malformedExport, says: words)
        }
        try Data(#"{"format":"molt-export","formatVersion":2,"records":[]}"#.utf8).write(to: file)
        try expectUnchanged(cache) { try cache.importAndWait(from: file) }?.expect(.newerFormat)
        try expectUnchanged(cache) { try cache.importAndWait(from: directory.file("none")) }?.expect(.fileMissing)
        try expectUnchanged(cache) { try cache.importAndWait(from: directory.url) }?.expect(.notAFile)
        cache.close()
    }

    @Test func `that is cancelled in a step changes nothing`() async throws {
        let (begun, cancelled) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let steps = registry(
            .transform("Int") { _ in
                begun.continuation.yield()
                cancelled.wait()
                cancelled.signal()
            }
        )
        let cache = try CodableCache(at: other, migrations: steps)
        try write("\(Self.record("a")),\(Self.record("b"))")
        let before = try Self.rows(other)
        let task = Task { [file] in try await cache.import(from: file) }
        for await _ in begun.stream { break }
        task.cancel()
        cancelled.signal()
        await #expect(throws: MoltError.self) { try await task.value }?.expect(.cancelled)
        #expect(try Self.rows(other) == before)
        let shares = Locked<[Double]>([])
        try write("", version: 1, migrations: #"[{"name":"change","version":1}]"#)
        try await cache.import(from: file)
        try write(
            "\(Self.record("a")),\(Self.record("b"))",
            version: 1,
            migrations: #"[{"name":"change","version":1}]"#
        )
        try await cache.import(from: file) { share in shares.withLock { $0.append(share) } }
        #expect(shares.withLock { $0 } == [1])
        cache.close()
    }
}
