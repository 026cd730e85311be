import Foundation
import Molt
import Testing

@Suite struct `The cache file` {
    let scratch: ScratchDirectory
    var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
    }

    @Test func `The file is a plain SQLite database with Molt's application identifier`() throws {
        let cache = try CodableCache(at: url, migrations: [Migration(to: 3, "third")])
        try cache.set(Person.john, forKey: "john")
        try cache.set(Data([1, 2]), forKey: "raw")
        let sqlite = try SQLite(url)
        let queries: [String] = [
            "PRAGMA application_id", "PRAGMA user_version", "PRAGMA journal_mode",
            "SELECT name, value FROM molt_meta WHERE name = 'file_format'",
            "SELECT id, name FROM molt_type ORDER BY id",
            "SELECT id, key, type_id, version, typeof(content), content FROM molt_record WHERE id = 1",
            "SELECT id, key, type_id, version, typeof(content), hex(content) FROM molt_record WHERE id > 1",
            "SELECT name, version, outcome FROM molt_ledger",
        ]
        let lines = try queries.flatMap { try sqlite.rows($0) }.map { $0.joined(separator: " ") }
        #expect(
            lines.joined(separator: "\n") == """
                \(0x4D6F_6C74)
                3
                wal
                file_format 1
                1 Person
                2 Data
                1 john 1 3 text {"firstName":"John","lastName":"Appleseed"}
                2 raw 2 3 blob 0102
                third 3 bornFresh
                """
        )
        try expectIntegrity(of: url)
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
        MoltError.thrown { try look(false) }
        #expect(try look(true) == nil)
    }

    @Test func `A closed file needs no other file beside it, and deinitializing a cache closes its file`() throws {
        let cache = try CodableCache(at: url)
        try cache.set(Person.john, forKey: "john")
        cache.close()
        try expectNames("cache.molt", in: scratch)
        let copy = scratch.file("copy.molt")
        try FileManager.default.copyItem(at: url, to: copy)
        try CodableCache(at: copy).expect(Person.john, forKey: "john")
        try expectNames("cache.molt", "copy.molt", in: scratch)
    }

    @Test func `An empty file and a database without tables are fresh`() throws {
        for (number, sql) in ["", "VACUUM", "PRAGMA journal_mode = WAL"].enumerated() {
            let url = scratch.file("\(number).molt")
            _ = FileManager.default.createFile(atPath: url.path, contents: nil)
            if !sql.isEmpty { try SQLite(url).run(sql) }
            #expect(try StoreFile.state(at: url).isFresh)
            let cache = try CodableCache(at: url)
            try cache.set(1, forKey: "one")
            try cache.expect(1, forKey: "one")
        }
    }

    @Test func `A path may contain any character`() throws {
        for name in ["sp ace", "per%20cent", "qu?ery#frag&ment", "ünï-çødé", "q'uote\"s"] {
            let odd = scratch.url.appendingPathComponent(name).appendingPathComponent(name + ".molt")
            try CodableCache(at: odd).set(1, forKey: "one")
            #expect(try StoreFile.state(at: odd).isFresh == false)
            try CodableCache(at: odd).expect(1, forKey: "one")
        }
    }

    #if CHILD_PROCESSES
        @Test func `Reading the state does not drop the locks of an open cache`() async throws {
            // POSIX drops all of a process's locks on a file when any descriptor of it is closed. A second process
            // would then take the cache for closed, and delete its log.
            let cache = try CodableCache(at: url)
            try cache.set(1, forKey: "one")
            for _ in 0..<10 { _ = try StoreFile.state(at: url) }
            await #expect(processExitsWith: .success) { [url = url as URL] in
                let count = try SQLite(url).text("SELECT count(*) FROM molt_record")
                #expect(count == "1")
            }
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
        try cache.expect(1, forKey: "one")
        #expect(try other.totalSize() == cache.totalSize())
    }

    @Test func `A dangling link, a URL that is no file URL and a path that is too long are refused`() throws {
        let link = scratch.file("link.molt")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: scratch.file("nothing"))
        let web = try #require(URL(string: "https://example.com/cache.molt"))
        let part = String(repeating: "x", count: 99) + "/"
        var urls = [link, web]
        for name in [String(repeating: "y", count: 300)] + [6, 50].map({ String(repeating: part, count: $0) }) {
            urls.append(scratch.url.appendingPathComponent(name + "cache.molt"))
        }
        for url in urls { MoltError.thrown { try CodableCache(at: url) }?.expect(.notAFile) }
        MoltError.thrown { try StoreFile.state(at: web) }
        try expectNames("link.molt", in: scratch)
    }

    @Test func `A cache that must exist is not created`() throws {
        let deep = scratch.url.appendingPathComponent("a/cache.molt")
        MoltError.thrown { try CodableCache(existing: deep) }?.expect(.fileMissing)
        MoltError.thrown { try CodableCache(existing: deep, migrations: [Migration(to: 1, "first")]) }?.expect(
            .fileMissing
        )
        try expectNames(in: scratch)
        _ = try CodableCache(at: url)
        try CodableCache(existing: url).set(1, forKey: "one")
    }

    /// An opening that wrote would have to wait for the lock.
    @Test func `Opening an up-to-date file does not wait for another connection that writes`() throws {
        let migrations: MigrationRegistry = [Migration(to: 1, "first")]
        let keeper = try CodableCache(at: url, migrations: migrations)
        try keeper.set(1, forKey: "one")
        let writer = try SQLite(url)
        try writer.run("BEGIN EXCLUSIVE")
        // Reading the bytes would drop the locks of this process.
        func dates() throws -> [Date?] {
            try ["", "-wal"].map {
                try FileManager.default.attributesOfItem(atPath: url.path + $0)[.modificationDate] as? Date
            }
        }
        let before = try dates()
        let configuration = MoltConfiguration { $0.timeout = .milliseconds(1) }
        let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
        try cache.expect(1, forKey: "one")
        cache.close()
        #expect(try dates() == before)
        try writer.run("COMMIT")
    }
}
