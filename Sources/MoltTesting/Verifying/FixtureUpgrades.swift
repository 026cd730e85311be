internal import Foundation
internal import Molt

/// All upgrades of one fixture: by every entry point, to every version, directly and step by step.
struct FixtureUpgrades {
    /// The fixture's file or name.
    let name: String
    let fixture: StoreFixture
    let migrations: MigrationRegistry
    let types: [FixtureType]
    let settings: SettingReading
    private(set) var configuration: MoltConfiguration
    private let protection: WriteProtection
    /// The names of the migrations that have shipped.
    let shippedMigrations: Set<String>
    /// The version at which the fixture enters, if its ledger is empty and the registry says so.
    private var baseline: Int?
    let losses: AcknowledgedLosses?

    var failures = FailureList()
    var names = StepNames()
    var results: [Int: StoreFixture] = [:]
    /// The names of the data that the upgrades have destroyed.
    var lost: Set<String> = []
    var upgrades = 0
    /// The names of the shortcuts that the fixture takes.
    private(set) var shortcuts: Set<String> = []

    /// - Parameters:
    ///   - migrations: A valid registry.
    ///   - protection: Which versions have shipped; nil for all but that of the registry.
    ///   - shippedMigrations: The names of the migrations that have shipped; none by default.
    ///   - losses: The data that the migrations may destroy; nil for any.
    init(
        _ name: String,
        _ fixture: StoreFixture,
        migrations: MigrationRegistry,
        types: [FixtureType],
        settings: SettingReading,
        configuration: MoltConfiguration,
        protection: WriteProtection? = nil,
        shippedMigrations: Set<String> = [],
        losses: AcknowledgedLosses? = nil
    ) {
        self.name = name
        self.fixture = fixture
        self.migrations = migrations
        self.types = types
        self.settings = settings
        self.configuration = configuration
        self.protection = protection ?? WriteProtection(newest: migrations.version, sealed: nil, mode: .never)
        self.shippedMigrations = shippedMigrations
        self.losses = losses
        // Edited migrations are reported separately, and should not prevent the other checks.
        self.configuration.mismatches = .ignore
    }

    /// The versions to upgrade the fixture to; at least the newest.
    var targets: [Int] {
        let versions = Set(migrations.migrations.map(\.version)).sorted()
        let between = versions.filter { $0 < migrations.version && needsUpgrade(to: $0) }
        return between + [migrations.version]
    }

    /// The store at a version; nil if it was never there, or if the upgrade to it has failed.
    func store(at version: Int) -> StoreFixture? {
        results[version] ?? (version == fixture.version ? fixture : nil)
    }

    /// Whether an upgrade to a version would change the fixture.
    func needsUpgrade(to version: Int) -> Bool {
        version >= max(fixture.version, baseline ?? 0) && plan(of: fixture, upTo: version).needsUpgrade
    }

    var row: VerificationReport.Row {
        VerificationReport.Row(
            fixture: name,
            records: fixture.records.count,
            targets: targets,
            entryPoints: EntryPoint.all(for: fixture.primary),
            upgrades: upgrades
        )
    }

    mutating func run() async throws {
        for edit in plan(of: fixture, upTo: migrations.version).editedMigrations {
            failures.add(edit, at: name, protection)
        }
        guard checkOwnLedger() else { return }
        if fixture.ledger.isEmpty, migrations.baseline != nil {
            // An error is that of the upgrades.
            baseline = try? TemporaryStore(fixture).dryRun(migrations, configuration: configuration).from
        }
        for target in targets {
            try Task.checkCancellation()
            try await upgrade(to: target)
        }
        // A step-by-step upgrade may not take a shortcut, so its difference would be the same.
        if await provesShortcuts() { await upgradeStepByStep() }
        try await compareBranches()
        if let result = results[migrations.version] {
            let live = result.withoutExpired(by: configuration.now())
            failures.add(RecordReading(live, types, migrations, newest: protection.newest, name: name).failures)
            failures.add(settings.failures(in: result, migrations, name: name))
        }
    }

    /// The version of the fixture after an upgrade; that of a suite ignores migrations that only work on records.
    func version(after target: Int) -> Int {
        let registry = migrations.upTo(version: target)
        guard fixture.primary != .cache else { return registry.version }
        let versions = registry.migrations.filter(\.worksOnSettings).map(\.version)
        return max(fixture.version, versions.max() ?? 0)
    }

