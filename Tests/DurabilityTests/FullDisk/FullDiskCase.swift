import Foundation
import Molt
import TestSupport
import Testing

/// An operation that writes, and that must not lose data on a full disk.
///
/// Add new cases to `inDirectory`: each is tried with increasing amounts of free space on both kinds of full disk.
struct FullDiskCase: Sendable {
    let name: String
    /// Creates the files that the operation starts from.
    let prepare: @Sendable (TestPlace) throws -> Void
    /// Writes; throws if the disk is full.
    let act: @Sendable (TestPlace) throws -> Void
    /// Describes what a reader finds; equal contents give equal strings.
    let look: @Sendable (TestPlace) throws -> String

    /// The cases that write only below the place's own directory, on which a volume can be mounted.
    static let inDirectory =
        [
            upgrade, growing, backfill, handover, fresh, firstValue, overwriting, exporting, importing, seeding,
        ] + ImportScenario.Source.allCases.map(bringing(from:))
    static let ofSuites = AppScenario.Primary.allCases.map(settings(of:))

    private static let registry = MigrationRegistry(People.migrations)

    private static func open(_ place: TestPlace, _ registry: MigrationRegistry = registry) throws -> CodableCache {
        try CodableCache(at: place.cache, migrations: registry, configuration: People.configuration)
    }

    private static func contents(_ place: TestPlace) throws -> String {
        try place.checkWhole()
        guard let contents = try StoreContents.found(at: place.cache) else { return "no store" }
        let ledger = contents.ledger.map { "\($0.name) \($0.version)" }
        let records = contents.records.map { record in
            "\(record.key) \(record.typeName) \(record.version) \(String(decoding: record.content, as: UTF8.self))"
        }
        return (["\(contents.version)"] + ledger + records).joined(separator: "\n")
    }

    private static let upgrade = FullDiskCase(
        name: "an upgrade",
        prepare: { try People.prepare($0, count: TestRun.choose(120, long: 300), size: 1_000) },
        act: { try open($0).close() },
        look: contents
    )

    /// Makes records ten times as long.
    private static let grow = Migration(
        to: 1,
        "grow",
        .addProperty("Alien", "text", default: .string(String(repeating: "long ", count: 2_000)))
    )

    private static let growing = FullDiskCase(
        name: "an upgrade that makes records longer",
        prepare: { try People.prepare($0, count: TestRun.choose(20, long: 60), size: 1_000) },
        act: { try open($0, [grow]).close() },
        look: contents
    )

