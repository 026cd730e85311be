import Foundation
import Molt

/// Molt's cache in daily use: setting and getting values.
enum CacheCases {
    static let all: [BenchmarkCase] = [
        set(.one), set(.oneEncoded), set(.batches), setExisting, setKeepingUnknown, setOverUnknown, setAgain, setOver,
        setAllOver, get, getOnce,
    ]

    static let fileName = "people.molt"

    /// A cache file at version 0 with the same people as the peers, byte for byte.
    static let fixture = fixture(named: "molt-store") {
        (key: People.key($0), value: People.person($0))
    }

    /// A cache file at version 0.
    ///
    /// - Parameters:
    ///   - perRecord: The number of the context's records that one value is made of.
    ///   - entry: Returns the key and the value with a number, from one.
    static func fixture<Value: Encodable & Sendable>(
        named name: String,
        perRecord: Int = 1,
        _ entry: @escaping @Sendable (_ number: Int) -> (key: String, value: Value)
    ) -> BenchmarkFixture {
        BenchmarkFixture(name: name) { context in
            let cache = try CodableCache(at: context.file(fileName))
            // Values that are set together are held in memory.
            let (count, batchSize) = (context.records / perRecord, 10_000 / perRecord)
            for start in stride(from: 1, through: count, by: batchSize) {
                try cache.setAll((start...min(start + batchSize - 1, count)).lazy.map(entry))
            }
            cache.close()
        }
    }

    /// A cache file at version 0 without records.
    static let emptyFixture = BenchmarkFixture(name: "molt-store-empty") { context in
        try CodableCache(at: context.file(fileName)).close()
    }

    // MARK: Setting

    // The cache's overhead is smaller than the difference between two processes a minute apart. Both ways therefore
    // alternate in one process.
    private static let byHand = "its own statements by hand"
    private static let ratios = [BenchmarkRatio(.rate, atLeast: 0.2)]

    private enum Setting: String {
        case one = "molt-set-one-by-one"
        case oneEncoded = "molt-set-one-by-one-encoded"
        case batches = "molt-set-batch"

        var summary: String {
            switch self {
            case .one: "set for each value, each committed (synchronous=NORMAL)"
            case .oneEncoded: "the same beside a way that need not encode the values"
            case .batches: "setAll twenty times with a twentieth of the values; by hand, a transaction each time"
            }
        }
    }

    private static func set(_ way: Setting) -> BenchmarkCase {
        BenchmarkCase(
            name: way.rawValue,
            summary: way.summary,
            other: way == .oneEncoded ? "its own statements by hand, with the bytes at hand" : byHand,
            limit: way == .batches ? .max : 50_000,
            quickLimit: way == .batches ? .max : 2000,
            fixture: emptyFixture,
            ratios: ratios
        ) { context in
            let rounds = 20
            let people = People.pool()
            let contents = try people.map { try People.encoder().encode($0) }
            func values(_ round: Int) -> some Sequence<(key: String, value: PersonV1)> {
                context.indices(ofRound: round, of: rounds).lazy
                    .map { (key: People.key($0), value: people[$0 % people.count]) }
            }
            let file = context.file(fileName)
            let handFile = context.file("by-hand.sqlite")
            try FileManager.default.copyItem(at: file, to: handFile)
            let cache = try CodableCache(at: file)
            let store = try PeerStore(at: handFile)
            func setByHand(_ round: Int) throws {
                if way == .oneEncoded {
                    for index in context.indices(ofRound: round, of: rounds) {
                        try store.set(content: contents[index % contents.count], forKey: People.key(index))
                    }
                } else {
                    for (key, value) in values(round) { try store.set(value, forKey: key) }
                }
            }
            return BenchmarkTrial(count: context.records, rounds: rounds) { round in
                if way == .batches {
                    try cache.setAll(values(round))
                } else {
                    for (key, value) in values(round) { try cache.set(value, forKey: key) }
                }
                // Closing checkpoints the log.
                if round == rounds - 1 { cache.close() }
            } other: { round in
                if way == .batches {
                    try store.transaction { try setByHand(round) }
                } else {
                    try setByHand(round)
                }
                if round == rounds - 1 { try store.close() }
            } finish: {
                let cache = try CodableCache(at: file)
                defer { cache.close() }
                let store = try PeerStore(at: handFile)
                for index in stride(from: 1, through: context.records, by: 97) {
                    let key = People.key(index)
                    let mail = people[index % people.count].mail
                    guard try cache.value(PersonV1.self, forKey: key)?.mail == mail,
                        try store.value(forKey: key)?.mail == mail
                    else { throw BenchmarkError("The value of record \(index) is not what was set.") }
                }
                guard try cache.count() == context.records else { throw BenchmarkError("Not all values were set.") }
            }
        }
    }

