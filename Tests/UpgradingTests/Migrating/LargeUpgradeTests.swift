import Foundation
import Testing

// SQLite is made to use a file within one write of rows.
@testable import Molt

/// A type with more records than a batch is read through a second connection while the previous batch is written.
///
/// A batch has 100 records here.
@Suite struct `A pass over many batches` {
    private struct Item: Codable, Equatable, Sendable {
        var n: Int
        var seen: [String]?
    }

    private struct Other: Codable, Equatable, Sendable {
        var n: Int
        var seen: [String]?
    }

    private let scratch: ScratchDirectory
    private let count = 300

    init() throws {
        scratch = try ScratchDirectory()
        let cache = try CodableCache(at: scratch.file())
        // The types alternate, so that one scan meets both.
        try cache.batch { batch in
            for n in 0..<count {
                try batch.set(Item(n: n), forKey: "item \(n)")
                try batch.set(Other(n: n), forKey: "other \(n)")
            }
        }
        cache.close()
    }

    private static func see(_ word: String) -> @Sendable (inout Record) throws -> Void {
        { record in
            var seen = record.contains("seen") ? try record.value("seen", as: [String].self) : []
            seen.append(word)
            record["seen"] = .array(seen.map { .string($0) })
        }
    }

    private static func open(_ url: URL, _ migrations: MigrationRegistry) throws -> CodableCache {
        try CodableCache(at: url, migrations: migrations, configuration: .init { $0.hooks.batchSize = 100 })
    }

    @discardableResult
    private func upgraded(_ steps: MigrationStep...) throws -> CodableCache {
        let cache = try Self.open(scratch.file(), [Migration(to: 1, "all", steps: steps)])
        let result = try SQLite(scratch.file()).text("PRAGMA integrity_check")
        #expect(result == "ok")
        return cache
    }

    private func check(_ cache: CodableCache, items: [String]?, others: [String]?) throws {
        let foundItems = try cache.values(of: Item.self).map(\.value)
        #expect(foundItems == (0..<count).map { Item(n: $0, seen: items) })
        let foundOthers = try cache.values(of: Other.self).map(\.value)
        #expect(foundOthers == (0..<count).map { Other(n: $0, seen: others) })
    }

    @Test func `changes each record once for each step, and sees the changes of blocks, which see its changes`() throws
    {
        let cache = try upgraded(
            .transform("Item", Self.see("a")),
            .transform("Other", Self.see("b")),
            .run { migration in
                try migration.enumerate("Item") { old, new in
                    let seen = try old.value("seen", as: [String].self)
                    #expect(seen == ["a"])
                    try Self.see("block")(&new)
                }
            },
            .transform("Item", Self.see("c")),
            .transform("Other", Self.see("d")),
            .transform("Item", Self.see("e"))
        )
        try check(cache, items: ["a", "block", "c", "e"], others: ["b", "d"])
    }

