import Foundation
import Molt

/// Molt's cache in daily use: opening when there is nothing to do, setting and getting values.
enum MoltCacheCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] = [
        openCurrent, openEmpty, setOneByOne, setBatch, getFromDisk, getAndRemember, getFromMemory,
    ]

    /// How the cache compares with SQL by hand, with the goals.
    static let ratios: [BenchmarkRatio] = [
        BenchmarkRatio(
            title: "\(openCurrent.name) vs an empty store",
            subject: openCurrent.name,
            baseline: openEmpty.name,
            measure: .timePerUnit,
            goal: .atMost(1.5),
            row: "opening a store that is up to date vs an empty one",
            checkLimit: .atMost(4)
        ),
        leastRatio(setOneByOne, PeerCacheCases.setOneByOneCase),
        leastRatio(setBatch, PeerCacheCases.setBatchCase),
        leastRatio(getFromDisk, PeerCacheCases.getCase),
        leastRatio(getAndRemember, PeerCacheCases.getCase),
    ]

    /// How fast the memory layer should be.
    static let rates = [
        BenchmarkRate(
            title: "\(getFromMemory.name): values",
            subject: getFromMemory.name,
            measure: .units,
            goal: .atLeast(1_000_000),
            row: "cache: value from memory"
        )
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
        fixture: MoltStore.emptyFixture,
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
        fixture: MoltStore.emptyFixture,
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
        memory: nil
    )

    private static let getAndRemember = get(
        "molt-get-and-remember",
        "value for each key, in no order, with the memory layer that a cache has by default",
        memory: .init()
    )

    private static func get(
        _ name: String,
        _ summary: String,
        memory: CodableCache.MemoryLimit?
    ) -> BenchmarkCase {
        BenchmarkCase(
            name: name,
            summary: summary,
            fixture: MoltStore.fixture,
            reference: PeerCacheCases.getCase
        ) { context in
            var configuration = CodableCache.Configuration()
            configuration.memory = memory
            var found = 0
            return BenchmarkTrial(count: context.records) { [configuration] in
                let cache = try CodableCache(at: context.file(MoltStore.fileName), configuration: configuration)
                for index in People.shuffledIndices(context.records) {
                    let person = try cache.value(PersonV1.self, forKey: People.key(index))
                    if let person, person.age > 0 { found += 1 }
                }
                cache.close()
            } finish: {
                guard found == context.records else {
                    throw BenchmarkError("\(found) of \(context.records) values were found.")
                }
            }
        }
    }

    private static let getFromMemory = BenchmarkCase(
        name: "molt-get-from-memory",
        summary: "value for each of 1000 keys over and over, which are kept in memory",
        fixture: MoltStore.fixture,
        reference: PeerCacheCases.getCase
    ) { context in
        // An app has its keys: what making them costs is not the cache's.
        let keys = (1...min(1000, context.records)).map(People.key)
        let cache = try CodableCache(at: context.file(MoltStore.fileName))
        // From the first reading on they are in memory.
        for key in keys { _ = try cache.value(PersonV1.self, forKey: key) }
        var found = 0
        return BenchmarkTrial(count: context.records) {
            for index in People.shuffledIndices(context.records) {
                let person = try cache.value(PersonV1.self, forKey: keys[index % keys.count])
                if let person, person.age > 0 { found += 1 }
            }
            cache.close()
        } finish: {
            guard found == context.records else {
                throw BenchmarkError("\(found) of \(context.records) values were found.")
            }
        }
    }

    private static func open(_ name: String, _ summary: String, _ fixture: BenchmarkFixture) -> BenchmarkCase {
        BenchmarkCase(name: name, summary: summary, unit: .opens, fixture: fixture) { context in
            // Enough for a rate; fewer in quick mode.
            let opens = context.records < 100_000 ? 200 : 1000
            let file = context.file(MoltStore.fileName)
            let migrations = MoltMigrations.renameType
            // The upgrade is not what is measured here.
            try CodableCache(at: file, migrations: migrations).close()
            var upToDate = 0
            return BenchmarkTrial(count: opens) {
                for _ in 0..<opens {
                    let cache = try CodableCache(at: file, migrations: migrations)
                    if cache.report.isEmpty { upToDate += 1 }
                    cache.close()
                }
            } finish: {
                guard upToDate == opens else {
                    throw BenchmarkError("\(name): the store was up to date at \(upToDate) of \(opens) opens.")
                }
            }
        }
    }

    /// Against the least that an app would write by hand, with fewer columns and smaller pages: what all of Molt costs.
    private static func leastRatio(_ benchmark: BenchmarkCase, _ baseline: String) -> BenchmarkRatio {
        BenchmarkRatio(
            title: "\(benchmark.name) vs the least SQL by hand",
            subject: benchmark.name,
            baseline: baseline,
            measure: .rate
        )
    }

    /// Fails unless the cache has the values that a case has set.
    static func check(_ context: BenchmarkContext, in file: URL? = nil) throws {
        let cache = try CodableCache(at: file ?? context.file(MoltStore.fileName))
        defer { cache.close() }
        guard try cache.count() == context.records else { throw BenchmarkError("Not all values were set.") }
        let people = People.pool()
        for index in stride(from: 1, through: context.records, by: 97) {
            let person = try cache.value(PersonV1.self, forKey: People.key(index))
            guard person?.mail == people[index % people.count].mail else {
                throw BenchmarkError("The value of record \(index) is not what was set.")
            }
        }
    }
}
