import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// Invariant 8 for settings: one upgrade over many versions ends like one upgrade per version.
@Suite("Upgrade paths of settings") struct SettingsPathTests {
    @Test(arguments: PrimaryStore.allCases, 0..<TestRun.choose(4, long: 200))
    func `A random registry gives the same settings at once and step by step`(primary: PrimaryStore, seed: UInt64)
        throws
    {
        let atOnce = try Device(primary, seed: seed)
        var stepwise = try Device(primary, seed: seed)
        guard try Self.bothSucceed({ try atOnce.upgrade() }, { try stepwise.upgradeWithEachRelease() }, atOnce.comment)
        else { return }
        let (first, second) = try (atOnce.outcome(), stepwise.outcome())
        #expect(first == second, atOnce.comment)
        for case let resident? in first.settings.map({ $0[Resident.name] }) {
            #expect(throws: Never.self, atOnce.comment) { try Resident.read(resident) }
        }
    }

    /// Invariant 2 for suites: a step takes effect once, whichever of the stores is opened first.
    @Test(arguments: PrimaryStore.allCases, 0..<TestRun.choose(4, long: 200))
    func `Several stores change the suites that they share as one store does`(primary: PrimaryStore, seed: UInt64)
        throws
    {
        let atOnce = try Device(primary, seed: seed)
        var shared = try Device(primary, seed: seed, caches: 3)
        guard try Self.bothSucceed({ try atOnce.upgrade() }, { try shared.upgradeWithEachRelease() }, atOnce.comment)
        else { return }
        let (first, second) = try (atOnce.outcome(), shared.outcome())
        #expect(first.settings == second.settings, atOnce.comment)
        #expect(first.handedOver == second.handedOver, atOnce.comment)
        for store in 0..<3 {
            let other = try shared.outcome(of: store)
            if primary == .cache { #expect(first.records == other.records, atOnce.comment) }
            // Which suite-only upgrade has left a migration to a cache depends on the path.
            guard primary == .cache || store > 0 else { continue }
            #expect(first.ledger.sorted() == other.ledger.sorted(), atOnce.comment)
        }
        #expect(Set(first.histories.joined()) == Set(second.histories.joined()), atOnce.comment)
        for history in second.histories { #expect(Set(history).count == history.count, atOnce.comment) }
        // Whichever store is opened again, nothing is left to do.
        let reports = try shared.upgrade()
        #expect(reports.allSatisfy { $0.isEmpty }, atOnce.comment)
        try expect(shared.outcome().settings, is: second.settings, atOnce.comment)
    }

    /// Invariant 8 for what a step brings in: it does not matter when it comes.
    @Test(arguments: 0..<TestRun.choose(12, long: 400))
    func `Settings that come back become the records that they were`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let settings = RandomUpgrade.movedSettings(&random)
        let (scratch, cache) = (try ScratchSuite(settings), try ScratchCache())
        let migrations = RandomUpgrade.movingMigrations(scratch.suite, &random)
        let comment: Comment = "seed \(seed): \(migrations.migrations.map(\.steps)) of \(settings)"
        func contents() throws -> [String] {
            let open = try CodableCache(at: cache.url, migrations: migrations)
            defer { open.close() }
            try open.backfillAndWait()
            return try StoreFile.contents(at: cache.url).records.map { record in
                "\(record.key) \(record.typeName) \(String(decoding: record.content, as: UTF8.self))"
            }.sorted()
        }
        // A release that did not move them yet may have been there first.
        if random.oneIn(2) { try cache.upgrade(migrations.upTo(version: 1 + random.below(3))) }
        let first = try contents()
        // An older copy of the suite comes back to the records, or to a cache without them.
        for keepsRecords in [true, false] {
            try scratch.putBack(settings)
            if !keepsRecords { try SQLite(cache.url).run("DELETE FROM molt_record") }
            let again = try contents()
            #expect(again == first, comment)
            try scratch.expect([:], comment)
        }
    }

    /// Runs two upgrades, which must both succeed or fail alike.
    ///
    /// - Returns: Whether they succeeded.
    private static func bothSucceed(
        _ first: () throws -> Void,
        _ second: () throws -> Void,
        _ comment: Comment
    ) throws -> Bool {
        switch (Result { try first() }, Result { try second() }) {
        case (.success, .success): return true
        case (.failure(let first as MoltError), .failure(let second as MoltError)):
            // An extension that opens a store first defers its settings, and may meet another failure.
            guard (first.suite == nil) == (second.suite == nil) else { return false }
            let places = [first, second].map { error -> [String?] in
                [error.code.rawValue, error.migration?.description, error.key]
            }
            #expect(places[0] == places[1], comment)
        case (let first, let second): Issue.record("One path fails, \(first), \(second): \(comment)")
        }
        return false
    }
}

/// Two suites that a cache changes, or the first suite by itself, and perhaps other caches that share the suites.
private struct Device {
    private let primary: PrimaryStore
    private let suites: [ScratchSuite]
    /// The files of the stores; the first is not used if a suite is upgraded by itself.
    private let caches: [ScratchCache]
    private var app: RandomUpgrade
    var comment: Comment { "\(app)" }

