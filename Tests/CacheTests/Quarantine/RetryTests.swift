import Foundation
import Molt
import MoltTesting
import Testing

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
        configure: (inout MoltConfiguration) -> Void = { _ in }
    ) throws -> CodableCache {
        try FailurePolicyTests.open(old, registry, .quarantine(upTo: .unlimited), configure: configure)
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
        let retried = try cache.retry(with: fixed, expecting: "b: converted")
        #expect(retried.map(\.description) == [#"converted: "b" of type Person (id 1)"#])
        #expect(retried[0].newKey == nil)
        try cache.expect(keys: ["a", "c", "b"])
        try expectDates(in: cache)
        cache.close()
        let direct = try Self.people()
        _ = try Migrator(fixed).migrate(StoreFile(at: direct.url))
        for key in ["a", "b", "c"] { #expect(try old.snapshot()[key] == direct.snapshot()[key]) }
        // The ledger, the version and the next opening are unaffected.
        let again = try CodableCache(at: old.url, migrations: fixed)
        #expect(again.report.entries.isEmpty)
    }

    @Test func `gets its new key from a corrected renameKeys, unless another record has it`() throws {
        let old = try OldStore([
            StoredRecord("Person", "a", #"{"id":"z"}"#), StoredRecord("Person", "b", #"{"mail":"new"}"#),
            StoredRecord("Person", "c", #"{"mail":"z"}"#),
        ])
        let failing = Self.registry(two: .renameKeys("Person", to: .property("id")))
        let cache = try Self.open(old, failing)
        let fixed = Self.registry(two: .renameKeys("Person", to: .property("mail"), onConflict: .keep))
        let retried = try cache.retry(with: fixed, expecting: "b: converted", "c: keyExists")
        #expect(retried[0].newKey == "new")
        let texts = [
            #"converted: "b" of type Person (id 1), now "new""#,
            #"with a key that is in use: "c" of type Person (id 2), which would be "z""#,
        ]
        #expect(retried.map(\.description) == texts)
        try cache.expect(keys: ["z", "new"], quarantined: ["c"])
    }

    /// Expects that a record has kept its dates in quarantine.
    private func expectDates(in cache: CodableCache) throws {
        struct Shape: Codable { var one: Int }
        let entry = try #require(try cache.entry(Shape.self, forKey: "b"))
        let dates = [entry.created, entry.updated].map(\.timeIntervalSince1970)
        #expect(dates == [100, 200])
    }

    @Test func `is deleted if the corrected step drops it, and stays with the new reason if it fails again`() throws {
        struct Other: Error {}
        let cache = try open(failing: ["b", "c"])
        var expected = try #require(try cache.quarantined().last)
        let step = MigrationStep.transform("Person") { record in
            guard record.key == "b" else { throw Other() }
            record.drop()
        }
        let dropping = Self.registry(two: step.onFailure(.drop()))
        let retried = try cache.retry(with: dropping, expecting: "b: dropped", "c: failed")
        var failure = try #require(expected.cause.failure)
        failure.reason = "Other"
        expected.cause = .migration(failure)
        let texts = [
            #"dropped: "b" of type Person (id 1)"#,
            #"failed: "c" of type Person (id 2): \#(expected.cause)"#,
        ]
        #expect(retried.map(\.description) == texts)
        retried[1].failure?.expect(.stepFailed, key: "c", type: "Person", migration: "two", step: 1, says: "Other")
        #expect(try cache.quarantined() == [expected])
        try cache.expect(keys: ["a"], quarantined: ["c"])
    }

    @Test func `that fails in a later migration is kept in its state before that migration`() throws {
        let failing = MigrationStep.transform("Human") { if $0.key == "b" { throw Refusal() } }
        let cache = try open(failing: ["b"], then: failing)
        try cache.retry(with: Self.registry(then: failing), expecting: "b: failed")
        let record = try cache.firstQuarantined()
        #expect(String(decoding: record.content, as: UTF8.self) == #"{"age":"b","one":1,"two":2}"#)
        // The record equals one that failed only in this migration.
        let direct = try Self.people()
        var expected = try Self.open(direct, Self.registry(then: failing)).firstQuarantined()
        expected.quarantined = record.quarantined
        #expect(record == expected)
        #expect(record.cause.failure?.step.number == 2)
        try cache.retry(with: Self.fixed, expecting: "b: converted")
        #expect(try cache.typeName(forKey: "b") == "Human")
    }

    @Test func `stays when its key was taken in the meantime, and so does the value with that key`() throws {
        let clock = Clock(1_000)
        let cache = try Self.open(old, Self.registry(failing: ["b", "c"])) { $0.now = { clock.date } }
        try cache.set("new", forKey: "b", expiry: .after(seconds: 10))
        let before = try cache.quarantined()
        try cache.retry(with: Self.fixed, expecting: "b: keyExists", "c: converted")
        #expect(try cache.quarantined() == [before[0]])
        try cache.expect("new", forKey: "b")
        // Until the value expires.
        clock.advance(to: 2_000)
        try cache.retry(with: Self.fixed, expecting: "b: converted")
        #expect(try cache.typeName(forKey: "b") == "Human")
        #expect(try cache.keys().sorted() == ["a", "b", "c"])
    }

    @Test func `may have the same key as another one in quarantine, and then only one of them is put back`() throws {
        let cache = try open(failing: ["b"])
        try cache.set(["age": "again"], forKey: "b")
        cache.close()
        try SQLite(old.url).run("UPDATE molt_record SET type_id = (SELECT id FROM molt_type WHERE name = 'Human')")
        let four = Migration(to: 4, "four", .transform("Human") { if $0.key == "b" { throw Refusal() } })
        let second = try Self.open(old, Self.registry(failing: ["b"], adding: four))
        let migrations = try second.quarantined().map { $0.cause.failure?.migration.version }
        #expect(migrations == [2, 4])
        let fixed = Self.registry(adding: Migration(to: 4, "four"))
        try second.retry(with: fixed, expecting: "b: converted", "b: keyExists")
        #expect(try second.quarantinedCount == 1)
    }

    @Test func `may get the same key as another one, and then only one of them is put back`() throws {
        let cache = try open(failing: ["a", "b", "c"])
        let step = MigrationStep.transform("Person") { if $0.key != "c" { $0.key = "same" } }
        let registry = Self.registry(two: step)
        let retried = try cache.retry(with: registry, expecting: "a: converted", "b: keyExists", "c: converted")
        let newKeys = retried.map(\.newKey)
        #expect(newKeys == ["same", "same", nil])
        try cache.expect(keys: ["same", "c"], quarantined: ["b"])
    }

    @Test func `is retried alone when only its id is given`() throws {
        let cache = try open(failing: ["a", "b", "c"])
        let ids = try cache.quarantined().map(\.id)
        try cache.retry([ids[1], 99], with: Self.fixed, expecting: "b: converted")
        try cache.expect(keys: ["b"], quarantined: ["a", "c"])
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
            + "`restoreQuarantined(_:)`, or a value in its place with `restoreQuarantined(_:as:)`."
        return (step, registry(then: step), reason)
    }

    @Test(arguments: 0..<4)
    func `is not tried if the registry lacks its way, or the way leads through a step that needs the whole store`(
        index: Int
    ) throws {
        let (then, registry, reason) = Self.obstacles[index]
        let cache = try open(failing: ["b"], then: then)
        let before = try cache.quarantined()
        let retried = try cache.retryQuarantined(with: registry)
        #expect(retried.map(\.description) == [#"not tried: "b" of type Person (id 1): \#(reason)"#])
        #expect(try cache.quarantined() == before)
        try cache.expect(keys: ["a", "c"], quarantined: ["b"])
    }

    @Test func `is not imported again`() throws {
        let notebook = try Notebook(["imported"])
        let step = MigrationStep.moveToRecords(.setting("imported", in: notebook.suite), ofType: "Int")
        func registry(_ failing: Set<String>) -> MigrationRegistry {
            Self.registry(failing: failing, adding: Migration(to: 4, "import", step))
        }
        let cache = try Self.open(old, registry(["b"]))
        #expect(try cache.remove(forKey: "imported"))
        try notebook.write(["imported"])
        try cache.retry(with: registry([]), expecting: "b: converted")
        #expect(try notebook.lines == ["imported"])
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
        MoltError.thrown { try restore(0) }?.expect(.notQuarantined)

        try cache.set(1, forKey: "c")
        MoltError.thrown { try restore(1) }?.expect(.keyExists, key: "c")
        try cache.expect(1, forKey: "c")
        #expect(try cache.quarantinedCount == 1)
        try restore(1, replacing: true)
        #expect(try cache.quarantinedCount == 0)

        if asItIs {
            try expectDates(in: cache)
        } else {
            for key in ["b", "c"] { try cache.expect(Person.john, forKey: key) }
        }
        cache.close()
        for row in rows {
            let record = try #require(try old.snapshot()[row.key])
            #expect(record.expiration == (row.key == "b" ? 4e9 : nil))
            #expect(record.version == (asItIs ? 1 : 3))
            if asItIs { #expect(record == StoredRecord(row.stored)) }
        }
    }

    @Test func `can be removed, and its id is never used again`() throws {
        let cache = try open(failing: ["a", "b", "c"])
        let ids = try cache.quarantined().map(\.id)
        #expect(ids == [1, 2, 3])
        #expect(try cache.removeQuarantined([3, 99]) == 1)
        #expect(try cache.removeAllQuarantined() == 2)
        #expect(try cache.removeAllQuarantined() == 0)
        try cache.set("x", forKey: "x")
        cache.close()
        try SQLite(old.url).run("UPDATE molt_record SET type_id = (SELECT id FROM molt_type WHERE name = 'Human')")
        let four = Migration(to: 4, "four", .transform("Human") { _ in throw Refusal() })
        let later = try Self.open(old, Self.registry(adding: four))
        #expect(try later.firstQuarantined().id == 4)
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
        try later.retry(with: Self.registry(adding: four), expecting: "b: dropped")
    }

    // MARK: Other connections

    @Test func `is visible to other open caches once it is put back, and is delivered as a change`() async throws {
        let registry = Self.registry(failing: ["b"])
        let cache = try Self.open(old, registry)
        let other = try CodableCache(at: old.url, migrations: registry)
        struct Shape: Codable, Sendable, Equatable { var age: String }
        try cache.set(Shape(age: "set"), forKey: "x")
        try other.expect(Shape(age: "set"), forKey: "x")
        try other.expect(Shape?.none, forKey: "b")
        try other.expect(keys: ["a", "c", "x"], quarantined: ["b"])
        let changes = cache.changes()
        try cache.retry(with: Self.fixed, expecting: "b: converted")
        for cache in [cache, other] { try cache.expect(Shape(age: "b"), forKey: "b") }
        try other.expect(keys: ["a", "c", "x", "b"])
        let found = await cache.close(thenAll: changes)
        #expect(found == [CodableCache.Change(key: "b", typeName: "Human", kind: .set)])
    }

    @Test func `is put back once by two concurrent retries`() throws {
        let cache = try open(failing: ["b"])
        let other = try CodableCache(at: old.url, migrations: Self.fixed)
        let once = Once()
        once.set { _ = try? other.retryQuarantined(with: Self.fixed) }
        let then = MigrationStep.transform("Human") { _ in once.run() }
        #expect(try cache.retryQuarantined(with: Self.registry(then: then)) == [])
        try cache.expect(keys: ["a", "c", "b"])
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
        MoltError.thrown { try cache.retryQuarantined(with: four) }?.expect(.storeChanged)
        MoltError.thrown { try cache.quarantined() }?.expect(.storeChanged)
        MoltError.thrown { try cache.removeAllQuarantined() }?.expect(.storeChanged)
        #expect(try StoreFile.quarantine(at: old.url).count == 1)
    }
}
