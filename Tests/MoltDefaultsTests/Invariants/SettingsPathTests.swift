import Foundation
import Generators
import MoltCache
import MoltCore
import MoltDefaults
import TestSupport
import Testing

/// Invariant 8 for settings: one upgrade over many versions ends like one upgrade per version.
@Suite("Upgrade paths of settings")
struct SettingsPathTests {
    @Test(arguments: PrimaryStore.allCases, 0..<TestRun.choose(8, long: 200))
    func `A random registry gives the same settings at once and step by step`(primary: PrimaryStore, seed: UInt64)
        throws
    {
        let atOnce = try Upgrades(primary, seed: seed)
        let stepwise = try Upgrades(primary, seed: seed)
        let first = Result { try atOnce.run([atOnce.registry]) }
        let second = Result { try stepwise.run((1...Upgrades.versions).map { stepwise.registry.upTo(version: $0) }) }
        switch (first, second) {
        case (.success, .success):
            #expect(try atOnce.settings == stepwise.settings)
            #expect(try atOnce.ledger == stepwise.ledger)
            #expect(try atOnce.ledger.count == Upgrades.versions)
        case (.failure(let first as MigrationError), .failure(let second as MigrationError)):
            #expect(first.code == second.code)
            #expect(first.migration == second.migration)
            #expect(first.recordKey == second.recordKey)
        default:
            Issue.record("Seed \(seed) fails on one path only: \(first), \(second)")
        }
    }

    @Test func `A step sees a date as the suite will store it, also in a binary file`() throws {
        let binary = try ScratchSuite(["other": 1])
        let date = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 1.75))
        #if !canImport(Darwin)
            try binary.writeFile(["date": date, "other": 1], .binary)
        #else
            try binary.suite.set(date, forKey: "date")
        #endif
        let (suite, seen) = (binary.suite, date.asStored())
        try ScratchCache().upgrade([
            Migration(
                to: 1,
                "dates",
                .settings(in: suite) { settings in
                    #expect(try settings.value(forKey: "date") == seen)
                    try settings.set(date, forKey: "new")
                    #expect(try settings.value(forKey: "new") == seen)
                }
            )
        ])
    }
}

/// Two suites with random settings, and a registry of random steps on them.
private struct Upgrades {
    static let versions = 6
    private static let keys = ["a", "b", "c", "d"]

    let registry: MigrationRegistry
    private let primary: PrimaryStore
    private let suites: [ScratchSuite]
    private let cache: ScratchCache

    init(_ primary: PrimaryStore, seed: UInt64) throws {
        self.primary = primary
        var random = SeededGenerator(seed: seed)
        suites = try (0..<2).map { _ in
            var values: [String: PropertyListValue] = [:]
            for key in Self.keys where !random.oneIn(3) { values[key] = Self.value(&random) }
            return try ScratchSuite(values)
        }
        cache = try ScratchCache()
        try CodableCache(at: cache.url).close()
        var migrations: [Migration] = []
        for version in 1...Self.versions {
            migrations.append(Self.migration(to: version, suites.map(\.suite), &random))
        }
        registry = MigrationRegistry(migrations)
    }

    func run(_ registries: [MigrationRegistry]) throws {
        for registry in registries {
            try primary.upgrade(suites[0].suite, cache: cache.url, with: registry)
        }
    }

    /// The suites' values without the ledger, which contains times.
    var settings: [[String: PropertyListValue]] {
        get throws { try suites.map { try $0.settings } }
    }

    /// The ledger's rows without their times, and with a count for each suite instead of its name.
    var ledger: [[String]] {
        get throws {
            try primary.state(of: suites[0].suite, cache: cache.url).ledger.map { row in
                let counts = suites.map { row.attachedCounts[$0.suite.attachedName].map(String.init) ?? "–" }
                return [row.name, String(row.version), row.outcome.rawValue] + counts
            }
        }
    }

    private static func value(_ random: inout SeededGenerator) -> PropertyListValue {
        random.pick([
            .date(Date(timeIntervalSinceReferenceDate: 1.75)), .unsigned(7), .unsigned(.max), .int(-1), .double(1),
            .bool(true), .string("[\"x\",\"y\"]"), .string("[1,2"), .string("{\"k\":[1,2]}"), .string("text"),
            .array([.date(Date(timeIntervalSinceReferenceDate: -0.5)), .unsigned(3)]), .data(Data([1, 2])),
        ])
    }

    private static func migration(
        to version: Int,
        _ suites: [Suite],
        _ random: inout SeededGenerator
    ) -> Migration {
        let name = "m\(version)"
        let swapped = random.oneIn(2)
        let (suite, other) = swapped ? (suites[1], suites[0]) : (suites[0], suites[1])
        let key = random.pick(keys)
        let otherKey = random.pick(keys.filter { $0 != key })
        let new = value(&random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            return Migration(to: version, name, .settings(in: suite) { try $0.set(new, forKey: key) })
        case 1:
            // The written value records exactly what the step has seen.
            return Migration(
                to: version,
                name,
                .settings(in: suite) { settings in
                    let seen = try settings.value(forKey: key)
                    if case .date(let date)? = seen {
                        try settings.set(.double(date.timeIntervalSinceReferenceDate), forKey: otherKey)
                    } else {
                        try settings.set(.string(String(describing: seen)), forKey: otherKey)
                    }
                }
            )
        case 2: return Migration(to: version, name, .renameKey(key, to: otherKey, in: suite))
        case 3: return Migration(to: version, name, .removeKeys(key, in: suite))
        case 4:
            return .defaultsV4ToV5(
                to: version,
                name,
                suite: suite,
                keys: [.key(key, .array(of: .string)), .key(otherKey, .array(of: .int))]
            )
        case 5: return .swiftyUserDefaults(to: version, name, suite: suite, keys: [.key(key, .array(of: .string))])
        default:
            return .suiteToAppGroup(
                to: version,
                name,
                from: suite,
                into: other,
                keys: random.oneIn(2) ? .all : .only([key]),
                renaming: random.oneIn(2) ? [:] : [key: "e"],
                conflict: random.oneIn(2) ? .sourceWins : .destinationWins,
                afterwards: random.oneIn(2) ? .keep : .clean
            )
        }
    }
}
