import Foundation
import Testing

@testable import Molt

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

    @Test(.throughEveryEntryPoint)
    func `GRDB 12: migrations can run up to a given one, and then up to the next`() async throws {
        let store = try OldStore(Self.people)
        let all = Self.migrations("a", "b", "c")

        try await store.upgrade(try all.upTo("a"))
        #expect(try Self.applied(store) == ["a"])
        #expect(try await store.upgrade(try all.upTo("a")).isEmpty)
        try await store.upgrade(try all.upTo("b"))
        #expect(try Self.applied(store) == ["a", "b"])
        #expect(try await store.upgrade(all).entries.map(\.migration.name) == ["c"])
        #expect(try Self.applied(store) == ["a", "b", "c"])
        #expect(try store.snapshot()["p2"]?.text == #"{"id":2,"a":true,"b":true,"c":true}"#)
        #expect(try await store.upgrade(all).isEmpty)

        // GRDB stops the program in these two cases.
        #expect(throws: MoltError.self) { try all.upTo("missing") }
        let beyond = try await store.failure(try all.upTo("b"))
        beyond.expect(.superseded, storeVersion: 3, registryVersion: 2, says: "version 3")
    }

    @Test(.through(.initializer, .migrator))
    func `GRDB 15 and 16: the applied and the completed migrations grow with the registry`() async throws {
        let store = try OldStore(Self.people)
        let all = Self.migrations("1", "2")
        func plan() throws -> MigrationPlan { try Migrator(all).plan(for: StoreFile(at: store.url)) }

        for count in 0...2 {
            try await store.upgrade(all.upTo(version: count))
            let names = Array(all.names.prefix(count))
            #expect(try plan().applied.map(\.name) == names)
            #expect(try plan().completed.map(\.name) == names)
            #expect(try plan().needsUpgrade == (count < 2))
        }
    }

    @Test func `GRDB 17: a store is superseded once its ledger has a migration that the registry lacks`() async throws {
        let store = try OldStore(Self.people)
        let all = Self.migrations("1", "2")
        func isSuperseded(_ registry: MigrationRegistry) throws -> Bool {
            try Migrator(registry).plan(for: StoreFile(at: store.url)).isSuperseded
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

    @Test(.throughEveryEntryPoint)
    func `GRDB 18: merging two branches can put a migration between two applied ones`() async throws {
        let store = try OldStore(Self.people)
        let old = MigrationRegistry([Self.migrations("1").migrations[0], Migration(to: 3, "3")])
        try await store.upgrade(old)
        var merged = Self.migrations("1", "2")
        merged.register(Migration(to: 3, "3"))

        // An error by default, because the migration was written for an earlier state of the store.
        try await store.failure(merged).expect(.lateMigration, id: MigrationID(name: "2", version: 2))

        merged.allowsLateMigrations = true
        let report = try await store.upgrade(merged)
        #expect(report.entries.map(\.migration.name) == ["2"])
        #expect(try Self.applied(store) == ["1", "3", "2"])
        #expect(try store.snapshot().version == 3)
        #expect(try store.snapshot()["p0"]?.text == #"{"id":0,"1":true,"2":true}"#)

        // The branch without this migration must not write to the store any more.
        try await store.failure(old).expect(.migrationMissing, migration: "2")

        merged.register(Migration(to: 4, "4"))
        try await store.upgrade(merged)
        #expect(try Self.applied(store) == ["1", "3", "2", "4"])
    }

    /// GRDB's log ends as v1, v4, v5; the ledger here keeps the rows of the migrations that actually ran.
    @Test(.throughEveryEntryPoint, arguments: ["v4", "v4bis"], 0...5)
    func `GRDB 34 and 35: several migrations may be merged into one with the last one's name or a new one`(
        name: String,
        start: Int
    ) async throws {
        let released = Self.migrations("v1", "v2", "v3", "v4", "v5")
        let store = try OldStore(Self.people)
        try await store.upgrade(released.upTo(version: start))
        let steps = ["v2", "v3", "v4"].map { MigrationStep.addProperty("Person", PropertyPath($0), default: true) }
        let merged = Migration(to: 4, name, replacing: ["v2", "v3", "v4"], steps: steps)
        let registry = MigrationRegistry([released.migrations[0], merged, released.migrations[4]])

        if (2...3).contains(start) {
            try await store.failure(registry).expect(.partlyReplaced, migration: name, says: "\"v2\"", "\"v4\"")
            return
        }
        let report = try await store.upgrade(registry)
        let entries = report.entries.map { "\($0.migration.name) \($0.outcome.rawValue)" }
        let replaced = name == "v4" ? [] : ["v4bis replaced"]
        let ran = [
            0: ["v1 ran", "\(name) ran", "v5 ran"], 1: ["\(name) ran", "v5 ran"], 4: replaced + ["v5 ran"], 5: [],
        ]
        #expect(entries == ran[start])
        let after = try store.snapshot()
        #expect(after["p1"]?.text == #"{"id":1,"v1":true,"v2":true,"v3":true,"v4":true,"v5":true}"#)
        #expect(after.version == 5)
        let kept = ["v1", "v2", "v3", "v4"]
        let names = [4: kept + (name == "v4" ? [] : [name]) + ["v5"], 5: kept + ["v5"]]
        #expect(after.ledger.map(\.name) == names[start] ?? ["v1", name, "v5"])
    }
}
