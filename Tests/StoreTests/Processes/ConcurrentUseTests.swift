import Foundation
import Molt
import Testing

@Suite struct `A cache used by several threads` {
    let scratch: ScratchDirectory
    let cache: CodableCache

    init() throws {
        scratch = try ScratchDirectory()
        cache = try CodableCache(at: scratch.file(), configuration: .init { $0.timeout = .seconds(600) })
        try cache.setAll((0..<100).map { (key: "key \($0)", value: $0) })
    }

    private func read(_ round: Int) throws {
        try cache.expect(round % 100, forKey: "key \(round % 100)")
        #expect(try cache.values(of: Int.self).count == 100)
        #expect(try cache.values(Int.self, forKeys: ["key 1"]) == [1])
    }

    @Test func `reads while a write waits for another process's lock`() async throws {
        let other = try SQLite(scratch.file())
        try other.run("BEGIN IMMEDIATE")
        let isWritten = Locked(false)
        let cache = cache
        try await withThrowingTaskGroup { group in
            group.addTask {
                // A write that waits must not take a thread from the reads.
                try await withCheckedThrowingContinuation { continuation in
                    DispatchQueue(label: "writer").async {
                        continuation.resume(with: Result { try cache.setAll(["key 1": -1]) })
                    }
                }
                isWritten.withLock { $0 = true }
            }
            // Some reads come before the write has begun to wait, some after.
            for round in 0..<200 {
                try read(round)
                await Task.yield()
            }
            #expect(!isWritten.withLock { $0 })
            try other.run("COMMIT")
            try await group.waitForAll()
        }
        try cache.expect(-1, forKey: "key 1")
    }

    /// Each writer increments a key of its own, which a reader must never see decrease, from memory or from the file.
    @Test(arguments: [1, 3])
    func `never reads an older value after a newer one`(writers: Int) async throws {
        let cache = cache
        let running = Locked(writers)
        try await withThrowingTaskGroup { group in
            for writer in 0..<writers {
                group.addTask {
                    defer { running.withLock { $0 -= 1 } }
                    for count in 0..<TestRun.choose(200, long: 500) {
                        try cache.set(count, forKey: "count \(writer)")
                        try cache.expect(count, forKey: "count \(writer)")
                        if count % 50 == 0 { await Task.yield() }
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    var last = Array(repeating: -1, count: writers)
                    while running.withLock({ $0 }) > 0 {
                        for writer in 0..<writers {
                            let found = try cache.value(Int.self, forKey: "count \(writer)") ?? -1
                            #expect(found >= last[writer])
                            last[writer] = found
                        }
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `can be used, and closed, by a value that is being decoded`() throws {
        let cache = cache
        Interrupted.during.set {
            #expect(throws: Never.self) {
                try cache.expect(1, forKey: "key 1")
                try cache.set(5, forKey: "key 5")
                #expect(try cache.values(of: Int.self).count == 100)
            }
            cache.close()
        }
        try cache.set("text", forKey: "interrupted")
        #expect(try cache.values(of: Interrupted.self).map(\.value.text) == ["text"])
        MoltError.thrown { try cache.count() }?.expect(.closed)
        // The read that was in progress closed the file when it ended.
        try expectNames("cache.molt", in: scratch)
    }

    /// A value that writes to the cache that kept it in memory when it is deinitialized.
    private final class Companion: Codable, Sendable {
        static let cache = Locked<CodableCache?>(nil)

        deinit {
            try? Self.cache.withLock { $0 }?.set(true, forKey: "ended")
        }
    }

    private struct Holder: Codable, Sendable {
        var companion = Companion()
    }

    @Test func `can be used by the deinitializer of a value that it kept in memory`() throws {
        defer { Companion.cache.withLock { $0 = nil } }
        let ends: [(CodableCache) throws -> Void] = [
            { try $0.remove(forKey: "holder") }, { try $0.removeAll() }, { try $0.setAll(["holder": 1]) },
        ]
        for (number, end) in ends.enumerated() {
            let cache = try CodableCache(at: scratch.file("ends \(number).molt"))
            try cache.set(Holder(), forKey: "holder")
            for _ in 0..<2 { #expect(try cache.value(Holder.self, forKey: "holder") != nil) }
            try cache.expect(nil as Bool?, forKey: "ended")
            Companion.cache.withLock { $0 = cache }
            try end(cache)
            try cache.expect(true, forKey: "ended")
            Companion.cache.withLock { $0 = nil }
        }
    }

    @Test func `can be used by its own clock`() throws {
        let own = Locked<CodableCache?>(nil)
        let isAsking = Locked(false)
        var configuration = MoltConfiguration { $0.sizeLimit = 1_000_000 }
        configuration.now = {
            let isNested = isAsking.withLock { isAsking in
                defer { isAsking = true }
                return isAsking
            }
            if isNested { return Date(timeIntervalSince1970: 1) }
            defer { isAsking.withLock { $0 = false } }
            let time = own.withLock { $0 }.flatMap { try? $0.value(Double.self, forKey: "time") }
            return Date(timeIntervalSince1970: time ?? 1)
        }
        let cache = try CodableCache(at: scratch.file("clock.molt"), configuration: configuration)
        try cache.set(100.0, forKey: "time")
        own.withLock { $0 = cache }
        try cache.set("a", forKey: "a", expiry: .after(seconds: 10))
        try cache.setAll(["b": "b"], expiry: .after(seconds: 10))
        #expect(try cache.entry(String.self, forKey: "a")?.expiration == Date(timeIntervalSince1970: 110))
        for _ in 0..<2 { try cache.expect("a", forKey: "a") }
        #expect(try cache.count() == 3)
        try cache.remove(forKey: "b")
        #expect(try cache.removeExpired() == 0)
        own.withLock { $0 = nil }
    }
}

/// Written as a string, and read as a type whose decoding can be interrupted.
private struct Interrupted: Decodable, RecordType {
    static let recordTypeName = "String"
    static let during = Once()

    let text: String

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        Self.during.run()
    }
}
