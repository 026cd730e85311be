import Foundation
import Molt

/// Molt's cache in daily use: opening when there is nothing to do, setting and getting values.
enum MoltCacheCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] = [
        openCurrent, openEmpty, setOneByOne, setBatch, getFromDisk, getFromMemory,
    ]

    /// How the cache compares with SQL by hand, with the goals.
    static let ratios: [BenchmarkRatio] = [
        BenchmarkRatio(
            title: "\(openCurrent.name) vs an empty store",
            subject: openCurrent.name,
            baseline: openEmpty.name,
            measure: .timePerUnit,
            goal: .atMost(1.5)
        ),
        byHandRatio(setOneByOne, PeerCacheCases.setOneByOneCase),
        byHandRatio(setBatch, PeerCacheCases.setBatchCase),
        byHandRatio(getFromDisk, PeerCacheCases.getCase),
    ]

    private static let openCurrent = open(
        "molt-open-current",
        "open and close a store that is up to date, with all records in it",
        MoltStore.fixture
    )

    private static let openEmpty = open(
        "molt-open-empty",
        "open and close a store that is up to date, without a record",
        MoltStore.emptyFixture
    )

    private static let setOneByOne = BenchmarkCase(
        name: "molt-set-one-by-one",
        summary: "set for each value, each committed",
        size: .oneByOne,
        reference: PeerCacheCases.setOneByOneCase
    ) { context in
        let people = People.pool()
        return BenchmarkTrial(count: context.records) {
            let cache = try CodableCache(at: context.file(MoltStore.fileName))
            for index in 1...context.records {
                try cache.set(people[index % people.count], forKey: People.key(index))
            }
            cache.close()
        } finish: {
            try check(context)
        }
    }

    private static let setBatch = BenchmarkCase(
        name: "molt-set-batch",
        summary: "setAll with all values at once (which are held in memory until they are written)",
        reference: PeerCacheCases.setBatchCase
    ) { context in
        let people = People.pool()
        return BenchmarkTrial(count: context.records) {
            let cache = try CodableCache(at: context.file(MoltStore.fileName))
            try cache.setAll(
                (1...context.records).lazy.map { (key: People.key($0), value: people[$0 % people.count]) }
            )
            cache.close()
        } finish: {
            try check(context)
        }
    }

    private static let getFromDisk = get(
        "molt-get-from-disk",
        "value for each key, in no order, without a memory layer",
        hasMemory: false,
        reference: PeerCacheCases.getCase
    )

    private static let getFromMemory = get(
        "molt-get-from-memory",
        "value for each of 1000 keys over and over, which are kept in memory",
        hasMemory: true,
        reference: PeerCacheCases.getCase
    )

    private static func open(_ name: String, _ summary: String, _ fixture: BenchmarkFixture) -> BenchmarkCase {
        let opens = 1000
        return BenchmarkCase(name: name, summary: summary, unit: .opens, fixture: fixture) { context in
            let file = context.file(MoltStore.fileName)
            let migrations = MoltMigrations.renameType
            // The upgrade is not what is measured here.
            try CodableCache(at: file, migrations: migrations).close()
            return BenchmarkTrial(count: opens) {
                for _ in 0..<opens { try CodableCache(at: file, migrations: migrations).close() }
            } finish: {
                guard try CacheStore.state(at: file).version == migrations.version else {
                    throw BenchmarkError("\(name): the store is not up to date.")
                }
            }
        }
    }

    private static func get(
        _ name: String,
        _ summary: String,
        hasMemory: Bool,
        reference: String
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, summary: summary, fixture: MoltStore.fixture, reference: reference) { context in
            var configuration = CodableCache.Configuration()
            if !hasMemory { configuration.memory = nil }
            let keys = hasMemory ? min(1000, context.records) : context.records
            var found = 0
            return BenchmarkTrial(count: context.records) { [configuration] in
                let cache = try CodableCache(at: context.file(MoltStore.fileName), configuration: configuration)
                for index in People.shuffledIndices(context.records) {
                    let key = People.key(index % keys + 1)
                    if let person = try cache.value(PersonV1.self, forKey: key), person.age > 0 { found += 1 }
                }
                cache.close()
            } finish: {
                guard found == context.records else {
                    throw BenchmarkError("\(name): \(found) of \(context.records) values were found.")
                }
            }
        }
    }

    private static func byHandRatio(_ benchmark: BenchmarkCase, _ baseline: String) -> BenchmarkRatio {
        BenchmarkRatio(
            title: "\(benchmark.name) vs the same SQL by hand",
            subject: benchmark.name,
            baseline: baseline,
            measure: .rate,
            goal: .atLeast(0.9)
        )
    }

    private static func check(_ context: BenchmarkContext) throws {
        let cache = try CodableCache(at: context.file(MoltStore.fileName))
        defer { cache.close() }
        guard try cache.count() == context.records else { throw BenchmarkError("Not all values were set.") }
    }
}