    func plan(of store: StoreFixture, upTo version: Int, without names: Set<String> = []) -> MigrationPlan {
        var state = StoreState(version: store.version, isFresh: false, ledger: store.ledger)
        // No upgrade of a copy does the work, so nothing would ever be up to date.
        for row in state.ledger.indices { state.ledger[row].isWorkPending = false }
        return migrations.without(names).upTo(version: version).plan(
            for: state,
            of: name,
            baseline: store.ledger.isEmpty ? baseline : nil,
            kind: fixture.primary == .cache ? .cache : .suite,
            mode: .atOnce
        )
    }
}

extension FixtureUpgrades {
    /// Opens a copy at each version on the way, and compares it with the result of one jump to that version.
    mutating func upgradeStepByStep() async {
        guard targets.count > 1 else { return }
        let entry = EntryPoint.all(for: fixture.primary)[0]
        var versions: [Int] = []
        do {
            let store = try TemporaryStore(fixture)
            for target in targets {
                // A failed jump is reported elsewhere, and the steps would fail, too.
                guard let jump = results[target] else { return }
                versions.append(target)
                upgrades += 1
                _ = try await store.upgrade(
                    through: migrations.upTo(version: target),
                    by: entry,
                    configuration: configuration
                )
                let difference = StoreDifference(
                    expected: try store.contents(after: entry),
                    found: jump,
                    aspects: .all,
                    migrations: migrations
                )
                guard !difference.isEmpty else { continue }
                let steps = versions.map(String.init).joined(separator: ", ")
                failures.add(
                    .path,
                    name,
                    "the result depends on the path. Expected is the result of opening the store at versions \(steps), "
                        + "one after the other; found is the result of one upgrade from \(fixture.version) to "
                        + "\(target):\n\(difference)"
                )
                // Later differences would be consequences of this one.
                return
            }
        } catch {
            let steps = versions.map(String.init).joined(separator: ", ")
            failures.add(
                .path,
                name,
                "the result depends on the path: one upgrade succeeds, but opening the store at versions \(steps), one "
                    + "after the other, throws \(UpgradeText.of(error))"
            )
        }
    }

    /// Upgrades a copy through the migrations that shortcuts replace, and compares it with what the shortcuts give.
    ///
    /// - Returns: Whether it is the same.
    private mutating func provesShortcuts() async -> Bool {
        let target = migrations.version
        var areSame = true
        // Without a shortcut, a shorter one may be taken, which is proved in the next round.
        var proved: Set<String> = []
        while true {
            let plan = plan(of: fixture, upTo: target, without: proved)
            let taken = Set(plan.entries.compactMap(\.replacement)).intersection(plan.pending)
            shortcuts.formUnion(taken.map(\.name))
            guard !taken.isEmpty, let result = results[target] else { return areSame }
            for shortcut in taken.sorted(by: { ($0.version, $0.name) < ($1.version, $1.name) }) {
                let isSame = await proves(shortcut, result, without: proved)
                areSame = areSame && isSame
            }
            proved.formUnion(taken.map(\.name))
        }
    }

    /// Upgrades a copy without a shortcut, and compares it with the result of the whole registry.
    ///
    /// - Parameter proved: Longer shortcuts, which give that result, too.
    private mutating func proves(
        _ shortcut: MigrationID,
        _ result: StoreFixture,
        without proved: Set<String>
    ) async -> Bool {
        let entry = EntryPoint.all(for: fixture.primary)[0]
        let text = "migration \(shortcut) does not do what the migrations that it replaces do"
        let replaced = migrations.allReplaced[shortcut.name] ?? []
        do {
            let store = try TemporaryStore(fixture)
            upgrades += 1
            let registry = migrations.without(proved.union([shortcut.name]))
            _ = try await store.upgrade(through: registry, by: entry, configuration: configuration)
            let difference = StoreDifference(
                expected: try store.contents(after: entry),
                found: result,
                aspects: .order,
                migrations: migrations
            )
            guard !difference.isEmpty else { return true }
            failures.add(.path, name, "\(text). Expected is the result of those:\n\(difference)")
        } catch let error as MoltError where error.step != nil && replaced.contains(error.migration?.name ?? "") {
            // No device can have been through those: the shortcut corrects a step that fails.
            return true
        } catch {
            failures.add(.path, name, "\(text): they throw \(UpgradeText.of(error))")
        }
        return false
    }
}
