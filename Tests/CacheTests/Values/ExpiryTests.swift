import Foundation
import Molt
import Testing

@Suite struct `Expiry and eviction` {
    let scratch: ScratchDirectory
    let clock = Clock(1_000)

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func open(
        sizeLimit: Int? = nil,
        expiry: CodableCache.Expiry = .never,
        migrations: MigrationRegistry = []
    ) throws -> CodableCache {
        let clock = clock
        let configuration = MoltConfiguration {
            $0.now = { clock.date }
            $0.sizeLimit = sizeLimit
            $0.defaultExpiry = expiry
        }
        return try CodableCache(at: scratch.file(), migrations: migrations, configuration: configuration)
    }

    @Test func `An expired value is treated as missing`() throws {
        let cache = try open()
        try cache.set(1, forKey: "soon", expiry: .after(seconds: 10))
        try cache.set(2, forKey: "date", expiry: .at(Date(timeIntervalSince1970: 1_020)))
        try cache.set(3, forKey: "never", expiry: .never)
        try cache.expect(keys: ["soon", "date", "never"])
        clock.advance(to: 1_015)
        try cache.expect(keys: ["date", "never"])
        clock.advance(to: 1_020)
        try cache.expect(keys: ["never"])
        #expect(try cache.keys(of: Int.self) == ["never"])
        let values = try cache.values(of: Int.self).map(\.value)
        #expect(values == [3])
        #expect(try cache.values(Int.self, forKeys: ["soon", "never"]) == [nil, 3])
        #expect(try cache.count() == 1)
        #expect(try cache.count(of: Int.self) == 1)
        for key in ["soon", "date"] { try cache.expectNothing(forKey: key) }
    }

