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
    private var configuration: CodableCache.Configuration

    private(set) var failures = FailureList()
    /// What the upgrade to each version makes of the fixture.
    private(set) var results: [Int: StoreFixture] = [:]
    /// How many times a copy was opened.
    private var upgrades = 0

    /// - Parameter migrations: A registry without faults.
    init(
        _ name: String,
        _ fixture: StoreFixture,
        migrations: MigrationRegistry,
        types: [FixtureType],
        configuration: CodableCache.Configuration
    ) {
        self.name = name
        self.fixture = fixture
        self.migrations = migrations
        self.types = types
        self.configuration = configuration
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
            failures.add(edit, at: name, newest: migrations.version)
        }
        checkOwnLedger()
        for target in targets {
            try Task.checkCancellation()
            try await upgrade(to: target)
        }
        await upgradeStepByStep()
        if let result = results[migrations.version] {
            failures.add(TypeCheck(result, types, configuration.coding, name: name).failures)
        }
    }

    /// A store that was ever upgraded says by what: without that, all of it would be done again.
    private mutating func checkOwnLedger() {
        let known = migrations.migrations.filter { $0.version <= fixture.schemaVersion }
        guard fixture.ledger.isEmpty, let first = known.first else { return }
        failures.add(
            .ledger,
            name,
            "The store is at version \(fixture.schemaVersion), and its ledger is empty: the migrations up to that would "
                + "run on it again. List them in the fixture: \"ledger\": [{\"name\": \"\(first.name)\", \"version\": "
                + "\(first.version)}, …]"
        )
    }

    // MARK: At once

    private mutating func upgrade(to target: Int) async throws {
        let registry = migrations.upTo(version: target)
        var reference: (entry: EntryPoint, result: StoreFixture)?
        var thrown: [(entry: String, text: String)] = []
        var opened = 0
        for entry in EntryPoint.all(for: fixture.primary) {
            let store = try TemporaryStore(fixture)
            var dry: MigrationReport?
            if entry == .open || entry == .suite {
                do {
                    dry = try dryRun(store, registry, target)
                } catch {
                    thrown.append(("dry run", UpgradeText.of(error)))
                }
                opened += 1
            }
            do {
                upgrades += 1
                let report = try await store.upgrade(through: registry, by: entry, configuration: configuration)
                let result = try store.contents(after: entry)
                if let dry { compare(dry, report, target) }
                if let reference {
                    compare(result, by: entry, with: reference.result, by: reference.entry, target)
                } else {
                    reference = (entry, result)
                    check(result, report, target)
                }
                try await repeatUpgrade(of: store, registry, entry, result, target)
            } catch {
                thrown.append((entry.description, UpgradeText.of(error)))
            }
            opened += 1
        }
        // When it happens everywhere, the list of entry points says nothing.
        let isEverywhere = thrown.count == opened
        for (entry, text) in thrown {
            failures.add(
                .upgrade,
                name,
                "the upgrade throws \(text)",
                at: .upgrade(to: target, by: isEverywhere ? nil : entry)
            )
        }
        results[target] = reference?.result
    }

    private mutating func dryRun(
        _ store: TemporaryStore,
        _ registry: MigrationRegistry,
        _ target: Int
    ) throws -> MigrationReport {
        let before = try (store.contents(), Self.bytes(of: store))
        upgrades += 1
        let report = try store.dryRun(of: registry, configuration: configuration)
        let after = try (store.contents(), Self.bytes(of: store))
        let difference = StoreDifference(expected: before.0, found: after.0, aspects: .fingerprints)
        if !difference.isEmpty {
            failures.add(
                .dryRun,
                name,
                "the dry run changed the store:\n\(difference)",
                at: .upgrade(to: target, by: nil)
            )
        } else if before.1 != after.1 {
            failures.add(
                .dryRun,
                name,
                "the dry run wrote to the store's file",
                at: .upgrade(to: target, by: nil)
            )
        }
        return report
    }

    private mutating func compare(_ dry: MigrationReport, _ report: MigrationReport, _ target: Int) {
        let lines = ReportDifference(dry, report).lines
        guard !lines.isEmpty else { return }
        let text = lines.joined(separator: "\n")
        failures.add(
            .dryRun,
            name,
            "the dry run says something else than the upgrade does:\n\(text)",
            at: .upgrade(to: target, by: nil)
        )
    }

    private mutating func compare(
        _ result: StoreFixture,
        by entry: EntryPoint,
        with other: StoreFixture,
        by otherEntry: EntryPoint,
        _ target: Int
    ) {
        let difference = StoreDifference(expected: other, found: result, aspects: .fingerprints)
        guard !difference.isEmpty else { return }
        failures.add(
            .entryPoints,
            name,
            "the result is not the same as by \(otherEntry):\n\(difference)",
            at: .upgrade(to: target, by: entry.description)
        )
    }

    private mutating func repeatUpgrade(
        of store: TemporaryStore,
        _ registry: MigrationRegistry,
        _ entry: EntryPoint,
        _ result: StoreFixture,
        _ target: Int
    ) async throws {
        let place = FailureList.Place.upgrade(to: target, by: entry.description)
        let bytes = try Self.bytes(of: store)
        upgrades += 1
        let report = try await store.upgrade(through: registry, by: entry, configuration: configuration)
        if !report.isEmpty {
            let names = report.entries.map(\.migration.description).joined(separator: ", ")
            failures.add(.repetition, name, "a second opening ran migrations again: \(names)", at: place)
        }
        let difference = StoreDifference(
            expected: result,
            found: try store.contents(after: entry),
            aspects: .fingerprints
        )
        if !difference.isEmpty {
            failures.add(.repetition, name, "a second opening changed the store:\n\(difference)", at: place)
        } else if report.isEmpty, try Self.bytes(of: store) != bytes {
            failures.add(.repetition, name, "a second opening wrote to the store's file", at: place)
        }
    }

    /// The bytes of the file and of its write-ahead log.
    private static func bytes(of store: TemporaryStore) throws -> [Data] {
        try [store.url.path, store.url.path + "-wal"].map { path in
            FileManager.default.fileExists(atPath: path) ? try Data(contentsOf: URL(filePath: path)) : Data()
        }
    }

    // MARK: The ledger

    private mutating func check(_ result: StoreFixture, _ report: MigrationReport, _ target: Int) {
        let place = FailureList.Place.upgrade(to: target, by: nil)
        for deferral in report.deferred {
            let reason = UpgradeText.withoutCopies(deferral.reason)
            failures.add(.ledger, name, "migration \(deferral.migration) still waits: \(reason)", at: place)
        }
        let deferred = Set(report.deferred.map(\.migration))
        let version = migrations.upTo(version: target).version
        if result.schemaVersion != version {
            failures.add(.ledger, name, "the store is at version \(result.schemaVersion) afterwards", at: place)
        }
        let plan = plan(of: result, upTo: target)
        for problem in plan.problems { failures.add(.ledger, name, problem.message, at: place) }
        for entry in plan.entries where entry.status != .applied && entry.status != .replaced {
            guard !deferred.contains(entry.migration) else { continue }
            failures.add(.ledger, name, "migration \(entry.migration) is not in the ledger afterwards", at: place)
        }
        if !needsUpgrade(to: target), plan.problems.isEmpty {
            let difference = StoreDifference(expected: fixture, found: result, aspects: .fingerprints)
            guard !difference.isEmpty else { return }
            failures.add(.repetition, name, "opening a store that is up to date changed it:\n\(difference)", at: place)
        }
    }

    private func plan(of store: StoreFixture, upTo version: Int) -> MigrationPlan {
        MigrationPlan(
            state: StoreState(version: store.schemaVersion, isFresh: false, ledger: store.ledger),
            storeName: name,
            migrations: migrations.upTo(version: version)
        )
    }

    // MARK: Step by step

    /// Opens a copy at each version on the way, and compares it with what one jump to that version gives.
    private mutating func upgradeStepByStep() async {
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
                    aspects: .fingerprints
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