    /// Sets each existing value once more, with other bytes, in no order.
    private static let setExisting = BenchmarkCase(
        name: "molt-set-existing",
        summary: "set for each existing value that the cache has written before, in no order",
        other: byHand,
        // A cache remembers no more keys.
        limit: 40_000,
        quickLimit: 2000,
        fixture: fixture,
        ratios: ratios
    ) { context in
        let rounds = 20
        let people = People.pool()
        let file = context.file(fileName)
        let handFile = context.file("by-hand.molt")
        try FileManager.default.copyItem(at: file, to: handFile)
        let cache = try CodableCache(at: file, configuration: withoutMemory)
        let store = try PeerStore(at: handFile)
        func values(_ round: Int, shift: Int) -> some Sequence<(key: String, value: PersonV1)> {
            context.indices(ofRound: round, of: rounds).lazy.map { index in
                let number = index &* 7_368_787 % context.records + 1
                return (key: People.key(number), value: people[(number + shift) % people.count])
            }
        }
        for round in 0..<rounds {
            for (key, value) in values(round, shift: 1) {
                try cache.set(value, forKey: key)
                try store.set(value, forKey: key)
            }
        }
        return BenchmarkTrial(count: context.records, rounds: rounds) { round in
            for (key, value) in values(round, shift: 2) { try cache.set(value, forKey: key) }
        } other: { round in
            for (key, value) in values(round, shift: 2) { try store.set(value, forKey: key) }
        } finish: {
            for number in stride(from: 1, through: context.records, by: 97) {
                let (key, mail) = (People.key(number), people[(number + 2) % people.count].mail)
                guard try cache.value(PersonV1.self, forKey: key)?.mail == mail,
                    try store.value(forKey: key)?.mail == mail
                else { throw BenchmarkError("The value of record \(number) is not what was set.") }
            }
            cache.close()
            try store.close()
        }
    }

    // MARK: Unknown properties

    private static let setKeepingUnknown = keepingUnknown(
        "molt-set-keeping-unknown",
        "set for each existing value with keepsUnknownProperties, and nothing unknown is stored",
        fixture
    )

    private static let setOverUnknown = keepingUnknown(
        "molt-set-over-unknown",
        "set for each existing value with keepsUnknownProperties, and each has an unknown property",
        fixture(named: "molt-store-photos") {
            (key: People.key($0), value: PersonWithPhoto(person: People.person($0), photo: $0))
        }
    )

    private static func keepingUnknown(_ name: String, _ summary: String, _ fixture: BenchmarkFixture) -> BenchmarkCase
    {
        BenchmarkCase(
            name: name,
            summary: summary,
            other: "the same without the option",
            limit: 50_000,
            quickLimit: 2000,
            fixture: fixture,
            ratios: [BenchmarkRatio(.time, atMost: 3)]
        ) { context in
            let rounds = 20
            let people = People.pool()
            let file = context.file(fileName)
            let otherFile = context.file("other.molt")
            try FileManager.default.copyItem(at: file, to: otherFile)
            var configuration = withoutMemory
            let other = try CodableCache(at: otherFile, configuration: configuration)
            configuration.keepsUnknownProperties = true
            let cache = try CodableCache(at: file, configuration: configuration)
            func set(_ round: Int, _ cache: CodableCache) throws {
                for index in context.indices(ofRound: round, of: rounds) {
                    try cache.set(people[index % people.count], forKey: People.key(index))
                }
            }
            return BenchmarkTrial(count: context.records, rounds: rounds) { round in
                try set(round, cache)
            } other: { round in
                try set(round, other)
            } finish: {
                for index in stride(from: 1, through: context.records, by: 97) {
                    let stored = try cache.value(PersonWithPhoto.self, forKey: People.key(index))
                    guard stored?.person.mail == people[index % people.count].mail,
                        stored?.photo == (fixture.name == Self.fixture.name ? nil : index)
                    else { throw BenchmarkError("The value of record \(index) is not what was set.") }
                }
            }
        }
    }

    // MARK: Values that might not be readable

    private static let setAgain = overwriting(
        "molt-set-again",
        "set for each existing value that the cache has written before",
        isAgain: true
    )

    private static let setOver = overwriting(
        "molt-set-over-existing",
        "set for each existing value, for the first time"
    )

