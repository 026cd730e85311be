import Foundation
import Generators
import TestSupport
import Testing

// The bytes of a record are compared as a reader converts them, before they are decoded.
@testable import Molt

/// Invariant 8 for a file that is only read: a record that is read is what an upgrade makes of it.
@Suite("A record that is read from an older file") struct ReadingPathTests {
    // For seed 286, in the last block of the short form, the upgrade fails, and the reader leaves out a record.
    @Test(arguments: TestRun.choose([0, 1, 14], long: Array(0..<30)) as [UInt64])
    func `has the bytes that an upgrade gives it`(block: UInt64) throws {
        var read = 0
        for seed in (block * 20)..<(block * 20 + 20) { read += try Self.compare(seed: seed) }
        #expect(read >= 10, "\(read) records were read")
    }

    /// - Returns: The number of records that were read.
    private static func compare(seed: UInt64) throws -> Int {
        var upgrade = RandomUpgrade(seed: seed, [.records, .models, .onRead])
        let registry = upgrade.registry
        let store = try OldStore(upgrade.records().map(StoredRecord.init))
        let version = upgrade.random.below(registry.version)
        let still = MoltConfiguration { $0.runsBackfill = false }
        guard
            (try? CodableCache(at: store.url, migrations: registry.upTo(version: version), configuration: still)) != nil
        else { return 0 }
        let before = try store.snapshot()
        let comment: Comment = "\(upgrade), from \(version)"
        let cache: CodableCache
        do {
            cache = try CodableCache(reading: store.url, migrations: registry)
        } catch let error as MoltError {
            #expect(error.code == .needsMigration, comment)
            return 0
        }
        defer { cache.close() }
        let copy = try ScratchDirectory()
        try FileManager.default.copyItem(at: store.url, to: copy.file())
        let failure = Result { try Migrator(registry).migrate(StoreFile(at: copy.file())) }
        let expected = try Snapshot(of: copy.file())

        var refused = 0
        var read = 0
        for record in before.records {
            do {
                let stored = try cache.core.lookUp(record.key).content
                let found = try stored.map(cache.upgraded)
                // A failed upgrade leaves the file as it was.
                guard case .success = failure else { continue }
                guard let found else {
                    #expect(expected[record.key] == nil, comment)
                    continue
                }
                let other = try #require(expected[record.key], comment)
                #expect(Array(found.data) == other.content && found.isData == other.isData, comment)
                #expect(found.typeName == other.type, comment)
                #expect(try cache.typeName(forKey: record.key) == other.type, comment)
                read += 1
            } catch let error as MoltError {
                #expect(error.code == .unreadableContent, comment)
                refused += 1
            }
        }
        #expect(try store.snapshot() == before, comment)
        guard case .success = failure, refused == 0 else { return 0 }
        #expect(try cache.keys() == expected.records.map(\.key), comment)
        #expect(try cache.count() == expected.records.count, comment)
        return read
    }
}
