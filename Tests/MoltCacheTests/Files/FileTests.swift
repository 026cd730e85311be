import Foundation
import Testing

@testable import Molt

@Suite struct `The cache file` {
    let scratch: ScratchDirectory
    var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
    }

    @Test func `The file is a plain SQLite database with Molt's application identifier`() throws {
        let cache = try CodableCache(at: url, migrations: [Migration(to: 3, "third")])
        try cache.set(Person.john, forKey: "john")
        try cache.setData(Data([1, 2]), forKey: "raw")
        let sqlite = try SQLite(url)
        #expect(try sqlite.text("PRAGMA application_id") == String(0x4D6F_6C74))
        #expect(try sqlite.text("PRAGMA user_version") == "3")
        #expect(try sqlite.text("PRAGMA journal_mode") == "wal")
        #expect(try sqlite.text("SELECT value FROM molt_meta WHERE name = 'file_format'") == "1")
        #expect(try sqlite.rows("SELECT id, name FROM molt_type ORDER BY id") == [["1", "Person"], ["2", "Data"]])
        #expect(
            try sqlite.rows("SELECT id, key, type_id, version, typeof(content) FROM molt_record ORDER BY id")
                == [["1", "john", "1", "3", "text"], ["2", "raw", "2", "3", "blob"]]
        )
        #expect(
            try sqlite.text("SELECT content FROM molt_record WHERE id = 1")
                == #"{"firstName":"John","lastName":"Appleseed"}"#
        )
        #expect(try sqlite.text("SELECT hex(content) FROM molt_record WHERE id = 2") == "0102")
        #expect(try sqlite.rows("SELECT name, version, outcome FROM molt_ledger") == [["third", "3", "bornFresh"]])
        #expect(try sqlite.text("PRAGMA integrity_check") == "ok")
    }

    @Test func `A file that is removed while it is looked at is no file, and a damaged one is an error`() throws {
        try CodableCache(at: url).close()
        let url = url
        let look = { (removes: Bool) in
            try FileProbe.look(url.path) { _ throws(SQLiteError) -> Int in
                if removes { try? FileManager.default.removeItem(at: url) }
                throw .disorder
            }
        }
        #expect(throws: MoltError.self) { try look(false) }
        #expect(try look(true) == nil)
    }

    @Test func `A closed file needs no other file beside it, and deinitializing a cache closes its file`() throws {
        let cache = try CodableCache(at: url)
        try cache.set(Person.john, forKey: "john")
        cache.close()
        #expect(try scratch.names() == ["cache.molt"])
        let copy = scratch.file("copy.molt")
        try FileManager.default.copyItem(at: url, to: copy)
        do {
            let copied = try CodableCache(at: copy)
            #expect(try copied.value(Person.self, forKey: "john") == .john)
        }
        #expect(try scratch.names() == ["cache.molt", "copy.molt"])
    }

    @Test(arguments: ["", "VACUUM", "PRAGMA journal_mode = WAL"])
    func `An empty file and a database without tables are fresh`(sql: String) throws {
        #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
        if !sql.isEmpty { try SQLite(url).run(sql) }
        #expect(try StoreFile.state(at: url).isFresh)
        let cache = try CodableCache(at: url)
        try cache.set(1, forKey: "one")
        #expect(try cache.value(Int.self, forKey: "one") == 1)
    }

    @Test(arguments: ["sp ace", "per%20cent", "qu?ery#frag&ment", "ünï-çødé", "q'uote\"s"])
    func `A path may contain any character`(name: String) throws {
        let odd = scratch.url.appendingPathComponent(name).appendingPathComponent(name + ".molt")
        try CodableCache(at: odd).set(1, forKey: "one")
        #expect(try StoreFile.state(at: odd).isFresh == false)
        #expect(try CodableCache(at: odd).value(Int.self, forKey: "one") == 1)
    }

    #if CHILD_PROCESSES
        @Test func `Reading the state does not drop the locks of an open cache`() throws {
            // POSIX drops all of a process's locks on a file when any descriptor of it is closed. A second process
            // would then take the cache for closed, and delete its log.
            let cache = try CodableCache(at: url)
            try cache.set(1, forKey: "one")
            for _ in 0..<10 { _ = try StoreFile.state(at: url) }
            let other = Process()
            other.executableURL = URL(fileURLWithPath: "/bin/sh")
            other.arguments = ["-c", "command -v sqlite3 >/dev/null || exit 0; sqlite3 '\(url.path)' 'SELECT 1;'"]
            other.standardOutput = FileHandle.nullDevice
            try other.run()
            other.waitUntilExit()
            #expect(try scratch.names().contains("cache.molt-wal"))
            try cache.set(2, forKey: "two")
            #expect(try CodableCache(at: url).count() == 2)
        }
    #endif

    @Test func `A symbolic link stands for its file, including the file's log`() throws {
        let link = scratch.file("link.molt")
        let cache = try CodableCache(at: url, migrations: [Migration(to: 2, "second")])
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
        // This change is in the log only.
        try SQLite(url).run("PRAGMA user_version = 3")
        #expect(try StoreFile.state(at: link).version == 3)
        try SQLite(url).run("PRAGMA user_version = 2")
        let other = try CodableCache(at: link, migrations: [Migration(to: 2, "second")])
        try other.set(1, forKey: "one")
        #expect(try cache.value(Int.self, forKey: "one") == 1)
        #expect(try other.totalSize() == cache.totalSize())
    }

    @Test func `A dangling link and a URL that is no file URL are refused`() throws {
        let link = scratch.file("link.molt")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: scratch.file("nothing"))
        let web = try #require(URL(string: "https://example.com/cache.molt"))
        for url in [link, web] {
            #expect(throws: MoltError.self) { _ = try CodableCache(at: url) }?.expect(.notAFile)
        }
        #expect(throws: MoltError.self) { try StoreFile.state(at: web) }
        #expect(try scratch.names() == ["link.molt"])
    }

    @Test(arguments: [300, 600, 5_000])
    func `A path that is too long is refused`(length: Int) throws {
        let part = String(repeating: "x", count: 99) + "/"
        let name = length == 300 ? String(repeating: "y", count: length) : String(repeating: part, count: length / 100)
        let url = scratch.url.appendingPathComponent(name + "cache.molt")
        #expect(throws: MoltError.self) { _ = try CodableCache(at: url) }?.expect(.notAFile)
        #expect(try scratch.names() == [])
    }

    @Test func `A cache that must exist is not created`() throws {
        let deep = scratch.url.appendingPathComponent("a/cache.molt")
        for migrations in [[], [Migration(to: 1, "first")]] as [MigrationRegistry] {
            #expect(throws: MoltError.self) {
                _ = try CodableCache(existing: deep, migrations: migrations)
            }?.expect(.fileMissing)
        }
        #expect(try scratch.names() == [])
        _ = try CodableCache(at: url)
        try CodableCache(existing: url).set(1, forKey: "one")
    }

    #if CHILD_PROCESSES
        @Test func `While another connection writes, opening an up-to-date file changes no byte of it`() throws {
            let migrations: MigrationRegistry = [Migration(to: 1, "first")]
            let keeper = try CodableCache(at: url, migrations: migrations)
            try keeper.set(1, forKey: "one")
            let writer = try SQLite(url)
            try writer.run("BEGIN EXCLUSIVE")
            let before = try state()
            let configuration = CodableCache.Configuration { $0.timeout = .milliseconds(1) }
            let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
            #expect(try cache.value(Int.self, forKey: "one") == 1)
            cache.close()
            #expect(try state() == before)
            try writer.run("COMMIT")
        }

        /// The bytes and the date of copies of the file and its log; closing the file itself would drop this process's
        /// locks.
        private func state() throws -> [String] {
            try [url.path, url.path + "-wal"].flatMap { path in
                let copy = scratch.file(UUID().uuidString).path
                let copying = Process()
                copying.executableURL = URL(fileURLWithPath: "/bin/cp")
                copying.arguments = ["-p", path, copy]
                try copying.run()
                copying.waitUntilExit()
                let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
                return try [
                    Data(contentsOf: URL(fileURLWithPath: copy)).base64EncodedString(),
                    "\(date?.timeIntervalSince1970 ?? 0)",
                ]
            }
        }
    #endif

    @Test(arguments: 0..<TestRun.choose(2, long: 10))
    func `Concurrent openings create one file`(round: Int) async throws {
        let url = scratch.file("\(round).molt")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let cache = try await CodableCache.open(at: url, migrations: [Migration(to: 1, "first")])
                    try cache.set(number, forKey: "\(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(try CodableCache(at: url, migrations: [Migration(to: 1, "first")]).count() == 8)
        #expect(try StoreFile.state(at: url).ledger.count == 1)
    }
}
