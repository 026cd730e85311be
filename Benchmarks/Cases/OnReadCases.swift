import Foundation
import Molt

/// Migrations on read: what a read and the backfill cost.
enum OnReadCases {
    static let all: [BenchmarkCase] = [get, busy] + backfills + backfills.map(\.withFewRecords)

    static let steps: [MigrationStep] = [
        .renameProperty(People.typeName, "mail", to: "email"),
        .renameProperty(People.typeName, "city", to: "town"),
        .addProperty(People.typeName, "level", default: 1),
        .renameProperty(People.typeName, "notes", to: "remarks"),
        .removeProperty(People.typeName, "isActive"),
    ]

    /// Migrations on read, each with one step.
    private static func migrations(_ count: Int) -> MigrationRegistry {
        MigrationRegistry(
            steps.prefix(count).enumerated().map { Migration(to: $0 + 1, "change-\($0 + 1)", $1).onRead() }
        )
    }

    private static func open(_ file: URL, _ count: Int, runsBackfill: Bool = false) throws -> CodableCache {
        var configuration = MoltConfiguration()
        configuration.runsBackfill = runsBackfill
        configuration.memory = nil
        return try CodableCache(at: file, migrations: migrations(count), configuration: configuration)
    }

    /// A store whose records go through a migration when they are read, and a copy of which all are upgraded.
    private static func pair(
        _ context: BenchmarkContext,
        runsBackfill: Bool = false
    ) throws -> (old: CodableCache, upgraded: CodableCache) {
        let file = context.file(CacheCases.fileName)
        let copy = context.file("upgraded.molt")
        try FileManager.default.copyItem(at: file, to: copy)
        let upgraded = try open(copy, 1)
        try upgraded.backfillAndWait()
        return (try open(file, 1, runsBackfill: runsBackfill), upgraded)
    }

    private static let get = BenchmarkCase(
        name: "molt-get-on-read",
        summary: "value of records that go through a migration on read, from disk",
        other: "the same of upgraded records",
        limit: 100_000,
        fixture: CacheCases.fixture,
        ratios: [BenchmarkRatio(.time, atMost: 4)]
    ) { context in
        let rounds = 20
        let (old, upgraded) = try pair(context)
        func read(_ cache: CodableCache, _ round: Int) throws {
            for index in context.indices(ofRound: round, of: rounds) {
                let person = try cache.value(UpgradedPerson.self, forKey: People.key(index))
                guard person?.email != nil else { throw BenchmarkError("Record \(index) is not upgraded.") }
            }
        }
        return BenchmarkTrial(count: context.records, rounds: rounds) { round in
            try read(old, round)
        } other: { round in
            try read(upgraded, round)
        }
    }

    private static let backfills: [BenchmarkCase] = [
        backfill("molt-rest", "backfill, with one renamed property", UpgradeCases.rename),
        backfill("molt-rest-five-versions", "backfill of five versions", UpgradeCases.fiveVersions),
    ]

    /// The backfill of an upgrade, beside the same upgrade at the opening.
    private static func backfill(_ name: String, _ summary: String, _ upgrade: MoltUpgrade) -> BenchmarkCase {
        BenchmarkCase(
            name: name,
            summary: summary,
            fixture: upgrade.fixture,
            ratios: [BenchmarkRatio(.rate, of: upgrade.name, atLeast: 0.4), .extraMemory(of: name)]
        ) { context in
            var configuration = CacheCases.withoutMemory
            configuration.runsBackfill = false
            let migrations = MigrationRegistry(upgrade.migrations.migrations.map { $0.onRead() })
            func open() throws -> CodableCache {
                try CodableCache(
                    at: context.file(CacheCases.fileName),
                    migrations: migrations,
                    configuration: configuration
                )
            }
            let cache = try open()
            return BenchmarkTrial(count: context.records) { _ in
                try cache.backfillAndWait()
                cache.close()
            } finish: {
                let cache = try open()
                guard cache.report.onRead.isEmpty else {
                    throw BenchmarkError("Records are left that were not upgraded.")
                }
                try upgrade.check(cache, context)
            }
        }
    }

    private static let busy = BenchmarkCase(
        name: "molt-rest-beside-app",
        summary: "value and set of records in turn, during the backfill",
        other: "the same without a backfill",
        limit: 100_000,
        fixture: CacheCases.fixture,
        ratios: [BenchmarkRatio(.time, atMost: 4)]
    ) { context in
        let rounds = 4
        let (old, upgraded) = try pair(context, runsBackfill: true)
        let changed = People.person(1)
        func use(_ cache: CodableCache, _ round: Int) throws {
            for index in context.indices(ofRound: round, of: rounds) {
                if index.isMultiple(of: 10) {
                    try cache.set(changed, forKey: "other \(index)")
                } else {
                    _ = try cache.value(UpgradedPerson.self, forKey: People.key(index))
                }
            }
        }
        return BenchmarkTrial(count: context.records, rounds: rounds) { round in
            try use(old, round)
        } other: { round in
            try use(upgraded, round)
        }
    }
}