    @Test func `upgrades the opened file, even if the link to it is redirected meanwhile`() throws {
        let other = scratch.file("other.molt")
        let others = try CodableCache(at: other)
        try others.setAll((0..<count).map { (key: "item \($0)", value: Item(n: -1)) })
        others.close()
        let link = scratch.file("link.molt")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: scratch.file())
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "all",
                .run { _ in
                    try FileManager.default.removeItem(at: link)
                    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other)
                },
                .transform("Item", Self.see("a"))
            )
        ]
        MoltError.thrown { try Self.open(link, migrations) }?.expect(.fileReplaced)
        try check(Self.open(scratch.file(), migrations), items: ["a"], others: nil)
        let untouched = try CodableCache(at: other).values(of: Item.self).map(\.value)
        #expect(untouched == Array(repeating: Item(n: -1), count: count))
    }

    @Test func `leaves neither a lock nor a file beside the store, whether it succeeds or fails`() throws {
        MoltError.thrown {
            try upgraded(.transform("Item") { if try $0.int("n") == 250 { throw Refusal() } })
        }?.expect(.stepFailed)
        #expect(try scratch.names() == ["cache.molt"])

        let cache = try upgraded(.transform("Item", Self.see("a")))
        // The whole log has been checkpointed, because no reader holds an older snapshot.
        #expect(try SQLite(scratch.file()).rows("PRAGMA wal_checkpoint(TRUNCATE)") == [["0", "0", "0"]])
        try check(cache, items: ["a"], others: nil)
        cache.close()
        #expect(try scratch.names() == ["cache.molt"])
    }

    @Test func `works beside a reader with an older snapshot, and with a log that is not checkpointed`() throws {
        let writer = try CodableCache(at: scratch.file())
        try writer.set(Item(n: 0, seen: ["log"]), forKey: "item 0")
        let reader = try SQLite(scratch.file())
        try reader.run("BEGIN")
        _ = try reader.text("SELECT count(*) FROM molt_record")
        let cache = try upgraded(.transform("Item", Self.see("a")))

        let items = try cache.values(Item.self, forKeys: ["item 0", "item 1"])
        #expect(items == [Item(n: 0, seen: ["log", "a"]), Item(n: 1, seen: ["a"])])
        let unseen = try reader.text("SELECT count(*) FROM molt_record WHERE version = 0")
        #expect(unseen == String(2 * count))
    }

    @Test func `converts with coders of the same configuration on each core`() throws {
        let word = try #require(CodingUserInfoKey(rawValue: "word"))
        let coding = RecordCoding { encoder, decoder in
            encoder.dateEncodingStrategy = .iso8601
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dataEncodingStrategy = .base64
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf",
                negativeInfinity: "-inf",
                nan: "nan"
            )
            encoder.outputFormatting = .prettyPrinted
            encoder.userInfo[word] = "written"
            decoder.dateDecodingStrategy = .iso8601
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            decoder.dataDecodingStrategy = .base64
            decoder.allowsJSON5 = true
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf",
                negativeInfinity: "-inf",
                nan: "nan"
            )
            decoder.userInfo[word] = "read"
        }
        let url = scratch.file("coded")
        let cache = try CodableCache(at: url, migrations: MigrationRegistry().coding(coding))
        let values: [Odd] = (0..<count).map {
            Odd(someDate: Date(timeIntervalSince1970: Double($0)), someData: Data([1]), aNumber: .infinity)
        }
        try cache.setAll(values.enumerated().lazy.map { (key: String($0), value: $1) })
        cache.close()

        let same = Migration(to: 1, "same", .convert("Odd", from: Odd.self, to: Odd.self) { $0 })
        let upgraded = try Self.open(url, MigrationRegistry([same]).coding(coding))

        let rows = try SQLite(url).rows("SELECT content, version FROM molt_record ORDER BY id")
        let expected = try values.map { [String(decoding: try coding.encoder.encode($0), as: UTF8.self), "1"] }
        #expect(rows == expected)
        upgraded.close()

        let copy = coding.copy()
        let words = [copy.encoder.userInfo[word] as? String, copy.decoder.userInfo[word] as? String]
        #expect(words == ["written", "read"])
    }
}

/// Uses the options of the coders.
private struct Odd: Codable, Sendable {
    var someDate: Date
    var someData: Data
    var aNumber: Double
}

/// Tests that the cost is not quadratic in the number of migrations.
@Suite struct `Many migrations` {
    @Test(arguments: [true, false])
    func `run in one upgrade, and only once`(isFresh: Bool) throws {
        let scratch = try ScratchDirectory()
        if !isFresh {
            let cache = try CodableCache(at: scratch.file())
            try cache.set(["p0": 1], forKey: "ada")
            cache.close()
        }
        let count = TestRun.choose(300, long: 10_000)
        let type = RecordTypeName.of([String: Int].self)
        let registry = MigrationRegistry(
            (1...count).map { number in
                number % 100 == 0
                    ? Migration(to: number, "m\(number)", replacing: ["old \(number)"], .run { _ in })
                    : Migration(
                        to: number,
                        "m\(number)",
                        .renameProperty(type, ["p\(number - 1)"], to: "p\(number)")
                    )
            }
        )

        let cache = try CodableCache(at: scratch.file(), migrations: registry)
        let report = cache.report
        cache.close()
        let again = try CodableCache(at: scratch.file(), migrations: registry)
        let value = try again.value([String: Int].self, forKey: "ada")

        #expect(report.entries.count == count && report.isFresh == isFresh)
        #expect(again.report.isEmpty)
        #expect(value == (isFresh ? nil : ["p99": 1]))
        again.close()
    }
}

@Suite("The memory use of an upgrade")
struct MemoryTests {
    private struct Note: Codable {
        var title: String
        var text: String
        /// Different in each note.
        var words: Int
    }

    /// Every kind of step that reads records.
    private static let migrations: MigrationRegistry = [
        Migration(to: 1, "rename", .renameProperty("Note", "title", to: "name")),
        Migration(to: 2, "transform", .transform("Note") { $0["words"] = .int(try $0.int("words") + 1) }),
        Migration(
            to: 3,
            "number",
            .run { migration in try migration.enumerate("Note") { _, new in new["isNew"] = false } }
        ),
        Migration(to: 4, "key", .transform("Note") { $0.key += "!" }),
    ]

