import Foundation
import Molt
import Testing

@Suite("A cache file of a later layout")
struct LaterLayoutTests {
    private let scratch: ScratchDirectory
    private let url: URL
    private let first = Migration(to: 1, "first")

    /// Creates a file with a column, an outcome and a table that this release does not know.
    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
        let cache = try CodableCache(at: url, migrations: [first])
        try cache.set("value", forKey: "key")
        cache.close()
        try SQLite(url).run(
            """
            ALTER TABLE molt_ledger ADD COLUMN floor INTEGER;
            ALTER TABLE molt_record ADD COLUMN origin TEXT;
            UPDATE molt_ledger SET outcome = 'someday', extra = '{"inverse":[]}';
            CREATE TABLE molt_later(id INTEGER PRIMARY KEY) STRICT;
            UPDATE molt_meta SET value = 2 WHERE name = 'file_format';
            """
        )
    }

    private func allowReaders() throws {
        try SQLite(url).run("INSERT INTO molt_meta(name, value) VALUES('reader_format', 1)")
    }

    @Test func `is refused, also by a dry run, unless it declares that this release may read it`() throws {
        let words = "has the file format 2, and this release of Molt reads formats up to 1"
        MoltError.thrown {
            try CodableCache(at: url, migrations: [first])
        }?.expect(.newerFormat, says: words)
        // The error names the store and not the copy.
        MoltError.thrown {
            try CacheFile(at: url).dryRunAndWait([first])
        }?.expect(.newerFormat, store: url.path, says: url.path)
    }

    @Test func `is read, and what this release does not know in it is ignored`() throws {
        try allowReaders()
        let bytes = try Data(contentsOf: url)
        let cache = try CodableCache(reading: url, migrations: [first])
        #expect(cache.report.isEmpty && cache.isReadOnly)
        #expect(try cache.value(String.self, forKey: "key") == "value")
        cache.close()
        let ledger = try StoreFile.state(at: url).ledger
        #expect(ledger.map { "\($0.name) \($0.outcome)" } == ["first ran"])
        #expect(try CacheFile(at: url).verifyAndWait().isEmpty)
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test func `is neither written to nor upgraded, and the monitor is told of the refusal alone`() throws {
        try allowReaders()
        let bytes = try Data(contentsOf: url)
        let pending: MigrationRegistry = [first, Migration(to: 2, "second")]
        for migrations: MigrationRegistry in [[first], pending] {
            let events = Log<String>()
            let configuration = MoltConfiguration { $0.monitor = MigrationMonitor { events.append($0.word) } }
            MoltError.thrown {
                try CodableCache(at: url, migrations: migrations, configuration: configuration)
            }?.expect(.newerFormat, says: "can only be opened for reading, with `CodableCache(reading:)`")
            #expect(events.all == ["failed"])
        }
        MoltError.thrown {
            try CodableCache(reading: url, migrations: pending)
        }?.expect(.superseded, says: "\"second\" (version 2) was not applied to it")
        let cache = try CodableCache(reading: url, migrations: [first])
        MoltError.thrown { try cache.set("new", forKey: "key") }
        cache.close()
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test func `A log left by a kill stays beside the file when the file is refused`() throws {
        try allowReaders()
        let connection = try SQLite(url)
        try connection.run("PRAGMA journal_mode = WAL; UPDATE molt_record SET origin = 'later'")
        let copy = scratch.file("killed.molt")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
        }
        let bytes = try ["", "-wal"].map { try Data(contentsOf: URL(filePath: copy.path + $0)) }
        MoltError.thrown { try CodableCache(at: copy, migrations: [first]) }?.expect(.newerFormat)
        #expect(try ["", "-wal"].map { try Data(contentsOf: URL(filePath: copy.path + $0)) } == bytes)
        _ = consume connection
    }

    @Test func `A backup of it is not restored`() throws {
        try allowReaders()
        let store = scratch.file("store.molt")
        try CodableCache(at: store, migrations: [first]).close()
        let backup = try CacheFile(at: store).backUp()
        try SQLite(backup.url).run(
            """
            UPDATE molt_meta SET value = 2 WHERE name = 'file_format';
            INSERT INTO molt_meta(name, value) VALUES('reader_format', 1)
            """
        )
        let error = MoltError.thrown { try CacheFile(at: store).restore(backup) }
        error?.expect(.backupUnusable, says: "only a newer release of Molt can write it")
        #expect(try CodableCache(at: store, migrations: [first]).version == 1)
    }
}

@Suite("A row of the ledger")
struct LedgerRowTests {
    @Test func `records the names that its migration replaces, and keeps the extra data of a later release`() throws {
        let scratch = try ScratchDirectory()
        let both = Migration(to: 2, "both", replacing: ["first", "second"])
        try CodableCache(at: scratch.file(), migrations: [both]).close()
        try SQLite(scratch.file()).run("UPDATE molt_ledger SET extra = '{\"inverse\":[]}'")
        try CodableCache(at: scratch.file(), migrations: [both, Migration(to: 3, "third")]).close()
        let ledger = try StoreFile.state(at: scratch.file()).ledger
        #expect(ledger.map(\.replaces) == [["first", "second"], []])
        #expect(ledger.map(\.extra) == [#"{"inverse":[]}"#, nil])
    }
}
