internal import Molt

/// Compares the results of a fixture's upgrades with the upgraded fixtures of the catalog, and records these.
struct UpgradedFixtureComparison {
    private(set) var failures = FailureList()
    private(set) var recorded: [String] = []
    let catalog: FixtureCatalog
    let audit: CatalogAudit
    let upgrades: FixtureUpgrades
    let mode: RecordingMode
    /// Whether the fixture has no other failures.
    let mayRecord: Bool

    mutating func run(_ fixture: CatalogFile) throws {
        for target in upgrades.targets where upgrades.needsUpgrade(to: target) {
            let file = CatalogFile(fixtureVersion: fixture.fixtureVersion, name: fixture.name, target: target)
            // The fixture of a suite has its release's version in its name, and the suite may not reach it.
            if target <= fixture.fixtureVersion, upgrades.fixture.version < fixture.fixtureVersion { continue }
            // The audit has reported the unreadable file, and one that is sealed and missing.
            guard !audit.unreadable.contains(file), !audit.failures.isAbout(.sealed, file.path) else { continue }
            if let expected = audit.upgraded[file] {
                checkEdits(expected.store, file)
                if let result = upgrades.results[target] { try compare(result, with: expected, file) }
            } else if let result = upgrades.results[target] {
                try recordMissing(result, file)
            }
        }
    }

    private mutating func recordMissing(_ result: StoreFixture, _ file: CatalogFile) throws {
        if mode != .never, mayRecord {
            try record(result, file)
        } else if mode != .never {
            let message = "\(file.path) was not written, because of the other failures."
            failures.add(.missingUpgradedFixture, upgrades.name, message)
        } else if mayRecord {
            let message = "There is no \(file.path) to compare with. " + RecordingAdvice.toWrite
            failures.add(.missingUpgradedFixture, upgrades.name, message)
        }
    }

    private mutating func compare(_ result: StoreFixture, with expected: UpgradedFixture, _ file: CatalogFile) throws {
        let hasShipped = audit.hasShipped(file)
        if mode.overwrites, mayRecord, !hasShipped {
            let whole = difference(expected.store, result, .fingerprints)
            let isOfThisFixture = try expected.fixtureDigest == catalog.digest(of: file.fixture)
            if !whole.isEmpty || !isOfThisFixture { try record(result, file) }
            return
        }
        let difference = difference(expected.store, result)
        guard !difference.isEmpty else { return }
        // The audit has reported the edited fixture, and its results must differ.
        if audit.failures.isAbout(upgrades.name), try expected.fixtureDigest != catalog.digest(of: file.fixture) {
            return
        }
        let advice =
            if audit.protection.isSealed(file.version) {
                "Shipped releases gave this result: correct the migration."
            } else if hasShipped {
                "Shipped releases gave this result: correct the migration."
                    + (mayRecord
                        ? " If version \(file.version) has not shipped: "
                            + audit.protection.commandToOverwrite(file.version) : "")
            } else {
                mayRecord ? audit.protection.adviceIfNotShipped(file.version) : "Correct the other failures first."
            }
        failures.add(
            .upgradedFixture,
            upgrades.name,
            "the result is not what the file has:\n\(difference)\n\(advice)",
            at: .summary(file.path)
        )
    }

    private func difference(
        _ expected: StoreFixture,
        _ found: StoreFixture,
        _ aspects: StoreDifference.Aspects = []
    ) -> StoreDifference {
        // A record may have expired since the file was written.
        let now = upgrades.configuration.now()
        return StoreDifference(
            expected: expected.withoutExpired(by: now),
            found: found.withoutExpired(by: now),
            aspects: aspects,
            migrations: upgrades.migrations
        )
    }

    private mutating func record(_ result: StoreFixture, _ file: CatalogFile) throws {
        try catalog.write(result, to: file)
        recorded.append(file.path)
    }

    /// Reports migrations that the ledgers of upgraded fixtures have in another form.
    private mutating func checkEdits(_ expected: StoreFixture, _ file: CatalogFile) {
        guard audit.hasShipped(file) else { return }
        let state = StoreState(version: expected.version, isFresh: false, ledger: expected.ledger)
        let plan = upgrades.migrations.plan(for: state, of: file.path)
        for edit in plan.editedMigrations { failures.add(edit, at: file.path, audit.protection) }
    }
}
