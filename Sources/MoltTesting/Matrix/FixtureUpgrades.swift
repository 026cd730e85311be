internal import Foundation
internal import MoltCache
internal import MoltCore

/// All upgrades of one fixture: through every entry point, to every version, at once and step by step.
struct FixtureUpgrades {
    /// The fixture's file, or its name.
    let name: String
    let fixture: StoreFixture
    let migrations: MigrationRegistry
    let types: [FixtureType]
    private(set) var configuration: CodableCache.Configuration
    private let newest: Int

    var failures = FailureList()
    /// What the upgrade to each version makes of the fixture.
    var results: [Int: StoreFixture] = [:]
    /// How many times a copy was opened.
    var upgrades = 0

    /// - Parameters:
    ///   - migrations: A registry without faults.
    ///   - newest: The newest version, which may not have shipped yet; nil for that of the registry.
    init(
        _ name: String,
        _ fixture: StoreFixture,
        migrations: MigrationRegistry,
        types: [FixtureType],
        configuration: CodableCache.Configuration,
        newest: Int? = nil
    ) {
        self.name = name
        self.fixture = fixture
        self.migrations = migrations
        self.types = types
        self.configuration = configuration
        self.newest = newest ?? migrations.version
        // They are found before any upgrade; the rest is to be checked all the same.
        self.configuration.editedMigrations = .ignore
    }

    /// The versions that the fixture is upgraded to, at least the newest.
    var targets: [Int] {
        let versions = Set(migrations.migrations.map(\.version)).sorted()
        let between = versions.filter { $0 < migrations.version && needsUpgrade(to: $0) }
        return between + [migrations.version]
    }

    /// Whether the fixture is another store after an upgrade to a version.
    func needsUpgrade(to version: Int) -> Bool {
        version >= fixture.schemaVersion && plan(of: fixture, upTo: version).needsUpgrade
    }

    /// What was run.
    var row: MatrixReport.Row {
        MatrixReport.Row(
            fixture: name,
            records: fixture.records.count,
            targets: targets,
            entryPoints: EntryPoint.all(for: fixture.primary),
            upgrades: upgrades
        )
    }

    mutating func run() async throws {
        for edit in plan(of: fixture, upTo: migrations.version).edits {
            failures.add(edit, at: name, newest: newest)
        }
        guard checkOwnLedger() else { return }
        for target in targets {
            try Task.checkCancellation()
            try await upgrade(to: target)
        }
        await upgradeStepByStep()
        if let result = results[migrations.version] {
            failures.add(TypeCheck(result, types, configuration.coding, name: name).failures)
        }
    }

    /// What would be done to a store, up to a version.
    func plan(of store: StoreFixture, upTo version: Int) -> MigrationPlan {
        MigrationPlan(
            state: StoreState(version: store.schemaVersion, isFresh: false, ledger: store.ledger),
            storeName: name,
            migrations: migrations.upTo(version: version)
        )
    }
}

extension FixtureUpgrades {
    /// Opens a copy at each version on the way, and compares it with what one jump to that version gives.
    mutating func upgradeStepByStep() async {
        guard targets.count > 1 else { return }
        let entry = EntryPoint.all(for: fixture.primary)[0]
        var way: [Int] = []
        do {
            let store = try TemporaryStore(fixture)
            for target in targets {
                // What the jump could not do, the steps cannot either, or it is said already.
                guard let jump = results[target] else { return }
                way.append(target)
                upgrades += 1
                _ = try await store.upgrade(
                    through: migrations.upTo(version: target),
                    by: entry,
                    configuration: configuration
                )
                let difference = StoreDifference(
                    expected: try store.contents(after: entry),
                    found: jump,
                    aspects: .all
                )
                guard !difference.isEmpty else { continue }
                let steps = way.map(String.init).joined(separator: ", ")
                failures.add(
                    .path,
                    name,
                    "the result depends on the path. Expected is what it gives to open the store at versions \(steps), "
                        + "one after the other; found is what one jump from \(fixture.schemaVersion) to \(target) "
                        + "gives:\n\(difference)"
                )
                // What follows differs because of this.
                return
            }
        } catch {
            let steps = way.map(String.init).joined(separator: ", ")
            failures.add(
                .path,
                name,
                "the result depends on the path: a jump succeeds, but to open the store at versions \(steps), one after "
                    + "the other, throws \(UpgradeText.of(error))"
            )
        }
    }
}
