import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// A record that was exported by one release and imported by another becomes what the upgrade of the store makes of it.
@Suite("An export, an import and an upgrade") struct ExportPathTests {
    @Test(arguments: TestRun.choose([2], long: Array(0..<30) as [UInt64]))
    func `have the same bytes after random registries`(block: UInt64) throws {
        var (passed, quarantined) = (0, 0)
        for seed in (block * 20)..<(block * 20 + 20) {
            if try Self.compare(seed: seed, &quarantined) { passed += 1 }
        }
        #expect(passed >= 8, "\(passed) of 20 succeeded")
        if block == 2 { #expect(quarantined >= 3) }
    }

    @Test func `have the same bytes whether or not all records went through migrations on read`() throws {
        var waiting = 0
        let scratch = try ScratchDirectory()
        for seed in 0..<TestRun.choose(24, long: 600) as Range<UInt64> {
            var upgrade = RandomUpgrade(seed: seed, [.records, .onRead])
            // No other migration makes the records go through them all at once.
            let migrations = MigrationRegistry(upgrade.registry.migrations.filter(\.isOnRead))
            let records = try upgrade.records().filter { (try? RecordValue(json: $0.content)) != nil }
            let store = try OldStore(records.map(StoredRecord.init))
            let configuration = MoltConfiguration {
                $0.runsBackfill = false
                $0.now = { Date(timeIntervalSince1970: 1) }
            }
            guard
                let cache = try? CodableCache(
                    at: store.url,
                    migrations: migrations,
                    configuration: configuration
                )
            else { continue }
            let (before, after) = (scratch.file("before"), scratch.file("after"))
            // A closure may change more than the content, which fails.
            guard (try? cache.exportAndWait(to: before)) != nil else { continue }
            let contents = try cache.contents().records
            try cache.backfillAndWait()
            if try cache.contents().records != contents { waiting += 1 }
            try cache.exportAndWait(to: after)
            cache.close()
            #expect(try Data(contentsOf: before) == Data(contentsOf: after), "\(upgrade)")
        }
        #expect(waiting >= 3, "\(waiting) had records that waited")
    }

    /// - Returns: Whether the upgrade of the store succeeded.
    private static func compare(seed: UInt64, _ quarantined: inout Int) throws -> Bool {
        var upgrade = RandomUpgrade(seed: seed, [.records, .models, .failures, .onRead])
        let comment: Comment = "\(upgrade)"
        // An export is always checked, and a record only by a step that changes it.
        let records = try upgrade.records().filter { (try? RecordValue(json: $0.content)) != nil }.map(
            StoredRecord.init
        )
        let store = try OldStore(records)
        let version = upgrade.random.below(upgrade.registry.version + 1)
        guard try error(of: store.url, upgrade.registry.upTo(version: version)) == nil else { return false }
        let scratch = try ScratchDirectory()
        let file = upgrade.random.oneIn(4) ? store.url : scratch.file("export.json")
        if file != store.url {
            let cache = try CodableCache(at: store.url, migrations: upgrade.registry.upTo(version: version))
            try cache.exportAndWait(to: file)
            cache.close()
        }
        let before = Set(try StoreFile.quarantine(at: store.url))

        let cache = try CodableCache(
            at: scratch.file(),
            migrations: upgrade.registry,
            configuration: .init { $0.runsBackfill = false }
        )
        defer { cache.close() }
        let result = Result { try cache.importAndWait(from: file) }
        let failure = try error(of: store.url, upgrade.registry)
        guard failure == nil else {
            let error = #expect(throws: MoltError.self, comment) { try result.get() }
            #expect(error?.code == failure?.code, comment)
            #expect(error?.migration == failure?.migration && error?.step == failure?.step, comment)
            #expect(error?.key == failure?.key, comment)
            #expect(try cache.count() == 0, comment)
            return false
        }
        let summary = try result.get()
        let expected = try store.snapshot().records
        let found = try cache.contents().records.map(StoredRecord.init)
        #expect(found.map(text) == expected.map(text), comment)
        #expect(found.allSatisfy { $0.version == upgrade.registry.version }, comment)
        #expect(summary.added == found.count && summary.version == version, comment)
        let failed = try StoreFile.quarantine(at: store.url).filter { !before.contains($0) }
        #expect(summary.quarantined == failed.count, comment)
        #expect(try StoreFile.quarantine(at: scratch.file()).map(withoutIDs) == failed.map(withoutIDs), comment)
        quarantined += failed.count
        return true
    }

    private static func error(of url: URL, _ registry: MigrationRegistry) throws -> MoltError? {
        do {
            _ = try Migrator(registry).migrate(StoreFile(at: url))
            return nil
        } catch let error as MoltError {
            return error
        }
    }

    private static func text(_ record: StoredRecord) -> String {
        "\(record.type) \(record.key) \(record.isData) \(record.expiration ?? 0) \(record.text)"
    }

    /// A line of a quarantine without its two ids and the version, which is that of the export.
    private static func withoutIDs(_ line: String) throws -> [String] {
        let values = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any] ?? []
        return values.enumerated().filter { ![0, 1, 4].contains($0.offset) }.map { "\($0.element)" }
    }
}
