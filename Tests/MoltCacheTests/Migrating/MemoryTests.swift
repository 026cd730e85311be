import Foundation
import MoltCache
import MoltCore
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Memory during an upgrade")
struct MemoryTests {
    private struct Note: Codable {
        var title: String
        var text: String
        var words: Int
    }

    /// Every kind of step that looks at records.
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
        for start in stride(from: 0, to: count, by: 1000) {
            try cache.batch { batch in
                for number in start..<start + 1000 {
                    try batch.set(Note(title: "\(number)", text: text, words: 800), forKey: "\(number)")
                }
            }
        }
        cache.close()
    }

    @Test func `does not grow with the number of records`() async throws {
        let scratch = try ScratchDirectory()
        let small = scratch.file("small.molt").path
        let large = scratch.file("large.molt").path
        try write(1000, to: URL(filePath: small))
        // 80 MB of contents.
        try write(20_000, to: URL(filePath: large))

        // The peak of a process cannot be set back, so a process of its own upgrades one after the other.
        await #expect(processExitsWith: .success) { [small = small as String, large = large as String] in
            func peak(upgrading path: String) throws -> Int {
                let cache = try CodableCache(at: URL(filePath: path), migrations: Self.migrations)
                guard cache.report.entries.allSatisfy({ $0.counts.changed == (try? cache.count()) }) else { exit(2) }
                cache.close()
                return Self.peakMegabytes()
            }
            let first = try peak(upgrading: small)
            let second = try peak(upgrading: large)
            // Batches, SQLite's pages and what the allocator keeps; all records together would be four times as much.
            exit(second - first < 20 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

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
