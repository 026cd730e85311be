import Foundation
import Generators
import Molt
import MoltCore
import TestSupport
import Testing

/// Invariant 8: what closures decode and encode does not depend on the coders of today's release.
@Suite("The coders of a migration") struct CodingTests {
    private static let milliseconds = RecordCoding { encoder, decoder in
        encoder.dateEncodingStrategy = .millisecondsSince1970
        decoder.dateDecodingStrategy = .millisecondsSince1970
    }

    /// A closure in version 1, and other coders since version 2.
    private static func registry(_ step: MigrationStep) -> MigrationRegistry {
        MigrationRegistry([
            Migration(to: 1, "year", step),
            Migration(
                to: 2,
                "milliseconds",
                .changeValue("Note", "at", from: .secondsSinceReferenceDate, to: .millisecondsSince1970)
            ),
        ])
        .coding(.standard, through: 1)
        .coding(milliseconds)
    }

    @Test(
        arguments: [
            .transform("Note") { $0["year"] = .int(year(of: try $0.value("at", as: Date.self))) },
            .convert("Note", from: Note.self, to: Note.self) { Note(at: $0.at, year: year(of: $0.at)) },
            .run { migration in
                try migration.enumerate("Note") { old, new in
                    // The second reading looks the record up, and the third one finds the original of a changed record.
                    let dates = try [new, migration.record(forKey: old.key) ?? new].map {
                        try $0.value("at", as: Date.self)
                    }
                    new["year"] = .int(year(of: dates[0]) + year(of: dates[1]) - year(of: dates[0]))
                }
                try migration.enumerate("Note") { old, new in
                    new["year"] = .int(max(try new.int("year"), year(of: try old.value("at", as: Date.self))))
                    try migration.create("Copy", forKey: "copy", try old.value("at", as: Date.self))
                }
            },
        ] as [MigrationStep]
    )
    func `are those of its version, from whichever version a store comes`(step: MigrationStep) throws {
        var texts: [String] = []
        for isStepwise in [false, true] {
            let store = try OldStore([StoredRecord("Note", "a", #"{"at":700000000.5}"#)])
            let registry = Self.registry(step)
            if isStepwise { try CodableCache(at: store.url, migrations: registry.upTo(version: 1)).close() }
            let cache = try CodableCache(at: store.url, migrations: registry)
            let note = try #require(try cache.value(Note.self, forKey: "a"))
            #expect(note == Note(at: Date(timeIntervalSinceReferenceDate: 700_000_000.5), year: 2023))
            cache.close()
            texts.append(try "\(store.snapshot().records)")
        }
        #expect(texts[0] == texts[1])
    }

    @Test func `must be named by a migration with closures to the version at which they change`() throws {
        let step = MigrationStep.transform("Note") { _ in }
        let declared = MigrationStep.removeProperty("Note", "old")
        func faults(_ migrations: Migration...) -> [String] {
            MigrationRegistry(migrations).coding(.standard, through: 1).coding(Self.milliseconds).faults
        }
        #expect(
            faults(Migration(to: 1, "early", step), Migration(to: 2, "change", step), Migration(to: 3, "late", step))
                == [
                    """
                    The 2nd migration, "change" (version 2), runs a closure, and the registry's coders change at its \
                    version. Say which coders the closure's values have: add `.coding(…)` to the migration, with the earlier \
                    coders if its closures run before the step that changes the form of the values, and otherwise with the \
                    later ones.
                    """
                ]
        )
        #expect(faults(Migration(to: 2, "change", declared), Migration(to: 3, "late", step)).isEmpty)
        #expect(faults(Migration(to: 4, "change", step)).count == 1)
        #expect(faults(Migration(to: 4, "change", step).coding(.standard)).isEmpty)
        #expect(MigrationRegistry([Migration(to: 1, "first", step)]).coding(Self.milliseconds).faults.isEmpty)
    }

    @Test func `must be declared by version if a later migration changes the form of dates`() {
        let year = Migration(to: 1, "year", .transform("Note") { _ in })
        let change = MigrationStep.changeValue(
            "Note",
            "at",
            from: .secondsSinceReferenceDate,
            to: .millisecondsSince1970
        )
        let migrations = MigrationRegistry([year, Migration(to: 2, "milliseconds", change)])
        #expect(migrations.faults.isEmpty)
        // A string of the app's own becomes a date; no closure ever decoded one.
        let text = MigrationStep.changeValue("Note", "at", from: .iso8601, to: .secondsSinceReferenceDate)
        #expect(MigrationRegistry([year, Migration(to: 2, "text", text)]).faults.isEmpty)
        #expect(migrations.coding(.standard, through: 1).coding(Self.milliseconds).faults.isEmpty)
        let faults = migrations.coding(Self.milliseconds).faults
        #expect(faults.count == 1)
        #expect(faults.first?.contains("`.coding(…, through: 1)`") == true)
        let explicit = MigrationRegistry([year.coding(Self.milliseconds), Migration(to: 2, "milliseconds", change)])
        #expect(explicit.coding(Self.milliseconds).faults.isEmpty)
    }

    @Test func `cannot change without a version, and retired versions count`() {
        let early = MigrationRegistry([Migration(to: 3, "early", .transform("Note") { _ in })])
        #expect(early.coding(.standard, through: 3).coding(Self.milliseconds).faults.count == 1)
        let retired = MigrationRegistry(
            [Migration(to: 5, "late", .transform("Note") { _ in })],
            oldestSupportedVersion: 4
        )
        #expect(retired.coding(.standard, through: 2).coding(Self.milliseconds).faults.isEmpty)
    }

    @Test func `stay with a migration in a registry made of others`() {
        let feature = MigrationRegistry([Migration(to: 1, "a", .transform("Note") { _ in })]).coding(Self.milliseconds)
        let whole = MigrationRegistry(feature.migrations)
        #expect(whole.migrations[0].fingerprint == feature.migrations[0].fingerprint)
    }

    @Test func `are part of its fingerprint if it has closures, so that an edit is noticed`() {
        let registry = Self.registry(.transform("Note") { _ in })
        func fingerprints(_ registry: MigrationRegistry) -> [String] { registry.migrations.map(\.fingerprint) }
        // Declaring the default changes nothing, and neither does what later releases use.
        let plain = registry.migrations.map { Migration(to: $0.version, $0.name, steps: $0.steps) }
        #expect(fingerprints(registry) == plain.map(\.fingerprint))
        #expect(
            fingerprints(registry) == fingerprints(registry.upTo(version: 1)) + [registry.migrations[1].fingerprint]
        )
        let edited = fingerprints(registry.coding(Self.milliseconds, through: 1))
        #expect(edited[0] != fingerprints(registry)[0])
        #expect(edited[1] == fingerprints(registry)[1])
    }

    @Test(arguments: 0..<TestRun.choose(3, long: 60))
    func `of random histories give the same bytes through every entry point`(block: UInt64) throws {
        for seed in (block * 5)..<(block * 5 + 5) { try History(seed: seed).check() }
    }
}

private func year(of date: Date) -> Int {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar.component(.year, from: date)
}

private struct Note: Codable, Equatable {
    var at: Date
    var year: Int?
}

/// Releases that each may have other coders.
private struct History {
    /// The model of all releases: a value of each kind that a strategy concerns.
    struct Item: Codable, Equatable, Sendable {
        var someDate: Date
        var someData: Data
        var someNumber: Double
        var countOfEdits = 0
        var lastEdit: Date?
    }

