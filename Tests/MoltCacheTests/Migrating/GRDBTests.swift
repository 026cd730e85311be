import Foundation
import Molt
import Testing

/// Those of GRDB's migrator tests that apply to a store of records.
@Suite("GRDB's migrator tests")
struct GRDBTests {
    private static let people = (0..<3).map { StoredRecord("Person", "p\($0)", #"{"id":\#($0)}"#) }

    /// Migrations to versions 1, 2, 3 and so on, each of which adds a property with its own name.
    private static func migrations(_ names: String...) -> MigrationRegistry {
        MigrationRegistry(
            names.enumerated().map { index, name in
                Migration(to: index + 1, name, .addProperty("Person", PropertyPath(name), default: true))
            }
        )
    }

    private static func applied(_ store: OldStore) throws -> [String] {
        try store.snapshot().ledger.map(\.name)
    }

    @Test(arguments: EntryPoint.allCases)
    func `GRDB 2: a registry without migrations is no error`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.people, through: entry)

        #expect(try await store.upgrade([]).isEmpty)
        #expect(try store.snapshot().version == 0)
    }

    @Test(arguments: EntryPoint.allCases)
    func `GRDB 5: after two migrations, a registry with one more runs only that one`(
        entry: EntryPoint
    ) async throws {
        let store = try OldStore(Self.people, through: entry)

        let first = try await store.upgrade(Self.migrations("a", "b"))
        let second = try await store.upgrade(Self.migrations("a", "b", "c"))

        #expect(first.entries.map(\.migration.name) == ["a", "b"])
        #expect(second.entries.map(\.migration.name) == ["c"])
        #expect(try store.snapshot()["p2"]?.text == #"{"id":2,"a":true,"b":true,"c":true}"#)
    }

