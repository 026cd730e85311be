import Foundation
import Molt
import MoltSalvage
import Testing

@Suite(.serialized) struct `Permissions and locations of a cache's files` {
    let scratch: ScratchDirectory
    var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: scratch.file(name).path)[.posixPermissions] as? Int
    }

    @Test(arguments: [0o000, 0o022, 0o077])
    func `Only the owner may use a cache's files and new directories, whatever the umask`(mask: Int) throws {
        let old = umask(mode_t(mask))
        defer { umask(old) }
        let cache = try CodableCache(at: scratch.file("a/b/c.molt"))
        try cache.set(1, forKey: "one")
        for suffix in ["", "-shm", "-wal"] { #expect(try permissions("a/b/c.molt" + suffix) == 0o600) }
        cache.close()
        _ = try CacheFile(at: scratch.file("a/b/c.molt")).salvage(to: scratch.file("d/e/f.molt"))
        #expect(try permissions("d/e/f.molt") == 0o600)
        for name in ["a", "a/b", "d", "d/e"] { #expect(try permissions(name) == 0o700) }
    }

    /// A kind of file that stands in place of one of the cache's files.
    enum Thing: String, CaseIterable, Sendable {
        case link
        case deadLink
        case pipe
        case directory
    }

    private func put(_ thing: Thing, at path: String) throws {
        switch thing {
        case .link:
            try Data("precious".utf8).write(to: scratch.file("precious"))
            symlink(scratch.file("precious").path, path)
        case .deadLink: symlink(scratch.file("precious").path, path)
        case .pipe: mkfifo(path, 0o600)
        case .directory: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
    }

    private func expectNothingHappened(_ thing: Thing) throws {
        let precious = try? Data(contentsOf: scratch.file("precious"))
        #expect(precious == (thing == .link ? Data("precious".utf8) : nil))
    }

    @Test(arguments: Thing.allCases, ["-wal", "-shm", "-journal"])
    func `A link, FIFO or directory in place of SQLite's own files is refused`(thing: Thing, suffix: String) throws {
        try CodableCache(at: url).set(1, forKey: "one")
        try put(thing, at: url.path + suffix)
        let calls: [() throws -> Void] = [
            { _ = try CodableCache(at: url) }, { _ = try CacheFile(at: url).version() },
            { _ = try CacheFile(at: url).dryRunAndWait([]) },
        ]
        for call in calls { MoltError.thrown { try call() }?.expect(.notAFile, says: suffix) }
        let report = try CacheFile(at: url).salvage(to: scratch.file("saved.molt"))
        #expect(report.savedCount == 1)
        try expectNothingHappened(thing)
    }

    @Test(arguments: Thing.allCases)
    func `In place of the store itself, a link is followed, and anything else is refused`(thing: Thing) throws {
        try put(thing, at: url.path)
        let code: MoltError.Code = thing == .link ? .notADatabase : .notAFile
        MoltError.thrown { try CodableCache(at: url) }?.expect(code)
        MoltError.thrown { try CacheFile(at: url).salvage(to: scratch.file("saved.molt")) }?.expect(code)
        try expectNothingHappened(thing)
    }

    @Test(arguments: Thing.allCases)
    func `An existing target of a salvage is refused, and a leftover partial file is removed`(thing: Thing) throws {
        try CodableCache(at: url).set(1, forKey: "one")
        let saved = scratch.file("saved.molt")
        try put(thing, at: saved.path)
        MoltError.thrown { try CacheFile(at: url).salvage(to: saved) }?.expect(.fileExists)
        try FileManager.default.removeItem(at: saved)
        try? FileManager.default.removeItem(at: scratch.file("precious"))
        try put(thing, at: saved.path + ".part")
        if thing == .directory {
            MoltError.thrown { try CacheFile(at: url).salvage(to: saved) }
        } else {
            #expect(try CacheFile(at: url).salvage(to: saved).savedCount == 1)
        }
        try expectNothingHappened(thing)
    }

    @Test(arguments: Thing.allCases)
    func `A link, FIFO or directory among adopted files is left in place, and not read`(thing: Thing) throws {
        let directory = scratch.file("Cache")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let digest = "900150983CD24FB0D6963F7D28E17F72"
        try put(thing, at: directory.path + "/" + digest)
        if thing == .link { try Data(#"{"object":"secret"}"#.utf8).write(to: scratch.file("precious")) }
        let migrations: MigrationRegistry = [
            .adoptCacheDirectory(
                to: 1,
                directory: CacheDirectory(at: directory, keys: .fileNames, type: "String"),
                removingSource: true
            )
        ]
        #expect(try CodableCache(at: url, migrations: migrations).count() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [digest])
    }
}
