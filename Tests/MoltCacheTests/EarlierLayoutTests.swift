import Foundation
import MoltCache
import MoltCore
import Testing

@Suite("A cache file of layout 1")
struct EarlierLayoutTests {
    private let scratch: ScratchDirectory
    private let url: URL
    private let first = Migration(to: 1, "first")

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
        let cache = try CodableCache(at: url, migrations: [first])
        try cache.set("value", forKey: "key")
        cache.close()
        try SQLite(url).run(
            """
            ALTER TABLE molt_ledger DROP COLUMN is_readable;
            ALTER TABLE molt_ledger DROP COLUMN fingerprint;
            ALTER TABLE molt_ledger DROP COLUMN attached_counts;
            DROP TABLE molt_journal;
            UPDATE molt_meta SET value = 1 WHERE name = 'file_format';
            """
        )
    }

    private var layout: String? {
        get throws { try SQLite(url).text("SELECT value FROM molt_meta WHERE name = 'file_format'") }
    }

    @Test func `is whole`() throws {
        #expect(try CodableCache.verify(at: url).isEmpty)
    }

    @Test func `is opened, read and written as it is when there is nothing to do`() throws {
        let bytes = try Data(contentsOf: url)
        let cache = try CodableCache(at: url, migrations: [first])
        #expect(cache.report.isEmpty)
        #expect(try cache.value(String.self, forKey: "key") == "value")
        cache.close()
        #expect(try Data(contentsOf: url) == bytes)

        let writer = try CodableCache(at: url, migrations: [first])
        try writer.set("new", forKey: "key")
        #expect(try writer.value(String.self, forKey: "key") == "new")
        writer.close()
        #expect(try layout == "1")
    }

    @Test func `is one of layout 4 after an upgrade, and stays what it was when that fails`() throws {
        struct Failure: Error {}
        let failing = MigrationRegistry([first, Migration(to: 2, "second", .run { _ in throw Failure() })])
        #expect(throws: MigrationError.self) { try CodableCache(at: url, migrations: failing) }
        #expect(try layout == "1")
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'molt_journal'"
        #expect(try SQLite(url).text(tables) == "0")

        try CodableCache(at: url, migrations: [first, Migration(to: 2, "second")]).close()
        #expect(try layout == "4")
        #expect(try SQLite(url).text(tables) == "1")
        #expect(try CacheStore.state(at: url).ledger.map(\.name) == ["first", "second"])
    }

    @Test func `has its upgrade planned and tried without being changed`() throws {
        let registry: MigrationRegistry = [first, Migration(to: 2, "text", .renameType("String", to: "Text"))]
        let bytes = try Data(contentsOf: url)
        #expect(try MigrationPlan(forFileAt: url, migrations: registry).pending.map(\.name) == ["text"])
        #expect(try CodableCache.dryRun(at: url, migrations: registry).to == 2)
        #expect(try Data(contentsOf: url) == bytes)
    }
}

@Suite("A cache file of layout 2")
struct SecondLayoutTests {
    @Test func `is read without fingerprints, and keeps them from the next upgrade on`() throws {
        let scratch = try ScratchDirectory()
        let url = scratch.file()
        let first = Migration(to: 1, "first", .renameType("A", to: "B"))
        try CodableCache(at: url, migrations: [first]).close()
        try SQLite(url).run(
            """
            ALTER TABLE molt_ledger DROP COLUMN is_readable;
            ALTER TABLE molt_ledger DROP COLUMN fingerprint;
            UPDATE molt_meta SET value = 2 WHERE name = 'file_format';
            """
        )
        // What was recorded without a fingerprint cannot be compared.
        let edited = Migration(to: 1, "first", .renameType("A", to: "C"))
        try CodableCache(at: url, migrations: [edited]).close()

        let second = Migration(to: 2, "second")
        try CodableCache(at: url, migrations: [first, second]).close()

        #expect(try CacheStore.state(at: url).ledger.map(\.fingerprint) == [nil, second.fingerprint])
        #expect(try SQLite(url).text("SELECT value FROM molt_meta WHERE name = 'file_format'") == "4")
        #expect(try SQLite(url).text("SELECT count(*) FROM molt_journal") == "0")
    }
}

@Suite("A cache file of layout 3")
struct ThirdLayoutTests {
    @Test func `is read as one whose migrations older releases may not read`() throws {
        let scratch = try ScratchDirectory()
        let url = scratch.file()
        let first = Migration(to: 1, "first").readableByOlderReleases()
        try CodableCache(at: url, migrations: [first]).close()
        try SQLite(url).run(
            """
            ALTER TABLE molt_ledger DROP COLUMN is_readable;
            UPDATE molt_meta SET value = 3 WHERE name = 'file_format';
            """
        )
        #expect(try CacheStore.state(at: url).ledger.map(\.isReadableByOlderReleases) == [false])

        let second = Migration(to: 2, "second").readableByOlderReleases()
        try CodableCache(at: url, migrations: [first, second, Migration(to: 3, "third")]).close()

        #expect(try CacheStore.state(at: url).ledger.map(\.isReadableByOlderReleases) == [false, true, false])
        #expect(try SQLite(url).text("SELECT value FROM molt_meta WHERE name = 'file_format'") == "4")
    }
}
