import Foundation
import Molt

/// An app with a cache and two suites, which one registry upgrades together.
struct AppScenario: Codable, Sendable {
    /// The store that is upgraded.
    enum Primary: String, Codable, Sendable, CaseIterable {
        case cache
        /// The suite of the app's own settings; there are no records then.
        case suite
    }

    /// The state that can be read without opening anything for writing.
    struct Outcome: Equatable {
        var contents: StoreContents?
        var ledger: [String]
        var journal: [String]
        /// The keys that the upgrade has taken from records.
        var dropped: [String] = []
        var old: [String: PropertyListValue]
        var group: [String: PropertyListValue]
        /// The names of the migrations in the ledgers of both suites.
        var histories: [[String]]
    }

    /// The state that a fault left behind.
    enum Left: String, CaseIterable {
        case old
        /// Committed, with pending changes to suites.
        case journal
        case new
    }

    let primary: Primary
    let place: TestPlace

    init(_ primary: Primary = .cache, _ place: TestPlace = TestPlace()) {
        self.primary = primary
        self.place = place
    }

    // MARK: Running

    /// Writes the data of the early release.
    func prepare(records: Int) throws {
        if primary == .cache { try People.prepare(place, count: records) }
        try place.old.update(set: [
            "tags": .string(#"["a","b"]"#),
            "scale": .string("1.5"),
            "name": .string("app"),
            "theme": .string("dark"),
            "blob": .string(String(repeating: "b", count: 3_000)),
        ])
        try place.group.update(set: ["shared": true])
    }

    var registry: MigrationRegistry {
        let (old, group) = (place.old, place.group)
        let settings: [Migration] = [
            .defaultsV4ToV5(
                to: 5,
                suite: old,
                keys: [.key("tags", .array(of: .string)), .key("scale", .double), .key("name", .string)]
            ),
            Migration(to: 6, "style", .renameSetting("theme", to: "style", in: old)),
            .suiteToAppGroup(to: 7, from: old, into: group, removingSource: true),
            Migration(to: 8, "title", .renameSetting("name", to: "title", in: group)),
        ]
        return MigrationRegistry((primary == .cache ? People.migrations : []) + settings)
    }

    /// Opens the store, which upgrades it.
    func upgrade(_ hook: UpgradeHook? = nil) throws {
        switch primary {
        case .cache:
            var configuration = People.configuration
            configuration.hooks.batchSize = MoltConfiguration().hooks.batchSize
            configuration.droppedKeyLifetime = .seconds(86_400)
            configuration.hooks.atPoint = hook
            try CodableCache(at: place.cache, migrations: registry, configuration: configuration).close()
        case .suite:
            var configuration = MoltConfiguration()
            configuration.hooks.atPoint = hook
            try place.old.upgrade(with: registry, configuration: configuration)
        }
    }

    // MARK: Looking

    func outcome() throws -> Outcome {
        let (state, contents): (StoreState, StoreContents?) =
            switch primary {
            case .cache: (try StoreFile.state(at: place.cache), try StoreContents.found(at: place.cache)?.timeless)
            case .suite: (try place.old.upgradeState(), nil)
            }
        // While changes are pending, a suite may be lost until the next opening makes them.
        let isJournalEmpty = state.journal.isEmpty
        return Outcome(
            contents: contents,
            ledger: state.ledger.map { row in
                "\(row.name) \(row.version) \(row.outcome) \(row.attachedCounts.sorted { $0.key < $1.key })"
            },
            journal: state.journal,
            dropped: primary == .cache ? try StoreFile.droppedKeys(at: place.cache) : [],
            old: isJournalEmpty ? try place.old.values() : [:],
            group: isJournalEmpty ? try place.group.values() : [:],
            histories: isJournalEmpty ? try [place.old, place.group].map { try $0.history().map(\.name) } : []
        )
    }

    /// Checks that the store is whole, and returns its state.
    func left(before: Outcome, after: Outcome) throws -> Left {
        if primary == .cache { try place.checkWhole() }
        let found = try outcome()
        if found == before { return .old }
        if found == after { return .new }
        guard !found.journal.isEmpty else { throw Broken("It is neither old nor new: \(found.summary)") }
        guard found.contents == after.contents, found.ledger == after.ledger else {
            throw Broken("It has a journal, and its records or its ledger are not new: \(found.summary)")
        }
        return .journal
    }
}

extension AppScenario.Outcome {
    /// A short description for messages.
    var summary: String {
        """
        \(contents?.records.count ?? 0) records at \(contents?.version ?? 0), ledger \(ledger), journal \(journal), \
        old \(old.keys.sorted()), group \(group.keys.sorted()), ledgers of suites \(histories)
        """
    }
}
