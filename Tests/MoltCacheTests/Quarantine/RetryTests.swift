import Foundation
import MoltCache
import MoltCore
import MoltTesting
import Testing

@Suite("A record in quarantine")
struct RetryTests {
    static let people = ["a", "b", "c"].map { StoredRecord("Person", $0, "{\"age\":\"\($0)\"}") }

    /// A migration whose step fails for some records, between two others.
    static func registry(
        failing: Set<String>,
        droppingAt drop: String = "",
        then: MigrationStep? = nil
    ) -> MigrationRegistry {
        MigrationRegistry([
            Migration(to: 1, "one", .addProperty("Person", "one", default: 1)),
            Migration(
                to: 2,
                "two",
                .transform("Person") { record in
                    if record.key == drop { return record.drop() }
                    if failing.contains(record.key) { throw Refusal(value: record.key) }
                    record["two"] = 2
                }
            ),
            Migration(to: 3, "three", steps: [.renameType("Person", to: "Human")] + (then.map { [$0] } ?? [])),
        ])
    }

    static func open(_ old: OldStore, _ registry: MigrationRegistry) throws -> CodableCache {
        try FailurePolicyTests.open(old, registry, .quarantine(upTo: .none))
    }

    // MARK: Retrying

    @Test func `is put back as if it had never failed, once its step is corrected`() throws {
        var people = Self.people
        people[1].expiration = 4e9
        let old = try OldStore(people)
        let direct = try OldStore(people)
        try SQLite(old.url).run("UPDATE molt_record SET created_at = 100, updated_at = 200")
        let then = MigrationStep.transform("Human") { $0["four"] = .string($0.key) }
        let cache = try Self.open(old, Self.registry(failing: ["b"], then: then))
        let fixed = Self.registry(failing: [], then: then)
        let report = try cache.retryQuarantined(with: fixed)
        #expect(report.entries.map(\.outcome) == [.converted])
        #expect(report.entries.map(\.key) == ["b"])
        #expect(report.entries.first?.newKey == nil)
        #expect(try cache.quarantined() == [])
        #expect(try cache.keys() == ["a", "c", "b"])
        struct Shape: Codable { var one: Int }
        let entry = try #require(try cache.entry(Shape.self, forKey: "b"))
        #expect(entry.created == Date(timeIntervalSince1970: 100))
        #expect(entry.updated == Date(timeIntervalSince1970: 200))
        cache.close()
        _ = try Migrator(fixed).migrate(CacheStore(at: direct.url))
        for key in ["a", "b", "c"] { #expect(try old.snapshot()[key] == direct.snapshot()[key]) }
        // The ledger, the version and the next opening are unaffected.
        let again = try CodableCache(at: old.url, migrations: fixed)
        #expect(again.report.entries.isEmpty)
    }

    @Test func `stays when it fails again, with the new reason`() throws {
        struct Other: Error {}
        let old = try OldStore(Self.people)
        let cache = try Self.open(old, Self.registry(failing: ["b"]))
        let before = try #require(try cache.quarantined().first)
        var again = Self.registry(failing: []).migrations
        again[1] = Migration(to: 2, "two", .transform("Person") { _ in throw Other() }.onFailure(.drop()))
        let report = try cache.retryQuarantined(with: MigrationRegistry(again))
        #expect(report.entries.map(\.outcome) == [.failed])
        #expect(report.entries.first?.failure?.reason == "Other")
        let after = try #require(try cache.quarantined().first)
        var expected = before
        expected.failure.reason = "Other"
        #expect(after == expected)
        #expect(report.description.contains("1 failed"))
    }

    @Test func `that fails in a later migration is kept in its state before that migration`() throws {
        let old = try OldStore(Self.people)
        let failing = MigrationStep.transform("Human") { if $0.key == "b" { throw Refusal() } }
        let cache = try Self.open(old, Self.registry(failing: ["b"], then: failing))
        let report = try cache.retryQuarantined(with: Self.registry(failing: [], then: failing))
        #expect(report.entries.map(\.outcome) == [.failed])
        let record = try #require(try cache.quarantined().first)
        #expect(record.failure.migration == MigrationID(name: "three", version: 3))
        #expect(record.failure.step.number == 2)
        #expect(record.version == 2)
        #expect(record.typeName == "Person")
        #expect(String(decoding: record.content, as: UTF8.self) == #"{"age":"b","one":1,"two":2}"#)
        // The record equals one that failed only in this migration.
        let direct = try OldStore(Self.people)
        let other = try Self.open(direct, Self.registry(failing: [], then: failing))
        var expected = try #require(try other.quarantined().first)
        expected.id = record.id
        expected.quarantined = record.quarantined
        (expected.created, expected.updated) = (record.created, record.updated)
        #expect(record == expected)
        #expect(try cache.retryQuarantined(with: Self.registry(failing: [])).count(of: .converted) == 1)
        #expect(try cache.typeName(forKey: "b") == "Human")
    }

    @Test func `is deleted when the corrected step drops it, and the report says so`() throws {
        let old = try OldStore(Self.people)
        let cache = try Self.open(old, Self.registry(failing: ["b"]))
        let report = try cache.retryQuarantined(with: Self.registry(failing: [], droppingAt: "b"))
        #expect(report.entries.map(\.outcome) == [.dropped])
        #expect(try cache.quarantinedCount == 0)
        #expect(try cache.keys() == ["a", "c"])
    }

    @Test func `stays when its key was taken in the meantime, and so does the value with that key`() throws {
        let old = try OldStore(Self.people)
        let cache = try Self.open(old, Self.registry(failing: ["b", "c"]))
        try cache.set("new", forKey: "b")
        let before = try cache.quarantined()
        let report = try cache.retryQuarantined(with: Self.registry(failing: []))
        #expect(report.entries.map(\.outcome) == [.keyTaken, .converted])
        #expect(try cache.quarantined() == [before[0]])
        #expect(try cache.value(String.self, forKey: "b") == "new")
        try cache.remove(forKey: "b")
        #expect(try cache.retryQuarantined(with: Self.registry(failing: [])).count(of: .converted) == 1)
        #expect(try Set(cache.keys()) == ["a", "b", "c"])
    }

    @Test func `takes over the key of a value that has expired`() throws {
        let clock = Clock(1_000)
        let old = try OldStore(Self.people)
        var configuration = CodableCache.Configuration()
        configuration.unconvertible = .quarantine(upTo: .none)
        configuration.now = { clock.date }
        let registry = Self.registry(failing: ["b"])
        let cache = try CodableCache(at: old.url, migrations: registry, configuration: configuration)
        try cache.set("short", forKey: "b", expiry: .after(seconds: 10))
        clock.advance(to: 2_000)
        #expect(try cache.retryQuarantined(with: Self.registry(failing: [])).count(of: .converted) == 1)
        #expect(try cache.typeName(forKey: "b") == "Human")
    }

    @Test func `may have the same key as another one in quarantine, and then only one of them is put back`() throws {
        let old = try OldStore(Self.people)
        let first = Self.registry(failing: ["b"])
        let cache = try Self.open(old, first)
        try cache.set(["age": "again"], forKey: "b")
        cache.close()
        try SQLite(old.url).run("UPDATE molt_record SET type_id = (SELECT id FROM molt_type WHERE name = 'Human')")
        let four = Migration(to: 4, "four", .transform("Human") { if $0.key == "b" { throw Refusal() } })
        let second = try Self.open(old, MigrationRegistry(first.migrations + [four]))
        #expect(try second.quarantined().map(\.key) == ["b", "b"])
        #expect(try second.quarantined().map(\.failure.migration.version) == [2, 4])
        let fixed = MigrationRegistry(Self.registry(failing: []).migrations + [Migration(to: 4, "four")])
        let report = try second.retryQuarantined(with: fixed)
        #expect(report.entries.map(\.outcome) == [.converted, .keyTaken])
        #expect(try second.quarantinedCount == 1)
    }

    @Test func `may get the same key as another one, and then only one of them is put back`() throws {
        let old = try OldStore(Self.people)
        let cache = try Self.open(old, Self.registry(failing: ["a", "b", "c"]))
        var fixed = Self.registry(failing: []).migrations
        fixed[1] = Migration(to: 2, "two", .transform("Person") { if $0.key != "c" { $0.key = "same" } })
        let report = try cache.retryQuarantined(with: MigrationRegistry(fixed))
        #expect(report.entries.map(\.outcome) == [.converted, .keyTaken, .converted])
        #expect(report.entries.map(\.newKey) == ["same", "same", nil])
        #expect(try cache.keys() == ["same", "c"])
        #expect(try cache.quarantined().map(\.key) == ["b"])
    }

    @Test func `is retried alone when only its id is given`() throws {
        let old = try OldStore(Self.people)
        let cache = try Self.open(old, Self.registry(failing: ["a", "b", "c"]))
        let ids = try cache.quarantined().map(\.id)
        let report = try cache.retryQuarantined([ids[1], 99], with: Self.registry(failing: []))
        #expect(report.entries.map(\.id) == [ids[1]])
        #expect(try cache.keys() == ["b"])
        #expect(try cache.quarantined().map(\.id) == [ids[0], ids[2]])
    }

    @Test func `is not retried by a registry without its migration`() throws {
        let old = try OldStore(Self.people)
        let cache = try Self.open(old, Self.registry(failing: ["b"]))
        let report = try cache.retryQuarantined(with: [Migration(to: 3, "three")])
        #expect(report.entries.map(\.outcome) == [.notTried])
        #expect(try cache.quarantinedCount == 1)
        #expect(report.description.contains("notTried"))
    }

    @Test(arguments: [
        MigrationStep.run("index") { _ in }, .extractRecords("Human", "home", as: "Home", key: .derived),
    ])
    func `is not tried if its way leads through a step that needs the whole store`(step: MigrationStep) throws {
        let old = try OldStore(Self.people)
        let cache = try Self.open(old, Self.registry(failing: ["b"], then: step))
        let before = try cache.quarantined()
        let report = try cache.retryQuarantined(with: Self.registry(failing: [], then: step))
        #expect(report.entries.map(\.outcome) == [.notTried])
        #expect(
            report.entries.first?.reason
                == "Step 2 of migration \"three\" (version 3) (\(step)) needs the whole store. Put the record back as it is with "
                + "restoreQuarantined(_:), or a value in its place with restoreQuarantined(_:as:)."
        )
        #expect(try cache.quarantined() == before)
        #expect(try cache.keys() == ["a", "c"])
    }

