import Foundation
import Molt
import MoltCore

/// The cache when several threads use it, and what its memory layer costs where it cannot help.
enum MoltThreadCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] =
        hits + [getOnce, readsBesideWriter, writesBesideReaders, allValues, allValuesByHand]

    /// How the cache compares with itself on one thread, without a memory layer, and with connections by hand.
    static let ratios: [BenchmarkRatio] = [
        BenchmarkRatio(
            title: "\(hits[2].name) vs one thread",
            subject: hits[2].name,
            baseline: hits[0].name,
            measure: .rate,
            goal: .atLeast(1),
            row: "cache: value from memory on 4 threads vs 1",
            checkLimit: .atLeast(0.3)
        ),
        BenchmarkRatio(
            title: "\(hits[2].name) vs one thread, processor time",
            subject: hits[2].name,
            baseline: hits[0].name,
            measure: .processorTimePerUnit,
            goal: .atMost(1.5),
            row: "cache: processor time of a value from memory on 4 threads vs 1",
            checkLimit: .atMost(4)
        ),
        BenchmarkRatio(
            title: "\(getOnce.name): with a memory layer vs without",
            subject: getOnce.name,
            baseline: getOnce.name,
            measure: .timeInTurn,
            goal: .atMost(1.25),
            row: "cache: a value that is read once, with a memory layer vs without",
            checkLimit: .atMost(3)
        ),
        besideOthers(readsBesideWriter, "reads"),
        besideOthers(writesBesideReaders, "writes"),
        BenchmarkRatio(
            title: "\(allValues.name) vs by hand, peak memory",
            subject: allValues.name,
            baseline: allValuesByHand.name,
            measure: .memory,
            goal: .atMost(1.2),
            row: "cache: peak memory of values(of:) vs by hand",
            checkLimit: .atMost(2)
        ),
    ]

    private static func besideOthers(_ benchmark: BenchmarkCase, _ what: String) -> BenchmarkRatio {
        BenchmarkRatio(
            title: "\(benchmark.name): \(what) of the cache vs a connection for each thread by hand",
            subject: benchmark.name,
            baseline: benchmark.name,
            measure: .rateInTurn,
            goal: .atLeast(0.9),
            row: "cache: 4 readers beside 1 writer vs connections by hand",
            checkLimit: .atLeast(0.2)
        )
    }

    // MARK: Values from memory

    private static let hits = [1, 2, 4].map { threads in
        BenchmarkCase(
            name: "molt-get-from-memory-\(threads)-threads",
            summary: "value for each of 1000 keys over and over, which are kept in memory, on \(threads) threads",
            size: .always(4_000_000, quick: 100_000),
            fixture: MoltStore.emptyFixture
        ) { context in
            let people = People.pool()
            let keys = (1...1000).map(People.key)
            let cache = try CodableCache(at: context.file(MoltStore.fileName))
            for (index, key) in keys.enumerated() {
                try cache.set(people[index % people.count], forKey: key)
            }
            for key in keys { _ = try cache.value(PersonV1.self, forKey: key) }
            return BenchmarkTrial(count: context.records) {
                try Threads.run(threads) { thread in
                    for index in 0..<context.records / threads {
                        // Each thread has another order.
                        let key = keys[(index &* (2 &* thread &+ 1)) % keys.count]
                        guard try cache.value(PersonV1.self, forKey: key) != nil else {
                            throw BenchmarkError("A value is missing.")
                        }
                    }
                }
                cache.close()
            }
        }
    }

    // MARK: Values that are read once

    private static let getOnce = BenchmarkCase(
        name: "molt-get-once-by-turns",
        summary: "value for each key once, in no order, with the memory layer; by turns with a cache that has none",
        size: .atMost(200_000, quick: 10_000),
        fixture: MoltStore.fixture
    ) { context in
        let file = context.file(MoltStore.fileName)
        var configuration = CodableCache.Configuration()
        configuration.memory = nil
        var times = BenchmarkInTurn(.sum)
        return BenchmarkTrial(count: context.records, inTurn: { times }) { [configuration] in
            let cache = try CodableCache(at: file)
            let bare = try CodableCache(at: file, configuration: configuration)
            let indices = Array(People.shuffledIndices(context.records))
            for (turn, part) in Threads.parts(indices.count, 100).enumerated() {
                for way in BenchmarkInTurn.Way.both(inTurn: turn) {
                    try times.time(way) {
                        for index in indices[part] {
                            let key = People.key(index)
                            let found = try (way == .judged ? cache : bare).value(PersonV1.self, forKey: key)
                            guard found != nil else { throw BenchmarkError("A value is missing.") }
                        }
                    }
                }
            }
            cache.close()
            bare.close()
        }
    }

    // MARK: Four readers beside a writer

    private static let readsBesideWriter = beside(
        "molt-reads-beside-writer-by-turns",
        "values read by 4 threads while another one sets values; by turns with a connection for each thread by hand",
        countsReads: true
    )

    private static let writesBesideReaders = beside(
        "molt-writes-beside-readers-by-turns",
        "values set by a thread while 4 others read values; by turns with a connection for each thread by hand",
        countsReads: false
    )

    private static func beside(_ name: String, _ summary: String, countsReads: Bool) -> BenchmarkCase {
        BenchmarkCase(
            name: name,
            summary: summary,
            size: .atMost(20_000, quick: 1_000),
            fixture: MoltStore.fixture
        ) { context in
            let people = People.pool()
            let files = [context.file(MoltStore.fileName), context.file("by-hand.molt")]
            try FileManager.default.copyItem(at: files[0], to: files[1])
            var configuration = CodableCache.Configuration()
            configuration.memory = nil
            var times = BenchmarkInTurn(.sum)
            return BenchmarkTrial(count: context.records, inTurn: { times }) { [configuration] in
                let cache = try CodableCache(at: files[0], configuration: configuration)
                // Only the thread that writes uses it.
                nonisolated(unsafe) let store = try PeerStore(at: files[1])
                let parts = Threads.parts(context.records, 20)
                for (turn, part) in parts.enumerated() {
                    for way in BenchmarkInTurn.Way.both(inTurn: turn) {
                        try times.time(way) {
                            let work = Work(readers: 4, countsReads: countsReads, part.count)
                            try Threads.run(5) { thread in
                                // The others must not wait for a thread that fails.
                                defer { work.end(thread) }
                                // A connection by hand belongs to its thread.
                                let reader = way == .other && thread > 0 ? try PeerStore(at: files[1]) : nil
                                var index = turn &* 7919 &+ thread &* 104_729
                                while let count = work.next(thread) {
                                    for _ in 0..<count {
                                        index = (index &+ 7_368_787) % context.records
                                        let key = index + 1
                                        if let reader {
                                            _ = try reader.get(CollectionOfOne(key))
                                        } else if thread > 0 {
                                            _ = try cache.value(PersonV1.self, forKey: People.key(key))
                                        } else if way == .judged {
                                            try cache.set(people[index % people.count], forKey: People.key(key))
                                        } else {
                                            try store.set(CollectionOfOne(key)) { people[$0 % people.count] }
                                        }
                                    }
                                }
                                try reader?.close()
                            }
                        }
                    }
                }
                try store.close()
                cache.close()
            }
        }
    }

    /// What each thread does next: one kind of thread has an amount of work, and the other goes on until that is done.
    private final class Work: Sendable {
        private let rest: Locked<[Int]>
        private let counted: Range<Int>

        init(readers: Int, countsReads: Bool, _ amount: Int) {
            counted = countsReads ? 1..<readers + 1 : 0..<1
            rest = Locked(Array(repeating: max(1, amount / counted.count), count: counted.count))
        }

        /// How many operations a thread does before it asks again; nil when the work is done.
        func next(_ thread: Int) -> Int? {
            rest.withLock { rest in
                guard counted.contains(thread) else { return rest.contains { $0 > 0 } ? 16 : nil }
                let place = thread - counted.lowerBound
                let count = min(16, rest[place])
                rest[place] -= count
                return count > 0 ? count : nil
            }
        }

        /// Counts what is left for a thread as done.
        func end(_ thread: Int) {
            if counted.contains(thread) { rest.withLock { $0[thread - counted.lowerBound] = 0 } }
        }
    }

    // MARK: All values of a type

    private static let allValues = all("molt-values-of-type", "values(of:) of all records at once") { context in
        let cache = try CodableCache(at: context.file(MoltStore.fileName))
        defer { cache.close() }
        return try cache.values(of: PersonV1.self).count
    }

    private static let allValuesByHand = all(
        "by-hand-values-of-type",
        "a SELECT and JSONDecoder for each row, into an array of keys and values"
    ) { context in
        try PeerStore(at: context.file(MoltStore.fileName)).values().count
    }

    private static func all(
        _ name: String,
        _ summary: String,
        _ body: @escaping @Sendable (BenchmarkContext) throws -> Int
    ) -> BenchmarkCase {
        BenchmarkCase(
            name: name,
            summary: summary,
            size: .atMost(100_000, quick: 10_000),
            fixture: MoltStore.fixture
        ) { context in
            var count = 0
            return BenchmarkTrial(count: context.records) {
                count = try body(context)
            } finish: {
                guard count == context.records else { throw BenchmarkError("\(count) values were found.") }
            }
        }
    }
}

/// Threads that do a part each.
enum Threads {
    /// Runs a closure on so many threads, each with its number from 0, and waits for all.
    ///
    /// - Throws: What one of them has thrown.
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

    /// As many parts of all that is done, or fewer where there is less than one for each.
    static func parts(_ count: Int, _ parts: Int) -> [Range<Int>] {
        let size = max(1, (count + parts - 1) / parts)
        return stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
    }
}
