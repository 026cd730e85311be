import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// Invariant 8: what closures decode and encode does not depend on the coders of today's release.
@Suite("The coders of a migration") struct CodingTests {
    private static let milliseconds = RecordCoding { encoder, decoder in
        encoder.dateEncodingStrategy = .millisecondsSince1970
        decoder.dateDecodingStrategy = .millisecondsSince1970
    }

    private static let change = MigrationStep.changeValue(
        "Note",
        "at",
        from: .deferredToDate,
        to: .millisecondsSince1970
    )

    /// A closure in version 1, and other coders since version 2.
    private static func registry(_ step: MigrationStep) -> MigrationRegistry {
        MigrationRegistry([
            Migration(to: 1, "year", step),
            Migration(to: 2, "milliseconds", change),
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
            try cache.expect(Note(at: Date(timeIntervalSinceReferenceDate: 700_000_000.5), year: 2023), forKey: "a")
            cache.close()
            texts.append(try "\(store.snapshot().records)")
        }
        #expect(texts[0] == texts[1])
    }

    /// The faults of a registry whose coders change at a version.
    private static func faults(changeAt version: Int, _ migrations: Migration...) -> [String] {
        MigrationRegistry(migrations).coding(.standard, through: version - 1).coding(milliseconds).faults
    }

    @Test func `must be named by a migration with closures to the version at which they change`() {
        let step = MigrationStep.transform("Note") { _ in }
        let change = Migration(to: 2, "change", step)
        let late = Migration(to: 3, "late", step)
        #expect(
            Self.faults(changeAt: 2, Migration(to: 1, "early", step), change, late) == [
                """
                The 2nd migration, "change" (version 2), runs a closure, and the registry's coders change at its \
                version. Say which coders the closure's values have: add `.coding(…)` to the migration, with the earlier \
                coders if its closures run before the step that changes the form of the values, and otherwise with the \
                later ones.
                """
            ]
        )
        let declared = Migration(to: 2, "change", .removeProperty("Note", "old"))
        let first = Migration(to: 4, "first", step)
        #expect(Self.faults(changeAt: 2, declared, late).isEmpty)
        #expect(Self.faults(changeAt: 2, first).count == 1)
        #expect(Self.faults(changeAt: 2, first.coding(.standard)).isEmpty)
        // No migration has the version, but a retired one may have had it.
        #expect(Self.faults(changeAt: 4, late).count == 1)
        let retired = MigrationRegistry([Migration(to: 5, "late", step)]).oldestVersion(4)
        #expect(retired.coding(.standard, through: 2).coding(Self.milliseconds).faults.isEmpty)
        // The coders never change.
        #expect(MigrationRegistry([Migration(to: 1, "first", step)]).coding(Self.milliseconds).faults.isEmpty)
    }

    @Test func `must be declared by version if a later migration changes the form of dates`() {
        let year = Migration(to: 1, "year", .transform("Note") { _ in })
        let change = Migration(to: 2, "milliseconds", Self.change)
        // A string of the app's own becomes a date; no closure ever decoded one.
        let text = MigrationStep.changeValue("Note", "at", from: .iso8601, to: .deferredToDate)
        let right = [
            MigrationRegistry([year, change]), MigrationRegistry([year, Migration(to: 2, "text", text)]),
            MigrationRegistry([year, change]).coding(.standard, through: 1).coding(Self.milliseconds),
            MigrationRegistry([year.coding(Self.milliseconds), change]).coding(Self.milliseconds),
        ]
        for registry in right { #expect(registry.faults.isEmpty) }
        let faults = MigrationRegistry([year, change]).coding(Self.milliseconds).faults
        #expect(faults.count == 1 && faults[0].contains("`.coding(…, through: 1)`"))
    }

    @Test func `are part of its fingerprint if it has closures, so that an edit is noticed`() {
        let registry = Self.registry(.transform("Note") { _ in })
        func fingerprints(_ registry: MigrationRegistry) -> [String] { registry.migrations.map(\.fingerprint) }
        // Declaring the default changes nothing, and neither does what later releases use.
        let plain = registry.migrations.map { Migration(to: $0.version, $0.name, steps: $0.steps) }
        #expect(fingerprints(registry) == plain.map(\.fingerprint))
        #expect(fingerprints(registry)[0] == fingerprints(registry.upTo(version: 1))[0])
        let edited = fingerprints(registry.coding(Self.milliseconds, through: 1))
        #expect(edited[0] != fingerprints(registry)[0])
        #expect(edited[1] == fingerprints(registry)[1])
        // They stay with a migration in a registry that is made of others.
        let feature = registry.coding(Self.milliseconds)
        #expect(fingerprints(MigrationRegistry(feature.migrations)) == fingerprints(feature))
    }

    @Test(arguments: 0..<TestRun.choose(2, long: 60))
    func `of random histories give the same bytes through every entry point`(block: UInt64) throws {
        for seed in (block * 5)..<(block * 5 + 5) {
            var history = History(seed: seed)
            try history.check()
        }
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

/// Releases that each may have other coders and another model.
private struct History {
    private var upgrade: RandomUpgrade
    private let item: Item
    private var comment: Comment { "\(upgrade)" }

    init(seed: UInt64) {
        upgrade = RandomUpgrade(seed: seed, [.models, .onRead])
        item = Item(&upgrade.random)
    }

    /// Upgrades a store of each release in every way, and compares the bytes with those of an upgrade by each release.
    mutating func check() throws {
        let registry = upgrade.registry
        for version in 0..<registry.version {
            let scratch = try ScratchDirectory()
            let stepwise = scratch.file("stepwise")
            let old = try CodableCache(at: stepwise, migrations: registry.upTo(version: version))
            try old.set(upgrade.releases.value(of: item, at: version), forKey: "item")
            old.close()
            let written = Data(try content(of: "item", in: stepwise).utf8)
            for name in ["at once", "on read"] {
                try FileManager.default.copyItem(at: stepwise, to: scratch.file(name))
            }
            for version in (version + 1)...registry.version {
                let cache = try CodableCache(at: stepwise, migrations: upgrade.registry(of: version))
                try cache.backfillAndWait()
                cache.close()
            }
            let expected = try content(of: "item", in: stepwise)

            let url = scratch.file("at once")
            _ = try CacheFile(at: url).dryRunAndWait(registry)
            let atOnce = try CodableCache(at: url, migrations: upgrade.eagerRegistry)
            #expect(try content(of: "item", in: url) == expected, comment)
            try atOnce.set(document: written, ofType: "Item", writtenAt: version, forKey: "late")
            #expect(try content(of: "late", in: url) == expected, comment)
            let document = try DocumentUpgrade(registry).upgrade(written, ofType: "Item", writtenAt: version)
            #expect(String(decoding: document.content, as: UTF8.self) == expected, comment)

            let configuration = MoltConfiguration { $0.runsBackfill = false }
            let later = scratch.file("on read")
            let cache = try CodableCache(at: later, migrations: registry, configuration: configuration)
            #expect(try read(cache) == read(atOnce), comment)
            try cache.backfillAndWait()
            #expect(try content(of: "item", in: later) == expected, comment)
        }
    }

    /// The item as the last release reads it.
    private func read(_ cache: CodableCache) throws -> Item? {
        try upgrade.releases.item(at: upgrade.registry.version) { model in
            func value<Model: ItemModel>(_ model: Model.Type) throws -> (any ItemModel)? {
                try cache.value(model, forKey: "item")
            }
            return try value(model)
        }
    }

    private func content(of key: String, in url: URL) throws -> String {
        try #require(try Snapshot(of: url)[key]?.text, comment)
    }
}