    @Test func `is not imported again`() throws {
        let old = try OldStore(Self.people)
        let notebook = Notebook(url: old.directory.file("notes"))
        let imports = Log<Int>()
        let step = MigrationStep.notes(notebook) { migration in
            imports.append(1)
            try migration.create("Imported", forKey: "imported", RecordValue.int(1))
        }
        func registry(_ failing: Set<String>) -> MigrationRegistry {
            MigrationRegistry(Self.registry(failing: failing).migrations + [Migration(to: 4, "notes", step)])
        }
        let cache = try Self.open(old, registry(["b"]))
        try cache.remove(forKey: "imported")
        #expect(try cache.retryQuarantined(with: registry([])).count(of: .converted) == 1)
        #expect(imports.count == 1)
        #expect(try !cache.contains("imported"))
    }

    @Test func `of a late migration goes only through that migration`() throws {
        let old = try OldStore(Self.people)
        let one = Migration(to: 1, "one", .addProperty("Person", "one", default: 1))
        let two = Migration(to: 2, "two", .addProperty("Person", "two", default: 2))
        _ = try Migrator([one, two]).migrate(CacheStore(at: old.url))
        func registry(_ failing: Set<String>) -> MigrationRegistry {
            let late = Migration(
                to: 1,
                "late",
                .transform("Person") { record in
                    if failing.contains(record.key) { throw Refusal() }
                    record["late"] = true
                }
            )
            return MigrationRegistry([one, late, two], allowsLateMigrations: true)
        }
        let cache = try Self.open(old, registry(["b"]))
        #expect(try cache.quarantined().map(\.version) == [2])
        #expect(try cache.retryQuarantined(with: registry([])).count(of: .converted) == 1)
        cache.close()
        let snapshot = try old.snapshot()
        #expect(snapshot["b"]?.text == #"{"age":"b","one":1,"two":2,"late":true}"#)
        #expect(snapshot["b"]?.version == snapshot["a"]?.version)
    }