    private static let setAllOver = overwriting(
        "molt-set-batch-over-existing",
        "setAll twenty times with a twentieth of the existing values, for the first time",
        inBatches: true
    )

    /// Sets values over others of their type, which can be read.
    private static func overwriting(
        _ name: String,
        _ summary: String,
        isAgain: Bool = false,
        inBatches: Bool = false
    ) -> BenchmarkCase {
        BenchmarkCase(
            name: name,
            summary: summary,
            other: "the same without looking whether they can be read",
            // A cache remembers no more keys.
            limit: 40_000,
            quickLimit: 2000,
            fixture: fixture,
            ratios: [BenchmarkRatio(.time, atMost: isAgain ? 1.5 : 3)]
        ) { context in
            let rounds = 20
            let people = People.pool()
            let file = context.file(fileName)
            let otherFile = context.file("other.molt")
            try FileManager.default.copyItem(at: file, to: otherFile)
            var configuration = withoutMemory
            let cache = try CodableCache(at: file, configuration: configuration)
            configuration.unreadableValues = .overwrite
            let other = try CodableCache(at: otherFile, configuration: configuration)
            func set(_ round: Int, _ cache: CodableCache) throws {
                let indices = context.indices(ofRound: round, of: rounds)
                if inBatches {
                    try cache.setAll(indices.lazy.map { (key: People.key($0), value: people[$0 % people.count]) })
                } else {
                    for index in indices { try cache.set(people[index % people.count], forKey: People.key(index)) }
                }
            }
            if isAgain { for round in 0..<rounds { for cache in [cache, other] { try set(round, cache) } } }
            return BenchmarkTrial(count: context.records, rounds: rounds) { round in
                try set(round, cache)
            } other: { round in
                try set(round, other)
            } finish: {
                guard try cache.quarantinedCount == 0 else { throw BenchmarkError("A readable value was quarantined.") }
                for index in stride(from: 1, through: context.records, by: 97) {
                    guard
                        try cache.value(PersonV1.self, forKey: People.key(index))?.mail
                            == people[index % people.count].mail
                    else { throw BenchmarkError("The value of record \(index) is not what was set.") }
                }
            }
        }
    }

    // MARK: Getting

    private static let get = reads(
        "molt-get-from-disk",
        "value for each key, in no order, without a memory layer",
        other: byHand,
        ratios: ratios
    ) { context in
        let cache = try CodableCache(at: context.file(fileName), configuration: withoutMemory)
        let store = try PeerStore(at: context.file(fileName))
        return ({ try cache.value(forKey: $0) }, { try store.value(forKey: $0) })
    }

    private static let getOnce = reads(
        "molt-get-once",
        "value for each key once, in no order, with the memory layer that a cache has by default",
        other: "a cache without a memory layer",
        limit: 200_000,
        ratios: [BenchmarkRatio(.time, atMost: 3)]
    ) { context in
        let cache = try CodableCache(at: context.file(fileName))
        let bare = try CodableCache(at: context.file(fileName), configuration: withoutMemory)
        return ({ try cache.value(forKey: $0) }, { try bare.value(forKey: $0) })
    }

    static var withoutMemory: MoltConfiguration {
        var configuration = MoltConfiguration()
        configuration.memory = nil
        return configuration
    }

    private typealias Reader = (_ key: String) throws -> PersonV1?

    /// Reads all values, in an order unrelated to keys and rows.
    private static func reads(
        _ name: String,
        _ summary: String,
        other: String,
        limit: Int = .max,
        ratios: [BenchmarkRatio],
        _ prepare: @escaping @Sendable (BenchmarkContext) throws -> (Reader, Reader)
    ) -> BenchmarkCase {
        BenchmarkCase(
            name: name,
            summary: summary,
            other: other,
            limit: limit,
            fixture: fixture,
            ratios: ratios
        ) { context in
            let rounds = 100
            let (subject, other) = try prepare(context)
            let indices = People.shuffledIndices(context.records)
            func read(_ round: Int, _ reader: Reader) throws {
                for place in context.indices(ofRound: round, of: rounds) {
                    guard let person = try reader(People.key(indices[place - 1])), person.age > 0 else {
                        throw BenchmarkError("A value is missing.")
                    }
                }
            }
            return BenchmarkTrial(count: context.records, rounds: rounds) { round in
                try read(round, subject)
            } other: { round in
                try read(round, other)
            }
        }
    }
}

extension PersonV1: RecordType {
    static var recordTypeName: String { People.typeName }
}
