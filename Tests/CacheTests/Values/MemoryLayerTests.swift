import Foundation
import Molt
import Testing

/// A value that is decoded again when it is read again was not kept by the memory layer.
@Suite(.serialized) struct `The memory layer` {
    private static let decoded = Locked(0)

    private struct Item: Codable, Sendable {
        var text: String

        init(_ text: String) {
            self.text = text
        }

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            decoded.withLock { $0 += 1 }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// A cache with values of 100 bytes each.
    private func cache(_ limit: CodableCache.MemoryLimit?, of count: Int = 100) throws -> CodableCache {
        let cache = try CodableCache(at: scratch.file(), configuration: .init { $0.memory = limit })
        try cache.setAll((0..<count).map { (key: "\($0)", value: Item(String(repeating: "x", count: 98))) })
        return cache
    }

    /// How many of these values are decoded when they are read in this order.
    private func decodings(_ cache: CodableCache, _ keys: some Sequence<Int>) throws -> Int {
        let before = Self.decoded.withLock { $0 }
        for key in keys { #expect(try cache.value(Item.self, forKey: "\(key)")?.text.count == 98) }
        return Self.decoded.withLock { $0 } - before
    }

    @Test func `keeps the values read last, and no more than its limit`() throws {
        let cases: [(limit: CodableCache.MemoryLimit?, kept: ClosedRange<Int>)] = [
            (.init(bytes: 0, count: 10), 5...10), (.init(bytes: 1_000), 5...10),
            (.init(bytes: 0, count: 1), 1...1), (.init(bytes: 100), 1...1),
            (.init(bytes: 99), 0...0), (.init(bytes: 0, count: 3), 1...3),
            (.init(), 100...100), (.init(bytes: 0), 100...100), (nil, 0...0),
        ]
        for (limit, kept) in cases {
            let cache = try cache(limit)
            defer { cache.close() }
            #expect(try decodings(cache, 0..<100) == 100)
            // In reverse order, so that no value is dropped for another before it is read.
            let again = try (0..<100).reversed().prefix { try decodings(cache, [$0]) == 0 }.count
            #expect(kept.contains(again), "\(String(describing: limit))")
        }
    }

    @Test func `keeps a value that is used repeatedly, whatever else is read`() throws {
        let cache = try cache(CodableCache.MemoryLimit(bytes: 0, count: 10))
        #expect(try decodings(cache, [0]) == 1)
        for other in 1..<100 { #expect(try decodings(cache, [other, 0]) == 1) }
    }

    @Test func `returns the value written last, whichever generation holds the one before`() throws {
        let cache = try cache(CodableCache.MemoryLimit(bytes: 0, count: 4))
        #expect(try decodings(cache, [0, 1, 2]) == 3)
        try cache.set(Item(String(repeating: "y", count: 98)), forKey: "0")
        #expect(try cache.value(Item.self, forKey: "0")?.text.first == "y")
        #expect(try decodings(cache, [1, 2]) == 0)
        #expect(try cache.value(Item.self, forKey: "0")?.text.first == "y")
        try cache.remove(forKey: "1")
        #expect(try cache.value(Item.self, forKey: "1") == nil)
        // A value that was kept as one type is decoded again when it is read as another.
        #expect(try cache.value(String.self, forKey: "2")?.first == "x")
        #expect(try cache.value(String?.self, forKey: "2")??.first == "x")
        #expect(try cache.value(Item.self, forKey: "2")?.text.first == "x")
        try cache.removeAll()
        #expect(try cache.value(Item.self, forKey: "0") == nil)
    }

    /// Counts its live instances.
    private final class Token: Sendable {
        static let alive = Locked(0)

        init() {
            Self.alive.withLock { $0 += 1 }
        }

        deinit {
            Self.alive.withLock { $0 -= 1 }
        }
    }

    private struct Holder: Decodable, Sendable {
        let token = Token()

        init(from decoder: any Decoder) throws {
            _ = try decoder.singleValueContainer().decode(String.self)
        }
    }

    @Test func `releases the values that it does not keep, and all values when the cache is closed`() throws {
        do {
            let cache = try cache(CodableCache.MemoryLimit(bytes: 0, count: 4))
            for key in 0..<100 { #expect(try cache.value(Holder.self, forKey: "\(key)") != nil) }
            #expect((1...4).contains(Token.alive.withLock { $0 }))
            cache.close()
        }
        #expect(Token.alive.withLock { $0 } == 0)
    }

    @Test func `Instances of classes are not shared between reads`() throws {
        let cache = try cache(.init(), of: 0)
        try cache.set(Account(name: "a"), forKey: "account")
        let one = try #require(try cache.value(Account.self, forKey: "account"))
        one.name = "changed"
        #expect(try cache.value(Account.self, forKey: "account")?.name == "a")
        try cache.set(Plain(name: "p"), forKey: "plain")
        let plain = try #require(try cache.value(Plain.self, forKey: "plain"))
        plain.name = "changed"
        #expect(try cache.value(Plain.self, forKey: "plain")?.name == "p")
    }

    /// A type whose decoding can be interrupted by a write.
    private struct Interrupted: Decodable, Sendable {
        static let during = Once()

        var text: String

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            Interrupted.during.run()
        }
    }

    @Test func `A value whose decoding overlapped with a write does not enter the memory layer`() throws {
        let cache = try cache(.init(), of: 0)
        // The second value is written while the first is being decoded.
        try cache.set("old", forKey: "key")
        Interrupted.during.set { try? cache.set("new", forKey: "key") }
        #expect(try cache.value(Interrupted.self, forKey: "key")?.text == "old")
        #expect(try cache.value(Interrupted.self, forKey: "key")?.text == "new")
    }
}
