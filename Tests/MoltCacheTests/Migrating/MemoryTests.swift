import Foundation
import Testing

@testable import Molt

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
            "set-aside",
            .transform("Note") { _ in throw CocoaError(.formatting) }.onFailure(.quarantine(upTo: .none))
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