    // MARK: Restoring and removing

    @Test func `can be replaced by a value, under its key and with its expiry`() throws {
        var people = Self.people
        people[1].expiration = 4e9
        let old = try OldStore(people)
        let cache = try Self.open(old, Self.registry(failing: ["b", "c"]))
        let ids = try cache.quarantined().map(\.id)
        try cache.restoreQuarantined(ids[0], as: Person.john)
        #expect(try cache.entry(Person.self, forKey: "b")?.value == .john)
        #expect(try cache.entry(Person.self, forKey: "b")?.expiration == Date(timeIntervalSince1970: 4e9))
        #expect(try cache.quarantined().map(\.id) == [ids[1]])
        let gone = #expect(throws: CacheError.self) { try cache.restoreQuarantined(ids[0], as: Person.john) }
        #expect(gone?.code == .notQuarantined)

        try cache.set(1, forKey: "c")
        let taken = #expect(throws: CacheError.self) { try cache.restoreQuarantined(ids[1], as: Person.jane) }
        #expect(taken?.code == .keyTaken)
        #expect(taken?.key == "c")
        #expect(try cache.value(Int.self, forKey: "c") == 1)
        #expect(try cache.quarantinedCount == 1)
        try cache.restoreQuarantined(ids[1], as: Person.jane, replacing: true)
        #expect(try cache.value(Person.self, forKey: "c") == .jane)
        #expect(try cache.quarantinedCount == 0)
        cache.close()
        #expect(try old.snapshot()["b"]?.version == 3)
    }

