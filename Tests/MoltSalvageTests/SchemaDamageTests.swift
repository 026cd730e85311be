import Foundation
import Molt
import MoltSalvage
import MoltTesting
import Testing

/// Files that SQLite considers intact, with content that no release of Molt has written.
@Suite struct `Caches with tampered tables` {
    let scratch: ScratchDirectory
    var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
        try Self.sound.get().write(to: url)
    }

    /// The file of a store that the tests change.
    private static let sound: Result<Data, any Error> = Result {
        try ScratchDirectory.with { directory in
            let url = directory.appending(path: "sound.molt")
            let cache = try CodableCache(at: url, migrations: SoundStore.oldMigrations)
            for number in 0..<20 {
                let note = SoundNote(number: number, text: "text")
                try cache.set(note, forKey: "key \(number)", expiry: .after(seconds: 9_999))
            }
            cache.close()
            return try Data(contentsOf: url)
        }
    }

    /// Changes a file past all constraints, by first turning strict tables into ordinary ones.
    private func tamper(_ sql: String) throws {
        let file = try SQLite(url)
        let schema = try file.rows("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        try file.run("PRAGMA writable_schema = ON")
        try file.run(
            """
            UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT, WITHOUT', 'WITHOUT'), 'STRICT', '');
            UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '')
            WHERE type = 'table' AND sql NOT LIKE '%WITHOUT%'
            """
        )
        try SQLite(url).run(sql)
        // A file whose tables are declared in another way is refused at once.
        for row in schema {
            try SQLite(url).run(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = '\(row[1].replacing("'", with: "''"))' WHERE name = '\(row[0])'
                """
            )
        }
    }

    @Test func `A salvaged ledger keeps what each row replaces, which also tells which rows are not lost`() throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "one").olderReleases(may: .write), Migration(to: 1, "two"),
            Migration(to: 2, "both", replacing: ["one", "two"]), Migration(to: 3, "last"),
        ]
        let newURL = scratch.file("saved.molt")
        try FileManager.default.removeItem(at: url)
        try CodableCache(at: url).close()
        try CodableCache(at: url, migrations: registry).close()
        let before = try StoreFile.state(at: url).ledger
        #expect(before.first?.replacedKinds == ["one": .writable])
        try tamper("UPDATE molt_ledger SET version = 'x' WHERE name = 'last'")
        // The registry of a build that has no shortcut.
        let older = MigrationRegistry(["one", "two"].map { Migration(to: 1, $0) } + [Migration(to: 3, "last")])
        let report = try CacheFile(at: url).salvage(older, to: newURL)
        #expect(!report.isLedgerWhole)
        let after = try StoreFile.state(at: newURL).ledger
        #expect(after.map(\.name) == ["both", "last"] && after.first == before.first)

        // The row of a replacement is rebuilt with what it replaces, also if that is all that it has lost.
        let retired: MigrationRegistry = [
            Migration(to: 2, "both", replacing: ["one", "two"]), Migration(to: 3, "last"),
        ]
        for change in ["replaces = '{'", "outcome = x'00'"] {
            try tamper("UPDATE molt_ledger SET \(change) WHERE name = 'both'")
            let whole = scratch.file("\(change.prefix(4)).molt")
            #expect(try !CacheFile(at: url).salvage(retired, to: whole).isLedgerWhole)
            let rebuilt = try StoreFile.state(at: whole).ledger
            #expect(rebuilt.first { $0.name == "both" }?.replaces == ["one", "two"])
        }
    }

    private static let tampering = [
        "UPDATE molt_record SET key = NULL WHERE id = 3",
        "UPDATE molt_record SET key = CAST(x'FFFE00' AS TEXT) WHERE id = 3",
        "UPDATE molt_record SET key = x'00' WHERE id = 3",
        "UPDATE molt_record SET key = 7.5 WHERE id = 3",
        "UPDATE molt_record SET id = 9223372036854775807 WHERE id = 3",
        "UPDATE molt_record SET id = -9223372036854775807 WHERE id = 3",
        "UPDATE molt_record SET id = 0 WHERE id = 3",
        "UPDATE molt_record SET id = id * 461168601842738790",
        "UPDATE molt_record SET type_id = 'Note'",
        "UPDATE molt_record SET type_id = 9223372036854775807 WHERE id = 3",
        "UPDATE molt_record SET type_id = NULL WHERE id = 3",
        "UPDATE molt_record SET version = -9223372036854775808",
        "UPDATE molt_record SET version = 9223372036854775807",
        "UPDATE molt_record SET version = 'one'",
        "UPDATE molt_record SET content = NULL",
        "UPDATE molt_record SET content = 9e999",
        "UPDATE molt_record SET content = CAST(x'22FF22' AS TEXT)",
        "UPDATE molt_record SET content = ''",
        "UPDATE molt_record SET expires_at = 'tomorrow', created_at = 'today', updated_at = x'00', accessed_at = NULL",
        "UPDATE molt_record SET expires_at = 9e999, created_at = -9e999, updated_at = 9e999, accessed_at = 9e999",
        "UPDATE molt_type SET name = CAST(x'FF' AS TEXT)",
        "UPDATE molt_type SET name = ''",
        "UPDATE molt_type SET id = 9223372036854775807",
        "DELETE FROM molt_type",
        "INSERT INTO molt_type(id, name) VALUES(9223372036854775807, 'x')",
        "UPDATE molt_ledger SET version = 9223372036854775807, records_read = -9223372036854775808",
        "UPDATE molt_ledger SET records_read = 9223372036854775807, records_changed = 9223372036854775807",
        "UPDATE molt_ledger SET name = CAST(x'FF' AS TEXT) WHERE id = 1",
        "UPDATE molt_ledger SET name = NULL, outcome = NULL, applied_at = NULL",
        "UPDATE molt_ledger SET applied_at = 9e999, duration = -9e999",
        "UPDATE molt_ledger SET outcome = 'unheard of', attached_counts = '{\"a\":'",
        "UPDATE molt_ledger SET attached_counts = '{\"a\":99999999999999999999}'",
        "UPDATE molt_ledger SET attached_counts = replace(hex(zeroblob(100000)), '00', '[')",
        "UPDATE molt_ledger SET fingerprint = x'FF'",
        "UPDATE molt_ledger SET id = 9223372036854775807 WHERE id = 2",
        "DELETE FROM molt_ledger",
        "DROP TABLE molt_ledger",
        "DROP TABLE molt_journal",
        "DROP TABLE molt_record",
        "DROP TABLE molt_type",
        "DROP TABLE molt_meta",
        "DROP INDEX molt_record_type",
        "DROP INDEX molt_record_expiry",
        "DELETE FROM molt_meta",
        "UPDATE molt_meta SET value = 'three' WHERE name = 'file_format'",
        "UPDATE molt_meta SET value = -1 WHERE name = 'file_format'",
        "UPDATE molt_meta SET value = 1 WHERE name = 'file_format'",
        "UPDATE molt_meta SET value = 9223372036854775807 WHERE name = 'content_size'",
        "UPDATE molt_meta SET value = -9223372036854775808 WHERE name = 'content_size'",
        "UPDATE molt_meta SET value = 9e999 WHERE name = 'content_size'",
        "INSERT INTO molt_journal(store, changes) VALUES('suite x', 'no bytes')",
        "INSERT INTO molt_journal(store, changes) VALUES(CAST(x'FF' AS TEXT), x'')",
        "DROP TABLE molt_shape; CREATE TABLE molt_shape(type, version, shape); INSERT INTO molt_shape VALUES('SoundNote', 2, '[[[')",
        "PRAGMA user_version = -1",
        "PRAGMA user_version = 2147483647",
        "PRAGMA user_version = -2147483648",
        "ALTER TABLE molt_record DROP COLUMN accessed_at",
        "ALTER TABLE molt_record RENAME COLUMN content TO contents",
        "ALTER TABLE molt_ledger DROP COLUMN app_version",
    ]

    @Test(arguments: tampering)
    func `Invalid values and missing tables are read or refused, and never crash the process`(sql: String) throws {
        try tamper(sql)
        try tryEverything()
    }

    @Test(arguments: [
        "CREATE TRIGGER theirs AFTER INSERT ON molt_record BEGIN DELETE FROM molt_record; END",
        "CREATE TRIGGER theirs BEFORE UPDATE ON MOLT_RECORD BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TRIGGER theirs AFTER INSERT ON molt_ledger BEGIN DELETE FROM molt_ledger; END",
        "CREATE TRIGGER molt_inserted AFTER INSERT ON molt_record BEGIN DELETE FROM molt_record; END",
        "ALTER TABLE molt_record RENAME TO hidden; CREATE VIEW molt_record AS SELECT * FROM hidden LIMIT 3",
        "DROP TABLE molt_shape; CREATE VIEW molt_shape AS SELECT 'SoundNote' AS type, 2 AS version, '{}' AS shape",
        """
        ALTER TABLE molt_type RENAME TO hidden;
        CREATE VIEW molt_type AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id FROM n) SELECT id, 'x' AS name FROM n
        """,
    ])
    func `Foreign triggers on tables of Molt, and views in their place, are refused and named`(sql: String) throws {
        try SQLite(url).run(sql)
        let bytes = try Data(contentsOf: url)
        let readings: [() throws -> Void] = [
            { try CodableCache(at: url, migrations: SoundStore.oldMigrations).close() },
            { _ = try StoreFile.contents(at: url) },
            { _ = try CacheFile(at: url).plan(SoundStore.migrations) },
        ]
        for reading in readings {
            let error = try #require(throws: MoltError.self) { try reading() }
            error.expect(.foreignFile)
            #expect(["theirs", "view", "molt_inserted"].contains { error.message.contains($0) })
        }
        #expect(try Data(contentsOf: url) == bytes)
        try tryEverything()
    }

    @Test func `Unrelated views and tables are tolerated`() throws {
        try SQLite(url).run("CREATE VIEW notes AS SELECT key FROM molt_record; CREATE TABLE mine(x)")
        #expect(try CodableCache(at: url, migrations: SoundStore.oldMigrations).count() == 20)
    }

    @Test func `Eviction fails and does not loop if a record cannot be found by its key`() throws {
        try tamper("UPDATE molt_record SET key = CAST(x'FF' || CAST(id AS BLOB) AS TEXT)")
        var configuration = MoltConfiguration()
        configuration.sizeLimit = 100
        let cache = try CodableCache(at: url, migrations: SoundStore.oldMigrations, configuration: configuration)
        let error = try #require(throws: MoltError.self) { try cache.set("a value", forKey: "new") }
        error.expect(.storeFailed)
    }

    /// Expects that every operation returns, or throws an error of Molt.
    private func tryEverything(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let bytes = try Data(contentsOf: url)
        func attempt(_ what: String, _ body: () throws -> Void) {
            do {
                try body()
            } catch is MoltError {
            } catch {
                Issue.record("\(what) threw \(type(of: error)): \(error)", sourceLocation: sourceLocation)
            }
        }
        let saved = scratch.file("saved.molt")
        attempt("salvage") {
            _ = "\(try CacheFile(at: url).salvage(to: saved))"
            #expect(try StoreFile.damage(at: saved).isEmpty, sourceLocation: sourceLocation)
            _ = try StoreFile.contents(at: saved)
        }
        attempt("version") { _ = try CacheFile(at: url).version() }
        attempt("plan") { _ = "\(try CacheFile(at: url).plan(SoundStore.migrations))" }
        attempt("contents") { _ = try StoreFile.contents(at: url) }
        attempt("dry run") { _ = "\(try CacheFile(at: url).dryRunAndWait(SoundStore.migrations))" }
        for migrations in [SoundStore.oldMigrations, SoundStore.migrations] {
            try bytes.write(to: url)
            var configuration = MoltConfiguration()
            configuration.hooks.isDurable = false
            attempt("open") {
                let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
                defer { cache.close() }
                attempt("keys") { for key in try cache.keys() { _ = try cache.entry(SoundNote.self, forKey: key) } }
                attempt("values") { _ = try cache.values(of: SoundNote.self) }
                attempt("set") { try cache.set(SoundNote(number: 1, text: ""), forKey: "key 1") }
                attempt("remove") { _ = try cache.remove(forKey: "key 2") }
                attempt("expired") { _ = try cache.removeExpired() }
                attempt("all") { try cache.removeAll() }
            }
            guard migrations.version == SoundStore.oldMigrations.version else { continue }
            try bytes.write(to: url)
            configuration.sizeLimit = 500
            attempt("evict") {
                let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
                defer { cache.close() }
                attempt("set") { try cache.set(SoundNote(number: 1, text: ""), forKey: "key 1") }
                attempt("set") { try cache.set(SoundNote(number: 1, text: "text"), forKey: "new") }
            }
        }
    }
}