    @Test func `An expiry that is not a number counts as no expiry in every query`() throws {
        let cache = try open()
        try cache.set(1, forKey: "a")
        // Damage that the table's own constraints would reject.
        try SQLite(scratch.file()).run(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT', ''), 'expires_at REAL', 'expires_at')
            WHERE name = 'molt_record';
            """
        )
        try SQLite(scratch.file()).run("UPDATE molt_record SET expires_at = 'soon'")
        #expect(try cache.contains("a"))
        try cache.expect(1, forKey: "a")
    }

    @Test func `The default expiry applies where no other is given, and expired values are removed only on request`()
        throws
    {
        let cache = try open(expiry: .after(seconds: 5))
        try cache.set(1, forKey: "default")
        try cache.set(1, forKey: "never", expiry: .never)
        try cache.setAll(["batch": 1])
        clock.advance(to: 1_006)
        try cache.expect(keys: ["never"])
        let count = "SELECT count(*) FROM molt_record"
        #expect(try SQLite(scratch.file()).text(count) == "3")
        #expect(try cache.removeExpired() == 2)
        #expect(try cache.removeExpired() == 0)
        #expect(try SQLite(scratch.file()).text(count) == "1")
    }

    @Test(arguments: [0, -1])
    func `A size limit that would keep no value is refused before a file is made`(limit: Int) throws {
        MoltError.thrown { try open(sizeLimit: limit) }?.expect(.unsupported, outcome: .unchanged)
        #expect(try scratch.names().isEmpty)
    }

    @Test func `Beyond the size limit, expired values are evicted first, then the least recently used`() throws {
        let cache = try open(sizeLimit: 350)
        for key in ["a", "b", "c"] { try cache.set(Data(count: 100), forKey: key) }
        #expect(try cache.contentSize() == 300)
        // A read from memory counts as a use, and so does one from the file.
        #expect(try cache.data(forKey: "a") != nil)
        try cache.set(Data(count: 100), forKey: "d")
        try cache.expect(keys: ["a", "c", "d"])
        for key in ["c", "a", "c"] { try cache.expect(Data(count: 100), forKey: key) }
        try cache.set(Data(count: 200), forKey: "e")
        try cache.expect(keys: ["c", "e"])
        #expect(try cache.contentSize() == 300)
        try cache.set(Data(count: 50), forKey: "expired", expiry: .after(seconds: 1))
        clock.advance(to: 1_002)
        try cache.set(Data(count: 50), forKey: "new")
        try cache.expect(keys: ["c", "e", "new"])
    }

    @Test func `Reads write nothing`() throws {
        let cache = try open(sizeLimit: 350)
        try cache.set(1, forKey: "a")
        let log = URL(fileURLWithPath: scratch.file().path + "-wal")
        let bytes = try Data(contentsOf: log)
        try cache.expect(1, forKey: "a")
        #expect(try cache.entry(Int.self, forKey: "a") != nil)
        try cache.expect(keys: ["a"])
        #expect(try Data(contentsOf: log) == bytes)
    }

    @Test func `A value larger than the size limit evicts no other value`() throws {
        let cache = try open(sizeLimit: 100)
        try cache.set(Data(count: 40), forKey: "a")
        try cache.set(Data(count: 40), forKey: "b")
        try cache.set(Data(count: 101), forKey: "big")
        try cache.expect(keys: ["a", "b"])
        #expect(try cache.contentSize() == 80)
        try cache.set(Data(count: 101), forKey: "a")
        try cache.expect(keys: ["b"])
        #expect(try cache.contentSize() == 40)
    }

    @Test func `Setting the clock back expires no value early`() throws {
        let cache = try open()
        clock.advance(to: 100_000)
        try cache.set(0, forKey: "before")
        try cache.expect(keys: ["before"])
        clock.advance(to: 1_000)
        try cache.set(1, forKey: "a", expiry: .after(seconds: 10))
        try cache.expect(1, forKey: "a")
        let created = try cache.entry(Int.self, forKey: "a")?.created
        #expect(created == Date(timeIntervalSince1970: 1_000))
        #expect(try cache.removeExpired() == 0)
        clock.advance(to: 1_010)
        try cache.expect(Int?.none, forKey: "a")
    }

    @Test func `Every number of seconds is accepted`() throws {
        let cache = try open()
        let live: [Double] = [.infinity, 1e300, 0.5]
        let expired: [Double] = [-.infinity, .nan, 0, -1, -1_000]
        for seconds in live + expired {
            try cache.set(1, forKey: "after", expiry: .after(seconds: seconds))
            try cache.set(1, forKey: "at", expiry: .at(Date(timeIntervalSince1970: 1_000 + seconds)))
            let isLive = live.contains(seconds)
            let value: Int? = isLive ? 1 : nil
            for key in ["after", "at"] {
                #expect(try cache.contains(key) == isLive, "\(seconds)")
                try cache.expect(value, forKey: key)
            }
            #expect(try cache.removeExpired() == (isLive ? 0 : 2), "\(seconds)")
            try cache.removeAll()
        }
    }

    @Test func `The most recent reads count, however many there were`() throws {
        let cache = try open(sizeLimit: 17_000)
        let keys = (0..<17_000).map { "\($0)" }
        try cache.setAll(keys.map { (key: $0, value: Data(count: 1)) })
        for key in keys { _ = try cache.data(forKey: key) }
        for key in keys[..<10] { _ = try cache.data(forKey: key) }
        try cache.set(Data(count: 100), forKey: "new")
        let expected: [String] = keys[..<10] + keys[110...] + ["new"]
        try cache.expect(keys: expected)
    }

    @Test func `Only a read counts as a use, also when the next write fails`() throws {
        let cache = try open(sizeLimit: 250)
        for key in ["a", "b"] { try cache.set(Data(count: 100), forKey: key) }
        _ = try cache.data(forKey: "a")
        #expect(try cache.contains("b"))
        #expect(try cache.typeName(forKey: "b") == "Data")
        let sqlite = try SQLite(scratch.file())
        try sqlite.run("CREATE TRIGGER no BEFORE INSERT ON molt_record BEGIN SELECT RAISE(ABORT, 'no'); END")
        MoltError.thrown { try cache.set(Data(count: 100), forKey: "c") }
        try sqlite.run("DROP TRIGGER no")
        try cache.set(Data(count: 100), forKey: "c")
        try cache.expect(keys: ["a", "c"])
    }

    @Test func `The content size is right after writes without a limit, by other caches, and by upgrades`() throws {
        let limited = try open(sizeLimit: 1_000)
        try limited.set(Data(count: 100), forKey: "a")
        let other = try open()
        try other.set(Data(count: 50), forKey: "a")
        try other.set("ünï", forKey: "b")
        #expect(try limited.contentSize() == 50 + 7)
        try limited.set(Data(count: 10), forKey: "c")
        #expect(try limited.contentSize() == 67)
        try limited.removeAll(of: String.self)
        #expect(try limited.contentSize() == 60)
        try limited.remove(forKey: "a")
        #expect(try limited.contentSize() == 10)
        limited.close()
        other.close()
        let migrations: MigrationRegistry = [Migration(to: 1, "drop", .deleteType("Data"))]
        for _ in 0..<2 { #expect(try open(migrations: migrations).contentSize() == 0) }
    }

    @Test func `An upgrade keeps the dates, the expiry and the order of use`() throws {
        let cache = try open()
        try cache.set(Person.john, forKey: "john", expiry: .after(seconds: 1e9))
        cache.close()
        let columns = "SELECT created_at, updated_at, accessed_at, expires_at FROM molt_record"
        let before = try SQLite(scratch.file()).rows(columns)
        clock.advance(to: 5_000)
        _ = try open(migrations: [Migration(to: 1, "p", .renameProperty("Person", "firstName", to: "name"))])
        #expect(try SQLite(scratch.file()).rows(columns) == before)
        let row = try SQLite(scratch.file()).rows("SELECT content, version FROM molt_record").first
        #expect(row == [#"{"name":"John","lastName":"Appleseed"}"#, "1"])
    }
}
