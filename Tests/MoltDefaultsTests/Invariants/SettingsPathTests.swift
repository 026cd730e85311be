import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// Invariant 8 for settings: one upgrade over many versions ends like one upgrade per version.
@Suite("Upgrade paths of settings")
struct SettingsPathTests {
    @Test(arguments: PrimaryStore.allCases, 0..<TestRun.choose(8, long: 200))
    func `A random registry gives the same settings at once and step by step`(primary: PrimaryStore, seed: UInt64)
        throws
    {
        let atOnce = try Device(primary, seed: seed)
        var stepwise = try Device(primary, seed: seed)
        let first = Result { try atOnce.upgrade() }
        let second = Result { try stepwise.upgradeWithEachRelease() }
        switch (first, second) {
        case (.success, .success):
            #expect(try atOnce.settings == stepwise.settings, atOnce.comment)
            #expect(try atOnce.records == stepwise.records, atOnce.comment)
            #expect(try atOnce.ledger == stepwise.ledger, atOnce.comment)
        case (.failure(let first as MoltError), .failure(let second as MoltError)):
            #expect(first.code == second.code, atOnce.comment)
            #expect(first.migration == second.migration, atOnce.comment)
            #expect(first.key == second.key, atOnce.comment)
        default:
            Issue.record("One path fails, \(first), \(second): \(atOnce.comment)")
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

/// Two suites that a cache changes, or the first suite by itself.
private struct Device {
    private let primary: PrimaryStore
    private let suites: [ScratchSuite]
    private let cache: ScratchCache
    private var app: RandomUpgrade
    var comment: Comment { "\(app)" }

    init(_ primary: PrimaryStore, seed: UInt64) throws {
        self.primary = primary
        var random = SeededGenerator(seed: seed)
        suites = try (0..<2).map { _ in try ScratchSuite(RandomUpgrade.settings(&random)) }
        app = RandomUpgrade(
            seed: seed,
            primary == .cache ? [.records, .models, .onRead] : [],
            suites: suites.map(\.suite)
        )
        cache = try ScratchCache()
        try StoreContents(version: 0, records: app.records()).write(to: CacheStore(at: cache.url))
    }

    /// Opens the store with the last release.
    func upgrade() throws {
        try primary.upgrade(suites[0].suite, cache: cache.url, with: app.registry)
        try backfill()
    }

    /// Opens the store with each release, or skips some; an extension, which does not see the suites, may open it first.
    mutating func upgradeWithEachRelease() throws {
        for version in 1...app.registry.version where version == app.registry.version || !app.random.oneIn(3) {
            let registry = app.registry(of: version)
            if primary == .cache, app.random.oneIn(3) { try cache.upgrade(registry, role: .appExtension) }
            try primary.upgrade(suites[0].suite, cache: cache.url, with: registry)
        }
        try backfill()
    }

    private func backfill() throws {
        guard primary == .cache else { return }
        let cache = try CodableCache(at: cache.url, migrations: app.registry)
        defer { cache.close() }
        try cache.backfill()
    }

    /// The suites' values without the ledger, which contains times.
    var settings: [[String: PropertyListValue]] {
        get throws { try suites.map { try $0.settings } }
    }

    /// The cache's records.
    var records: [StoreContents.StoredRecord] {
        get throws { try CacheStore.contents(at: cache.url).records }
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
}
