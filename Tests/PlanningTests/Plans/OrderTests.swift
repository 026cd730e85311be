import Foundation
import Molt
import Testing

/// Invariant 3: migrations run by version, then by registration order, and faults are reported before any write.
@Suite("The order of migrations")
struct OrderTests {
    private static let records = [StoredRecord("Person", "p", #"{"trace":""}"#)]

    private static func trace(_ name: String, to version: Int, inBlock: Bool = false) -> Migration {
        let append: @Sendable (inout Record) throws -> Void = { record in
            record["trace"] = .string(try record.string("trace") + name)
        }
        guard inBlock else { return Migration(to: version, name, .transform("Person", append)) }
        return Migration(to: version, name, .run { try $0.enumerate("Person") { _, new in try append(&new) } })
    }

    @Test(arguments: [[], [0], [1, 3], [0, 1, 2, 3, 4]])
    func `Migrations run by version, then by registration order, as steps or as blocks`(blocks: [Int]) async throws {
        let store = try OldStore(Self.records)
        let places = [("a", 1), ("b", 1), ("c", 2), ("d", 7), ("e", 7)]

        let migrations = places.enumerated().map { index, place in
            Self.trace(place.0, to: place.1, inBlock: blocks.contains(index))
        }

        let report = try await store.upgrade(MigrationRegistry(migrations))

        let after = try store.snapshot()
        #expect(after.contents == [#"{"trace":"abcde"}"#])
        #expect(report.outcomes == "a ran, b ran, c ran, d ran, e ran")
        #expect(after.outcomes == report.outcomes)
    }

    @Test func `A registry with faults writes nothing, and reports all faults at once`() async throws {
        let store = try OldStore(Self.records)
        let bytes = try Data(contentsOf: store.url)
        let fresh = store.directory.file("fresh")
        let faulty: MigrationRegistry = [Migration(to: 2, "a"), Migration(to: 1, "a"), Migration(to: 0, "")]

        let error = MoltError.thrown {
            try CodableCache(at: fresh, migrations: faulty)
        }
        error?.expect(.invalidRegistry, store: fresh.path)
        #expect(error?.message.split(separator: "\n- ").count == 1 + faulty.faults.count)
        try await store.failure(faulty).expect(.invalidRegistry)
        #expect(try Data(contentsOf: store.url) == bytes)
        try expectNames("cache.molt", in: store.directory)
    }

    // MARK: Parts of a registry

    @Test(.throughEveryEntryPoint)
    func `GRDB 12: migrations can run up to a given one, and then up to the next`() async throws {
        let store = try OldStore(Self.records)
        let all = MigrationRegistry([Self.trace("a", to: 1), Self.trace("b", to: 2), Self.trace("c", to: 3)])

        for (name, trace) in [("a", "a"), ("b", "ab"), ("c", "abc")] {
            let part = try all.upTo(name)
            #expect(try await store.upgrade(part).outcomes == "\(name) ran")
            #expect(try await store.upgrade(part).isEmpty)
            #expect(try store.snapshot().contents == ["{\"trace\":\"\(trace)\"}"])
        }
        #expect(try store.snapshot().outcomes == "a ran, b ran, c ran")
        // GRDB stops the program.
        try await store.failure(try all.upTo("b"))
            .expect(.superseded, storeVersion: 3, registryVersion: 2, says: "version 3")
    }

    // MARK: Retired and merged migrations

    @Test func `A store older than the retired migrations is refused unchanged, and a later one is upgraded`()
        async throws
    {
        let registry = MigrationRegistry([Self.trace("d", to: 4)]).oldestVersion(3)
        let old = try OldStore(Self.records, version: 2, ledger: [("a", 1), ("b", 2)])
        let bytes = try Data(contentsOf: old.url)

        try await old.failure(registry).expect(.tooOld, storeVersion: 2, registryVersion: 3)
        #expect(try Data(contentsOf: old.url) == bytes)
        let later = try OldStore(Self.records, version: 3, ledger: [("a", 1), ("c", 3)])
        #expect(try await later.upgrade(registry).outcomes == "d ran")
        #expect(try await later.upgrade(registry).isEmpty)
        // A fresh store is born at the version of the retired migrations.
        let fresh = old.directory.file("fresh")
        let retired = MigrationRegistry([]).oldestVersion(3)
        try CodableCache(at: fresh, migrations: retired).close()
        #expect(try StoreFile.state(at: fresh).version == 3)
        #expect(try CodableCache(at: fresh, migrations: retired).report.isEmpty)
    }

    /// GRDB's log ends as v1, v4, v5; the ledger here keeps the rows of the migrations that actually ran.
    @Test(arguments: ["v4", "v4bis"], 0...5)
    func `GRDB 34 and 35: several migrations may be merged into one with the last one's name or a new one`(
        name: String,
        start: Int
    ) async throws {
        let released = MigrationRegistry((1...5).map { Self.trace("v\($0)", to: $0) })
        let store = try OldStore(Self.records)
        try await store.upgrade(released.upTo(version: start))
        let steps = released.migrations[1...3].flatMap(\.steps)
        let merged = Migration(to: 4, name, replacing: ["v2", "v3", "v4"], steps: steps)
        let registry = MigrationRegistry([released.migrations[0], merged, released.migrations[4]])

        if (2...3).contains(start) {
            try await store.failure(registry).expect(.partlyReplaced, migration: name, says: "\"v2\"", "\"v4\"")
            return
        }
        let report = try await store.upgrade(registry)
        let replaced = name == "v4" ? "" : "v4bis replaced, "
        let ran: [Int: String] = [
            0: "v1 ran, \(name) ran, v5 ran", 1: "\(name) ran, v5 ran", 4: replaced + "v5 ran", 5: "",
        ]
        #expect(report.outcomes == ran[start])
        let after = try store.snapshot()
        #expect(after.contents == [#"{"trace":"v1v2v3v4v5"}"#] && after.version == 5)
        let kept = ["v1", "v2", "v3", "v4"]
        let names: [Int: [String]] = [4: kept + (name == "v4" ? [] : [name]) + ["v5"], 5: kept + ["v5"]]
        #expect(after.ledger.map(\.name) == names[start] ?? ["v1", name, "v5"])
    }

    // MARK: Late migrations

    /// Flyway also applies such a migration with `outOfOrder`, and refuses it otherwise (flyway/flyway#1363).
    @Test func `GRDB 18, Flyway's outOfOrder: merging two branches can put a migration between two applied ones`()
        async throws
    {
        let store = try OldStore(Self.records + [StoredRecord("Person", "q", #"{"trace":""}"#)])
        let old: MigrationRegistry = [Self.trace("1", to: 1), Self.trace("5", to: 5)]
        try await store.upgrade(old)
        let seen = Log<[Int]>()
        let late = Migration(
            to: 2,
            "2",
            .transform("Person") { if $0.key == "p" { $0["late"] = 1 } },
            .run { migration in
                seen.append([migration.oldVersion, migration.version])
                try migration.enumerate("Person") { old, new in if old.key == "q" { new["late"] = 2 } }
            }
        )
        var merged = MigrationRegistry([old.migrations[0], late, old.migrations[1]])

        // An error by default, because the migration was written for an earlier state of the store.
        try await store.failure(merged).expect(.lateMigration, id: late.id)

        merged = merged.allowingLateMigrations()
        #expect(try await store.upgrade(merged).outcomes == "2 ran")
        let after = try store.snapshot()
        #expect(after.outcomes == "1 ran, 5 ran, 2 ran")
        #expect(after.contents == [#"{"trace":"15","late":1}"#, #"{"trace":"15","late":2}"#])
        // The changed records have the store's version.
        #expect(after.version == 5 && after.records.allSatisfy { $0.version == 5 })
        #expect(seen.all == [[5, 2]])

        // The branch without this migration must not write to the store any more.
        try await store.failure(old).expect(.migrationMissing, migration: "2")
        merged.register(Migration(to: 6, "6"))
        try await store.upgrade(merged)
        #expect(try store.snapshot().outcomes == "1 ran, 5 ran, 2 ran, 6 ran")
    }
}
