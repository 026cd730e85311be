import Foundation
import Molt
import Testing

@Suite struct `The cache file` {
    let scratch: ScratchDirectory
    var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
    }

    @Test func `It is a plain SQLite file that says whose it is`() throws {
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

    @Test func `Only its owner may read it`() throws {
        _ = try CodableCache(at: url)
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `Missing directories are made`() throws {
        let deep = scratch.url.appendingPathComponent("a/b/c/cache.molt")
        let cache = try CodableCache(at: deep)
        try cache.set(1, forKey: "one")
        #expect(FileManager.default.fileExists(atPath: deep.path))
    }

    @Test func `A closed file stands alone`() throws {
        let cache = try CodableCache(at: url)
        try cache.set(Person.john, forKey: "john")
        cache.close()
        #expect(try scratch.names() == ["cache.molt"])
        let copy = scratch.file("copy.molt")
        try FileManager.default.copyItem(at: url, to: copy)
        #expect(try CodableCache(at: copy).value(Person.self, forKey: "john") == .john)
    }

    @Test func `A cache that is let go of closes its file`() throws {
        do {
            let cache = try CodableCache(at: url)
            try cache.set(1, forKey: "one")
        }
        #expect(try scratch.names() == ["cache.molt"])
    }

    @Test func `Opening an up-to-date file writes nothing`() throws {
        let migrations: MigrationRegistry = [Migration(to: 1, "first")]
        try CodableCache(at: url, migrations: migrations).set(1, forKey: "one")
        let before = try Data(contentsOf: url)
        let date = try FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate] as? Date
        let cache = try CodableCache(at: url, migrations: migrations)
        #expect(try cache.value(Int.self, forKey: "one") == 1)
        #expect((try? Data(contentsOf: URL(fileURLWithPath: url.path + "-wal")))?.isEmpty ?? true)
        cache.close()
        #expect(try Data(contentsOf: url) == before)
        #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate] as? Date == date)
    }

    @Test func `Opening an up-to-date file takes no write lock`() throws {
        try CodableCache(at: url).set(1, forKey: "one")
        let writer = try SQLite(url)
        try writer.run("BEGIN IMMEDIATE")
        var configuration = CodableCache.Configuration()
        configuration.busyTimeout = .milliseconds(1)
        configuration.lockTimeout = .milliseconds(1)
        #expect(try CodableCache(at: url, configuration: configuration).value(Int.self, forKey: "one") == 1)
    }

    @Test func `The state of a missing file is fresh and makes no file`() throws {
        #expect(try CacheStore.state(at: url) == .fresh)
        #expect(try CacheStore(at: url).state() == .fresh)
        #expect(try scratch.names() == [])
    }

    @Test func `The state is read without a file beside the store`() throws {
        _ = try CodableCache(at: url, migrations: [Migration(to: 2, "second")])
        let before = try Data(contentsOf: url)
        let state = try CacheStore.state(at: url)
        #expect(state.version == 2)
        #expect(!state.isFresh)
        #expect(state.ledger.map(\.name) == ["second"])
        #expect(try Data(contentsOf: url) == before)
        #expect(try scratch.names() == ["cache.molt"])
    }

    @Test func `The state is read while another connection has unsaved pages in the log`() throws {
        let cache = try CodableCache(at: url, migrations: [Migration(to: 2, "second")])
        try cache.set(1, forKey: "one")
        #expect(try CacheStore.state(at: url).version == 2)
        #expect(try cache.value(Int.self, forKey: "one") == 1)
    }

    @Test func `A file with our tables and an empty ledger is not fresh`() throws {
        _ = try CodableCache(at: url)
        #expect(try !CacheStore.state(at: url).isFresh)
    }

    @Test(arguments: ["", "VACUUM", "PRAGMA journal_mode = WAL"])
    func `An empty file and a database without tables are fresh`(sql: String) throws {
        #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
        if !sql.isEmpty { try SQLite(url).run(sql) }
        #expect(try CacheStore.state(at: url).isFresh)
        let cache = try CodableCache(at: url)
        try cache.set(1, forKey: "one")
        #expect(try cache.value(Int.self, forKey: "one") == 1)
    }

    @Test(arguments: ["sp ace", "per%20cent", "qu?ery#frag&ment", "ünï-çødé", "q'uote\"s"])
    func `A path may hold any character`(name: String) throws {
        let odd = scratch.url.appendingPathComponent(name).appendingPathComponent(name + ".molt")
        try CodableCache(at: odd).set(1, forKey: "one")
        #expect(try CacheStore.state(at: odd).isFresh == false)
        #expect(try CodableCache(at: odd).value(Int.self, forKey: "one") == 1)
    }

    @Test func `A probe does not drop the locks of an open cache`() throws {
        // POSIX drops all of a process's locks on a file when any descriptor of it is closed. A second process
        // would then take the cache for closed, and delete the log under it.
        let cache = try CodableCache(at: url)
        try cache.set(1, forKey: "one")
        for _ in 0..<10 { _ = try CacheStore.state(at: url) }
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

    @Test(arguments: 0..<10)
    func `Two openers at once make one file`(round: Int) async throws {
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
        #expect(try CacheStore.state(at: url).ledger.count == 1)
    }
}
