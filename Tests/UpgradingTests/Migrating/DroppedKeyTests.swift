import Foundation
import Molt
import Testing

@Suite("The keys that an upgrade takes from records")
struct DroppedKeyTests {
    private let clock = Clock(1_000_000)
    private let configuration: MoltConfiguration

    init() {
        configuration = MoltConfiguration { [clock] in
            $0.droppedKeyLifetime = .seconds(100)
            $0.now = { clock.date }
            $0.runsBackfill = false
        }
    }

    private static func store(_ type: String, _ keys: String...) throws -> OldStore {
        try OldStore(keys.map { StoredRecord(type, $0, #"{"id":"\#($0)"}"#) })
    }

    private func open(_ store: OldStore, _ migrations: Migration...) throws -> CodableCache {
        let registry = MigrationRegistry(migrations).allowingLateMigrations()
        return try CodableCache(at: store.url, migrations: registry, configuration: configuration)
    }

    /// The keys that were taken, such as "a>b 2" for one that a migration to version 2 has replaced by another.
    private func dropped(_ cache: CodableCache, after position: Int64 = 0, ofType type: String? = nil) throws
        -> [String]
    {
        var found: [String] = []
        try cache.droppedKeys(after: position, ofType: type) { key in
            found.append("\(key.key)>\(key.newKey ?? "") \(key.version)")
        }
        return found
    }

    /// The keys that an upgrade takes, after which the cache is closed.
    private func dropped(_ store: OldStore, _ migrations: Migration...) throws -> [String] {
        let registry = MigrationRegistry(migrations).allowingLateMigrations()
        let cache = try CodableCache(at: store.url, migrations: registry, configuration: configuration)
        defer { cache.close() }
        return try dropped(cache)
    }

    /// A step that gives records new keys, such as "a>b c>", and drops those without one.
    private static func changing(_ changes: String, _ type: String = "A") -> MigrationStep {
        let pairs = changes.split(separator: " ").map { $0.split(separator: ">", omittingEmptySubsequences: false) }
        let keys = Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) })
        return .transform(type) { record in
            guard let key = keys[record.key] else { return }
            if key.isEmpty { record.drop() } else { record.key = key }
        }
    }

    // MARK: Noted keys

    private static let all = [
        Migration(to: 1, "one", changing("dropped> moved>moved-1 back>away"), .deleteType("Trash")),
        Migration(
            to: 2,
            "two",
            .run { migration in
                try migration.delete("removed")
                try migration.deleteAll(ofType: "Old")
                try migration.enumerate("A") { old, new in if old.key == "visited" { new.drop() } }
                var record = try #require(try migration.record(forKey: "updated"))
                record.key = "updated-2"
                try migration.update(record)
                try migration.create("A", forKey: "created", 1)
            }
        ),
        Migration(
            to: 3,
            "three",
            .renameKeys("Tag", to: .lowercased, onConflict: .keep),
            .handOverRecords("Token", to: "nowhere") { _ in throw TestFailure.expected },
            changing("moved-1>moved-3 away>back created>")
        ),
        Migration(to: 4, "four", .renameType("A", to: "B"), changing("moved-3>", "B")),
    ]

    private static func mixed() throws -> OldStore {
        let keys = [
            "A": ["dropped", "moved", "back", "removed", "visited", "updated", "kept"], "Old": ["old"],
            "Tag": ["red", "RED", "Blue"], "Token": ["secret"], "Trash": ["trash"],
        ]
        let records = keys.sorted { $0.key < $1.key }.flatMap { type, keys in keys.map { StoredRecord(type, $0, "{}") }
        }
        return try OldStore(records + [StoredRecord("A", "expired", "{}", expiration: 999_999)])
    }

    @Test func `are those of all that its steps drop, merge, hand over, or give other keys`() throws {
        let store = try Self.mixed()
        let cache = try open(store, Self.all[0], Self.all[1], Self.all[2], Self.all[3])
        let expected = [
            "Blue>blue 3", "RED> 3", "dropped> 1", "moved> 4", "old> 2", "removed> 2", "secret> 3", "trash> 1",
            "updated>updated-2 2", "visited> 2",
        ]
        #expect(try dropped(cache).sorted() == expected)
        #expect(try dropped(cache, ofType: "Old") == ["old> 2"])
        var first: CodableCache.DroppedKey?
        try cache.droppedKeys(ofType: "Tag") { if $0.newKey == nil { first = $0 } }
        #expect(first?.date == clock.date && first?.description == #"Tag "RED" → dropped (version 3)"#)
        // A key that the app uses again is not gone.
        try cache.set(1, forKey: "old")
        #expect(try dropped(cache, ofType: "Old") == [])
    }