    private func write(_ count: Int, to url: URL) throws {
        let cache = try CodableCache(at: url, migrations: Self.migrations.upTo(version: 0))
        let text = String(repeating: "word ", count: 800)
        try cache.batch { batch in
            for number in 0..<1000 {
                try batch.set(Note(title: "\(number)", text: text, words: number), forKey: "\(number)")
            }
        }
        cache.close()
        // The rest are copies: encoding each record would take longer than the upgrade.
        try SQLite(url).run(
            """
            WITH RECURSIVE copy(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copy)
            INSERT INTO molt_record(key, type_id, version, created_at, updated_at, accessed_at, content)
            SELECT key || '-' || number, type_id, version, created_at, updated_at, accessed_at, content
            FROM (SELECT number FROM copy LIMIT \(count / 1000 - 1)), molt_record
            """
        )
    }

    /// Dropped records leave pages free, which the records in quarantine fill.
    private static let removals: MigrationRegistry = [
        Migration(to: 1, "drop", .transform("Note") { if try $0.int("words") % 1000 < 500 { $0.drop() } }),
        Migration(
            to: 2,
            "quarantine",
            .transform("Note") { _ in throw CocoaError(.formatting) }.onFailure(.quarantine(upTo: .unlimited))
        ),
    ]

    #if CHILD_PROCESSES
        /// 40 MB of contents, or enough to exceed the memory that a process uses at its start.
        @Test(arguments: [(10_000, false), (20_000, true)])
        func `does not grow with the number of records, whether they are changed, dropped or quarantined`(
            count: Int,
            removes: Bool
        ) async throws {
            let scratch = try ScratchDirectory()
            let urls = [scratch.file("small.molt"), scratch.file("large.molt")]
            try write(1000, to: urls[0])
            try write(count, to: urls[1])

            // A process's peak cannot be reset, so a child process upgrades one store after the other.
            await #expect(processExitsWith: .success) {
                [urls = urls as [URL], count = count as Int, removes = removes as Bool] in
                let peaks = try zip(urls, [1000, count]).map { url, count in
                    let cache = try CodableCache(at: url, migrations: removes ? Self.removals : Self.migrations)
                    if removes {
                        guard try cache.count() == 0, try cache.quarantinedCount == count / 2 else { exit(2) }
                    } else {
                        guard cache.report.entries.allSatisfy({ $0.counts.changed == count }) else { exit(2) }
                    }
                    cache.close()
                    return Self.peakMegabytes()
                }
                // Batches, SQLite's pages and what the allocator keeps. All records together would take twice as much.
                exit(peaks[1] - peaks[0] < 20 ? EXIT_SUCCESS : EXIT_FAILURE)
            }
        }
    #endif

    #if os(Linux) && CHILD_PROCESSES
        @Test func `includes statement journals, but no temporary tables`() async throws {
            let scratch = try ScratchDirectory()
            try write(3000, to: scratch.file())
            await #expect(processExitsWith: .success) { [url = scratch.file() as URL] in
                func temporaryFiles() throws -> Int {
                    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
                        let target = try? FileManager.default.destinationOfSymbolicLink(
                            atPath: "/proc/self/fd/\(name)"
                        )
                        return target?.contains("etilqs_") == true
                    }
                }
                // More than SQLite keeps in memory before it uses a file: the old rows fill fifty pages.
                let text = Array("{}".utf8)
                var contents = RecordContents(rows: [], buffers: [text])
                for id in 1...100 as ClosedRange<Int64> {
                    contents.rows.append(
                        RecordContents.Row(id: id, version: 1, isData: false, buffer: 0, range: 0..<text.count)
                    )
                }
                let store = StoreFile(at: url)
                // The second time, the connection has already had temporary tables.
                for _ in 0..<2 {
                    try store.withWriteTransaction(until: nil) { transaction in
                        try transaction.write(contents)
                        guard try temporaryFiles() == 0 else { exit(3) }
                        try transaction.keepOriginals(ofType: "Note")
                        guard try temporaryFiles() > 0 else { exit(4) }
                        return false
                    } waiting: {
                    }
                }
                exit(EXIT_SUCCESS)
            }
        }
    #endif

    private static func peakMegabytes() -> Int {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
            return Int(usage.ru_maxrss) >> 20
        #else
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return Int(usage.ru_maxrss) >> 10
        #endif
    }
}