    @Test(arguments: EntryPoint.allCases)
    func `GRDB 12: migrations can run up to a given one, and then up to the next`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.people, through: entry)
        let all = Self.migrations("a", "b", "c")

        try await store.upgrade(try all.upTo("a"))
        #expect(try Self.applied(store) == ["a"])
        #expect(try await store.upgrade(try all.upTo("a")).isEmpty)
        try await store.upgrade(try all.upTo("b"))
        #expect(try Self.applied(store) == ["a", "b"])
        try await store.upgrade(all)
        #expect(try Self.applied(store) == ["a", "b", "c"])
        #expect(try await store.upgrade(all).isEmpty)

        // GRDB stops the program in these two cases.
        #expect(throws: MigrationError.self) { try all.upTo("missing") }
        let beyond = try await store.failure(try all.upTo("b"))
        #expect(beyond.code == .superseded)
    }

    /// GRDB commits each migration by itself, and keeps the first.
    ///
    /// Here the whole upgrade is one transaction, so that an app of the old release can still read the store after a
    /// failure.
    @Test(arguments: EntryPoint.allCases)
    func `GRDB 13: when the second migration fails, the first is rolled back, too`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.people, through: entry)
        var all = Self.migrations("a")
        all.register(to: 2, "b") { migration in
            try migration.enumerate("Person") { old, new in
                new["b"] = true
                if old.key == "p1" { throw Refusal(value: "no") }
            }
        }

        let error = try await store.failure(all)

        #expect(error.migration?.name == "b")
        #expect(error.underlying as? Refusal == Refusal(value: "no"))
        #expect(try Self.applied(store) == [])
        #expect(try store.snapshot().version == 0)
        try await store.upgrade(try all.upTo("a"))
        #expect(try Self.applied(store) == ["a"])
    }

    @Test(arguments: [EntryPoint.initializer, .migrator])
    func `GRDB 15 and 16: the applied and the completed migrations grow with the registry`(
        entry: EntryPoint
    ) async throws {
        let store = try OldStore(Self.people, through: entry)
        let all = Self.migrations("1", "2")
        func plan() throws -> MigrationPlan { try Migrator(all).plan(for: CacheStore(at: store.url)) }

        #expect(try plan().applied.isEmpty)
        #expect(try plan().completed.isEmpty)
        #expect(try plan().needsUpgrade)
        try await store.upgrade(try all.upTo("1"))
        #expect(try plan().applied.map(\.name) == ["1"])
        #expect(try plan().completed.map(\.name) == ["1"])
        #expect(try plan().needsUpgrade)
        try await store.upgrade(all)
        #expect(try plan().applied.map(\.name) == ["1", "2"])
        #expect(try plan().completed.map(\.name) == ["1", "2"])
        #expect(try !plan().needsUpgrade)
    }

    @Test func `GRDB 17: a store is superseded once its ledger has a migration that the registry lacks`() async throws {
        let store = try OldStore(Self.people)
        let all = Self.migrations("1", "2")
        func isSuperseded(_ registry: MigrationRegistry) throws -> Bool {
            try Migrator(registry).plan(for: CacheStore(at: store.url)).isSuperseded
        }

        #expect(try !isSuperseded(all))
        try await store.upgrade(try all.upTo("1"))
        #expect(try !isSuperseded(all))
        #expect(try !isSuperseded(try all.upTo("1")))
        try await store.upgrade(all)
        #expect(try !isSuperseded(all))
        #expect(try isSuperseded(try all.upTo("1")))
        #expect(try isSuperseded(Self.migrations("1", "other")))
    }

    @Test(arguments: EntryPoint.allCases)
    func `GRDB 18: merging two branches can put a migration between two applied ones`(
        entry: EntryPoint
    ) async throws {
        let store = try OldStore(Self.people, through: entry)
        let old = MigrationRegistry([Self.migrations("1").migrations[0], Migration(to: 3, "3")])
        try await store.upgrade(old)
        var merged = Self.migrations("1", "2")
        merged.register(Migration(to: 3, "3"))

        // An error by default, because the migration was written for an earlier state of the store.
        let error = try await store.failure(merged)
        #expect(error.code == .lateMigration)
        #expect(error.migration == MigrationID(name: "2", version: 2))

        merged.allowsLateMigrations = true
        let report = try await store.upgrade(merged)
        #expect(report.entries.map(\.migration.name) == ["2"])
        #expect(try Self.applied(store) == ["1", "3", "2"])
        #expect(try store.snapshot().version == 3)
        #expect(try store.snapshot()["p0"]?.text == #"{"id":0,"1":true,"2":true}"#)

        // The branch without this migration must not write to the store any more.
        let branch = try await store.failure(old)
        #expect(branch.code == .migrationMissing)
        #expect(branch.migration?.name == "2")

        merged.register(Migration(to: 4, "4"))
        try await store.upgrade(merged)
        #expect(try Self.applied(store) == ["1", "3", "2", "4"])
    }

    @Test func `GRDB 28: the registered migrations are listed in order`() {
        #expect(Self.migrations("foo", "bar").names == ["foo", "bar"])
    }

    // MARK: Replacements

    private static let released = migrations("v1", "v2", "v3", "v4", "v5")

    /// Opens a store of release `start` (0 for one without migrations) with several migrations merged into one.
    private static func merge(
        _ entry: EntryPoint,
        from start: Int,
        _ replacement: Migration
    ) async throws -> (OldStore, Result<MigrationReport, any Error>) {
        let store = try OldStore(people, through: entry)
        try await store.upgrade(released.upTo(version: start))
        let merged = MigrationRegistry([released.migrations[0], replacement, released.migrations[4]])
        do {
            return (store, .success(try await store.upgrade(merged)))
        } catch {
            return (store, .failure(error))
        }
    }

    private static let everything = #"{"id":1,"v1":true,"v2":true,"v3":true,"v4":true,"v5":true}"#

    /// GRDB's log ends as v1, v4, v5; the ledger here keeps the rows of the migrations that actually ran.
    @Test(arguments: EntryPoint.allCases, 0...5)
    func `GRDB 34: several migrations may be merged into one with the last one's name`(entry: EntryPoint, start: Int)
        async throws
    {
        let (store, result) = try await Self.merge(
            entry,
            from: start,
            Migration(
                to: 4,
                "v4",
                replacing: ["v2", "v3", "v4"],
                .addProperty("Person", "v2", default: true),
                .addProperty("Person", "v3", default: true),
                .addProperty("Person", "v4", default: true)
            )
        )

        if (2...3).contains(start) {
            let error = #expect(throws: MigrationError.self) { try result.get() }
            #expect(error?.code == .partlyReplaced)
            #expect(error?.migration?.name == "v4")
            return
        }
        let report = try result.get()
        let ran = [0: ["v1", "v4", "v5"], 1: ["v4", "v5"], 4: ["v5"], 5: []]
        #expect(report.entries.map(\.migration.name) == ran[start])
        #expect(try store.snapshot()["p1"]?.text == Self.everything)
        #expect(try Self.applied(store) == (start < 4 ? ["v1", "v4", "v5"] : ["v1", "v2", "v3", "v4", "v5"]))
        #expect(try store.snapshot().version == 5)
    }

    @Test(arguments: EntryPoint.allCases, 0...5)
    func `GRDB 35: several migrations may be merged into one with a new name`(entry: EntryPoint, start: Int)
        async throws
    {
        let (store, result) = try await Self.merge(
            entry,
            from: start,
            Migration(
                to: 4,
                "v4bis",
                replacing: ["v2", "v3", "v4"],
                .addProperty("Person", "v2", default: true),
                .addProperty("Person", "v3", default: true),
                .addProperty("Person", "v4", default: true)
            )
        )

        if (2...3).contains(start) {
            let error = #expect(throws: MigrationError.self) { try result.get() }
            #expect(error?.code == .partlyReplaced)
            #expect(error?.message.contains("\"v2\"") == true)
            #expect(error?.message.contains("\"v4\"") == true)
            return
        }
        let report = try result.get()
        let entries = report.entries.map { "\($0.migration.name) \($0.outcome.rawValue)" }
        let expected = [
            0: ["v1 ran", "v4bis ran", "v5 ran"], 1: ["v4bis ran", "v5 ran"], 4: ["v4bis replaced", "v5 ran"], 5: [],
        ]
        #expect(entries == expected[start])
        #expect(try store.snapshot()["p1"]?.text == Self.everything)
        let names = [
            0: ["v1", "v4bis", "v5"], 1: ["v1", "v4bis", "v5"], 4: ["v1", "v2", "v3", "v4", "v4bis", "v5"],
            5: ["v1", "v2", "v3", "v4", "v5"],
        ]
        #expect(try Self.applied(store) == names[start])
    }
}
