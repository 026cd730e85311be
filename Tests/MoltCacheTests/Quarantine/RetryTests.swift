import Foundation
import MoltTesting
import Testing

@testable import Molt

@Suite("A record in quarantine")
struct RetryTests {
    /// A store with three records, whose dates the tests know.
    static func people() throws -> OldStore {
        let old = try OldStore(["a", "b", "c"].map { StoredRecord("Person", $0, "{\"age\":\"\($0)\"}") })
        try SQLite(old.url).run("UPDATE molt_record SET created_at = 100, updated_at = 200")
        try SQLite(old.url).run("UPDATE molt_record SET expires_at = 4e9 WHERE key = 'b'")
        return old
    }

    /// A migration whose step fails for some records, between two others.
    static func registry(
        failing: Set<String> = [],
        two: MigrationStep? = nil,
        then: MigrationStep? = nil,
        adding more: Migration...
    ) -> MigrationRegistry {
        let failingStep = MigrationStep.transform("Person") { record in
            if failing.contains(record.key) { throw Refusal(value: record.key) }
            record["two"] = 2
        }
        let migrations = [
            Migration(to: 1, "one", .addProperty("Person", "one", default: 1)),
            Migration(to: 2, "two", two ?? failingStep),
            Migration(to: 3, "three", steps: [.renameType("Person", to: "Human")] + (then.map { [$0] } ?? [])),
        ]
        return MigrationRegistry(migrations + more)
    }

    /// The registry of a release with the corrected step.
    static let fixed = registry()

    static func open(
        _ old: OldStore,
        _ registry: MigrationRegistry,
        configure: (inout CodableCache.Configuration) -> Void = { _ in }
    ) throws -> CodableCache {
        try FailurePolicyTests.open(old, registry, .quarantine(upTo: .none), configure: configure)
    }

    let old: OldStore

    init() throws {
        old = try Self.people()
    }

    func open(failing: Set<String>, then: MigrationStep? = nil) throws -> CodableCache {
        try Self.open(old, Self.registry(failing: failing, then: then))
    }

    // MARK: Retrying

