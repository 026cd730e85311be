import Foundation
import MoltCache
import MoltCore
import Testing

@Suite struct `What a store knows of itself is saved with its records` {
    let scratch: ScratchDirectory
    var newURL: URL { scratch.file("saved.molt") }

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// A store in the middle of a migration, with keys, types and records in quarantine that wait for its end.
    private func halfDone() throws -> OldStore {
        let old = try OldStore(BatchedQuarantineTests.records)
        var options = BatchedQuarantineTests.options(.quarantine(upTo: .none))
        let batches = Log<Int>()
        options.atPoint = { point in
            guard point.kind == .afterCommit, point.subject.contains("batch") else { return }
            batches.append(1)
            if batches.count == 3 { throw Refusal() }
        }
        #expect(throws: (any Error).self) {
            try Migrator([BatchedQuarantineTests.migration(inBatches: true)], options: options)
                .migrate(CacheStore(at: old.url))
        }
        let read = try CacheStore.state(at: old.url).unfinished?.counts.read ?? 0
        #expect((1..<60).contains(read))
        return old
    }

    @Test func `A migration that was half done is half done in the new file, and goes on there`() throws {
        let old = try halfDone()
        let report = try CodableCache.salvage(from: old.url, to: newURL)
        #expect(report.isWhole, "\(report)")
        for table in ["molt_deferred", "molt_failed"] {
            let rows = try SQLite(old.url).rows("SELECT * FROM \(table)")
            #expect(!rows.isEmpty)
            #expect(try SQLite(newURL).rows("SELECT * FROM \(table)") == rows)
        }
        #expect(try CacheStore.state(at: newURL).unfinished == CacheStore.state(at: old.url).unfinished)

        let options = BatchedQuarantineTests.options(.quarantine(upTo: .none))
        for url in [old.url, newURL] {
            _ = try Migrator([BatchedQuarantineTests.migration(inBatches: true)], options: options)
                .migrate(CacheStore(at: url))
        }
        let atOnce = try OldStore(BatchedQuarantineTests.records)
        _ = try Migrator([BatchedQuarantineTests.migration(inBatches: false)], options: options)
            .migrate(CacheStore(at: atOnce.url))
        #expect(try CacheStore.contents(at: newURL).records == CacheStore.contents(at: old.url).records)
        #expect(try CacheStore.contents(at: newURL).records == CacheStore.contents(at: atOnce.url).records)
        #expect(try CacheStore.quarantine(at: newURL) == CacheStore.quarantine(at: atOnce.url))
    }

    @Test(arguments: ["molt_deferred", "molt_failed"])
    func `What a half-done migration had still to do is missed when it is lost`(table: String) throws {
        let old = try halfDone()
        try SQLite(old.url).run("DROP TABLE \(table)")
        let report = try CodableCache.salvage(from: old.url, to: newURL)
        #expect(!report.isWhole)
        #expect(report.assumptions.contains { $0.contains("half done") }, "\(report)")
    }

    @Test func `Records with new ids take along what a half-done migration is to do with them`() throws {
        let old = try halfDone()
        let file = try SQLite(old.url)
        let found = try file.text("SELECT min(id) FROM molt_failed")
        let id = try #require(found)
        try file.run(
            "UPDATE molt_record SET id = -1 WHERE id = \(id); UPDATE molt_failed SET id = -1 WHERE id = \(id);"
                + "UPDATE molt_deferred SET id = -1 WHERE id = \(id)"
        )
        _ = try CodableCache.salvage(from: old.url, to: newURL)
        let saved = try SQLite(newURL)
        let key = try file.text("SELECT key FROM molt_record WHERE id = -1")
        #expect(try saved.text("SELECT key FROM molt_record WHERE id = (SELECT max(id) FROM molt_failed)") == key)
        #expect(try saved.text("SELECT min(id) > 0 FROM molt_failed") == "1")
    }

    @Test func `Records that wait for their keys go on waiting`() throws {
        let old = try OldDirectory()
        for key in ["john", "jane"] { try old.write(#"{"object":{"name":"\#(key)"}}"#, for: key) }
        try old.open(old.adoption(.fileNames)).close()
        let rows = try SQLite(old.store).rows("SELECT * FROM molt_adopted ORDER BY 1")
        #expect(rows.count == 2)
        #expect(try CodableCache.salvage(from: old.store, to: newURL).isWhole)
        #expect(try SQLite(newURL).rows("SELECT * FROM molt_adopted ORDER BY 1") == rows)
        let cache = try CodableCache(at: newURL, migrations: [old.adoption(.fileNames)])
        #expect(try cache.contains("jane"))
    }

    // MARK: The ledger

    private func withoutLedger() throws -> URL {
        let url = scratch.file()
        let sound = try SoundStore.shared.get()
        try Data(sound.file).write(to: url)
        let root = try SQLite(url).text("SELECT rootpage FROM sqlite_schema WHERE name = 'molt_ledger'")
        var file = sound.file
        let page = try #require(root.flatMap { Int($0) })
        let start = (page - 1) * SoundStore.pageSize
        for offset in start..<start + SoundStore.pageSize { file[offset] = 0 }
        try Data(file).write(to: url)
        return url
    }

    @Test func `A ledger that is lost is made up for by the version, when the migrations are given`() throws {
        let report = try CodableCache.salvage(from: withoutLedger(), to: newURL, migrations: SoundStore.migrations)
        #expect(!report.isLedgerWhole)
        #expect(report.schemaVersion == 2)
        #expect(report.assumptions.contains { $0.contains(#""first", "second""#) }, "\(report)")
        let cache = try CodableCache(at: newURL, migrations: SoundStore.migrations)
        #expect(cache.report.from == 2)
        #expect(cache.report.entries.map(\.migration.name) == ["third"])
        #expect(try cache.value(SoundNote.self, forKey: "key 1")?.seen == true)
    }

    @Test func `A ledger that is lost is missed, when they are not`() throws {
        let report = try CodableCache.salvage(from: withoutLedger(), to: newURL)
        #expect(!report.isLedgerWhole)
        let error = #expect(throws: MigrationError.self) {
            try CodableCache(at: newURL, migrations: SoundStore.migrations)
        }
        #expect(error?.code == .lateMigration)
    }

    @Test func `A ledger that is whole is not added to`() throws {
        let url = scratch.file()
        try Data(SoundStore.shared.get().file).write(to: url)
        let others = MigrationRegistry([Migration(to: 1, "unheard of")] + SoundStore.migrations.migrations)
        let report = try CodableCache.salvage(from: url, to: newURL, migrations: others)
        #expect(report.isWhole)
        #expect(try CacheStore.state(at: newURL).ledger.map(\.name) == ["first", "second"])
    }

    @Test func `A half-done migration does not count as applied, whatever the version says`() throws {
        let old = try halfDone()
        try SQLite(old.url).run("DROP TABLE molt_ledger")
        let migrations: MigrationRegistry = [BatchedQuarantineTests.migration(inBatches: true)]
        let report = try CodableCache.salvage(from: old.url, to: newURL, migrations: migrations)
        #expect(!report.isLedgerWhole)
        #expect(try CacheStore.state(at: newURL).ledger.isEmpty)
        let options = BatchedQuarantineTests.options(.quarantine(upTo: .none))
        let upgrade = try Migrator(migrations, options: options).migrate(CacheStore(at: newURL))
        #expect(upgrade.entries.map(\.migration.name) == ["change"])
    }
}
