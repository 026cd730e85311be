import Foundation
import Molt

/// The cache with several threads, and the memory used for many values.
enum ThreadCases {
    static let all: [BenchmarkCase] =
        [hit, hits, readsBesideWriter, writesBesideReaders, readsBesidePoolsWriter, writesBesidePoolsReaders]
        + [allValues, allValuesByHand]

    // MARK: Values from memory

    private static let hit = BenchmarkCase(
        name: "molt-get-from-memory",
        summary: "value for each of 1000 keys over and over, which are kept in memory",
        other: "object(forKey:) of an NSCache with the same values",
        fixture: CacheCases.emptyFixture,
        ratios: [BenchmarkRatio(.time, atMost: 10)]
    ) { context in
        final class Kept {
            let person: PersonV1
            init(_ person: PersonV1) { self.person = person }
        }
        let rounds = 20
        let (cache, keys) = try cacheInMemory(context)
        let other = NSCache<NSString, Kept>()
        for key in keys {
            guard let person = try cache.value(PersonV1.self, forKey: key) else { continue }
            other.setObject(Kept(person), forKey: key as NSString)
        }
        let reads = max(context.records, 100_000)
        func read(_ value: (String) throws -> PersonV1?) throws {
            for index in 0..<reads / rounds {
                guard let person = try value(keys[index % keys.count]), person.age > 0 else {
                    throw BenchmarkError("A value is missing.")
                }
            }
        }
        return BenchmarkTrial(count: reads, rounds: rounds) { _ in
            try read { try cache.value(forKey: $0) }
        } other: { _ in
            try read { other.object(forKey: $0 as NSString)?.person }
        } finish: {
            cache.close()
        }
    }

    /// A cache that keeps the values of 1000 keys in memory.
    private static func cacheInMemory(_ context: BenchmarkContext) throws -> (CodableCache, keys: [String]) {
        let people = People.pool()
        let keys = (1...people.count).map(People.key)
        let cache = try CodableCache(at: context.file(CacheCases.fileName))
        for (person, key) in zip(people, keys) { try cache.set(person, forKey: key) }
        for key in keys { _ = try cache.value(PersonV1.self, forKey: key) }
        return (cache, keys)
    }

    private static let hits = BenchmarkCase(
        name: "molt-get-from-memory-4-threads",
        summary: "value for each of 1000 keys over and over on 4 threads, which are kept in memory",
        other: "as many values on one thread",
        fixture: CacheCases.emptyFixture,
        ratios: [BenchmarkRatio(.rate, atLeast: 0.3)]
    ) { context in
        let rounds = 20
        let (cache, keys) = try cacheInMemory(context)
        let reads = max(context.records, 100_000)
        func read(on threads: Int) throws {
            try Threads.run(threads) { thread in
                for index in 0..<reads / rounds / threads {
                    // Each thread has a different order.
                    let key = keys[(index &* (2 &* thread &+ 1)) % keys.count]
                    guard try cache.value(PersonV1.self, forKey: key) != nil else {
                        throw BenchmarkError("A value is missing.")
                    }
                }
            }
        }
        return BenchmarkTrial(count: reads, rounds: rounds) { _ in
            try read(on: 4)
        } other: { _ in
            try read(on: 1)
        } finish: {
            cache.close()
        }
    }

    // MARK: Four readers beside a writer

    private static let reads = "values read by 4 threads while another one sets values"
    private static let writes = "values set by a thread while 4 others read values"

    private static let readsBesideWriter = beside("molt-reads-beside-writer", reads, counted: 1..<5)
    private static let writesBesideReaders = beside("molt-writes-beside-readers", writes, counted: 0..<1)
    private static let readsBesidePoolsWriter = beside(
        "molt-reads-beside-writer-pool",
        reads,
        counted: 1..<5,
        hasPool: true
    )
    private static let writesBesidePoolsReaders = beside(
        "molt-writes-beside-readers-pool",
        writes,
        counted: 0..<1,
        hasPool: true
    )

