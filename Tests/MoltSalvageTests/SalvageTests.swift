import Foundation
import Molt
import MoltSalvage
import MoltTesting
import Testing

struct Person: Codable, Equatable, Sendable {
    var firstName: String

    static let john = Person(firstName: "John")
}

@Suite struct `Salvaging a damaged cache into a new file` {
    let scratch: ScratchDirectory
    let sound: SoundStore
    var url: URL { scratch.file() }
    var newURL: URL { scratch.file("saved.molt") }

    init() throws {
        scratch = try ScratchDirectory()
        sound = try SoundStore.shared.get()
    }

    @Test func `An undamaged file is saved completely, with the records that are only in its log`() throws {
        let (report, contents) = try scratch.salvage(sound.file)
        report.expect(isWhole: true, saved: sound.contents.records.count, raw: 0)
        #expect(report.ledgerCount == 2)
        #expect(report.version == 2)
        #expect(contents == sound.contents)
        #expect(try scratch.names() == ["cache.molt", "saved.molt"])

        let (openReport, openContents) = try scratch.salvage(sound.openFile, log: sound.openLog)
        openReport.expect(isWhole: true)
        #expect(openContents == sound.openContents)
    }

    @Test func `A cache that has the file open in this process can still write after a salvage`() throws {
        let cache = try CodableCache(at: url)
        try cache.set(1, forKey: "one")
        try CacheFile(at: url).salvage(to: newURL).expect(saved: 1)
        try cache.set(2, forKey: "two")
        #expect(try CodableCache(at: newURL).value(Int.self, forKey: "one") == 1)
    }

    @Test(arguments: [false, true]) func `What the store remembers of seeds is saved, also without the first page`(
        isDamaged: Bool
    ) throws {
        let presets = scratch.file("presets.json")
        let seeded = MigrationRegistry().seed("presets", from: presets)
        let source = try CodableCache(at: scratch.file("source.molt"))
        try source.set(1, forKey: "one")
        try source.exportAndWait(to: presets)
        source.close()
        try CodableCache(at: url, migrations: seeded).close()
        if isDamaged { try Data([UInt8](Data(contentsOf: url)).zeroed(0..<8_192)).write(to: url) }
        let report = try CacheFile(at: url).salvage(seeded, to: newURL)
        report.expect(isWhole: !isDamaged, saved: 1)
        #expect(try CacheFile(at: newURL).plan(seeded).seeds.isEmpty)
    }

