import Foundation
import Molt
import MoltSalvage
import Testing

@Suite struct `Salvaging a damaged cache in place` {
    let scratch: ScratchDirectory
    let sound: SoundStore
    var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
        sound = try SoundStore.shared.get()
    }

    /// Opens the cache as an app does: after damage, it salvages the cache and opens it again.
    private func open() throws -> CodableCache {
        do {
            return try CodableCache(at: url, migrations: SoundStore.migrations)
        } catch  where MoltError.isDamage(error) {
            try CacheFile(at: url).salvage(SoundStore.migrations)
            return try CodableCache(at: url, migrations: SoundStore.migrations)
        }
    }

    @Test func `The damaged file and its log are kept beside the new file`() throws {
        let file = sound.openFile.zeroed(pages: 0..<1)
        try DamagedStore(file: file, log: sound.openLog).write(to: url)
        let report = try CacheFile(at: url).salvage(SoundStore.migrations)
        let aside = URL(fileURLWithPath: try #require(report.setAside))
        #expect(DamagedStore(file: file, log: sound.openLog).isUnchanged(at: aside))
        #expect(report.destination == url.path)
        #expect("\(report)".contains(aside.path))
        #expect(
            try scratch.names().sorted() == ["cache.molt", aside.lastPathComponent, aside.lastPathComponent + "-wal"]
        )
        let cache = try CodableCache(at: url, migrations: SoundStore.migrations)
        #expect(try cache.count() >= sound.openContents.records.count)
        #expect(try cache.value(SoundNote.self, forKey: "key 3") != nil)
        cache.close()
        // The file that was set aside can be salvaged again.
        let again = try CacheFile(at: aside).salvage(to: scratch.file("again"))
        #expect(again.savedCount == report.savedCount)
    }

    @Test(arguments: [0, 1, 50, 100, 511, 512, 1024, 5_000])
    func `An app that checks for damage recovers the records of a file truncated to any length`(size: Int) throws {
        try DamagedStore(file: Array(sound.openFile.prefix(size)), log: sound.openLog).write(to: url)
        let cache = try open()
        // Only the log has the pages that were written last.
        #expect(try cache.count() > 0)
        #expect(try cache.value(SoundNote.self, forKey: "key 3")?.text == "later 3")
        #expect(try StoreFile.damage(at: url).isEmpty)
    }

    @Test func `An open cache detects that its file was replaced`() throws {
        try CodableCache(at: url).set(1, forKey: "one")
        let cache = try CodableCache(at: url)
        try CacheFile(at: url).salvage().expect(saved: 1)
        let error = try #require(throws: MoltError.self) { try cache.set(2, forKey: "two") }
        error.expect(.fileReplaced)
        #expect(try CodableCache(at: url).value(Int.self, forKey: "one") == 1)
    }

    @Test func `Other files beside the cache are left alone`() throws {
        try DamagedStore(file: sound.file).write(to: url)
        for suffix in [".salvaged", ".salvaged.part", ".part"] {
            try Data("somebody's file".utf8).write(to: URL(fileURLWithPath: url.path + suffix))
        }
        try CacheFile(at: url).salvage().expect(isWhole: true)
        for suffix in [".salvaged", ".salvaged.part", ".part"] {
            #expect(try Data(contentsOf: URL(fileURLWithPath: url.path + suffix)) == Data("somebody's file".utf8))
        }
    }

    @Test func `A cache with a very long name is replaced, too`() throws {
        let url = scratch.file(String(repeating: "n", count: 240))
        try DamagedStore(file: Array(sound.file.dropLast(3_000))).write(to: url)
        let report = try CacheFile(at: url).salvage()
        #expect(report.savedCount > 0)
        #expect(try CodableCache(at: url, migrations: SoundStore.migrations).count() == report.savedCount)
    }

    @Test func `A file that is not a database is left where it is`() throws {
        try Data("no database at all, but long enough to be one".utf8).write(to: url)
        let opening = try #require(throws: MoltError.self) { try CodableCache(at: url) }
        opening.expect(says: "choose another path")
        #expect(MoltError.isDamage(opening))
        let error = try #require(throws: MoltError.self) { try CacheFile(at: url).salvage() }
        error.expect(.notADatabase)
        #expect(try scratch.names() == ["cache.molt"])
    }

    @Test func `A damaged database that is not a cache is left where it is`() throws {
        let theirs = try SQLite(url)
        try theirs.run(
            """
            PRAGMA page_size = 1024; CREATE TABLE theirs(x);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
            INSERT INTO theirs SELECT hex(randomblob(40)) FROM n
            """
        )
        let file = Array(try Data(contentsOf: url)).zeroed(pages: 2..<3)
        try Data(file).write(to: url)
        let error = try #require(throws: MoltError.self) { try CacheFile(at: url).salvage() }
        error.expect(.notADatabase)
        #expect(try scratch.names() == ["cache.molt"])
        #expect(try Data(contentsOf: url) == Data(file))
    }

    @Test func `Errors with other causes do not count as damage`() throws {
        let cache = try CodableCache(at: url, migrations: SoundStore.migrations)
        let older = try #require(throws: MoltError.self) {
            try CodableCache(at: url, migrations: SoundStore.oldMigrations)
        }
        let missing = try #require(throws: MoltError.self) { try CacheFile(at: scratch.file("none")).salvage() }
        missing.expect(.fileMissing)
        let errors: [any Error] = [older, missing, CocoaError(.fileReadUnknown)]
        for error in errors { #expect(!MoltError.isDamage(error), "\(error)") }
        cache.close()
    }

    // MARK: Empty files

    private func emptied(_ prepare: () throws -> Void) throws -> MoltError {
        try CodableCache(at: url).set(1, forKey: "one")
        try prepare()
        try Data().write(to: url)
        let names = try scratch.names()
        let error = try #require(throws: MoltError.self) { try CodableCache(at: url) }
        #expect(try scratch.names() == names)
        return error
    }

    @Test func `An empty file beside a backup is refused and not used as a new cache`() throws {
        let error = try emptied { try CacheFile(at: url).backUp() }
        error.expect(.notADatabase, says: "a backup of it")
        #expect(MoltError.isDamage(error))
        try CacheFile(at: url).restore(#require(CacheFile(at: url).backups().first))
        #expect(try CodableCache(at: url).value(Int.self, forKey: "one") == 1)
    }

    @Test func `An empty file beside a log is refused, and the log is kept`() throws {
        let log = URL(fileURLWithPath: url.path + "-wal")
        let error = try emptied { try Data(sound.openLog).write(to: log) }
        error.expect(.notADatabase, says: "log")
        #expect(try Data(contentsOf: log) == Data(sound.openLog))
    }

    @Test func `A new cache beside a backup never exists as an empty file`() async throws {
        try CodableCache(at: url).set(1, forKey: "one")
        try CacheFile(at: url).backUp()
        try FileManager.default.removeItem(at: url)
        let other = URL(fileURLWithPath: url.path + ".part")
        try Data("somebody's file".utf8).write(to: other)
        let cache = try CodableCache(at: url)
        #expect(try cache.count() == 0)
        cache.close()
        #expect(try scratch.names().count { $0.hasSuffix(".part") } == 1)
        #expect(try Data(contentsOf: other) == Data("somebody's file".utf8))
        #expect(try CacheFile(at: url).backups().count == 1)
    }

    @Test func `An empty file with nothing beside it becomes a cache, unless the cache must exist`() throws {
        try Data().write(to: url)
        let error = try #require(throws: MoltError.self) { try CodableCache(existing: url) }
        error.expect(.fileMissing)
        #expect(try Data(contentsOf: url).isEmpty)
        try CodableCache(at: url).set(1, forKey: "one")
        #expect(try CodableCache(existing: url).value(Int.self, forKey: "one") == 1)
    }
}
