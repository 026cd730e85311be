internal import Foundation
public import MoltCore
internal import MoltDefaults

/// Draws random stores, made from samples of what an app has stored, to try migrations on.
///
/// ```swift
/// let generator = try StoreGenerator(
///     samples: [
///         .samples(of: "Alien", Alien(fullName: "Ada Lovelace"), Alien(fullName: "Plato", planet: "Earth")),
///         .settings(of: .standard, ["theme": "dark"], ["theme": "light", "fontSize": 13]),
///     ],
///     schemaVersion: 0
/// )
/// try generator.check(runs: 100, seed: 7) { store in
///     let migrated = try store.migrated(through: migrations)
///     guard migrated.fixture.records.count == store.records.count else { throw Lost() }
/// }
/// ```
///
/// What is drawn are other texts (none, long ones, with spaces at their ends, quotes, emoji, text from right to left),
/// other numbers (0, negative ones, the greatest), longer and shorter arrays, properties that are missing or null where
/// the samples have such, odd keys, and dates of expiry in the past and in the future. The same seed gives the same
/// stores on every platform and in every run.
public struct StoreGenerator: Sendable {
    /// The schema version and the ledger of the stores, and what carries them.
    private let base: StoreFixture
    private let maximumCount: Int
    private let samples: [StoreSamples]

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - samples: What records and settings are made from.
    ///   - primary: What carries the schema version and the ledger; a cache by default.
    ///   - schemaVersion: The version of the stores.
    ///   - ledger: The migrations that the stores count as applied.
    ///   - maximumCount: How many records a store has at most.
    /// - Throws: ``TestingError`` with the code `unsuitable`, when samples are missing or cannot be read, or
    ///   `maximumCount` is negative.
    public init(
        samples: [StoreSamples],
        primary: StoreFixture.Primary = .cache,
        schemaVersion: Int,
        ledger: [LedgerEntry] = [],
        maximumCount: Int = 50
    ) throws {
        guard maximumCount >= 0 else {
            throw TestingError(.unsuitable, "A store cannot have at most \(maximumCount) records. Give 0 or more.")
        }
        base = StoreFixture(primary: primary, schemaVersion: schemaVersion, ledger: ledger)
        self.maximumCount = maximumCount
        self.samples = samples
        let sets = try samples.map { try SampleSet($0) }
        guard Set(sets.map(\.subject)).count == sets.count else {
            throw TestingError(.unsuitable, "A type or a suite has samples in two places. Give them together.")
        }
        if case .suite = primary, sets.contains(where: \.isAboutRecords) {
            throw TestingError(.unsuitable, "A suite has no records, so there can be no samples of them.")
        }
    }

    /// Creates a generator of stores like a fixture: of its version, with records and settings like its own.
    ///
    /// - Throws: ``TestingError`` with the code `unsuitable`, when the fixture is empty or cannot be read.
    public init(like fixture: StoreFixture, maximumCount: Int = 50) throws {
        var types: [String] = []
        for record in fixture.records where !types.contains(record.typeName) { types.append(record.typeName) }
        let suites = fixture.suites.sorted { $0.key.attachedName < $1.key.attachedName }
        try self.init(
            samples: types.map { .records(of: $0, in: fixture) } + suites.map { .settings(of: $0.key, $0.value) },
            primary: fixture.primary,
            schemaVersion: fixture.schemaVersion,
            ledger: fixture.ledger,
            maximumCount: maximumCount
        )
    }

    /// The store of a seed.
    public func store(seed: UInt64) throws -> StoreFixture {
        try store(seed: seed, sets())
    }

    /// The samples, taken apart.
    func sets() throws -> [SampleSet] {
        try samples.map { try SampleSet($0) }
    }

    func store(seed: UInt64, _ sets: [SampleSet]) -> StoreFixture {
        var random = SeededGenerator(seed: seed)
        var store = base
        let types = sets.filter(\.isAboutRecords)
        if !types.isEmpty {
            var keys: Set<[UInt8]> = []
            for number in 0..<random.count(upTo: maximumCount) {
                let set = random.pick(types)
                guard case .type(let typeName) = set.subject else { continue }
                let key = random.key(number, notIn: &keys)
                let value = set.draw(using: &random)
                let expiration = random.expiration()
                store.records.append(.init(key, typeName, value.content, expiration: expiration))
            }
        }
        for set in sets {
            guard case .suite(let suite) = set.subject else { continue }
            let settings = set.draw(using: &random, allowsControls: false).settings
            if !settings.isEmpty { store.suites[suite] = settings }
        }
        return store
    }
}

extension SampleSet {
    var isAboutRecords: Bool {
        if case .type = subject { true } else { false }
    }
}

extension SeededGenerator {
    /// How many records a store has: none, few and many are all tried.
    fileprivate mutating func count(upTo maximum: Int) -> Int {
        switch below(10) {
        case 0: 0
        case 1: min(1, maximum)
        case 2, 3, 4: below(min(8, maximum) + 1)
        default: below(maximum + 1)
        }
    }

    /// When a record expires: most often never.
    fileprivate mutating func expiration() -> Date? {
        switch below(8) {
        // Whole seconds, from 2001 to 2020 and from 2100 to 2126: a test takes neither for the other.
        case 0: Date(timeIntervalSince1970: Double(978_307_200 + below(600_000_000)))
        case 1: Date(timeIntervalSince1970: Double(4_102_444_800 + below(800_000_000)))
        default: nil
        }
    }
}
