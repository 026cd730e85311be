import Foundation
import Generators
import Molt
import TestSupport
import Testing

@Suite("An import that merges") struct MergingImportTests {
    private let directory: ScratchDirectory
    private var file: URL { directory.file("export.json") }
    private var other: URL { directory.file("other.molt") }

    init() throws {
        directory = try ScratchDirectory()
    }

    private func write(_ records: String..., version: Int = 0, migrations: String = "[]") throws {
        let head = #""format":"molt-export","formatVersion":1,"version":\#(version),"migrations":\#(migrations)"#
        try Data("{\(head),\"records\":[\(records.joined(separator: ","))]}".utf8).write(to: file)
    }

    private static func note(_ key: String, _ content: String, _ rest: String = "") -> String {
        #"{"key":"\#(key)","type":"Note","created":1,"updated":2\#(rest),"content":\#(content)}"#
    }

    private struct Note: Codable {
        var count: Int
    }

    /// Adds the imported count.
    private static let adding = ConflictPolicy<CodableCache>.merge { record, other in
        record["count"] = .int(try record.int("count") + other.int("count"))
    }

    private func contents(_ cache: CodableCache) throws -> [String] {
        try cache.contents().records.map(StoredRecord.init).map(\.description)
    }

    /// Expects that an import throws, and that the cache stays as it is.
    private func failure(
        _ cache: CodableCache,
        _ policy: ConflictPolicy<CodableCache>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> MoltError? {
        let before = try cache.contents()
        let error = MoltError.thrown(sourceLocation: sourceLocation) {
            try cache.importAndWait(from: file, onConflict: policy)
        }
        #expect(error?.outcome == .unchanged, sourceLocation: sourceLocation)
        #expect(try cache.contents() == before, sourceLocation: sourceLocation)
        return error
    }

    @Test func `leaves no name of a type behind for a record that it does not take`() throws {
        let cache = try CodableCache(at: other)
        try cache.set(Note(count: 1), forKey: "a")
        try write(Self.note("a", "{}").replacing(#""Note""#, with: #""Other""#), Self.note("b", "{}"))
        let summary = try cache.importAndWait(from: file, onConflict: .keep)
        #expect((summary.added, summary.kept) == (1, 1))
        #expect(try SQLite(other).rows("SELECT name FROM molt_type") == [["Note"]])
    }

    @Test func `gives the closure both records, and keeps what it does not change`() async throws {
        let clock = Clock(5)
        let cache = try CodableCache(at: other, configuration: .init { $0.now = { clock.date } })
        try cache.set(document: Data(#"{ "x":1.10, "count":1 }"#.utf8), ofType: "Note", writtenAt: 0, forKey: "a")
        try cache.set(Note(count: 5), forKey: "same")
        try write(
            Self.note("a", #"{"count":2,"y":0}"#, #","expires":90"#),
            Self.note("same", #"{ "count" : 5 }"#),
            Self.note("new", #"{"count":1}"#)
        )
        clock.advance(to: 7)
        let changes = cache.changes()
        let summary = try await cache.import(from: file, onConflict: Self.adding)
        #expect("\(summary)" == "imported version 0: 1 added, 1 merged, 1 kept")
        let expected = [
            #"Note "a" v0 { "x":1.10, "count":3 }"#, #"Note "same" v0 {"count":5}"#, #"Note "new" v0 {"count":1}"#,
        ]
        #expect(try contents(cache) == expected)
        let entry = try #require(try cache.entry(Note.self, forKey: "a"))
        #expect(entry.created == Date(timeIntervalSince1970: 1) && entry.updated == clock.date)
        #expect(entry.expiration == nil)
        #expect(try cache.entry(Note.self, forKey: "same")?.updated == Date(timeIntervalSince1970: 5))
        #expect(await cache.close(thenAll: changes).map { "\($0)" } == ["imported: all values"])
    }

    @Test func `gives equal records the later expiry, and does not count an expired one`() throws {
        let clock = Clock(5)
        let cache = try CodableCache(at: other, configuration: .init { $0.now = { clock.date } })
        try cache.set(Note(count: 1), forKey: "equal", expiry: .after(seconds: 100))
        try cache.set(Note(count: 1), forKey: "expired", expiry: .after(seconds: 1))
        clock.advance(to: 7)
        try write(
            Self.note("equal", #"{"count":1}"#, #","expires":900"#),
            Self.note("expired", #"{"count":2}"#, #","expires":900"#)
        )
        let summary = try cache.importAndWait(from: file, onConflict: Self.adding)
        #expect(summary.kept == 1 && summary.added == 1 && summary.merged == 0)
        let entries = try ["equal", "expired"].map { try cache.entry(Note.self, forKey: $0) }
        #expect(entries.map(\.?.value.count) == [1, 2])
        #expect(entries.map(\.?.expiration?.timeIntervalSince1970) == [900, 900])
        #expect(entries[0]?.updated == Date(timeIntervalSince1970: 5))
        cache.close()
    }

    @Test func `sees both records in today's form, and what a migration creates`() throws {
        let old = try OldStore([StoredRecord("Note", "a", #"{"n":1}"#), StoredRecord("Note", "b", #"{"n":1}"#)])
        let migrations: MigrationRegistry = [
            Migration(to: 1, "sum", .run("sum") { try $0.create("Note", forKey: "sum", ["n": 10]) }),
            Migration(to: 2, "count", .renameProperty("Note", "n", to: "count")).onRead(),
        ]
        let cache = try CodableCache(
            at: old.url,
            migrations: migrations,
            configuration: .init { $0.runsBackfill = false }
        )
        try write(Self.note("a", #"{"n":2}"#))
        let summary = try cache.importAndWait(from: file, onConflict: Self.adding)
        #expect(summary.merged == 1 && summary.kept == 1)
        #expect(try cache.values(Note.self, forKeys: ["a", "b", "sum"]).map(\.?.count) == [3, 1, 10])
        // What the import has not changed still waits, and what a migration creates meets what a user has set.
        #expect(
            try contents(cache) == [
                #"Note "a" v2 {"count":3}"#, #"Note "b" v0 {"n":1}"#, #"Note "sum" v1 {"n":10}"#,
            ]
        )
        try cache.set(Note(count: 5), forKey: "sum")
        #expect(try cache.importAndWait(from: file, onConflict: Self.adding).merged == 2)
        #expect(try cache.values(Note.self, forKeys: ["a", "sum"]).map(\.?.count) == [5, 15])
        cache.close()
    }

    @Test func `merges raw data, and keeps properties that a type does not know`() throws {
        let cache = try CodableCache(at: other, configuration: .init { $0.keepsUnknownProperties = true })
        try cache.set(Data([1]), forKey: "data")
        try cache.set(document: Data(#"{"count":1,"new":[1.0]}"#.utf8), ofType: "Note", writtenAt: 0, forKey: "a")
        try write(
            #"{"key":"data","type":"Data","created":1,"updated":1,"data":"Ag=="}"#,
            Self.note("a", #"{"count":2,"newer":1}"#)
        )
        let policy = ConflictPolicy<CodableCache>.merge { record, other in
            if let data = record.data, let more = other.data { return try record.replaceContent(with: data + more) }
            try record.set("count", to: record.decoded(as: Note.self).count + other.decoded(as: Note.self).count)
        }
        #expect(try cache.importAndWait(from: file, onConflict: policy).merged == 2)
        try cache.set(Note(count: 7), forKey: "a")
        #expect(try cache.value(Data.self, forKey: "data") == Data([1, 2]))
        #expect(try contents(cache).last == #"Note "a" v0 {"count":7,"new":[1.0]}"#)
        cache.close()
    }

    @Test func `uses the coders of the registry, and need not change anything`() throws {
        struct Dated: Codable, RecordType {
            static let recordTypeName = "Note"
            var date: Date
        }
        let coding = RecordCoding {
            $0.dateEncodingStrategy = .secondsSince1970
            $1.dateDecodingStrategy = .secondsSince1970
        }
        let clock = Clock(5)
        let cache = try CodableCache(
            at: other,
            migrations: MigrationRegistry([]).coding(coding),
            configuration: .init { $0.now = { clock.date } }
        )
        try cache.set(Dated(date: Date(timeIntervalSince1970: 3)), forKey: "a")
        clock.advance(to: 7)
        try write(Self.note("a", #"{"date":4}"#))
        let latest = ConflictPolicy<CodableCache>.merge { record, other in
            let dates = try [record, other].map { try $0.decoded(as: Dated.self).date }
            try record.replaceContent(with: Dated(date: max(dates[0], dates[1])))
        }
        #expect(try cache.importAndWait(from: file, onConflict: latest).merged == 1)
        #expect(try contents(cache) == [#"Note "a" v0 {"date":4}"#])
        try write(Self.note("a", #"{"date":2}"#))
        clock.advance(to: 9)
        #expect(try cache.importAndWait(from: file, onConflict: latest).merged == 1)
        #expect(try cache.entry(Dated.self, forKey: "a")?.updated == Date(timeIntervalSince1970: 7))
        cache.close()
    }

    // MARK: Errors

    @Test func `stops whole with the error of the closure, without values`() throws {
        let cache = try CodableCache(at: other)
        try cache.setAll(["a": Note(count: 1), "b": Note(count: 2)])
        try write(
            Self.note("new", #"{"count":1}"#),
            Self.note("a", #"{"count":7}"#),
            Self.note("b", #"{"secret":7}"#)
        )
        let error = try failure(cache, Self.adding)
        error?.expect(.propertyMissing, key: "b", type: "Note", property: "count", store: file.path)
        let refused = try failure(cache, .merge { _, _ in throw Refusal(value: "secret") })
        refused?.expect(.stepFailed, key: "a", type: "Note", refusal: "secret", says: "The closure of `onConflict`")
        #expect(refused?.debugDescription.contains("secret") == false)
        for change: @Sendable (inout Record) -> Void in [
            { $0.key = "c" }, { $0.typeName = "Other" }, { $0.drop() }, { $0[["count", "x"]] = 1 },
        ] {
            let error = try failure(cache, .merge { record, _ in change(&record) })
            #expect(error?.key == "a", "\(String(describing: error))")
        }
        cache.close()
    }

    @Test func `refuses two records of different types, and content that is no JSON`() throws {
        let cache = try CodableCache(at: other)
        try cache.set(1, forKey: "a")
        try write(Self.note("a", #"{"count":1}"#))
        try failure(cache, Self.adding)?.expect(.keyExists, key: "a", type: "Note", says: "of type Int")
        cache.close()
        let damaged = try OldStore([StoredRecord("Note", "a", "{")])
        let target = try CodableCache(at: damaged.url)
        try failure(target, Self.adding)?.expect(.malformedContent, key: "a", type: "Note")
        target.close()
    }

    @Test func `names a record of the cache that a migration on read cannot convert`() throws {
        let old = try OldStore([StoredRecord("Note", "a", #"{"n":"x"}"#)])
        let strict = Migration(to: 1, "strict", .transform("Note") { _ = try $0.int("count") }).onRead()
        let cache = try CodableCache(
            at: old.url,
            migrations: [strict],
            configuration: .init { $0.runsBackfill = false }
        )
        try write(Self.note("a", #"{"count":1}"#))
        try failure(cache, Self.adding)?.expect(.unreadableContent, key: "a")
        cache.close()
    }

    #if CHILD_PROCESSES
        @Test func `that is killed in its closure leaves the store as it was`() async throws {
            let cache = try CodableCache(at: other)
            try cache.set(Note(count: 1), forKey: "a")
            cache.close()
            try write(Self.note("new", #"{"count":1}"#), Self.note("a", #"{"count":7}"#))
            await #expect(processExitsWith: .signal(SIGKILL)) { [file = file as URL, other = other as URL] in
                let cache = try CodableCache(at: other)
                try await cache.import(from: file, onConflict: .merge { _, _ in raise(SIGKILL) })
            }
            let again = try CodableCache(at: other)
            #expect(try contents(again) == [#"Note "a" v0 {"count":1}"#])
            #expect(try again.importAndWait(from: file, onConflict: Self.adding).merged == 1)
            again.close()
        }
    #endif

    // MARK: Settings

    @Test func `merges settings by a closure of their own`() throws {
        let scratch = try ScratchSuite(["tags": ["a", "b"], "size": 1, "same": true])
        let configuration = MoltConfiguration { $0.suites = [scratch.suite] }
        let source = try CodableCache(at: directory.file(), configuration: configuration)
        try source.exportAndWait(to: file, suites: [scratch.suite])
        source.close()
        try scratch.suite.update(set: ["tags": ["c"], "size": 2])
        let cache = try CodableCache(at: other, configuration: configuration)
        func importing(_ policy: ConflictPolicy<CodableCache>) throws -> ImportSummary {
            try cache.importAndWait(from: file, suites: [scratch.suite], onConflict: policy)
        }
        MoltError.thrown { try importing(.merge { _, _ in }) }?
            .expect(.keyExists, key: "size", suite: scratch.suite.attachedName, says: "Pass `settings:` to `merge`")
        let error = MoltError.thrown {
            try importing(.merge({ _, _ in }, settings: { _, _ in throw Refusal(value: "secret") }))
        }
        error?.expect(
            .stepFailed,
            key: "size",
            store: file.path,
            suite: scratch.suite.attachedName,
            outcome: .unchanged,
            refusal: "secret"
        )
        try scratch.expect(["tags": ["c"], "size": 2, "same": true])
        let summary = try importing(
            .merge { _, _ in
            } settings: { value, other in
                if let own = value.array, let more = other.array { value = .array(own + more) }
            }
        )
        #expect("\(summary)" == "imported version 0: 0 added, 2 settings merged")
        try scratch.expect(["tags": ["c", "a", "b"], "size": 2, "same": true])
        cache.close()
    }

    /// The closures show each of their calls in what they make.
    private static func join(_ record: inout Record, _ other: Record) throws {
        record["count"] = .int(try record.int("count") * 10 + other.int("count"))
    }

    private static func join(_ value: inout PropertyListValue, _ other: PropertyListValue) { value = [value, other] }

    @Test func `of random records and settings merges each once, in two stores with one suite, whatever stops it`()
        throws
    {
        var stops: Set<Int> = []
        for seed in 0..<TestRun.choose(8, long: 300) as Range<UInt64> {
            let scratch = try ScratchDirectory()
            var random = SeededGenerator(seed: seed)
            let file = scratch.file("export.json")
            let suite = try ScratchSuite(RandomUpgrade.settings(&random))
            let exported = (notes: Self.notes(&random), settings: try suite.values)
            try Self.withCache(scratch.file("source"), suite) { cache in
                try cache.setAll(exported.notes.map { (key: $0, value: Note(count: $1)) })
                try cache.exportAndWait(to: file, suites: [suite.suite])
            }
            try suite.suite.removeAll()
            try suite.suite.update(set: RandomUpgrade.settings(&random))
            for store in [scratch.file("one"), scratch.file("two")] {
                let notes = Self.notes(&random)
                try Self.withCache(store, suite) { try $0.setAll(notes.map { (key: $0, value: Note(count: $1)) }) }
                let settings = try suite.values
                let stop = random.below(4)
                stops.insert(stop)
                try Self.merge(file, into: store, suite, stop) {
                    // It was stopped before the commit.
                    try suite.expect(settings, "\(seed)")
                    #expect(try Self.counts(store, suite) == notes, "\(seed)")
                }
                let both = settings.merging(exported.settings) { $0 == $1 ? $0 : [$0, $1] }
                try suite.expect(both, "\(seed), stopped \(stop)")
                let counts = notes.merging(exported.notes) { $0 == $1 ? $0 : $0 * 10 + $1 }
                #expect(try Self.counts(store, suite) == counts, "\(seed), stopped \(stop)")
            }
        }
        #expect(stops.count == 4)
    }

    private static func notes(_ random: inout SeededGenerator) -> [String: Int] {
        var notes: [String: Int] = [:]
        for key in ["a", "b", "c", "d"] where !random.oneIn(3) { notes[key] = 1 + random.below(3) }
        return notes
    }

    private static func withCache<Value>(
        _ url: URL,
        _ suite: ScratchSuite,
        _ hook: UpgradeHook? = nil,
        _ body: (CodableCache) throws -> Value
    ) throws -> Value {
        let configuration = MoltConfiguration {
            $0.suites = [suite.suite]
            $0.hooks.atPoint = hook
        }
        let cache = try CodableCache(at: url, configuration: configuration)
        defer { cache.close() }
        return try body(cache)
    }

    private static func counts(_ store: URL, _ suite: ScratchSuite) throws -> [String: Int] {
        try withCache(store, suite) { cache in
            try Dictionary(uniqueKeysWithValues: cache.values(of: Note.self).map { ($0.key, $0.value.count) })
        }
    }

    /// Imports a file, which may be stopped first.
    ///
    /// - Parameters:
    ///   - stop: 0 in the closure for settings, 1 in that for records, 2 after the commit, or 3 not at all.
    ///   - unchanged: Called if it was stopped before the commit.
    private static func merge(
        _ file: URL,
        into store: URL,
        _ suite: ScratchSuite,
        _ stop: Int,
        unchanged: () throws -> Void
    ) throws {
        let isOn = Locked(false)
        let hook: UpgradeHook = { point in
            if stop == 2, point.kind == .beforeApply, isOn.withLock({ $0 }) { throw Refusal() }
        }
        let joining = ConflictPolicy<CodableCache>.merge({ try join(&$0, $1) }, settings: { join(&$0, $1) })
        let policies: [Int: ConflictPolicy<CodableCache>] = [
            0: .merge({ try join(&$0, $1) }, settings: { _, _ in throw Refusal() }),
            1: .merge({ _, _ in throw Refusal() }, settings: { join(&$0, $1) }),
        ]
        let error = try withCache(store, suite, hook) { cache -> MoltError? in
            isOn.withLock { $0 = true }
            do {
                let policy = policies[stop] ?? joining
                try cache.importAndWait(from: file, suites: [suite.suite], onConflict: policy)
                return nil
            } catch let error as MoltError {
                return error
            }
        }
        // Without a conflict, nothing was refused.
        guard let error else { return }
        if error.outcome == .committed { return try withCache(store, suite) { _ in } }
        try unchanged()
        _ = try withCache(store, suite) {
            try $0.importAndWait(from: file, suites: [suite.suite], onConflict: joining)
        }
    }

    @Test func `of settings that is stopped after its commit does not merge them again`() throws {
        let (scratch, isOn) = (try ScratchSuite(["size": 1]), Locked(false))
        let configuration = MoltConfiguration {
            $0.suites = [scratch.suite]
            $0.hooks.atPoint = { if $0.kind == .beforeApply, isOn.withLock({ $0 }) { throw Refusal() } }
        }
        let source = try CodableCache(at: directory.file(), configuration: configuration)
        try source.exportAndWait(to: file, suites: [scratch.suite])
        source.close()
        try scratch.suite.update(set: ["size": 2])
        let cache = try CodableCache(at: other, configuration: configuration)
        isOn.withLock { $0 = true }
        MoltError.thrown {
            let add = ConflictPolicy<CodableCache>.merge { _, _ in
            } settings: { value, other in
                value = .int((value.int ?? 0) + (other.int ?? 0))
            }
            try cache.importAndWait(from: file, suites: [scratch.suite], onConflict: add)
        }?.expect(.suiteFailed, outcome: .committed)
        cache.close()
        isOn.withLock { $0 = false }
        try CodableCache(at: other, configuration: configuration).close()
        try scratch.expect(["size": 3])
    }
}
