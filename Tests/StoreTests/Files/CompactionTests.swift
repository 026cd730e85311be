import Foundation
import Molt
import MoltSalvage
import TestSupport
import Testing

@Suite struct `Compacting a file` {
    private let scratch: ScratchDirectory
    private let url: URL

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
    }

    private var size: Int { FileStatus.unfollowed(url.path)?.size ?? 0 }

    /// Fills the cache, and removes three records of four.
    private func thin(_ cache: CodableCache, _ name: String = "") throws {
        let text = String(repeating: "x", count: 3_000)
        for number in 0..<400 { try cache.set("\(text)\(number)", forKey: "\(name)\(number)") }
        for number in 0..<400 where number % 4 != 0 { try cache.remove(forKey: "\(name)\(number)") }
    }

    private func rows() throws -> [[String]] {
        try SQLite(url).rows("SELECT id, key, content FROM molt_record ORDER BY id")
    }

    @Test func `The file shrinks by what is reported, and open caches go on`() async throws {
        let (cache, other) = (try CodableCache(at: url), try CodableCache(at: url))
        try thin(cache)
        #expect(try other.keys().count == 100)
        let rows = try rows()
        try SQLite(url).run("PRAGMA wal_checkpoint(TRUNCATE)")
        let before = size
        let freed = try await cache.compact()
        #expect(freed > 800_000 && size == before - freed)
        #expect(try self.rows() == rows)
        try other.set("new", forKey: "new")
        #expect(try cache.value(String.self, forKey: "new") == "new")
        #expect(try cache.value(String.self, forKey: "4")?.hasSuffix("x4") == true)

        // From now on, in slices, between which others write.
        try thin(cache, "second ")
        let shares = Log<Double>()
        let more = try await cache.compact { share in
            shares.append(share)
            #expect(throws: Never.self) { try other.set(share, forKey: "share") }
        }
        #expect(more > 500_000)
        #expect(shares.all.first == 0 && shares.all.last == 1 && shares.all == shares.all.sorted())
        #expect(try cache.keys().count == 202)
        #expect(try await cache.compact() == 0)
        cache.close()
        other.close()
        #expect(try StoreFile.damage(at: url).isEmpty)
    }

    @Test func `Slices that are done stay done when it is cancelled`() throws {
        let cache = try CodableCache(at: url)
        defer { cache.close() }
        try cache.compactAndWait()
        try thin(cache)
        let free = { try Int(SQLite(url).rows("PRAGMA freelist_count")[0][0]) ?? 0 }
        let before = try free()
        var compaction = try FileCompaction(of: url.path)
        compaction.slice = 10
        var calls = 0
        let error = try #require(throws: MoltError.self) {
            try compaction.run(
                isCancelled: { calls > 2 },
                progress: { _ in
                    calls += 1
                    try? cache.set(calls, forKey: "between slices")
                },
                timeout: .seconds(5)
            )
        }
        #expect(error.code == .cancelled)
        #expect(try cache.value(Int.self, forKey: "between slices") == calls)
        #expect(try (1..<before).contains(free()))
        #expect(try cache.compactAndWait() > 0)
        #expect(try free() == 0)
    }

    @Test func `Too little space, a busy file and a cache that is only read are errors`() throws {
        var configuration = MoltConfiguration()
        configuration.timeout = .milliseconds(10)
        let cache = try CodableCache(at: url, configuration: configuration)
        try thin(cache)
        var compaction = try FileCompaction(of: url.path)
        compaction.freeSpace = { _ in 1_000 }
        let full = try #require(throws: MoltError.self) {
            try compaction.run(isCancelled: { false }, progress: { _ in }, timeout: .seconds(5))
        }
        #expect(full.code == .storeFailed && full.problem.contains("only 1000 bytes are free"))
        #expect(MoltError.isOutOfSpace(full))

        let writer = try SQLite(url)
        for _ in 0..<2 {
            try writer.run("BEGIN IMMEDIATE")
            #expect(try #require(throws: MoltError.self) { try cache.compactAndWait() }.code == .busy)
            try writer.run("COMMIT")
            // The second time, in slices.
            try cache.compactAndWait()
            try thin(cache)
        }
        let reading = try CodableCache(reading: url)
        #expect(try #require(throws: MoltError.self) { try reading.compactAndWait() }.code == .readOnly)
        cache.close()
        #expect(try #require(throws: MoltError.self) { try cache.compactAndWait() }.code == .closed)
        #expect(try CodableCache(inMemory: MigrationRegistry()).compactAndWait() == 0)
        let missing = try #require(throws: MoltError.self) {
            try CacheFile(at: scratch.file("missing")).compactAndWait { _ in }
        }
        #expect(missing.code == .fileMissing)
    }

    @Test func `Backups, restores and salvages work across a compaction`() throws {
        let cache = try CodableCache(at: url)
        try thin(cache)
        let backup = try CacheFile(at: url).backUp()
        try cache.compactAndWait()
        let compacted = try CacheFile(at: url).backUp()
        let rows = try rows()
        cache.close()
        for backup in [backup, compacted, backup] {
            try CacheFile(at: url).restore(backup)
            #expect(try self.rows() == rows && StoreFile.damage(at: url).isEmpty)
        }
        try CacheFile(at: url).restore(compacted)
        let report = try CacheFile(at: url).salvage(to: scratch.file("saved"))
        #expect(report.isWhole)
        let saved = try CodableCache(existing: scratch.file("saved"))
        defer { saved.close() }
        #expect(try saved.keys().count == 100)
    }
}
