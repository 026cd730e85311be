import Foundation
import Molt
import MoltCache
import MoltCore
import MoltSalvage
import MoltTesting
import Testing

struct Person: Codable, Equatable, Sendable {
    var firstName: String

    static let john = Person(firstName: "John")
}

struct Refusal: Error {}

@Suite struct `What can be read of a damaged file is saved` {
    let scratch: ScratchDirectory
    let sound: SoundStore
    var url: URL { scratch.file() }
    var newURL: URL { scratch.file("saved.molt") }

    init() throws {
        scratch = try ScratchDirectory()
        sound = try SoundStore.shared.get()
    }

    private func salvage(_ file: [UInt8], log: [UInt8]? = nil) throws -> (SalvageReport, StoreContents) {
        let store = DamagedStore(file: file, log: log)
        try store.write(to: url)
        let report = try CodableCache.salvage(from: url, to: newURL)
        #expect(store.isUnchanged(at: url))
        #expect(try CacheStore.damage(at: newURL).isEmpty)
        return (report, try CacheStore.contents(at: newURL))
    }

    /// The file with its first pages overwritten.
    private func zeroed(pages: Range<Int>) -> [UInt8] {
        var file = sound.file
        let size = SoundStore.pageSize
        for offset in pages.lowerBound * size..<min(pages.upperBound * size, file.count) { file[offset] = 0 }
        return file
    }

    @Test func `Of a sound file everything`() throws {
        let (report, contents) = try salvage(sound.file)
        #expect(report.isWhole, "\(report)")
        #expect(report.savedCount == sound.contents.records.count)
        #expect(report.ledgerCount == 2)
        #expect(report.schemaVersion == 2)
        #expect(report.rawCount == 0)
        #expect(contents == sound.contents)
        #expect(try scratch.names() == ["cache.molt", "saved.molt"])
    }

    @Test func `What is in the log only is saved too`() throws {
        let (report, contents) = try salvage(sound.openFile, log: sound.openLog)
        #expect(report.isWhole, "\(report)")
        #expect(contents == sound.openContents)
    }

    @Test func `A file that was open in this process keeps its locks and its connections`() throws {
        let cache = try CodableCache(at: url)
        try cache.set(1, forKey: "one")
        let report = try CodableCache.salvage(from: url, to: newURL)
        #expect(report.savedCount == 1)
        try cache.set(2, forKey: "two")
        #expect(try CodableCache(at: newURL).value(Int.self, forKey: "one") == 1)
    }

    @Test func `Without its first page, a file still gives all records, types and the ledger`() throws {
        let (report, contents) = try salvage(zeroed(pages: 0..<1))
        #expect(contents.records.filter { sound.contents.records.contains($0) }.count == sound.contents.records.count)
        #expect(report.rawCount == report.savedCount)
        #expect(contents.ledger == sound.contents.ledger)
        #expect(contents.version == 2)
        #expect(!report.isWhole)
        #expect(report.assumptions.contains { $0.contains("schema version") })
        #expect(report.assumptions.contains { $0.contains("deleted") })
    }