    @Test func `are the same over several upgrades, with those between`() throws {
        let store = try Self.mixed()
        var found: [String] = []
        for count in 1...4 {
            let registry = MigrationRegistry(Array(Self.all[..<count]))
            let cache = try CodableCache(at: store.url, migrations: registry, configuration: configuration)
            found = try dropped(cache)
            cache.close()
        }
        let expected = [
            "Blue>blue 3", "RED> 3", "away>back 3", "created> 3", "dropped> 1", "moved-1>moved-3 3", "moved-3> 4",
            "moved>moved-1 1", "old> 2", "removed> 2", "secret> 3", "trash> 1", "updated>updated-2 2", "visited> 2",
        ]
        #expect(found.sorted() == expected)
    }

    @Test func `are not those that are in use again`() throws {
        let store = try Self.store("A", "a", "b", "c", "d", "last")
        let found = try dropped(
            store,
            Migration(to: 1, "swapped", Self.changing("a>b b>a c>d d>e")),
            Migration(
                to: 2,
                "again",
                .run { migration in
                    try migration.delete("a")
                    try migration.create("A", forKey: "a", 1)
                    // The next block gives its id to another record.
                    try migration.delete("last")
                },
                .run { migration in
                    try migration.delete("a")
                    try migration.create("A", forKey: "new", 1)
                    try migration.create("A", forKey: "a", 1)
                },
                Self.changing("new>newer")
            )
        )
        #expect(found == ["c>d 1", "last> 2"])
    }

    @Test func `of a migration that runs late count at the version of the store`() throws {
        let store = try Self.store("A", "a")
        let last = Migration(to: 5, "five")
        #expect(try dropped(store, last) == [])
        #expect(try dropped(store, Migration(to: 2, "late", Self.changing("a>")), last) == ["a> 5"])
    }

    // MARK: Quarantine and erasing

    @Test func `are noted for quarantined records when a retry drops them or gives them other keys`() throws {
        let store = try Self.store("A", "a", "b", "moved")
        func migration(_ step: MigrationStep) -> Migration {
            Migration(to: 2, "two", step.onFailure(.quarantine(upTo: .unlimited)))
        }
        let moving = Migration(to: 1, "one", Self.changing("moved>c"))
        let failing = migration(.transform("A") { _ in throw TestFailure.expected })
        let cache = try open(store, moving, failing)
        #expect(try dropped(cache) == ["moved>c 1"])
        let fixed = MigrationRegistry([moving, migration(Self.changing("a> b>z"))])
        try cache.retryQuarantined(with: fixed)
        #expect(try dropped(cache) == ["moved>c 1", "a> 2", "b>z 2"])
    }

    @Test func `of an erased type are erased, too, with those of earlier upgrades`() throws {
        let store = try OldStore(
            ["one", "two", "three"].map { StoredRecord("Token", "s3cret-\($0)", "{}") } + [StoredRecord("A", "a", "{}")]
        )
        let moving = Self.changing("s3cret-one>s3cret-1 s3cret-two>", "Token")
        let first = Migration(to: 1, "one", Self.changing("a>"), moving)
        #expect(try dropped(store, first) == ["s3cret-one>s3cret-1 1", "s3cret-two> 1", "a> 1"])
        let second = Migration(to: 2, "two", .renameType("Token", to: "Key"), Self.changing("s3cret-1>s3cret-2", "Key"))
        #expect(try dropped(store, first, second).count == 4)
        let third = Migration(
            to: 3,
            "three",
            Self.changing("s3cret-three>", "Key"),
            .renameType("Key", to: "Secret"),
            .deleteType("Secret", erasing: true)
        )
        #expect(try dropped(store, first, second, third) == ["a> 1"])
        #expect(try Data(contentsOf: store.url).range(of: Data("s3cret".utf8)) == nil)
    }

    // MARK: Migrations on read

    @Test func `are noted by the backfill when its policy drops records`() throws {
        let store = try Self.store("A", "a", "b")
        let failing = MigrationStep.transform("A") { record in
            if record.key == "a" { throw TestFailure.expected }
            record["x"] = 1
        }
        let migration = Migration(to: 1, "on-read", failing.onFailure(.drop(upTo: .unlimited))).onRead()
        let cache = try open(store, migration)
        #expect(try dropped(cache) == [])
        try cache.backfillAndWait()
        #expect(try dropped(cache) == ["a> 1"])
    }

    // MARK: How long they are kept

    @Test func `are kept as long as the configuration says, until an upgrade or a backfill writes`() throws {
        let store = try Self.store("A", "a", "b", "c")
        let one = Migration(to: 1, "one", Self.changing("a>"))
        let two = Migration(to: 2, "two", Self.changing("b>"))
        let three = Migration(to: 3, "three", .addProperty("A", "x", default: 1)).onRead()
        #expect(try dropped(store, one) == ["a> 1"])
        clock.advance(to: 1_000_100)
        #expect(try dropped(store, one, two) == ["a> 1", "b> 2"])
        clock.advance(to: 1_000_150)
        let cache = try open(store, one, two, three)
        #expect(try dropped(cache) == ["b> 2"])
        clock.advance(to: 1_000_300)
        #expect(try dropped(cache) == ["b> 2"])
        try cache.backfillAndWait()
        #expect(try dropped(cache) == [])
    }

