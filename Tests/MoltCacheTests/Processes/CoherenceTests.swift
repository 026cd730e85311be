import Foundation
import Generators
import Testing

@testable import Molt

/// Two caches on one file stand for two processes: they share nothing but the file.
@Suite struct `Two caches on the same file` {
    let scratch: ScratchDirectory
    let first: CodableCache
    let second: CodableCache

    init() throws {
        scratch = try ScratchDirectory()
        first = try CodableCache(at: scratch.file())
        second = try CodableCache(at: scratch.file())
    }

    @Test func `Each cache sees what the other wrote, even for a key that it has already read`() throws {
        for number in 0..<5 {
            try first.set(number, forKey: "n")
            #expect(try second.value(Int.self, forKey: "n") == number)
            #expect(try second.value(Int.self, forKey: "n") == number)
        }
        try first.remove(forKey: "n")
        #expect(try second.value(Int.self, forKey: "n") == nil)
        try first.setAll(["a": 1, "b": 2])
        #expect(try second.values(Int.self, forKeys: ["a", "b"]) == [1, 2])
        try first.removeAll()
        #expect(try second.count() == 0)
    }

    @Test(arguments: 1...4)
    func `Both caches read the last write, whichever of them made it`(seed: UInt64) throws {
        let third = try SQLite(scratch.file())
        var random = SeededGenerator(seed: seed)
        var model: [String: Int] = [:]
        for step in 0..<2_000 {
            let key = "key \(Int.random(in: 0..<5, using: &random))"
            let cache = Bool.random(using: &random) ? first : second
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                try cache.set(step, forKey: key)
                model[key] = step
            case 1:
                try cache.remove(forKey: key)
                model[key] = nil
            case 2:
                try cache.setAll([key: step, "more": step])
                model[key] = step
            case 3:
                try third.run("PRAGMA wal_checkpoint(\(Bool.random(using: &random) ? "PASSIVE" : "RESTART"))")
            case 4:
                guard model[key] != nil else { continue }
                try third.run("UPDATE molt_record SET content = '\(step)' WHERE key = '\(key)'")
                model[key] = step
            default:
                #expect(try cache.value(Int.self, forKey: key) == model[key], "at step \(step)")
            }
        }
    }

    @Test func `A migration that keeps the schema version is noticed`() throws {
        let url = scratch.file("late")
        let old = try CodableCache(at: url, migrations: [Migration(to: 1, "a")])
        _ = try CodableCache(at: url, migrations: [Migration(to: 1, "a"), Migration(to: 1, "b")])
        #expect(throws: MoltError.self) { try old.set(1, forKey: "one") }?.expect(.storeChanged)
    }

    @Test func `A migration that another process applies during the opening is noticed`() throws {
        let url = scratch.file("late")
        _ = try CodableCache(at: url, migrations: [Migration(to: 1, "a")])
        var configuration = CodableCache.Configuration()
        configuration.monitor = MigrationMonitor { event in
            guard case .finished = event else { return }
            _ = try? CodableCache(at: url, migrations: [Migration(to: 1, "a"), Migration(to: 1, "b")])
        }
        #expect(throws: MoltError.self) {
            _ = try CodableCache(at: url, migrations: [Migration(to: 1, "a")], configuration: configuration)
        }?.expect(.storeChanged)
    }

    @Test func `A write waits for another writer only until the busy timeout`() throws {
        let configuration = CodableCache.Configuration { $0.timeout = .milliseconds(20) }
        let impatient = try CodableCache(at: scratch.file(), configuration: configuration)
        let other = try SQLite(scratch.file())
        try other.run("BEGIN IMMEDIATE")
        #expect(throws: MoltError.self) { try impatient.set(1, forKey: "one") }?.expect(.busy)
        #expect(try impatient.count() == 0)
        try other.run("COMMIT")
        try impatient.set(1, forKey: "one")
    }
}

/// A type that counts its decodings: a read that decodes was not served by the memory layer.
struct Counted: Codable, Sendable {
    static let decodings = Locked<[String: Int]>([:])

    var name: String

    init(name: String) {
        self.name = name
    }

    init(from decoder: any Decoder) throws {
        name = try decoder.singleValueContainer().decode(String.self)
        Counted.decodings.withLock { [name] in $0[name, default: 0] += 1 }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

@Suite struct `The memory layer` {
    let scratch: ScratchDirectory
    let cache: CodableCache
    /// Distinguishes this test's decodings from those of tests that run at the same time.
    let name = UUID().uuidString

    init() throws {
        scratch = try ScratchDirectory()
        cache = try CodableCache(at: scratch.file())
    }

    private var decodings: Int { Counted.decodings.withLock { $0[name] ?? 0 } }

    private func readTwice(_ cache: CodableCache) throws {
        for _ in 0..<2 {
            #expect(try cache.value(Counted.self, forKey: "key")?.name == name)
        }
    }

    @Test func `A value is decoded once`() throws {
        try cache.set(Counted(name: name), forKey: "key")
        try readTwice(cache)
        #expect(decodings == 1)
    }

    @Test func `A value that was set again is decoded again`() throws {
        try cache.set(Counted(name: name), forKey: "key")
        try readTwice(cache)
        try cache.set(Counted(name: name), forKey: "key")
        try readTwice(cache)
        #expect(decodings == 2)
    }

    @Test func `A value that was kept as one type is decoded again when it is read as another`() throws {
        try cache.set(Counted(name: name), forKey: "key")
        try readTwice(cache)
        #expect(try cache.value(String.self, forKey: "key") == name)
        #expect(try cache.value(String?.self, forKey: "key") == name)
    }

    @Test func `Without a memory layer, every read decodes`() throws {
        let bare = try CodableCache(at: scratch.file(), configuration: .init { $0.memory = nil })
        try bare.set(Counted(name: name), forKey: "key")
        try readTwice(bare)
        #expect(decodings == 2)
    }

    @Test func `Instances of classes are not shared between reads`() throws {
        try cache.set(Account(name: "a"), forKey: "account")
        let one = try #require(try cache.value(Account.self, forKey: "account"))
        one.name = "changed"
        #expect(try cache.value(Account.self, forKey: "account")?.name == "a")
        try cache.set(Plain(name: "p"), forKey: "plain")
        let plain = try #require(try cache.value(Plain.self, forKey: "plain"))
        plain.name = "changed"
        #expect(try cache.value(Plain.self, forKey: "plain")?.name == "p")
    }

    @Test func `An expired value is not served from memory`() throws {
        let clock = Clock(100)
        let cache = try CodableCache(at: scratch.file("other"), configuration: .init { $0.now = { clock.date } })
        try cache.set(1, forKey: "n", expiry: .after(seconds: 10))
        #expect(try cache.value(Int.self, forKey: "n") == 1)
        clock.advance(to: 111)
        #expect(try cache.value(Int.self, forKey: "n") == nil)
    }

    @Test func `A value whose decoding overlapped with a write does not enter the memory layer`() throws {
        // The second value is written while the first is being decoded.
        let cache = cache
        try cache.set("old", forKey: "key")
        Interrupted.during.set { try? cache.set("new", forKey: "key") }
        #expect(try cache.value(Interrupted.self, forKey: "key")?.text == "old")
        #expect(try cache.value(Interrupted.self, forKey: "key")?.text == "new")
    }
}

/// A type whose decoding can be interrupted by a write.
struct Interrupted: Decodable, Sendable {
    static let during = Once()

    var text: String

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        Interrupted.during.run()
    }
}
