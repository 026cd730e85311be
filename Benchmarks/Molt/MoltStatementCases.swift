import Foundation
import Molt

/// What the cache adds to its own statements: beside the same ones by hand, by turns in one process.
///
/// What is set by hand one by one commits itself; the cache begins and commits each with statements of their own.
///
/// It is a few hundredths, and less than what two processes differ by, a minute apart.
enum MoltStatementCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] = [setOneByOne, setBatch, get]

    /// How fast the cache should be beside its statements.
    static let ratios = all.map { benchmark in
        BenchmarkRatio(
            title: "\(benchmark.name): the cache vs its own statements by hand",
            subject: benchmark.name,
            baseline: benchmark.name,
            measure: .rateInTurn,
            goal: .atLeast(0.9),
            row: "cache: set and value vs its own statements by hand",
            checkLimit: .atLeast(0.2)
        )
    }

    private static let setOneByOne = set(
        "molt-set-one-by-one-by-turns",
        "set for each value, each committed (synchronous=NORMAL); by turns with the same INSERT by hand",
        size: .oneByOne,
        turns: 50
    ) { cache, indices, people in
        for index in indices { try cache.set(people[index % people.count], forKey: People.key(index)) }
    } byHand: { store, indices, people in
        try store.set(indices) { people[$0 % people.count] }
    }

    private static let setBatch = set(
        "molt-set-batch-by-turns",
        "setAll twenty times with a twentieth of the values; by turns with the same statements in a transaction by hand",
        size: .all,
        turns: 20
    ) { cache, indices, people in
        try cache.setAll(indices.lazy.map { (key: People.key($0), value: people[$0 % people.count]) })
    } byHand: { store, indices, people in
        try store.transaction { try store.set(indices) { people[$0 % people.count] } }
    }

    private static let get = BenchmarkCase(
        name: "molt-get-from-disk-by-turns",
        summary: "value for each key, in no order, no memory layer; by turns with the same statement by hand",
        fixture: MoltStore.fixture
    ) { context in
        let file = context.file(MoltStore.fileName)
        var configuration = CodableCache.Configuration()
        configuration.memory = nil
        var times = BenchmarkInTurn(.sum)
        var found: [BenchmarkInTurn.Way: Int] = [:]
        return BenchmarkTrial(count: context.records, inTurn: { times }) { [configuration] in
            let cache = try CodableCache(at: file, configuration: configuration)
            let store = try PeerStore(at: file)
            let indices = Array(People.shuffledIndices(context.records))
            for (turn, part) in Threads.parts(indices.count, 100).enumerated() {
                for way in BenchmarkInTurn.Way.both(inTurn: turn) {
                    try times.time(way) {
                        switch way {
                        case .judged:
                            var count = 0
                            for index in indices[part] {
                                let person = try cache.value(PersonV1.self, forKey: People.key(index))
                                if let person, person.age > 0 { count += 1 }
                            }
                            found[way, default: 0] += count
                        case .other:
                            found[way, default: 0] += try store.get(indices[part])
                        }
                    }
                }
            }
            try store.close()
            cache.close()
        } finish: {
            guard BenchmarkInTurn.Way.allCases.allSatisfy({ found[$0] == context.records }) else {
                throw BenchmarkError("Not all of \(context.records) values were found: \(found).")
            }
        }
    }

    /// A case that sets all values twice, in two files: through a cache, and by hand.
    private static func set(
        _ name: String,
        _ summary: String,
        size: BenchmarkCase.Size,
        turns: Int,
        throughCache: @escaping @Sendable (CodableCache, ClosedRange<Int>, [PersonV1]) throws -> Void,
        byHand: @escaping @Sendable (PeerStore, ClosedRange<Int>, [PersonV1]) throws -> Void
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, summary: summary, size: size, fixture: MoltStore.emptyFixture) { context in
            let people = People.pool()
            let files = [context.file(MoltStore.fileName), context.file("by-hand.molt")]
            try FileManager.default.copyItem(at: files[0], to: files[1])
            var times = BenchmarkInTurn(.sum)
            return BenchmarkTrial(count: context.records, inTurn: { times }) {
                let cache = try CodableCache(at: files[0])
                let store = try PeerStore(at: files[1])
                for (turn, part) in Threads.parts(context.records, turns).enumerated() {
                    let indices = part.lowerBound + 1...part.upperBound
                    for way in BenchmarkInTurn.Way.both(inTurn: turn) {
                        try times.time(way) {
                            switch way {
                            case .judged: try throughCache(cache, indices, people)
                            case .other: try byHand(store, indices, people)
                            }
                        }
                    }
                }
                // With it everything moves from the log into the file.
                for way in BenchmarkInTurn.Way.both(inTurn: turns + 1) {
                    try times.time(way) {
                        switch way {
                        case .judged: cache.close()
                        case .other: try store.close()
                        }
                    }
                }
            } finish: {
                for file in files { try MoltCacheCases.check(context, in: file) }
            }
        }
    }
}