    @Test func `are neither recorded nor kept unless the configuration says so, nor by a dry run`() throws {
        let store = try Self.store("A", "a", "b", "c")
        let one = Migration(to: 1, "one", Self.changing("a>"))
        let two = Migration(to: 2, "two", Self.changing("b>"))
        let file = try Data(contentsOf: store.url)
        _ = try CacheFile(at: store.url).dryRunAndWait([one], configuration: configuration)
        #expect(try Data(contentsOf: store.url) == file)
        #expect(try dropped(store, one) == ["a> 1"])
        let cache = try CodableCache(at: store.url, migrations: [one, two])
        #expect(try dropped(cache) == [])
        cache.close()
        #expect(try SQLite(store.url).rows("SELECT key FROM molt_dropped") == [])
    }

    @Test func `have positions to go on from, also if the store has its version and if keys were forgotten`() throws {
        let store = try Self.store("A", "a", "b", "c", "d")
        let one = Migration(to: 1, "one", Self.changing("a>"))
        let late = Migration(to: 1, "late", Self.changing("b>"))
        _ = try dropped(store, one)
        var last: Int64 = 0
        let cache = try open(store, one, late)
        try cache.droppedKeys { if $0.key == "a" { last = $0.position } }
        #expect(try dropped(cache, after: last) == ["b> 1"])
        try cache.droppedKeys { last = $0.position }
        cache.close()
        let two = Migration(to: 2, "two", Self.changing("c>"))
        try CodableCache(at: store.url, migrations: [one, late, two]).close()
        let three = Migration(to: 3, "three", Self.changing("d>"))
        let later = try open(store, one, late, two, three)
        #expect(try dropped(later, after: last) == ["d> 3"])
    }

    @Test func `need no write when there is nothing to do`() throws {
        let store = try Self.store("A", "a", "b")
        let migration = Migration(to: 1, "one", Self.changing("a>"))
        _ = try dropped(store, migration)
        let file = try Data(contentsOf: store.url)
        clock.advance(to: 2_000_000)
        #expect(try dropped(store, migration) == ["a> 1"])
        #expect(try Data(contentsOf: store.url) == file)
    }

    // MARK: Other files and releases

    @Test func `are as they were in a restored backup, and an import takes none over`() throws {
        let store = try Self.store("A", "a", "b")
        let one = Migration(to: 1, "one", Self.changing("a>"))
        let two = Migration(to: 2, "two", Self.changing("b>"))
        _ = try dropped(store, one)
        var configuration = configuration
        configuration.backup = BackupPolicy()
        try CodableCache(at: store.url, migrations: [one, two], configuration: configuration).close()
        let backup = try #require(try CacheFile(at: store.url).backups().first)
        let target = try Self.store("A", "z")
        let other = try open(target, one)
        try other.importAndWait(from: backup.url)
        #expect(try dropped(other) == [])
        #expect(try other.keys() == ["z", "b"])
        try CacheFile(at: store.url).restore(backup)
        #expect(try dropped(store, one) == ["a> 1"])
    }

    @Test func `can be asked for by an older release, and by a reader once the store is upgraded`() throws {
        let store = try Self.store("A", "a", "b")
        let one = Migration(to: 1, "one", .addProperty("A", "x", default: 1))
        let two = Migration(to: 2, "two", Self.changing("a>")).olderReleases(may: .read)
        let reader = try CodableCache(reading: store.url, migrations: [one])
        MoltError.thrown { try reader.droppedKeys { _ in } }?.expect(.needsMigration)
        reader.close()
        _ = try dropped(store, one, two)
        let old = try CodableCache(reading: store.url, migrations: [one])
        #expect(try old.version == 2 && dropped(old) == ["a> 2"])
        old.close()
        let upgraded = try CodableCache(reading: store.url, migrations: [one, two])
        #expect(try dropped(upgraded) == ["a> 2"])
    }

    @Test func `arrive in parts of a thousand, between which the cache can be used`() throws {
        let store = try OldStore((1...1_001).map { StoredRecord("Int", "\($0)", "1") })
        let cache = try open(store, Migration(to: 1, "one", .deleteType("Int")))
        var keys: [String] = []
        try cache.droppedKeys { dropped in
            keys.append(dropped.key)
            if keys.count < 1_001 { try cache.set(1, forKey: "\(keys.count + 1)-new") }
        }
        #expect(keys == (1...1_001).map(String.init))
        #expect(throws: TestFailure.expected) { try cache.droppedKeys { _ in throw TestFailure.expected } }
        cache.close()
        MoltError.thrown { try cache.droppedKeys { _ in } }?.expect(.closed)
    }
}