    @Test func `is put back as if it had never failed, once its step is corrected`() throws {
        let then = MigrationStep.transform("Human") { $0["four"] = .string($0.key) }
        let cache = try open(failing: ["b"], then: then)
        let fixed = Self.registry(then: then)
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
        let direct = try Self.people()
        _ = try Migrator(fixed).migrate(StoreFile(at: direct.url))
        for key in ["a", "b", "c"] { #expect(try old.snapshot()[key] == direct.snapshot()[key]) }
        // The ledger, the version and the next opening are unaffected.
        let again = try CodableCache(at: old.url, migrations: fixed)
        #expect(again.report.entries.isEmpty)
    }

    @Test func `is deleted if the corrected step drops it, and stays with the new reason if it fails again`() throws {
        struct Other: Error {}
        let cache = try open(failing: ["b", "c"])
        var expected = try #require(try cache.quarantined().last)
        let step = MigrationStep.transform("Person") { record in
            guard record.key == "b" else { throw Other() }
            record.drop()
        }
        let report = try cache.retryQuarantined(with: Self.registry(two: step.onFailure(.drop())))
        #expect(report.entries.map(\.outcome) == [.dropped, .failed])
        #expect(report.entries.last?.failure?.reason == "Other")
        #expect(report.description.contains("1 failed"))
        expected.failure.reason = "Other"
        #expect(try cache.quarantined() == [expected])
        #expect(try cache.keys() == ["a"])
    }

    @Test func `that fails in a later migration is kept in its state before that migration`() throws {
        let failing = MigrationStep.transform("Human") { if $0.key == "b" { throw Refusal() } }
        let cache = try open(failing: ["b"], then: failing)
        let report = try cache.retryQuarantined(with: Self.registry(then: failing))
        #expect(report.entries.map(\.outcome) == [.failed])
        let record = try #require(try cache.quarantined().first)
        #expect(String(decoding: record.content, as: UTF8.self) == #"{"age":"b","one":1,"two":2}"#)
        // The record equals one that failed only in this migration.
        let direct = try Self.people()
        let other = try Self.open(direct, Self.registry(then: failing))
        var expected = try #require(try other.quarantined().first)
        expected.quarantined = record.quarantined
        #expect(record == expected)
        #expect(record.failure.step.number == 2)
        #expect(try cache.retryQuarantined(with: Self.fixed).count(of: .converted) == 1)
        #expect(try cache.typeName(forKey: "b") == "Human")
    }

    @Test func `stays when its key was taken in the meantime, and so does the value with that key`() throws {
        let clock = Clock(1_000)
        let cache = try Self.open(old, Self.registry(failing: ["b", "c"])) { $0.now = { clock.date } }
        try cache.set("new", forKey: "b", expiry: .after(seconds: 10))
        let before = try cache.quarantined()
        let report = try cache.retryQuarantined(with: Self.fixed)
        #expect(report.entries.map(\.outcome) == [.keyTaken, .converted])
        #expect(try cache.quarantined() == [before[0]])
        #expect(try cache.value(String.self, forKey: "b") == "new")
        // Until the value expires.
        clock.advance(to: 2_000)
        #expect(try cache.retryQuarantined(with: Self.fixed).count(of: .converted) == 1)
        #expect(try cache.typeName(forKey: "b") == "Human")
        #expect(try Set(cache.keys()) == ["a", "b", "c"])
    }

    @Test func `may have the same key as another one in quarantine, and then only one of them is put back`() throws {
        let cache = try open(failing: ["b"])
        try cache.set(["age": "again"], forKey: "b")
        cache.close()
        try SQLite(old.url).run("UPDATE molt_record SET type_id = (SELECT id FROM molt_type WHERE name = 'Human')")
        let four = Migration(to: 4, "four", .transform("Human") { if $0.key == "b" { throw Refusal() } })
        let second = try Self.open(old, Self.registry(failing: ["b"], adding: four))
        #expect(try second.quarantined().map(\.key) == ["b", "b"])
        #expect(try second.quarantined().map(\.failure.migration.version) == [2, 4])
        let report = try second.retryQuarantined(with: Self.registry(adding: Migration(to: 4, "four")))
        #expect(report.entries.map(\.outcome) == [.converted, .keyTaken])
        #expect(try second.quarantinedCount == 1)
    }

    @Test func `may get the same key as another one, and then only one of them is put back`() throws {
        let cache = try open(failing: ["a", "b", "c"])
        let step = MigrationStep.transform("Person") { if $0.key != "c" { $0.key = "same" } }
        let report = try cache.retryQuarantined(with: Self.registry(two: step))
        #expect(report.entries.map(\.outcome) == [.converted, .keyTaken, .converted])
        #expect(report.entries.map(\.newKey) == ["same", "same", nil])
        #expect(try cache.keys() == ["same", "c"])
        #expect(try cache.quarantined().map(\.key) == ["b"])
    }

    @Test func `is retried alone when only its id is given`() throws {
        let cache = try open(failing: ["a", "b", "c"])
        let ids = try cache.quarantined().map(\.id)
        let report = try cache.retryQuarantined([ids[1], 99], with: Self.fixed)
        #expect(report.entries.map(\.id) == [ids[1]])
        #expect(try cache.keys() == ["b"])
        #expect(try cache.quarantined().map(\.id) == [ids[0], ids[2]])
    }

    typealias Obstacle = (then: MigrationStep?, registry: MigrationRegistry, reason: String)

    static let obstacles: [Obstacle] = [
        (nil, [Migration(to: 3, "three")], "The registry does not have migration \"two\" (version 2)."),
        (
            nil, MigrationRegistry(Array(fixed.migrations.prefix(2))),
            "The registry lacks migrations that were applied since: \"three\"."
        ),
        obstacle(.run("index") { _ in }),
        obstacle(.extractRecords("Human", "home", as: "Home", key: .derived)),
    ]

    static func obstacle(_ step: MigrationStep) -> Obstacle {
        let reason =
            "Step 2 of migration \"three\" (version 3) (\(step)) needs the whole store. Put the record back as it is with "
            + "restoreQuarantined(_:), or a value in its place with restoreQuarantined(_:as:)."
        return (step, registry(then: step), reason)
    }

    @Test(arguments: 0..<4)
    func `is not tried if the registry lacks its way, or the way leads through a step that needs the whole store`(
        index: Int
    ) throws {
        let (then, registry, reason) = Self.obstacles[index]
        let cache = try open(failing: ["b"], then: then)
        let before = try cache.quarantined()
        let report = try cache.retryQuarantined(with: registry)
        #expect(report.entries.map(\.outcome) == [.notTried])
        #expect(report.entries.first?.reason == reason)
        #expect(report.description.hasSuffix("notTried: 1, \"b\" of type Person: \(reason)"))
        #expect(try cache.quarantined() == before)
        #expect(try cache.keys() == ["a", "c"])
    }

    @Test func `is not imported again`() throws {
        let imports = Log<Int>()
        // As a built-in step that imports records.
        let step = MigrationStep(kind: "import", summary: "import", parameters: [], attaching: []) { migration in
            imports.append(1)
            try migration.create("Imported", forKey: "imported", RecordValue.int(1))
        }
        func registry(_ failing: Set<String>) -> MigrationRegistry {
            Self.registry(failing: failing, adding: Migration(to: 4, "import", step))
        }
        let cache = try Self.open(old, registry(["b"]))
        try cache.remove(forKey: "imported")
        #expect(try cache.retryQuarantined(with: registry([])).count(of: .converted) == 1)
        #expect(imports.count == 1)
        #expect(try !cache.contains("imported"))
    }

    // MARK: Restoring and removing

    @Test(arguments: [false, true])
    func `can be put back as it is, or replaced by a value under its key and with its expiry`(asItIs: Bool) throws {
        let cache = try open(failing: ["b", "c"])
        let rows = try cache.quarantined()
        func restore(_ index: Int, replacing: Bool = false) throws {
            if asItIs {
                try cache.restoreQuarantined(rows[index].id, replacing: replacing)
            } else {
                try cache.restoreQuarantined(rows[index].id, as: Person.john, replacing: replacing)
            }
        }
        try restore(0)
        #expect(try cache.quarantined() == [rows[1]])
        #expect(throws: MoltError.self) { try restore(0) }?.expect(.notQuarantined)

        try cache.set(1, forKey: "c")
        #expect(throws: MoltError.self) { try restore(1) }?.expect(.keyTaken, key: "c")
        #expect(try cache.value(Int.self, forKey: "c") == 1)
        #expect(try cache.quarantinedCount == 1)
        try restore(1, replacing: true)
        #expect(try cache.quarantinedCount == 0)

        if asItIs {
            struct Shape: Codable { var age: String, one: Int }
            let entry = try #require(try cache.entry(Shape.self, forKey: "b"))
            #expect(entry.created == Date(timeIntervalSince1970: 100))
            #expect(entry.updated == Date(timeIntervalSince1970: 200))
        } else {
            for key in ["b", "c"] { #expect(try cache.value(Person.self, forKey: key) == .john) }
        }
        cache.close()
        for row in rows {
            let record = try #require(try old.snapshot()[row.key])
            #expect(record.expiration == (row.key == "b" ? 4e9 : nil))
            #expect(record.version == (asItIs ? 1 : 3))
            guard asItIs else { continue }
            #expect(record.type == "Person")
            #expect(record.content == Array(row.content))
        }
    }

    @Test func `can be removed, and its id is never used again`() throws {
        let cache = try open(failing: ["a", "b", "c"])
        #expect(try cache.quarantined().map(\.id) == [1, 2, 3])
        #expect(try cache.removeQuarantined([3, 99]) == 1)
        #expect(try cache.removeQuarantined() == 2)
        #expect(try cache.removeQuarantined() == 0)
        try cache.set("x", forKey: "x")
        cache.close()
        try SQLite(old.url).run("UPDATE molt_record SET type_id = (SELECT id FROM molt_type WHERE name = 'Human')")
        let four = Migration(to: 4, "four", .transform("Human") { _ in throw Refusal() })
        let later = try Self.open(old, Self.registry(adding: four))
        #expect(try later.quarantined().map(\.id) == [4])
    }

    @Test func `is not affected by a later upgrade, by removing all values, or by setting its key`() throws {
        let cache = try open(failing: ["b"])
        let before = try cache.quarantined()
        try cache.set("new", forKey: "b")
        try cache.removeAll()
        #expect(try cache.quarantined() == before)
        cache.close()
        let all = MigrationStep.transform("Human") { $0.drop() }
        let four = Migration(to: 4, "four", .deleteType("Person"), all)
        let later = try CodableCache(at: old.url, migrations: Self.registry(adding: four))
        #expect(try later.quarantined() == before)
        // A retry then includes the later migration.
        let report = try later.retryQuarantined(with: Self.registry(adding: four))
        #expect(report.entries.map(\.outcome) == [.dropped])
    }

    // MARK: Other connections

    @Test func `is visible to other open caches once it is put back, and is delivered as a change`() async throws {
        let registry = Self.registry(failing: ["b"])
        let cache = try Self.open(old, registry)
        let other = try CodableCache(at: old.url, migrations: registry)
        struct Shape: Codable, Sendable, Equatable { var age: String }
        try cache.set(Shape(age: "set"), forKey: "x")
        #expect(try other.value(Shape.self, forKey: "x")?.age == "set")
        #expect(try other.value(Shape.self, forKey: "b") == nil)
        #expect(try other.quarantined().map(\.key) == ["b"])
        var changes = cache.changes().makeAsyncIterator()
        try cache.retryQuarantined(with: Self.fixed)
        #expect(await changes.next() == CodableCache.Change(key: "b", typeName: "Human", kind: .set))
        #expect(try cache.value(Shape.self, forKey: "b")?.age == "b")
        #expect(try other.value(Shape.self, forKey: "b")?.age == "b")
        #expect(try other.quarantinedCount == 0)
    }

    #if CHILD_PROCESSES
        @Test func `can be put back by another process, which this one notices`() async throws {
            try open(failing: ["b"]).close()
            let cache = try CodableCache(at: old.url, migrations: Self.fixed)
            #expect(try cache.quarantined().map(\.key) == ["b"])
            #expect(try cache.typeName(forKey: "b") == nil)
            await #expect(processExitsWith: .success) { [url = old.url as URL] in
                let cache = try CodableCache(at: url, migrations: RetryTests.fixed)
                guard try cache.retryQuarantined(with: RetryTests.fixed).count(of: .converted) == 1 else {
                    throw TestFailure.expected
                }
            }
            #expect(try cache.typeName(forKey: "b") == "Human")
            #expect(try cache.quarantinedCount == 0)
        }
    #endif

    @Test func `is put back once by two concurrent retries`() throws {
        let cache = try open(failing: ["b"])
        let other = try CodableCache(at: old.url, migrations: Self.fixed)
        let once = Once()
        once.set { _ = try? other.retryQuarantined(with: Self.fixed) }
        let then = MigrationStep.transform("Human") { _ in once.run() }
        let report = try cache.retryQuarantined(with: Self.registry(then: then))
        #expect(report.entries == [])
        #expect(try cache.keys() == ["a", "c", "b"])
        #expect(try cache.quarantinedCount == 0)
    }

    @Test func `counts towards the size limit only when it is put back`() throws {
        let cache = try Self.open(old, Self.registry(failing: ["b"])) { $0.sizeLimit = 1_000 }
        try cache.set(1, forKey: "x")
        try cache.retryQuarantined(with: Self.fixed)
        cache.close()
        let kept = try SQLite(old.url).text("SELECT value FROM molt_meta WHERE name = 'content_size'")
        let sum = try SQLite(old.url).text("SELECT sum(length(CAST(content AS BLOB))) FROM molt_record")
        #expect(kept == sum)
    }

    @Test func `cannot be retried through an open cache after another one upgraded the store`() throws {
        let cache = try open(failing: ["b"])
        let four = Self.registry(adding: Migration(to: 4, "four"))
        try CodableCache(at: old.url, migrations: four).close()
        #expect(throws: MoltError.self) { try cache.retryQuarantined(with: four) }?.expect(.storeChanged)
        #expect(throws: MoltError.self) { try cache.quarantined() }
        #expect(throws: MoltError.self) { try cache.removeQuarantined() }
        #expect(try StoreFile.quarantine(at: old.url).count == 1)
    }
}