    init(_ primary: PrimaryStore, seed: UInt64, caches count: Int = 1) throws {
        self.primary = primary
        var random = SeededGenerator(seed: seed)
        suites = try (0..<2).map { _ in try ScratchSuite(RandomUpgrade.settings(&random)) }
        app = RandomUpgrade(
            seed: seed,
            primary == .cache ? [.records, .models, .onRead] : [],
            suites: suites.map(\.suite)
        )
        caches = try (0..<count).map { _ in try ScratchCache() }
        let contents = StoreContents(version: 0, records: try app.records())
        for cache in caches { try contents.write(to: StoreFile(at: cache.url)) }
    }

    // MARK: Upgrading

    /// The kind of a store.
    private func kind(of store: Int) -> PrimaryStore { store == 0 ? primary : .cache }

    /// Opens the stores with the last release.
    @discardableResult
    func upgrade() throws -> [MigrationReport] {
        let reports = try caches.indices.map { try upgrade($0) }
        try backfill()
        return reports
    }

    private func upgrade(_ store: Int) throws -> MigrationReport {
        switch kind(of: store) {
        case .cache: try caches[store].upgrade(app.registry)
        case .suite: try suites[0].suite.upgrade(with: app.registry)
        }
    }

    /// Opens the stores with each release, or skips some.
    ///
    /// All but the last release open some of the stores only.
    mutating func upgradeWithEachRelease() throws {
        let last = app.registry.version
        for version in 1...last where version == last || !app.random.oneIn(3) {
            var stores = Array(caches.indices)
            stores.shuffle(using: &app.random)
            if version < last { stores.removeLast(app.random.below(stores.count)) }
            for store in stores { try open(store, version) }
        }
        try backfill()
    }

    /// Opens a store; an extension, which does not see the suites, may open it first.
    private mutating func open(_ store: Int, _ version: Int) throws {
        let registry = app.registry(of: version)
        let (kind, cache) = (kind(of: store), caches[store])
        if kind == .cache, app.random.oneIn(3) { try cache.upgrade(registry, process: .tool) }
        try kind.upgrade(suites[0].suite, cache: cache.url, with: registry)
    }

    private func backfill() throws {
        for store in caches.indices where kind(of: store) == .cache {
            let cache = try CodableCache(at: caches[store].url, migrations: app.registry)
            defer { cache.close() }
            try cache.backfillAndWait()
        }
    }

    // MARK: Looking

    /// What an upgrade leaves, without times.
    struct Outcome: Equatable {
        /// The suites' values, and the migrations in their ledgers.
        var settings: [[String: PropertyListValue]]
        var histories: [[String]]
        /// The records and the ledger of a store.
        var records: [StoreContents.StoredRecord]
        var ledger: [String]
        /// The numbers of settings in the rows of the store's ledger, by suite.
        var counts: [[Int?]]
        /// The settings that were handed over, by suite.
        var handedOver: [[String]]
    }

    func outcome(of store: Int = 0) throws -> Outcome {
        let rows = try rows(of: store)
        return Outcome(
            settings: try suites.map { try $0.values },
            histories: try suites.map { try $0.history },
            records: try StoreFile.contents(at: caches[store].url).records,
            ledger: rows.map { "\($0.name) \($0.version) \($0.outcome.rawValue)" },
            counts: rows.map { row in suites.map { row.attachedCounts[$0.suite.attachedName] } },
            handedOver: RandomUpgrade.handedOver.withLock { items in
                suites.map { items[$0.suite.attachedName, default: []].sorted() }
            }
        )
    }

    private func rows(of store: Int) throws -> [LedgerEntry] {
        try kind(of: store).state(of: suites[0].suite, cache: caches[store].url).ledger
    }
}