    @Test func `can be put back as it is, with its content, type, dates and version`() throws {
        var people = Self.people
        people[1].expiration = 4e9
        let old = try OldStore(people)
        try SQLite(old.url).run("UPDATE molt_record SET created_at = 100, updated_at = 200")
        let cache = try Self.open(old, Self.registry(failing: ["b", "c"]))
        let rows = try cache.quarantined()
        try cache.restoreQuarantined(rows[0].id)
        #expect(try cache.quarantined().map(\.key) == ["c"])
        struct Shape: Codable { var age: String, one: Int }
        let entry = try #require(try cache.entry(Shape.self, forKey: "b"))
        #expect(entry.created == Date(timeIntervalSince1970: 100))
        #expect(entry.updated == Date(timeIntervalSince1970: 200))
        #expect(entry.expiration == Date(timeIntervalSince1970: 4e9))
        let gone = #expect(throws: CacheError.self) { try cache.restoreQuarantined(rows[0].id) }
        #expect(gone?.code == .notQuarantined)

        try cache.set(1, forKey: "c")
        let taken = #expect(throws: CacheError.self) { try cache.restoreQuarantined(rows[1].id) }
        #expect(taken?.code == .keyTaken)
        #expect(try cache.value(Int.self, forKey: "c") == 1)
        try cache.restoreQuarantined(rows[1].id, replacing: true)
        #expect(try cache.quarantinedCount == 0)
        cache.close()
        for row in rows {
            let record = try old.snapshot()[row.key]
            #expect(record?.type == "Person" && record?.version == 1)
            #expect(record?.content == Array(row.content))
        }
    }

    @Test func `can be removed, and its id is never used again`() throws {
        let old = try OldStore(Self.people)
        let cache = try Self.open(old, Self.registry(failing: ["a", "b", "c"]))
        #expect(try cache.quarantined().map(\.id) == [1, 2, 3])
        #expect(try cache.removeQuarantined([3, 99]) == 1)
        #expect(try cache.removeQuarantined() == 2)
        #expect(try cache.removeQuarantined() == 0)
        try cache.set("x", forKey: "x")
        cache.close()
        try SQLite(old.url).run("UPDATE molt_record SET type_id = (SELECT id FROM molt_type WHERE name = 'Human')")
        let four = Migration(to: 4, "four", .transform("Human") { _ in throw Refusal() })
        let later = try Self.open(old, MigrationRegistry(Self.registry(failing: []).migrations + [four]))
        #expect(try later.quarantined().map(\.id) == [4])
    }

    @Test func `is not affected by a later upgrade, by removing all values, or by setting its key`() throws {
        let old = try OldStore(Self.people)
        let cache = try Self.open(old, Self.registry(failing: ["b"]))
        let before = try cache.quarantined()
        try cache.set("new", forKey: "b")
        try cache.removeAll()
        #expect(try cache.quarantined() == before)
        cache.close()
        let all = MigrationStep.transform("Human") { $0.drop() }
        let four = Migration(to: 4, "four", .deleteType("Person"), all)
        let later = try CodableCache(
            at: old.url,
            migrations: MigrationRegistry(Self.registry(failing: []).migrations + [four])
        )
        #expect(try later.quarantined() == before)
        // A retry then includes the later migration.
        let report = try later.retryQuarantined(with: MigrationRegistry(Self.registry(failing: []).migrations + [four]))
        #expect(report.entries.map(\.outcome) == [.dropped])
    }

    // MARK: Other connections

