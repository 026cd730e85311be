import Foundation
import Molt
import MoltSalvage
import Testing

@Suite struct `A rollback journal beside a cache` {
    let scratch: ScratchDirectory
    var url: URL { scratch.file() }
    var journal: URL { URL(fileURLWithPath: url.path + "-journal") }

    init() throws {
        scratch = try ScratchDirectory()
        let cache = try CodableCache(at: url)
        try cache.setAll((0..<200).map { (key: "key \($0)", value: String(repeating: "a", count: 200)) })
        cache.close()
    }

    @Test func `that another tool left in rollback-journal mode is rolled back`() throws {
        try SQLite(url).run("PRAGMA journal_mode = DELETE")
        let file = scratch.file("copy.molt")
        try FileManager.default.copyItem(at: url, to: file)
        let connection = try SQLite(file)
        try connection.run("PRAGMA cache_size = 2; PRAGMA cache_spill = 2; BEGIN")
        try connection.run("PRAGMA user_version = 9; UPDATE molt_record SET content = '1'")
        try Data(contentsOf: file).write(to: url)
        try Data(contentsOf: URL(fileURLWithPath: file.path + "-journal")).write(to: journal)
        try connection.run("ROLLBACK")
        #expect(try StoreFile.state(at: url).version == 0)
        let cache = try CodableCache(at: url)
        #expect(try SQLite(url).text("PRAGMA journal_mode") == "wal")
        #expect(try cache.values(of: String.self).count { $0.value.count == 200 } == 200)
        #expect(!FileManager.default.fileExists(atPath: journal.path))
    }

    @Test func `that a kill left during the switch to WAL mode is rolled back`() throws {
        let file = Array(try Data(contentsOf: url))
        #expect(file[18] == 2)
        var before = Array(file[..<8192])
        before[18] = 1
        before[19] = 1
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        // The journal's header, padded to a sector, then the first page with its number and checksum.
        var bytes: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        bytes += number(1) + number(77) + number(file.count / 8192) + number(512) + number(8192)
        bytes += [UInt8](repeating: 0, count: 512 - bytes.count) + number(1) + before
        bytes += number(stride(from: 8192 - 200, to: 0, by: -200).reduce(77) { $0 + Int(before[$1]) })
        try Data(bytes).write(to: journal)
        #expect(try CodableCache(at: url).count() == 200)
        #expect(!FileManager.default.fileExists(atPath: journal.path))
    }

    @Test func `Journaled changes for an attached store without a name count as damage`() throws {
        try SQLite(url).run("INSERT INTO molt_journal(store, changes) VALUES('', x'00')")
        let opening = MoltError.thrown { try CodableCache(at: url) }
        opening?.expect(.storeFailed)
        let reading = MoltError.thrown { try CacheFile(at: url).version() }
        reading?.expect(.storeFailed)
        for error in [opening, reading] { #expect(error.map(MoltError.isDamage) == true) }
        let saved = scratch.file("saved.molt")
        let report = try CacheFile(at: url).salvage(to: saved)
        #expect(!report.isJournalWhole && report.journalCount == 0)
        #expect(try CodableCache(at: saved).count() == 200)
    }
}