    /// Hands over records to files beside the store; what the full disk refuses waits.
    private static let handover = FullDiskCase(
        name: "an upgrade that hands over records",
        prepare: { try People.prepare($0, count: 40, size: 1_000) },
        act: { try open($0, handingOver(to: $0)).close() },
        look: { place in
            try place.checkWhole()
            let state = try StoreFile.state(at: place.cache)
            let records = try StoreFile.contents(at: place.cache).records.filter { $0.typeName == "Alien" }.map(\.key)
            // The closure writes whole files alone.
            let stored = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
                .filter { $0.hasPrefix("person ") }
            let waiting = try StoreFile.handovers(at: place.cache).compactMap { line in
                try (JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any])?[5] as? String
            }
            return "\(state.version) \(Set(records + stored + waiting).sorted())"
        }
    )

    private static func handingOver(to place: TestPlace) -> MigrationRegistry {
        [
            Migration(
                to: 1,
                "out",
                .handOverRecords("Alien", to: "files") { [directory = place.directory] person in
                    let content = try person.content().json()
                    try Data(content).write(to: directory.appendingPathComponent(person.key), options: .atomic)
                }
            )
        ]
    }

    /// Backfills after an upgrade on read, whose records become longer, batch by batch.
    private static let backfill = FullDiskCase(
        name: "the backfill of an upgrade on read",
        prepare: { place in
            try People.prepare(place, count: TestRun.choose(20, long: 60), size: 1_000)
            try openOnRead(place).close()
        },
        act: { place in
            let cache = try openOnRead(place)
            defer { cache.close() }
            try cache.backfillAndWait()
        },
        look: { place in
            // Batches that were written before the disk was full stay, so the values are compared, and not the bytes.
            let outcome = try CacheFile(at: place.cache).history()[0].outcome
            try place.checkWhole()
            let cache = try openOnRead(place)
            defer { cache.close() }
            let values = try cache.values(of: Grown.self).map { key, value in
                "\(key) \(value.fullName) \(value.text.count)"
            }
            return (["\(outcome)"] + values).joined(separator: "\n")
        }
    )

    private struct Grown: Codable, RecordType {
        static let recordTypeName = "Alien"
        var fullName: String
        var text: String
    }

    private static func openOnRead(_ place: TestPlace) throws -> CodableCache {
        var configuration = People.configuration
        configuration.runsBackfill = false
        configuration.hooks.batchSize = 2
        return try CodableCache(at: place.cache, migrations: [grow.onRead()], configuration: configuration)
    }

    private static let fresh = FullDiskCase(
        name: "a new store",
        prepare: { try $0.makeDirectory() },
        act: { try open($0).close() },
        look: contents
    )

    private static let firstValue = FullDiskCase(
        name: "a batch",
        prepare: { place in
            try People.prepare(place, count: 50)
            try open(place).close()
        },
        act: { place in
            let cache = try open(place)
            defer { cache.close() }
            try cache.batch { batch in
                for number in 0..<100 {
                    try batch.set(String(repeating: "\(number) ", count: 500), forKey: "value \(number)")
                }
            }
        },
        look: contents
    )

    /// Writes values over records that their type cannot read, which go to quarantine.
    private static let overwriting = FullDiskCase(
        name: "a batch over unreadable records",
        prepare: { try People.prepare($0, count: 50, size: 1_000) },
        act: { place in
            var configuration = MoltConfiguration()
            configuration.mismatches = .ignore
            let cache = try CodableCache(at: place.cache, configuration: configuration)
            defer { cache.close() }
            let keys = (0..<50).filter { $0 % 10 != 9 }.map { "person \($0)" }
            try cache.setAll(keys.map { (key: $0, value: Named()) })
        },
        look: { place in
            let contents = try contents(place)
            let cache = try CodableCache(at: place.cache)
            defer { cache.close() }
            let quarantined = try cache.quarantined().map { "\($0.key) \(String(decoding: $0.content, as: UTF8.self))" }
            return ([contents] + quarantined).joined(separator: "\n")
        }
    )

    private struct Named: Codable, RecordType {
        static let recordTypeName = "Alien"
        var firstName = "new"
    }

    private static let exporting = FullDiskCase(
        name: "an export",
        prepare: { try People.prepare($0, count: TestRun.choose(200, long: 1_000), size: 1_000) },
        act: export,
        look: { place in
            // SQLite may leave its files beside the store.
            let names = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
                .filter { $0.hasPrefix("people") }
            let text = try? String(contentsOf: place.export, encoding: .utf8)
            return "\(names) \(text ?? "")"
        }
    )

    private static let importing = FullDiskCase(
        name: "an import",
        prepare: { place in
            try People.prepare(place, count: TestRun.choose(50, long: 200), size: 1_000)
            try export(place)
            try FileManager.default.removeItem(at: place.cache)
            try open(place).close()
        },
        act: { place in
            let cache = try open(place)
            defer { cache.close() }
            try cache.importAndWait(from: place.export, onConflict: .replace)
        },
        look: contents
    )

    private static let seeding = FullDiskCase(
        name: "a seed",
        prepare: { place in
            try People.prepare(place, count: 20, size: 1_000)
            try export(place)
            try FileManager.default.removeItem(at: place.cache)
            try open(place).close()
        },
        act: { try open($0, registry.seed("people", from: $0.export)).close() },
        look: contents
    )

    private static func export(_ place: TestPlace) throws {
        var configuration = People.configuration
        configuration.now = { Date(timeIntervalSince1970: 1) }
        let cache = try CodableCache(at: place.cache, configuration: configuration)
        defer { cache.close() }
        try cache.exportAndWait(to: place.export)
    }

    /// Imports what another library has stored, and removes that; a committed import is complete once it is removed.
    private static func bringing(from source: ImportScenario.Source) -> FullDiskCase {
        let scenario = Locked<ImportScenario?>(nil)
        let made = { @Sendable in try #require(scenario.withLock { $0 }) }
        return FullDiskCase(
            name: "an import of \(source)",
            prepare: { place in
                let new = try ImportScenario(source, at: place, size: 1_000)
                scenario.withLock { $0 = new }
            },
            act: { _ in
                let failures = Log<MoltError>()
                try made().open(failed: failures.append)
                if let failure = failures.all.first { throw failure.underlying ?? failure }
            },
            look: { _ in
                let left = try made().left()
                return left.hasRecords && left.hasSource ? pending : "\(left)"
            }
        )
    }

    /// Upgrades suites, and records if there are any; a committed upgrade is complete once the journal is empty.
    private static func settings(of primary: AppScenario.Primary) -> FullDiskCase {
        FullDiskCase(
            name: "an upgrade of suites of a \(primary)",
            prepare: { try AppScenario(primary, $0).prepare(records: 100) },
            act: { try AppScenario(primary, $0).upgrade() },
            look: { try look(AppScenario(primary, $0)) }
        )
    }

    /// Describes a committed upgrade whose journal is not empty yet, or whose work is not done.
    static let pending = "pending"

    private static func look(_ scenario: AppScenario) throws -> String {
        let outcome = try scenario.outcome()
        guard outcome.journal.isEmpty else { return pending }
        let contents = scenario.primary == .cache ? try contents(scenario.place) : ""
        return "\(contents) \(outcome.ledger) \(sorted(outcome.old)) \(sorted(outcome.group))"
    }

    private static func sorted(_ values: [String: PropertyListValue]) -> [String] {
        values.map { "\($0.key): \($0.value)" }.sorted()
    }
}

extension TestPlace {
    fileprivate var export: URL { directory.appendingPathComponent("people.json") }
}
