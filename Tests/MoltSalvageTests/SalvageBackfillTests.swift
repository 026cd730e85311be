import Foundation
import Molt
import MoltSalvage
import Testing

/// Stores of which only some records went through a migration on read.
@Suite("Salvaging a store that is partly upgraded on read")
struct SalvageBackfillTests {
    private static let count = 400
    private let scratch: ScratchDirectory
    private let newURL: URL

    init() throws {
        scratch = try ScratchDirectory()
        newURL = scratch.file("saved.molt")
        let records = (0..<Self.count).map { number in
            let content = Array(#"{"old":\#(number)}"#.utf8)
            return StoreContents.StoredRecord(key: "k\(number)", typeName: "Item", content: content, version: 0)
        }
        try StoreContents(version: 0, records: records).write(to: StoreFile(at: scratch.file()))
        // Closing the last connection moves the log into the file.
        try CodableCache(at: scratch.file()).close()
    }

    /// Opens a cache that runs the backfill when asked to, in batches of 32 records.
    private func open(
        _ url: URL,
        _ rename: @escaping @Sendable (inout Record) throws -> Void = { try $0.rename("old", to: "new") }
    ) throws -> CodableCache {
        var configuration = MoltConfiguration()
        configuration.runsBackfill = false
        configuration.hooks.batchSize = 8
        return try CodableCache(
            at: url,
            migrations: [Migration(to: 1, "rename", .transform("Item", rename)).onRead()],
            configuration: configuration
        )
    }

    /// Upgrades half of the records.
    private func upgradeHalf() throws {
        let calls = Locked(0)
        let cache = Locked<CodableCache?>(nil)
        let opened = try open(scratch.file()) { record in
            try record.rename("old", to: "new")
            let count = calls.withLock { calls in
                calls += 1
                return calls
            }
            if count == Self.count / 2 { cache.withLock { $0?.close() } }
        }
        cache.withLock { $0 = opened }
        let error = try #require(throws: MoltError.self) { try opened.backfillAndWait() }
        error.expect(.closed)
        let versions = try StoreFile.contents(at: scratch.file()).records.map(\.version)
        #expect(versions.contains(0) && versions.contains(1))
    }

    private func checkUpgraded(_ url: URL) throws {
        let cache = try open(url)
        for number in 0..<Self.count {
            #expect(try cache.value([String: Int].self, forKey: "k\(number)") == ["new": number])
        }
        try cache.backfillAndWait()
        cache.close()
        let contents = try StoreFile.contents(at: url)
        #expect(contents.ledger.map(\.outcome) == [.ran])
        #expect(contents.records.count == Self.count)
        #expect(contents.records.allSatisfy { $0.version == 1 && $0.content.starts(with: #"{"new":"#.utf8) })
    }

    @Test(arguments: [false, true])
    func `keeps the version of each record, and the backfill upgrades the records afterwards`(isDamaged: Bool) throws {
        try upgradeHalf()
        let before = try StoreFile.contents(at: scratch.file())
        if isDamaged {
            // The index of the keys is only found through the schema on the first page.
            let file = Array(try Data(contentsOf: scratch.file())).zeroed(100..<2_000)
            try Data(file).write(to: scratch.file())
        }
        let report = try CacheFile(at: scratch.file()).salvage(to: newURL)
        report.expect(isWhole: !isDamaged, saved: Self.count)
        let saved = try StoreFile.contents(at: newURL)
        #expect(saved.records == before.records)
        #expect(saved.ledger.map(\.outcome) == [.onRead])
        try checkUpgraded(newURL)
    }

    /// The file has the old copy of each record, and the log the new one.
    @Test func `keeps the upgraded records of a log whose end is damaged`() throws {
        let cache = try open(scratch.file())
        try cache.backfillAndWait()
        let file = try Data(contentsOf: scratch.file())
        var log = try Data(contentsOf: URL(fileURLWithPath: scratch.file().path + "-wal"))
        cache.close()
        // The end of the sweep is lost: its last frame is damaged.
        log[log.count - 500] ^= 1
        let damaged = scratch.file("damaged.molt")
        try file.write(to: damaged)
        try log.write(to: URL(fileURLWithPath: damaged.path + "-wal"))
        try CacheFile(at: damaged).salvage(to: newURL).expect(isWhole: false)
        let saved = try StoreFile.contents(at: newURL)
        #expect(saved.records.count == Self.count)
        #expect(saved.records.count { $0.version == 1 } >= Self.count - 32)
        try checkUpgraded(newURL)
    }
}
