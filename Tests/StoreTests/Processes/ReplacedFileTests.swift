import Foundation
import Molt
import MoltSalvage
import Testing

/// After an open cache's file was replaced, the next read must not return values of the old file.
@Suite struct `A file that is replaced while it is open` {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// A way to replace the file at a URL by another file.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let replace: @Sendable (URL, _ other: URL) throws -> Void
    }

    static let ways = [
        Way(testDescription: "removed") { url, _ in try remove(url) },
        Way(testDescription: "removed, and made anew") { url, _ in
            try remove(url)
            try CodableCache(at: url).set("other", forKey: "key")
        },
        Way(testDescription: "removed without its log, and made anew") { url, other in
            try FileManager.default.removeItem(at: url)
            try FileManager.default.copyItem(at: other, to: url)
        },
        Way(testDescription: "renamed onto") { url, other in
            #expect(rename(other.path, url.path) == 0)
        },
        Way(testDescription: "moved away, and copied back") { url, _ in
            let aside = url.appendingPathExtension("aside")
            try FileManager.default.moveItem(at: url, to: aside)
            try FileManager.default.copyItem(at: aside, to: url)
        },
        Way(testDescription: "in a directory that is replaced") { url, _ in
            let directory = url.deletingLastPathComponent()
            try FileManager.default.moveItem(at: directory, to: directory.appendingPathExtension("aside"))
            try CodableCache(at: url).set("other", forKey: "key")
        },
        Way(testDescription: "below a directory that is replaced") { url, _ in
            let above = url.deletingLastPathComponent().deletingLastPathComponent()
            try FileManager.default.moveItem(at: above, to: above.appendingPathExtension("aside"))
            try CodableCache(at: url).set("other", forKey: "key")
        },
        Way(testDescription: "behind a link that leads elsewhere") { url, other in
            // The cache is opened through the link: see `link(to:)`.
            try FileManager.default.removeItem(at: link(to: url))
            try FileManager.default.createSymbolicLink(at: link(to: url), withDestinationURL: other)
        },
        Way(testDescription: "behind a link, and moved with it") { url, _ in
            let moved = url.appendingPathExtension("moved")
            try FileManager.default.moveItem(at: url, to: moved)
            try FileManager.default.removeItem(at: link(to: url))
            try FileManager.default.createSymbolicLink(at: link(to: url), withDestinationURL: moved)
        },
        Way(testDescription: "emptied, to be begun afresh") { url, _ in
            try SQLite(url).run("DROP TABLE molt_meta")
        },
        Way(testDescription: "salvaged in place") { url, _ in try CacheFile(at: url).salvage() },
        Way(testDescription: "replaced by a backup in place") { url, _ in
            try CacheFile(at: url).restore(CacheFile(at: url).backUp())
        },
        Way(testDescription: "replaced by a backup, its header being damaged") { url, _ in
            try SQLite(url).run("PRAGMA wal_checkpoint(TRUNCATE)")
            let backup = try CacheFile(at: url).backUp()
            let file = try FileHandle(forWritingTo: url)
            try file.write(contentsOf: Data(repeating: 0, count: 100))
            try file.close()
            try CacheFile(at: url).restore(backup)
        },
    ]

    private static func remove(_ url: URL) throws {
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }

    private static func link(to url: URL) -> URL {
        url.deletingLastPathComponent().appending(path: "link.molt")
    }

    /// Expects the error that a read of a replaced file must throw.
    ///
    /// - Parameter store: The file that the error must name; nil for any.
    private func expectError(_ store: String?, _ body: () throws -> String?) {
        do {
            let found = try body()
            Issue.record("The read gave \(found ?? "nil").")
        } catch let error as MoltError where error.code == .storeChanged {
            // The file is the same one, with other contents.
            #expect(error.message.hasPrefix("While the cache at") && error.message.hasSuffix("Open it again."))
        } catch let error as MoltError {
            error.expect(.fileReplaced, store: store)
            #expect(error.message.hasSuffix("Open the store again."))
        } catch {
            Issue.record(error)
        }
    }

    /// - Parameter reads: The reads before; the file of a cache that is read often is watched.
    @Test(arguments: ways, [1, 40])
    func `is noticed by the next read, even by one that memory could serve`(way: Way, reads: Int) throws {
        let directory = scratch.url.appending(path: "above/directory")
        let url = directory.appending(path: "cache.molt")
        let other = scratch.file("other.molt")
        let made = try CodableCache(at: other)
        try made.set("other", forKey: "key")
        made.close()
        let first = try CodableCache(at: url)
        try first.setAll(["key": "value", "unread": "value"])
        try FileManager.default.createSymbolicLink(at: Self.link(to: url), withDestinationURL: url)
        let isLinked = way.testDescription.hasPrefix("behind a link")
        let caches = try (0..<4).map { _ in try CodableCache(at: isLinked ? Self.link(to: url) : url) }
        for cache in caches {
            for _ in 0..<reads { try cache.expect("value", forKey: "key") }
        }
        first.close()

        try way.replace(url, other)

        let store = isLinked ? nil : url.path
        expectError(store) { try caches[0].value(String.self, forKey: "key") }
        expectError(store) { try caches[1].value(String.self, forKey: "unread") }
        expectError(store) { try caches[2].values(of: String.self).first?.value }
        expectError(store) {
            try caches[3].set("new", forKey: "key")
            return "a write"
        }
        // The error repeats until the cache is opened again.
        expectError(store) { try caches[0].value(String.self, forKey: "key") }
    }

    @Test func `is in place again after it was moved away and back, until it is moved once more`() throws {
        let directory = scratch.url.appending(path: "directory")
        let aside = scratch.url.appending(path: "aside")
        let url = directory.appending(path: "cache.molt")
        let cache = try CodableCache(at: url)
        try cache.set("value", forKey: "key")
        func readOften() throws {
            for _ in 0..<40 { try cache.expect("value", forKey: "key") }
        }
        try readOften()
        // Other files come and go meanwhile.
        try CodableCache(at: scratch.file("other.molt")).close()
        for _ in 0..<2 {
            try FileManager.default.moveItem(at: directory, to: aside)
            expectError(url.path) { try cache.value(String.self, forKey: "key") }
            // The file moves to another directory of the same name.
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            for suffix in ["", "-wal", "-shm"] {
                try FileManager.default.moveItem(
                    atPath: aside.appending(path: "cache.molt").path + suffix,
                    toPath: url.path + suffix
                )
            }
            try FileManager.default.removeItem(at: aside)
            try readOften()
        }
    }

    @Test func `is not noticed by a closed cache, which reports that it is closed`() throws {
        let url = scratch.file()
        let cache = try CodableCache(at: url)
        cache.close()
        try FileManager.default.removeItem(at: url)
        MoltError.thrown { try cache.value(String.self, forKey: "key") }?.expect(.closed)
    }

    @Test(arguments: [0, 2])
    func `is planned anew if it is replaced between the plan and the upgrade`(version: Int) throws {
        struct Counted: Codable, Equatable { var first = 0, second = 0 }
        let steps = ["first", "second"].map { name in
            MigrationStep.transform("Counted") { record in record[name] = .int(try record.int(name) + 1) }
        }
        let all = [Migration(to: 1, "first", steps[0]), Migration(to: 2, "second", steps[1])]
        func makeStore(_ name: String, upTo version: Int) throws -> URL {
            let url = scratch.file(name)
            let cache = try CodableCache(at: url)
            try cache.set(Counted(), forKey: "key")
            cache.close()
            try CodableCache(at: url, migrations: MigrationRegistry(Array(all.prefix(version)))).close()
            return url
        }
        let url = try makeStore("cache.molt", upTo: 1)
        let other = try makeStore("other.molt", upTo: version)
        let isFirst = Locked(true)
        var configuration = MoltConfiguration()
        configuration.monitor = MigrationMonitor { event in
            guard case .planned = event,
                isFirst.withLock({ first in
                    defer { first = false }
                    return first
                })
            else { return }
            #expect(rename(other.path, url.path) == 0)
        }

        let cache = try CodableCache(at: url, migrations: MigrationRegistry(all), configuration: configuration)

        #expect(!isFirst.withLock { $0 })
        try cache.expect(Counted(first: 1, second: 1), forKey: "key")
    }
}