    @Test func `Without its first page, what is in the log is newer than what is in the file`() throws {
        var file = sound.openFile
        for offset in 0..<SoundStore.pageSize { file[offset] = 0 }
        let (_, contents) = try salvage(file, log: sound.openLog)
        for record in sound.openContents.records { #expect(contents.records.contains(record)) }
    }

    @Test func `One damaged page loses its own records only, and names them`() throws {
        let pages = sound.file.count / SoundStore.pageSize
        var lostMost = 0
        for page in 1..<pages {
            let (report, contents) = try salvage(zeroed(pages: page..<page + 1))
            let lost = sound.contents.records.filter { !contents.records.map(\.key).contains($0.key) }
            lostMost = max(lostMost, lost.count)
            let named = Set(report.losses.compactMap(\.key))
            #expect(lost.allSatisfy { named.contains($0.key) }, "page \(page): \(report)")
            for record in contents.records {
                let isSame = sound.contents.records.contains { $0.key == record.key && $0.content == record.content }
                #expect(isSame, "page \(page)")
            }
            try FileManager.default.removeItem(at: newURL)
        }
        // A page of 1 024 bytes holds no more.
        #expect((1...16).contains(lostMost))
    }

    @Test func `A page below the root that names too few of those below it loses nothing`() throws {
        let file = try interiorPagesCut()
        #expect(file.count > 0)
        for file in file {
            let (_, contents) = try salvage(file)
            #expect(contents.records == sound.contents.records)
            try FileManager.default.removeItem(at: newURL)
        }
    }

    @Test func `An upgrade notices a page that names too few of those below it`() throws {
        // Read by a scan of the table alone: by an index, SQLite notices by itself.
        let migrations = MigrationRegistry(
            SoundStore.oldMigrations.migrations
                + [Migration(to: 3, "third", .transform("SoundNote") { $0["seen"] = .bool(true) })]
        )
        for file in try interiorPagesCut() {
            try DamagedStore(file: file).write(to: url)
            let error = #expect(throws: MigrationError.self) { _ = try CodableCache(at: url, migrations: migrations) }
            #expect(error?.code == .storeFailed)
            #expect(DamagedStore(file: file).isUnchanged(at: url))
        }
    }

    @Test func `An upgrade notices a last page whose rows are overwritten`() throws {
        // The page with the last rows: their ids become 0, and the greatest id of the table with them.
        let size = SoundStore.pageSize
        let last = try #require(
            (1..<sound.file.count / size).last {
                sound.file[$0 * size] == 0x0D && sound.file[($0 * size)..<(($0 + 1) * size)].contains(UInt8(ascii: "{"))
            }
        )
        var file = sound.file
        for offset in (last * size + 100)..<((last + 1) * size) { file[offset] = 0 }
        try DamagedStore(file: file).write(to: url)
        let error = #expect(throws: MigrationError.self) {
            _ = try CodableCache(at: url, migrations: SoundStore.migrations)
        }
        #expect(error?.code == .storeFailed)
        #expect(DamagedStore(file: file).isUnchanged(at: url))
    }

    /// The file, each time with another tree page of the records that has lost its last cell.
    private func interiorPagesCut() throws -> [[UInt8]] {
        let size = SoundStore.pageSize
        return (1..<sound.file.count / size).compactMap { page in
            var file = sound.file
            guard file[page * size] == 0x05, file[page * size + 4] > 1 else { return nil }
            file[page * size + 4] -= 1
            return file
        }
    }

    @Test func `A record that is no JSON text any more is named, and not saved`() throws {
        let url = url
        let cache = try CodableCache(at: url)
        try cache.set("some text", forKey: "whole")
        try cache.set("some text", forKey: "broken")
        cache.close()
        try SQLite(url).run("UPDATE molt_record SET content = '\"some' WHERE key = 'broken'")
        let report = try CodableCache.salvage(from: url, to: newURL)
        #expect(report.savedCount == 1)
        #expect(report.losses.map(\.kind) == [.damagedContent])
        #expect(report.losses.first?.key == "broken")
        #expect(!"\(report)".contains("some"))
    }

    @Test func `A key that is no text any more is taken from the index`() throws {
        var file = sound.file
        let key = Array("key 120".utf8)
        // The row comes with the content behind the key, the index without.
        let places = (0..<file.count - 40).filter { file[$0..<$0 + key.count].elementsEqual(key) }
        let row = try #require(places.first { file[$0..<$0 + 80].contains(UInt8(ascii: "{")) })
        file[row + 4] = 0xFF
        let (report, contents) = try salvage(file)
        #expect(contents.records.map(\.key).contains("key 120"))
        #expect(report.losses.map(\.kind) == [.doubtfulKey])
    }

    @Test func `Records whose type has lost its name are saved, and can be read`() throws {
        let cache = try CodableCache(at: url)
        try cache.set(Person.john, forKey: "john")
        cache.close()
        try SQLite(url).run("DELETE FROM molt_type")
        #expect(try CodableCache(at: url).value(Person.self, forKey: "john") == .john)
        let migrations: MigrationRegistry = [
            Migration(to: 1, "change", .transform("Person") { $0["age"] = .number(1) })
        ]
        #expect(throws: MigrationError.self) { _ = try CodableCache(at: url, migrations: migrations) }
        let report = try CodableCache.salvage(from: url, to: newURL)
        #expect(report.savedCount == 1)
        #expect(report.assumptions.contains { $0.contains("type") })
        #expect(try CodableCache(at: newURL).value(Person.self, forKey: "john") == .john)
    }

    @Test func `What waits for a suite waits in the new file`() throws {
        let cache = try CodableCache(at: url)
        cache.close()
        try SQLite(url).run("INSERT INTO molt_journal(store, changes) VALUES('suite x', x'0102')")
        let report = try CodableCache.salvage(from: url, to: newURL)
        #expect(report.journalCount == 1)
        #expect(try CacheStore.state(at: newURL).journal == ["suite x"])
    }

    @Test func `An index that leads to another record gives out neither`() throws {
        var configuration = CodableCache.Configuration()
        configuration.memory = nil
        let cache = try CodableCache(at: url)
        try cache.set("secret", forKey: "key a")
        try cache.set("open", forKey: "key b")
        cache.close()
        var file = Array(try Data(contentsOf: url))
        // Of the two places that have the key, the row's has the content behind it.
        let key = Array("key b".utf8)
        let row = try #require(
            (0..<file.count - 40).first {
                file[$0..<$0 + key.count].elementsEqual(key)
                    && file[$0..<$0 + 60].contains(UInt8(ascii: "\""))
            }
        )
        file[row + 4] = UInt8(ascii: "c")
        try Data(file).write(to: url)
        let damaged = try CodableCache(at: url, configuration: configuration)
        let error = #expect(throws: CacheError.self) { try damaged.value(String.self, forKey: "key b") }
        #expect(error?.code == .storeFailed)
        #expect(try damaged.value(String.self, forKey: "key a") == "secret")
    }

    @Test func `What is in quarantine is in quarantine in the new file`() throws {
        var configuration = CodableCache.Configuration()
        configuration.unconvertible = .quarantine(upTo: .none)
        try CodableCache(at: url).set(1, forKey: "one")
        let migrations: MigrationRegistry = [
            Migration(to: 1, "fails", .transform("Int") { _ in throw Refusal() })
        ]
        try CodableCache(at: url, migrations: migrations, configuration: configuration).close()
        let report = try CodableCache.salvage(from: url, to: newURL)
        #expect(report.quarantinedCount == 1)
        #expect(report.isWhole, "\(report)")
        let columns = "SELECT id, record_id, key, type, version, migration, hex(content) FROM molt_quarantine"
        #expect(try SQLite(newURL).rows(columns) == SQLite(url).rows(columns))
    }

    @Test(arguments: ["type = 'tabme'", "name = 'molt_quarantimf'", "name = 'nolt_quarantine'"])
    func `A table that the schema has lost is not taken for one that never was`(change: String) throws {
        var configuration = CodableCache.Configuration()
        configuration.unconvertible = .quarantine(upTo: .none)
        try CodableCache(at: url).set(1, forKey: "one")
        let migrations: MigrationRegistry = [
            Migration(to: 1, "fails", .transform("Int") { _ in throw Refusal() })
        ]
        try CodableCache(at: url, migrations: migrations, configuration: configuration).close()
        try SQLite(url).run(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET \(change) WHERE name = 'molt_quarantine'"
        )
        let report = try CodableCache.salvage(from: url, to: newURL)
        #expect(!report.isWhole)
        #expect(!report.damage.isEmpty)
        #expect(report.quarantinedCount == 1)
    }

    @Test func `What is in quarantine is found page by page, too`() throws {
        var configuration = CodableCache.Configuration()
        configuration.unconvertible = .quarantine(upTo: .none)
        let cache = try CodableCache(at: url)
        for number in 0..<30 { try cache.set(number, forKey: "key \(number)") }
        cache.close()
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "fails",
                .transform("Int") { if $0.key.hasSuffix("5") { throw Refusal() } }
            )
        ]
        try CodableCache(at: url, migrations: migrations, configuration: configuration).close()
        var file = Array(try Data(contentsOf: url))
        let rows = try SQLite(url).rows("SELECT id, record_id, key, type, reason, hex(content) FROM molt_quarantine")
        #expect(rows.count == 3)
        for offset in 0..<100 { file[offset] = 0 }
        try DamagedStore(file: file).write(to: url)
        let report = try CodableCache.salvage(from: url, to: newURL)
        #expect(report.quarantinedCount == 3)
        #expect(report.savedCount == 27)
        #expect(
            try SQLite(newURL).rows("SELECT id, record_id, key, type, reason, hex(content) FROM molt_quarantine")
                == rows
        )
        #expect("\(report)".contains("3 records in quarantine, perhaps not all"))
    }

    @Test func `What was deleted does not come back`() throws {
        // Each page in turn: what was on it may be lost, and what was deleted before stays so.
        let deleted = Set(stride(from: 5, to: 140, by: 9).map { "key \($0)" })
        for page in 1..<sound.file.count / SoundStore.pageSize {
            let (report, contents) = try salvage(zeroed(pages: page..<page + 1))
            let back = contents.records.map(\.key).filter { deleted.contains($0) }
            #expect(back.isEmpty || report.assumptions.contains { $0.contains("deleted") }, "page \(page): \(back)")
            try FileManager.default.removeItem(at: newURL)
        }
    }

    @Test func `A log of another file is left out`() throws {
        let (report, contents) = try salvage(try foreignStore(), log: sound.openLog)
        #expect(contents.records.count == 200)
        #expect(report.assumptions.contains { $0.contains("log") }, "\(report)")
        // It may have been its own all the same.
        #expect(report.lostPageCount > 0 && report.staleCount > 0)
        #expect(report.isLedgerWhole)
    }

    @Test func `A log with pages of another size is left out, also when the file is damaged`() throws {
        var file = try foreignStore(pageSize: 4096)
        for offset in 4096 * 3..<4096 * 3 + 100 { file[offset] = 0 }
        let (alone, _) = try salvage(file)
        try FileManager.default.removeItem(at: newURL)
        let (report, contents) = try salvage(file, log: sound.openLog)
        #expect(report.savedCount == alone.savedCount && report.savedCount > 0)
        #expect(contents.records.allSatisfy { $0.key.hasPrefix("other") })
        #expect(report.assumptions.contains { $0.contains("does not belong to it") }, "\(report)")
    }

    private func foreignStore(pageSize: Int = SoundStore.pageSize) throws -> [UInt8] {
        let other = scratch.file("other.molt")
        let store = CacheStore(at: other)
        store.pageSize = pageSize
        let records = (0..<200).map {
            StoreContents.StoredRecord(key: "other \($0)", typeName: "T", content: Array("\($0)".utf8), version: 0)
        }
        try StoreContents(version: 0, records: records).write(to: store)
        store.close()
        defer { try? FileManager.default.removeItem(at: other) }
        return Array(try Data(contentsOf: other))
    }

    @Test func `The new file may be used by its owner only, and nothing else is left`() throws {
        let (_, _) = try salvage(sound.file)
        let attributes = try FileManager.default.attributesOfItem(atPath: newURL.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try scratch.names() == ["cache.molt", "saved.molt"])
        let cache = try CodableCache(at: newURL, migrations: SoundStore.migrations)
        #expect(cache.report.from == 2)
        #expect(try cache.value(SoundNote.self, forKey: "key 1")?.seen == true)
    }

    @Test func `Nothing is replaced, and nothing is made of what is no cache`() throws {
        func code(_ file: [UInt8]?) throws -> CacheError.Code? {
            if let file { try Data(file).write(to: url) }
            let error = #expect(throws: CacheError.self) { try CodableCache.salvage(from: url, to: newURL) }
            #expect(!FileManager.default.fileExists(atPath: newURL.path + ".part"))
            return error?.code
        }
        #expect(try code(nil) == .fileMissing)
        #expect(try code([]) == .notADatabase)
        #expect(try code(Array("no database at all, but long enough to be one".utf8)) == .notADatabase)
        try FileManager.default.removeItem(at: url)
        try SQLite(url).run("CREATE TABLE theirs(x); INSERT INTO theirs VALUES(1)")
        #expect(try code(nil) == .foreignFile)
        try FileManager.default.removeItem(at: url)
        try CodableCache(at: url).close()
        try SQLite(url).run("UPDATE molt_meta SET value = 77 WHERE name = 'file_format'")
        #expect(try code(nil) == .newerFormat)
        try Data("mine".utf8).write(to: newURL)
        try Data(sound.file).write(to: url)
        let error = #expect(throws: CacheError.self) { try CodableCache.salvage(from: url, to: newURL) }
        #expect(error?.code == .fileExists)
        #expect(try Data(contentsOf: newURL) == Data("mine".utf8))
    }

    @Test func `A report can be kept, and read again`() throws {
        let (report, _) = try salvage(zeroed(pages: 0..<3))
        #expect(try JSONDecoder().decode(SalvageReport.self, from: JSONEncoder().encode(report)) == report)
        #expect("\(report)".hasPrefix("\(url.path): \(report.savedCount) records saved to \(newURL.path)"))
    }
}