    @Test func `All records, types and the ledger are recovered without the first page`() throws {
        let (report, contents) = try scratch.salvage(sound.file.zeroed(pages: 0..<1))
        #expect(contents.records.filter { sound.contents.records.contains($0) }.count == sound.contents.records.count)
        #expect(contents.ledger == sound.contents.ledger)
        #expect(contents.version == 2)
        report.expect(isWhole: false, raw: report.savedCount, assumes: "schema version", "deleted")
        // Records in the log take precedence over the file.
        let (_, logged) = try scratch.salvage(sound.openFile.zeroed(pages: 0..<1), log: sound.openLog)
        for record in sound.openContents.records { #expect(logged.records.contains(record)) }
    }

    @Test func `One damaged page loses only its own records, and the report names them`() throws {
        let deleted = Set(stride(from: 5, to: 140, by: 9).map { "key \($0)" })
        let pages = sound.file.count / SoundStore.pageSize
        var lostMost = 0
        for page in stride(from: 1, to: pages, by: TestRun.choose(3, long: 1)) {
            let (report, contents) = try scratch.salvage(sound.file.zeroed(pages: page..<page + 1))
            let lost = sound.contents.records.filter { !contents.records.map(\.key).contains($0.key) }
            lostMost = max(lostMost, lost.count)
            let named = Set(report.losses.compactMap(\.key))
            #expect(lost.allSatisfy { named.contains($0.key) }, "page \(page): \(report)")
            for record in contents.records {
                let isSame = sound.contents.records.contains { $0.key == record.key && $0.content == record.content }
                #expect(isSame, "page \(page)")
            }
            // Deleted records do not come back, unless the report warns of it.
            let back = contents.records.map(\.key).filter { deleted.contains($0) }
            #expect(back.isEmpty || report.assumptions.contains { $0.contains("deleted") }, "page \(page): \(back)")
        }
        // A page of 1 024 bytes holds no more records.
        #expect((1...16).contains(lostMost))
    }

    @Test func `An interior page without its last child does not lose any records`() throws {
        let size = SoundStore.pageSize
        let pages = (1..<sound.file.count / size).filter { page in
            sound.file[page * size] == 0x05 && sound.file[page * size + 4] > 1
        }
        #expect(!pages.isEmpty)
        for page in pages {
            var file = sound.file
            file[page * size + 4] -= 1
            let (_, contents) = try scratch.salvage(file)
            #expect(contents.records == sound.contents.records)
        }
    }

    @Test func `An upgrade detects that rows on the last page were overwritten`() throws {
        // Zeroes the page with the last rows: their ids become 0, and with them the greatest id of the table.
        let size = SoundStore.pageSize
        let last = try #require(
            (1..<sound.file.count / size).last {
                sound.file[$0 * size] == 0x0D && sound.file[($0 * size)..<(($0 + 1) * size)].contains(UInt8(ascii: "{"))
            }
        )
        let file = sound.file.zeroed((last * size + 100)..<((last + 1) * size))
        try DamagedStore(file: file).write(to: url)
        let error = try #require(throws: MoltError.self) {
            try CodableCache(at: url, migrations: SoundStore.migrations)
        }
        error.expect(.storeFailed)
        #expect(DamagedStore(file: file).isUnchanged(at: url))
    }

    @Test func `A record whose content is no longer valid JSON is named in the report, and not saved`() throws {
        let url = url
        let cache = try CodableCache(at: url)
        try cache.set("some text", forKey: "whole")
        try cache.set("some text", forKey: "broken")
        cache.close()
        try SQLite(url).run("UPDATE molt_record SET content = '\"some' WHERE key = 'broken'")
        let report = try CacheFile(at: url).salvage(to: newURL)
        report.expect(saved: 1)
        #expect(report.losses.map { "\($0.kind): \($0.key ?? "")" } == ["damagedContent: broken"])
        #expect(!"\(report)".contains("some"))
    }

    @Test func `A key that is no longer valid UTF-8 is recovered from the index`() throws {
        var file = sound.file
        let key = Array("key 120".utf8)
        // In the row, the content follows the key; in the index, it does not.
        let places = (0..<file.count - 40).filter { file[$0..<$0 + key.count].elementsEqual(key) }
        let row = try #require(places.first { file[$0..<$0 + 80].contains(UInt8(ascii: "{")) })
        file[row + 4] = 0xFF
        let (report, contents) = try scratch.salvage(file)
        #expect(contents.records.map(\.key).contains("key 120"))
        #expect(report.losses.map(\.kind) == [.doubtfulKey])
    }

    @Test func `Records whose type name is lost are saved and can be read`() throws {
        let cache = try CodableCache(at: url)
        try cache.set(Person.john, forKey: "john")
        cache.close()
        try SQLite(url).run("DELETE FROM molt_type")
        let error = MoltError.thrown { try CodableCache(at: url).value(Person.self, forKey: "john") }
        #expect(error.map { MoltError.isDamage($0) } == true)
        try CacheFile(at: url).salvage(to: newURL).expect(saved: 1, assumes: "type")
        #expect(try CodableCache(at: newURL).value(Person.self, forKey: "john") == .john)
    }

    @Test func `The journal of pending changes to a suite is saved`() throws {
        try CodableCache(at: url).close()
        try SQLite(url).run("INSERT INTO molt_journal(store, changes) VALUES('suite x', x'0102')")
        let report = try CacheFile(at: url).salvage(to: newURL)
        #expect(report.journalCount == 1)
        #expect(try StoreFile.state(at: newURL).journal == ["suite x"])
    }

    @Test func `A read through an index that refers to the wrong record fails`() throws {
        var configuration = MoltConfiguration()
        configuration.memory = nil
        let cache = try CodableCache(at: url)
        try cache.set("secret", forKey: "key a")
        try cache.set("open", forKey: "key b")
        cache.close()
        var file = Array(try Data(contentsOf: url))
        // Of the two places with the key, the row is the one that the content follows.
        let key = Array("key b".utf8)
        let places = (0..<file.count - 40).filter { file[$0..<$0 + key.count].elementsEqual(key) }
        let row = try #require(places.first { file[$0..<$0 + 60].contains(UInt8(ascii: "\"")) })
        file[row + 4] = UInt8(ascii: "c")
        try Data(file).write(to: url)
        let damaged = try CodableCache(at: url, configuration: configuration)
        let error = try #require(throws: MoltError.self) { try damaged.value(String.self, forKey: "key b") }
        error.expect(.storeFailed)
        #expect(try damaged.value(String.self, forKey: "key a") == "secret")
    }

    /// Writes a cache of integers, and puts those whose key ends with a 5 into quarantine.
    ///
    /// - Parameter overwritten: The key of one that a write quarantines, too; nil for none.
    private func quarantine(_ numbers: Range<Int>, overwriting overwritten: String? = nil) throws {
        let cache = try CodableCache(at: url)
        for number in numbers { try cache.set(number, forKey: "key \(number)") }
        cache.close()
        let step = MigrationStep.transform("Int") { if $0.key.hasSuffix("5") { throw Refusal() } }
            .onFailure(.quarantine(upTo: .unlimited))
        let upgraded = try CodableCache(at: url, migrations: [Migration(to: 1, "fails", step)])
        defer { upgraded.close() }
        guard let overwritten else { return }
        try upgraded.set(document: Data("{}".utf8), ofType: "Int", writtenAt: 1, forKey: overwritten)
        try upgraded.set(7, forKey: overwritten)
    }

    private static let quarantined =
        "SELECT id, record_id, key, type, version, migration, reason, hex(content) FROM molt_quarantine"

    @Test func `Quarantined records are quarantined in the new file, too, and are also found page by page`() throws {
        try quarantine(0..<30, overwriting: "key 7")
        let rows = try SQLite(url).rows(Self.quarantined)
        #expect(rows.count == 4)
        let file = Array(try Data(contentsOf: url))
        let (whole, _) = try scratch.salvage(file)
        whole.expect(isWhole: true, quarantined: 4)
        #expect(try SQLite(newURL).rows(Self.quarantined) == rows)
        let (report, _) = try scratch.salvage(file.zeroed(0..<100))
        report.expect(saved: 27, quarantined: 4)
        #expect(try SQLite(newURL).rows(Self.quarantined) == rows)
        #expect("\(report)".contains("4 records in quarantine, perhaps not all"))
    }

    @Test func `What waits to be handed over waits in the new file, too, and is also found page by page`() throws {
        let cache = try CodableCache(at: url)
        for number in 0..<30 { try cache.set(number, forKey: "key \(number)") }
        cache.close()
        let isLocked = Locked(true)
        let received = Log<String>()
        let migration = Migration(
            to: 1,
            "out",
            .handOverRecords("Int", to: "a list") { record in
                if isLocked.withLock({ $0 }) { throw Refusal() }
                received.append(record.key)
            }
        )
        try CodableCache(at: url, migrations: [migration]).close()
        let handovers = try StoreFile.handovers(at: url)
        #expect(handovers.count == 30)
        let file = Array(try Data(contentsOf: url))
        let (whole, _) = try scratch.salvage(file)
        whole.expect(isWhole: true)
        #expect(try StoreFile.handovers(at: newURL) == handovers)
        let (report, _) = try scratch.salvage(file.zeroed(0..<100))
        #expect("\(report)".contains("30 records and settings wait to be handed over, perhaps not all"))
        #expect(try StoreFile.handovers(at: newURL) == handovers)
        isLocked.withLock { $0 = false }
        try CodableCache(at: newURL, migrations: [migration]).close()
        #expect(received.count == 30)
    }

    @Test(arguments: ["type = 'tabme'", "name = 'molt_quarantimf'", "name = 'nolt_quarantine'"])
    func `A table that is missing from a damaged schema is still saved`(change: String) throws {
        try quarantine(5..<6)
        try SQLite(url).run(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET \(change) WHERE name = 'molt_quarantine'"
        )
        let report = try CacheFile(at: url).salvage(to: newURL)
        report.expect(isWhole: false, quarantined: 1, isDamaged: true)
    }

    @Test func `A log that belongs to another file is ignored`() throws {
        let (report, contents) = try scratch.salvage(try foreignStore(), log: sound.openLog)
        #expect(contents.records.count == 200)
        report.expect(assumes: "log")
        // It may still have been the log of this file.
        #expect(report.lostPageCount > 0 && report.staleCount > 0)
        #expect(report.isLedgerWhole)
    }

    @Test func `A log with another page size is ignored even if the file is damaged`() throws {
        let file = try foreignStore(pageSize: 4096).zeroed(4096 * 3..<4096 * 3 + 100)
        let (alone, _) = try scratch.salvage(file)
        let (report, contents) = try scratch.salvage(file, log: sound.openLog)
        #expect(alone.savedCount > 0)
        #expect(contents.records.allSatisfy { $0.key.hasPrefix("other") })
        report.expect(saved: alone.savedCount, assumes: "does not belong to it")
    }

    private func foreignStore(pageSize: Int = SoundStore.pageSize) throws -> [UInt8] {
        let other = scratch.file("other.molt")
        let store = StoreFile(at: other)
        store.options.pageSize = pageSize
        let records = (0..<200).map {
            StoreContents.StoredRecord(key: "other \($0)", typeName: "T", content: Array("\($0)".utf8), version: 0)
        }
        try StoreContents(version: 0, records: records).write(to: store)
        store.close()
        defer { try? FileManager.default.removeItem(at: other) }
        return Array(try Data(contentsOf: other))
    }

    @Test func `The new file is accessible only to its owner, and can be upgraded`() throws {
        let (_, _) = try scratch.salvage(sound.file)
        let attributes = try FileManager.default.attributesOfItem(atPath: newURL.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let cache = try CodableCache(at: newURL, migrations: SoundStore.migrations)
        #expect(cache.report.from == 2)
        #expect(try cache.value(SoundNote.self, forKey: "key 1")?.seen == true)
    }

    @Test func `A salvage never replaces an existing file, and refuses a file that is not a cache`() throws {
        func code(_ file: [UInt8]?) throws -> MoltError.Code? {
            if let file { try Data(file).write(to: url) }
            let error = MoltError.thrown { try CacheFile(at: url).salvage(to: newURL) }
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
        let error = try #require(throws: MoltError.self) { try CacheFile(at: url).salvage(to: newURL) }
        error.expect(.fileExists)
        #expect(try Data(contentsOf: newURL) == Data("mine".utf8))
    }

    @Test func `A report can be encoded and decoded`() throws {
        let (report, _) = try scratch.salvage(sound.file.zeroed(pages: 0..<3))
        #expect(try JSONDecoder().decode(SalvageReport.self, from: JSONEncoder().encode(report)) == report)
        #expect("\(report)".hasPrefix("\(url.path): \(report.savedCount) records saved to \(newURL.path)"))
    }
}

@Suite struct `Salvaging the ledger` {
    let scratch: ScratchDirectory
    var newURL: URL { scratch.file("saved.molt") }

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func withoutLedger() throws -> URL {
        let url = scratch.file()
        let sound = try SoundStore.shared.get()
        try Data(sound.file).write(to: url)
        let root = try SQLite(url).text("SELECT rootpage FROM sqlite_schema WHERE name = 'molt_ledger'")
        let page = try #require(root.flatMap { Int($0) })
        try Data(sound.file.zeroed(pages: page - 1..<page)).write(to: url)
        return url
    }

    @Test func `A lost ledger is rebuilt from the schema version if the migrations are given`() throws {
        let report = try CacheFile(at: withoutLedger()).salvage(SoundStore.migrations, to: newURL)
        #expect(!report.isLedgerWhole)
        #expect(report.version == 2)
        report.expect(assumes: #""first", "second""#)
        let cache = try CodableCache(at: newURL, migrations: SoundStore.migrations)
        #expect(cache.report.from == 2)
        #expect(cache.report.entries.map(\.migration.name) == ["third"])
        #expect(try cache.value(SoundNote.self, forKey: "key 1")?.seen == true)
    }

    @Test func `A lost ledger stays lost if the migrations are not given, and the next upgrade is refused`() throws {
        let report = try CacheFile(at: withoutLedger()).salvage(to: newURL)
        #expect(!report.isLedgerWhole)
        let error = try #require(throws: MoltError.self) {
            try CodableCache(at: newURL, migrations: SoundStore.migrations)
        }
        error.expect(.lateMigration)
    }

    @Test func `An intact ledger is saved without additions`() throws {
        let url = scratch.file()
        try Data(SoundStore.shared.get().file).write(to: url)
        let others = MigrationRegistry([Migration(to: 1, "unheard of")] + SoundStore.migrations.migrations)
        let change = LedgerChange.markPending("second")
        let row = try CacheFile(at: url).correctLedger(change, migrations: SoundStore.migrations, reason: "r")
        try CacheFile(at: url).salvage(others, to: newURL).expect(isWhole: true)
        let ledger = try StoreFile.state(at: newURL).ledger
        #expect(ledger.map(\.name) == ["first", "second"])
        #expect(ledger.last == row && row.corrections.map(\.reason) == ["r"])
    }
}
