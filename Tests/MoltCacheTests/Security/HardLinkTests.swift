import Foundation
import Molt
import MoltCache
import MoltCore
import MoltSalvage
import Testing

/// SQLite derives the log's name from the file's, so that two names mean two logs, and lost writes.
@Suite struct `A cache file with two names` {
    let scratch: ScratchDirectory
    var url: URL { scratch.file() }
    var other: URL { scratch.file("other.molt") }

    init() throws {
        scratch = try ScratchDirectory()
        let cache = try CodableCache(at: url)
        try cache.set(1, forKey: "one")
        cache.close()
    }

    @Test func `is refused under each name, until one is removed`() throws {
        let backup = try CodableCache.backUp(at: url)
        try FileManager.default.linkItem(at: url, to: other)
        let bytes = try Data(contentsOf: url)
        let names = try scratch.names()
        for url in [url, other] {
            let errors = [
                #expect(throws: CacheError.self) { try CodableCache(at: url) },
                #expect(throws: CacheError.self) { try CodableCache(at: url, migrations: [Migration(to: 1, "first")]) },
                #expect(throws: CacheError.self) { try CodableCache.schemaVersion(ofFileAt: url) },
                #expect(throws: CacheError.self) { try MigrationPlan(forFileAt: url, migrations: []) },
                #expect(throws: CacheError.self) { try CodableCache.dryRun(at: url, migrations: []) },
                #expect(throws: CacheError.self) { try CodableCache.backUp(at: url) },
                #expect(throws: CacheError.self) {
                    try CodableCache.restore(backup, at: url, fromAnotherStore: true)
                },
            ]
            for error in errors {
                #expect(error?.code == .hardLinked)
                #expect(error?.path == url.path)
                #expect(error?.message.hasPrefix("The file at \(url.path) has 2 hard links.") == true)
                #expect(
                    error?.message.contains("Remove the other names, or put a copy of the file in its place") == true
                )
                #expect(error.map(CodableCache.isDamage) == false)
            }
        }
        #expect(try Data(contentsOf: url) == bytes)
        #expect(try scratch.names() == names)
        try FileManager.default.removeItem(at: url)
        #expect(try CodableCache(at: other).value(Int.self, forKey: "one") == 1)
    }

    @Test func `is refused through a symbolic link, too`() throws {
        try FileManager.default.linkItem(at: url, to: other)
        let link = scratch.file("link.molt")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
        let error = #expect(throws: CacheError.self) { try CodableCache(at: link) }
        #expect(error?.code == .hardLinked)
    }

    @Test func `can be salvaged into a new file, which has one name`() throws {
        try FileManager.default.linkItem(at: url, to: other)
        let saved = scratch.file("saved.molt")
        #expect(try CodableCache.salvage(from: url, to: saved).isWhole)
        #expect(try CodableCache(at: saved).value(Int.self, forKey: "one") == 1)
    }

    @Test func `is opened if the other name is a leftover of a killed process`() throws {
        let date = "20260101T000000000Z"
        for name in ["\(date).damaged", "\(date).aside.part", "v1-\(date).backup.part", "part"] {
            let left = URL(fileURLWithPath: "\(url.path).\(name)")
            try FileManager.default.linkItem(at: url, to: left)
            #expect(try CodableCache(at: url).value(Int.self, forKey: "one") == 1, "\(name)")
            // Under the leftover name, the file is refused.
            let error = #expect(throws: CacheError.self) { try CodableCache(at: left) }
            #expect(error?.code == .hardLinked, "\(name)")
            try? FileManager.default.removeItem(at: left)
        }
    }

    @Test func `is not reported while the file is being replaced`() throws {
        let url = url
        let isDone = Log<Bool>()
        Thread.detachNewThread {
            for _ in 0..<25 { _ = try? CodableCache.salvage(at: url) }
            isDone.append(true)
        }
        var codes: Set<CacheError.Code> = []
        while isDone.count == 0 {
            do {
                _ = try CacheStore.state(at: url)
            } catch let error as CacheError {
                codes.insert(error.code)
            }
        }
        #expect(!codes.contains(.hardLinked))
        #expect(try CodableCache(at: url).value(Int.self, forKey: "one") == 1)
    }

    @Test func `may be a backup, which is never written to`() throws {
        let backup = try CodableCache.backUp(at: url)
        try FileManager.default.linkItem(at: backup.url, to: other)
        #expect(try CodableCache.backups(at: url) == [backup])
        try CodableCache(at: url).set(2, forKey: "one")
        try CodableCache.restore(backup, at: url)
        #expect(try CodableCache(at: url).value(Int.self, forKey: "one") == 1)
    }
}
