import Foundation
import MoltCache
import MoltCore
import MoltSalvage
import Synchronization
import Testing

@Suite struct `What a store knows of itself is saved with its records` {
    let scratch: ScratchDirectory
    var newURL: URL { scratch.file("saved.molt") }

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// Some of the records cannot be converted, and some get other keys and another type.
    private static func migration(inBatches: Bool) -> Migration {
        let migration = Migration(
            to: 1,
            "change",
            .transform("A") { record in
                record["seen"] = true
                record.key += "!"
                record.typeName = "C"
            },
            .transform("C") { if try $0.value("n", as: Int.self) % 4 == 1 { throw Refusal() } },
            .transform("B") { if try $0.value("n", as: Int.self) % 5 == 1 { throw Refusal() } }
        )
        return inBatches ? migration.committingInBatches(of: 10) : migration
    }

    private static var options: MigrationOptions {
        var options = MigrationOptions()
        options.unconvertible = .quarantine(upTo: .none)
        options.batchSize = 4
        return options
    }

    /// A store that the migration has not been applied to.
    private func unchanged(_ name: String) throws -> URL {
        let url = scratch.file(name)
        let store = CacheStore(at: url)
        let records = (0..<60).map { number in
            StoreContents.StoredRecord(
                key: "k\(number)",
                typeName: number % 3 == 0 ? "A" : "B",
                content: Array("{\"n\":\(number)}".utf8),
                version: 0
            )
        }
        try StoreContents(version: 0, records: records).write(to: store)
        store.close()
        return url
    }

    private func migrate(_ url: URL, inBatches: Bool = true) throws {
        _ = try Migrator([Self.migration(inBatches: inBatches)], options: Self.options).migrate(CacheStore(at: url))
    }

    /// A store in the middle of a migration, with keys, types and records in quarantine that wait for its end.
    private func halfDone() throws -> URL {
        let url = try unchanged("half.molt")
        var options = Self.options
        let batches = Mutex(0)
        options.atPoint = { point in
            guard point.kind == .afterCommit, point.subject.contains("batch") else { return }
            let count = batches.withLock { count in
                count += 1
                return count
            }
            if count == 3 { throw Refusal() }
        }
        #expect(throws: (any Error).self) {
            try Migrator([Self.migration(inBatches: true)], options: options).migrate(CacheStore(at: url))
        }
        let read = try CacheStore.state(at: url).unfinished?.counts.read ?? 0
        #expect((1..<60).contains(read))
        return url
    }

    @Test func `A migration that was half done is half done in the new file, and goes on there`() throws {
        let old = try halfDone()
        let report = try CodableCache.salvage(from: old, to: newURL)
        #expect(report.isWhole, "\(report)")
        for table in ["molt_deferred", "molt_failed"] {
            let rows = try SQLite(old).rows("SELECT * FROM \(table)")
            #expect(!rows.isEmpty)
            #expect(try SQLite(newURL).rows("SELECT * FROM \(table)") == rows)
        }
        #expect(try CacheStore.state(at: newURL).unfinished == CacheStore.state(at: old).unfinished)

        for url in [old, newURL] { try migrate(url) }
        let atOnce = try unchanged("at once.molt")
        try migrate(atOnce, inBatches: false)
        #expect(try CacheStore.contents(at: newURL).records == CacheStore.contents(at: old).records)
        #expect(try CacheStore.contents(at: newURL).records == CacheStore.contents(at: atOnce).records)
        #expect(try CacheStore.quarantine(at: newURL) == CacheStore.quarantine(at: atOnce))
    }

    @Test(arguments: ["molt_deferred", "molt_failed"])
    func `What a half-done migration had still to do is missed when it is lost`(table: String) throws {
        let old = try halfDone()
        try SQLite(old).run("DROP TABLE \(table)")
        let report = try CodableCache.salvage(from: old, to: newURL)
        #expect(!report.isWhole)
        #expect(report.assumptions.contains { $0.contains("half done") }, "\(report)")
    }

    @Test func `Records with new ids take along what a half-done migration is to do with them`() throws {
        let old = try halfDone()
        let file = try SQLite(old)
        let found = try file.text("SELECT min(id) FROM molt_failed")
        let id = try #require(found)
        try file.run(
            "UPDATE molt_record SET id = -1 WHERE id = \(id); UPDATE molt_failed SET id = -1 WHERE id = \(id);"
                + "UPDATE molt_deferred SET id = -1 WHERE id = \(id)"
        )
        _ = try CodableCache.salvage(from: old, to: newURL)
        let saved = try SQLite(newURL)
        let key = try file.text("SELECT key FROM molt_record WHERE id = -1")
        #expect(try saved.text("SELECT key FROM molt_record WHERE id = (SELECT max(id) FROM molt_failed)") == key)
        #expect(try saved.text("SELECT min(id) > 0 FROM molt_failed") == "1")
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
        try SQLite(old).run("DROP TABLE molt_ledger")
        let migrations: MigrationRegistry = [Self.migration(inBatches: true)]
        let report = try CodableCache.salvage(from: old, to: newURL, migrations: migrations)
        #expect(!report.isLedgerWhole)
        #expect(try CacheStore.state(at: newURL).ledger.isEmpty)
        let upgrade = try Migrator(migrations, options: Self.options).migrate(CacheStore(at: newURL))
        #expect(upgrade.entries.map(\.migration.name) == ["change"])
    }
}