    private let seed: UInt64
    private let registry: MigrationRegistry
    private let onRead: MigrationRegistry
    private let item: Item
    private var comment: Comment { "seed \(seed)" }

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        var coding = Self.coding(&random)
        var codings: [(RecordCoding, through: Int)] = []
        var migrations: [Migration] = []
        for version in 1...(2 + random.below(4)) {
            if random.below(2) == 0 {
                let next = Self.coding(&random)
                codings.append((coding, version - 1))
                migrations.append(
                    Migration(to: version, "recode \(version)", .convert("Item", from: Item.self, to: Item.self) { $0 })
                        .coding(Self.coding(decoding: coding, encoding: next))
                )
                if random.below(2) == 0 { migrations.append(Self.edit(version, &random).coding(next)) }
                coding = next
            } else {
                migrations.append(Self.edit(version, &random))
            }
        }
        codings.append((coding, .max))
        func registry(_ migrations: [Migration]) -> MigrationRegistry {
            codings.reduce(MigrationRegistry(migrations)) { $0.coding($1.0, through: $1.through) }
        }
        self.registry = registry(migrations)
        onRead = registry(migrations.map { random.below(2) == 0 ? $0.onRead() : $0 })
        item = Item(
            someDate: Date(timeIntervalSinceReferenceDate: Double(random.below(1_000_000_000)) / 4),
            someData: Data((0..<random.below(9)).map { _ in UInt8(random.below(256)) }),
            someNumber: random.pick([.infinity, -0.5, 1e300])
        )
    }

