import Foundation
import Molt
import Testing

@Suite struct `Batches of changes` {
    let scratch: ScratchDirectory
    let cache: CodableCache

    init() throws {
        scratch = try ScratchDirectory()
        cache = try CodableCache(at: scratch.file())
    }

    @Test func `The changes of a batch are made together, in their order`() throws {
        try cache.set(0, forKey: "old")
        try cache.batch { batch in
            try batch.set(1, forKey: "a")
            try batch.set(2, forKey: "b")
            batch.remove(forKey: "a")
            batch.remove(forKey: "old")
            try batch.set(3, forKey: "b")
        }
        #expect(try cache.keys() == ["b"])
        #expect(try cache.value(Int.self, forKey: "b") == 3)
    }

    @Test func `A batch whose closure throws changes nothing`() throws {
        try cache.set(0, forKey: "old")
        #expect(throws: TestFailure.self) {
            try cache.batch { batch in
                try batch.set(1, forKey: "a")
                batch.remove(forKey: "old")
                throw TestFailure.expected
            }
        }
        #expect(throws: CacheError.self) { try cache.setAll(["x": 1, "y": .nan]) }
        #expect(try cache.keys() == ["old"])
    }

    @Test func `A write that fails halfway is undone, in memory as well`() throws {
        try cache.set(0, forKey: "old")
        #expect(try cache.value(Int.self, forKey: "old") == 0)
        try SQLite(scratch.file()).run(
            """
            CREATE TRIGGER no BEFORE INSERT ON molt_record WHEN NEW.key = 'bad'
            BEGIN SELECT RAISE(ABORT, 'no'); END
            """
        )
        let changes = cache.changes()
        let error = #expect(throws: CacheError.self) {
            try cache.batch { batch in
                try batch.set(1, forKey: "old")
                try batch.set(1, forKey: "bad")
            }
        }
        #expect(error?.code == .storeFailed)
        #expect(error?.underlying is SQLiteError)
        #expect(try cache.value(Int.self, forKey: "old") == 0)
        #expect(try cache.keys() == ["old"])
        _ = changes
    }

    @Test func `Several values are read from one snapshot, in the order of the keys`() throws {
        try cache.setAll(["a": Person.john, "b": .jane])
        #expect(try cache.values(Person.self, forKeys: ["b", "nobody", "a", "b"]) == [.jane, nil, .john, .jane])
        #expect(try cache.values(Person.self, forKeys: []) == [])
    }

    @Test func `Keys that differ only in their bytes can be set together`() throws {
        try cache.setAll([(key: "é", value: 1), (key: "e\u{301}", value: 2)])
        #expect(try cache.count() == 2)
    }

    @Test func `The asynchronous calls do the same as the synchronous ones`() async throws {
        try await cache.batch { batch in try batch.set(1, forKey: "a") }
        try await cache.setAll(["b": 2])
        #expect(try await cache.values(Int.self, forKeys: ["a", "b", "c"]) == [1, 2, nil])
        try await cache.removeAll()
        #expect(try cache.count() == 0)
    }
}

@Suite struct `Opening a cache` {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    @Test func `Records are upgraded before the cache is returned`() async throws {
        try CodableCache(at: scratch.file()).set(Alien(firstName: "John", lastName: "Appleseed"), forKey: "john")
        let migrations: MigrationRegistry = [
            Migration(to: 1, "alien-becomes-person", .renameType("Alien", to: "Person"))
        ]
        let cache = try await CodableCache.open(at: scratch.file(), migrations: migrations)
        #expect(cache.schemaVersion == 1)
        #expect(cache.report.from == 0)
        #expect(cache.report.to == 1)
        #expect(try cache.values(of: Person.self).map(\.value) == [.john])
        #expect(try cache.keys(of: Alien.self) == [])
    }

    @Test func `The plan for a file is computed without opening it`() throws {
        let migrations: MigrationRegistry = [Migration(to: 1, "first"), Migration(to: 2, "second")]
        let store = CacheStore(at: scratch.file())
        #expect(try Migrator(migrations).plan(for: store).isFresh)
        #expect(try scratch.names() == [])
        _ = try CodableCache(at: scratch.file(), migrations: migrations.upTo(version: 1))
        #expect(try Migrator(migrations).plan(for: store).pending.map(\.name) == ["second"])
        #expect(try scratch.names() == ["cache.molt"])
    }

    @Test func `Cancelling the task leaves the file unchanged`() async throws {
        try await CodableCache(at: scratch.file()).setAll((0..<2_000).map { (key: "\($0)", value: Person.john) })
        let url = scratch.file()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await CodableCache.open(
                at: url,
                migrations: [Migration(to: 1, "slow", .renameProperty("Person", "firstName", to: "name"))]
            )
        }
        let error = await #expect(throws: MigrationError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(try CacheStore.state(at: url).version == 0)
        #expect(try CodableCache(at: url).value(Person.self, forKey: "7") == .john)
    }

    @Test func `A failed migration leaves the file unchanged, and an older app can open it`() throws {
        try CodableCache(at: scratch.file()).set(Person.john, forKey: "john")
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "fails",
                .renameType("Person", to: "Human"),
                .transform("Human") { _ in throw TestFailure.expected }
            )
        ]
        let error = #expect(throws: MigrationError.self) {
            _ = try CodableCache(at: scratch.file(), migrations: migrations)
        }
        #expect(error?.code == .stepFailed)
        #expect(error?.recordKey == "john")
        #expect(error?.store == scratch.file().path)
        #expect(try scratch.names() == ["cache.molt"])
        #expect(try CodableCache(at: scratch.file()).keys(of: Person.self) == ["john"])
    }

    @Test func `The ledger records the app's version`() throws {
        var configuration = CodableCache.Configuration()
        configuration.appVersion = "7.1"
        _ = try CodableCache(at: scratch.file(), migrations: [Migration(to: 1, "a")], configuration: configuration)
        #expect(try CacheStore.state(at: scratch.file()).ledger.map(\.appVersion) == ["7.1"])
    }

    @Test func `Opening waits for another process's upgrade only until the lock timeout`() throws {
        _ = try CodableCache(at: scratch.file())
        let other = try SQLite(scratch.file())
        try other.run("BEGIN IMMEDIATE")
        var configuration = CodableCache.Configuration()
        configuration.lockTimeout = .milliseconds(10)
        let error = #expect(throws: MigrationError.self) {
            _ = try CodableCache(at: scratch.file(), migrations: [Migration(to: 1, "a")], configuration: configuration)
        }
        #expect(error?.code == .busy)
    }
}