    /// - Parameters:
    ///   - counted: The threads with a fixed amount of work; the others run until those are done. Thread 0 is the
    ///     writer.
    ///   - hasPool: Whether the other way is a pool of connections, and not one for each thread.
    private static func beside(
        _ name: String,
        _ summary: String,
        counted: Range<Int>,
        hasPool: Bool = false
    ) -> BenchmarkCase {
        BenchmarkCase(
            name: name,
            summary: summary,
            other: hasPool ? "a pool of connections by hand, as GRDB has it" : "a connection for each thread by hand",
            quickLimit: 1000,
            fixture: CacheCases.fixture,
            ratios: [BenchmarkRatio(.rate, atLeast: 0.2)]
        ) { context in
            let rounds = 20
            let people = People.pool()
            let file = context.file(CacheCases.fileName)
            let handFile = context.file("by-hand.molt")
            try FileManager.default.copyItem(at: file, to: handFile)
            let cache = try CodableCache(at: file, configuration: CacheCases.withoutMemory)

            // Each connection is used by only one thread.
            nonisolated(unsafe) let connections = try (0..<5).map { _ in try PeerStore(at: handFile) }
            let pool = hasPool ? try PeerPool(at: handFile) : nil
            // A write takes ten times as long as a read.
            let operations = min(context.records, counted.count == 1 ? 20_000 : 200_000)

            func work(_ round: Int, _ operation: @escaping @Sendable (_ thread: Int, _ index: Int) throws -> Void)
                throws
            {
                let share = max(1, operations / rounds / counted.count)
                let running = Locked(counted.count)
                try Threads.run(5) { thread in
                    let isCounted = counted.contains(thread)
                    defer { if isCounted { running.withLock { $0 -= 1 } } }
                    var index = round &* 7919 &+ thread &* 104_729
                    var done = 0
                    while isCounted ? done < share : running.withLock({ $0 }) > 0 {
                        index = (index &+ 7_368_787) % context.records
                        try operation(thread, index + 1)
                        done += 1
                    }
                }
            }
            return BenchmarkTrial(count: operations, rounds: rounds) { round in
                try work(round) { thread, index in
                    let key = People.key(index)
                    if thread == 0 {
                        try cache.set(people[index % people.count], forKey: key)
                    } else {
                        _ = try cache.value(PersonV1.self, forKey: key)
                    }
                }
            } other: { round in
                try work(round) { thread, index in
                    let key = People.key(index)
                    if let pool {
                        if thread == 0 {
                            try pool.set(people[index % people.count], forKey: key)
                        } else {
                            _ = try pool.value(forKey: key)
                        }
                    } else if thread == 0 {
                        try connections[thread].set(people[index % people.count], forKey: key)
                    } else {
                        _ = try connections[thread].value(forKey: key)
                    }
                }
            } finish: {
                cache.close()
            }
        }
    }

    // MARK: All values of a type

    private static let allValues = all(
        "molt-values-of-type",
        "values(of:) of all records at once",
        ratios: [BenchmarkRatio(.memory, of: "by-hand-values-of-type", atMost: 2)]
    ) { file in
        let cache = try CodableCache(at: file)
        defer { cache.close() }
        return try cache.values(of: PersonV1.self).count
    }

    private static let allValuesByHand = all(
        "by-hand-values-of-type",
        "a SELECT and JSONDecoder for each row, into an array of keys and values"
    ) { file in
        try PeerStore(at: file).values().count
    }

    /// Two separate cases instead of two ways in one, because the peak memory of a process is compared.
    private static func all(
        _ name: String,
        _ summary: String,
        ratios: [BenchmarkRatio] = [],
        _ body: @escaping @Sendable (URL) throws -> Int
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, summary: summary, limit: 100_000, fixture: CacheCases.fixture, ratios: ratios) {
            context in
            BenchmarkTrial(count: context.records) { _ in
                let count = try body(context.file(CacheCases.fileName))
                guard count == context.records else { throw BenchmarkError("\(count) values were found.") }
            }
        }
    }
}

private enum Threads {
    /// Runs a closure on several threads, passes each its number from 0, and rethrows one of their errors.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failure = Locked<(any Error)?>(nil)
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do { try body(number) } catch { failure.withLock { $0 = error } }
            }
        }
        group.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