    /// A migration whose closure decodes and encodes a date.
    private static func edit(_ version: Int, _ random: inout SeededGenerator) -> Migration {
        let step: MigrationStep =
            random.below(2) == 0
            ? .convert("Item", from: Item.self, to: Item.self) { old in
                var new = old
                new.countOfEdits += version
                new.lastEdit = old.someDate + 86_400
                return new
            }
            : .transform("Item") { record in
                var item = try record.decoded(as: Item.self)
                item.countOfEdits *= version
                item.lastEdit = (item.lastEdit ?? item.someDate) - 3_600
                try record.replaceContent(with: item)
            }
        return Migration(to: version, "edit \(version)", step)
    }

    private static func coding(_ random: inout SeededGenerator) -> RecordCoding {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSS"
        let date = random.below(5)
        let hasSnakeCase = random.oneIn(2)
        let hasPlainData = random.oneIn(2)
        let infinity = random.pick(["inf", "∞"])
        return RecordCoding { encoder, decoder in
            encoder.dateEncodingStrategy =
                [.deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601, .formatted(formatter)][date]
            decoder.dateDecodingStrategy =
                [.deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601, .formatted(formatter)][date]
            if hasSnakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
            if hasSnakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
            if hasPlainData { encoder.dataEncodingStrategy = .deferredToData }
            if hasPlainData { decoder.dataDecodingStrategy = .deferredToData }
            encoder.nonConformingFloatEncodingStrategy =
                .convertToString(positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: "nan")
            decoder.nonConformingFloatDecodingStrategy =
                .convertFromString(positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: "nan")
        }
    }

    /// Coders that read the values of one release and write those of another.
    private static func coding(decoding old: RecordCoding, encoding new: RecordCoding) -> RecordCoding {
        RecordCoding { encoder, decoder in
            encoder.dateEncodingStrategy = new.encoder.dateEncodingStrategy
            encoder.dataEncodingStrategy = new.encoder.dataEncodingStrategy
            encoder.keyEncodingStrategy = new.encoder.keyEncodingStrategy
            encoder.nonConformingFloatEncodingStrategy = new.encoder.nonConformingFloatEncodingStrategy
            decoder.dateDecodingStrategy = old.decoder.dateDecodingStrategy
            decoder.dataDecodingStrategy = old.decoder.dataDecodingStrategy
            decoder.keyDecodingStrategy = old.decoder.keyDecodingStrategy
            decoder.nonConformingFloatDecodingStrategy = old.decoder.nonConformingFloatDecodingStrategy
        }
    }

    /// Upgrades a store of each release in every way, and compares the bytes with those of an upgrade by each release.
    func check() throws {
        for version in 0..<registry.version {
            let scratch = try ScratchDirectory()
            let stepwise = scratch.file("stepwise")
            let old = try CodableCache(at: stepwise, migrations: registry.upTo(version: version))
            try old.set(item, forKey: "item")
            old.close()
            let written = try content(of: "item", in: stepwise)
            for name in ["at once", "on read"] {
                try FileManager.default.copyItem(at: stepwise, to: scratch.file(name))
            }
            for version in (version + 1)...registry.version {
                try CodableCache(at: stepwise, migrations: registry.upTo(version: version)).close()
            }
            let expected = try content(of: "item", in: stepwise)

            let url = scratch.file("at once")
            _ = try CodableCache.dryRun(at: url, migrations: registry)
            let atOnce = try CodableCache(at: url, migrations: registry)
            #expect(try content(of: "item", in: url) == expected, comment)
            try atOnce.set(document: Data(written.utf8), ofType: "Item", writtenAt: version, forKey: "late")
            #expect(try content(of: "late", in: url) == expected, comment)
            let document = try DocumentUpgrade(registry)
                .upgrade(Data(written.utf8), ofType: "Item", writtenAt: version)
            #expect(String(decoding: document.content, as: UTF8.self) == expected, comment)

            var configuration = CodableCache.Configuration()
            configuration.upgradesRest = false
            let later = scratch.file("on read")
            let cache = try CodableCache(at: later, migrations: onRead, configuration: configuration)
            #expect(try cache.value(Item.self, forKey: "item") == atOnce.value(Item.self, forKey: "item"), comment)
            try cache.upgradeRest()
            #expect(try content(of: "item", in: later) == expected, comment)
        }
    }

    private func content(of key: String, in url: URL) throws -> String {
        try #require(try Snapshot(of: url)[key]?.text, comment)
    }
}