    @Test func `is visible to other open caches once it is put back, and is delivered as a change`() async throws {
        let old = try OldStore(Self.people)
        let registry = Self.registry(failing: ["b"])
        let cache = try Self.open(old, registry)
        let other = try CodableCache(at: old.url, migrations: registry)
        struct Shape: Codable, Sendable, Equatable { var age: String }
        try cache.set(Shape(age: "set"), forKey: "x")
        #expect(try other.value(Shape.self, forKey: "x")?.age == "set")
        #expect(try other.value(Shape.self, forKey: "b") == nil)
        #expect(try other.quarantined().map(\.key) == ["b"])
        var changes = cache.changes().makeAsyncIterator()
        try cache.retryQuarantined(with: Self.registry(failing: []))
        #expect(await changes.next() == CodableCache.Change(key: "b", typeName: "Human", kind: .set))
        #expect(try cache.value(Shape.self, forKey: "b")?.age == "b")
        #expect(try other.value(Shape.self, forKey: "b")?.age == "b")
        #expect(try other.quarantinedCount == 0)
    }

    #if CHILD_PROCESSES
        @Test func `can be put back by another process, which this one notices`() async throws {
            let old = try OldStore(Self.people)
            let path = old.url.path
            let before = try CodableCache(at: old.url)
            await #expect(processExitsWith: .success) { [path = path as String] in
                var configuration = CodableCache.Configuration()
                configuration.unconvertible = .quarantine(upTo: .none)
                let url = URL(fileURLWithPath: path)
                let failing = RetryTests.registry(failing: ["b"])
                let cache = try CodableCache(at: url, migrations: failing, configuration: configuration)
                guard try cache.quarantinedCount == 1 else { throw TestFailure.expected }
            }
            #expect(throws: MigrationError.self) { try before.quarantined() }
            let cache = try CodableCache(at: old.url, migrations: Self.registry(failing: []))
            #expect(try cache.quarantined().map(\.key) == ["b"])
            #expect(try cache.typeName(forKey: "b") == nil)
            await #expect(processExitsWith: .success) { [path = path as String] in
                let fixed = RetryTests.registry(failing: [])
                let cache = try CodableCache(at: URL(fileURLWithPath: path), migrations: fixed)
                guard try cache.retryQuarantined(with: fixed).count(of: .converted) == 1 else {
                    throw TestFailure.expected
                }
            }
            #expect(try cache.typeName(forKey: "b") == "Human")
            #expect(try cache.quarantinedCount == 0)
        }
    #endif

    @Test func `is put back once by two concurrent retries`() throws {
        let old = try OldStore(Self.people)
        let cache = try Self.open(old, Self.registry(failing: ["b"]))
        let other = try CodableCache(at: old.url, migrations: Self.registry(failing: []))
        let once = Once()
        once.set { _ = try? other.retryQuarantined(with: Self.registry(failing: [])) }
        let then = MigrationStep.transform("Human") { _ in once.run() }
        let report = try cache.retryQuarantined(with: Self.registry(failing: [], then: then))
        #expect(report.entries == [])
        #expect(try cache.keys() == ["a", "c", "b"])
        #expect(try cache.quarantinedCount == 0)
    }

    @Test func `counts towards the size limit only when it is put back`() throws {
        let old = try OldStore(Self.people)
        var configuration = CodableCache.Configuration()
        configuration.unconvertible = .quarantine(upTo: .none)
        configuration.sizeLimit = 1_000
        let cache = try CodableCache(
            at: old.url,
            migrations: Self.registry(failing: ["b"]),
            configuration: configuration
        )
        try cache.set(1, forKey: "x")
        try cache.retryQuarantined(with: Self.registry(failing: []))
        cache.close()
        let kept = try SQLite(old.url).text("SELECT value FROM molt_meta WHERE name = 'content_size'")
        let sum = try SQLite(old.url).text("SELECT sum(length(CAST(content AS BLOB))) FROM molt_record")
        #expect(kept == sum)
    }

    @Test func `cannot be retried through an open cache after another one upgraded the store`() throws {
        let old = try OldStore(Self.people)
        let cache = try Self.open(old, Self.registry(failing: ["b"]))
        let four = MigrationRegistry(Self.registry(failing: []).migrations + [Migration(to: 4, "four")])
        try CodableCache(at: old.url, migrations: four).close()
        let error = #expect(throws: MigrationError.self) { try cache.retryQuarantined(with: four) }
        #expect(error?.code == .storeChanged)
        #expect(throws: MigrationError.self) { try cache.quarantined() }
        #expect(throws: MigrationError.self) { try cache.removeQuarantined() }
        #expect(try CacheStore.quarantine(at: old.url).count == 1)
    }
}
