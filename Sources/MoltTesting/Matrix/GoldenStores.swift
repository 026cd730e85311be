internal import MoltCore

/// Holds what upgrades made of a fixture against the expected stores of the catalog, and records these.
struct GoldenStores {
    private(set) var failures = FailureList()
    /// The files that were written.
    private(set) var recorded: [String] = []
    private let catalog: FixtureCatalog
    private let audit: CatalogAudit
    private let upgrades: FixtureUpgrades
    private let mode: RecordingMode
    private let mayRecord: Bool

    /// - Parameter mayRecord: Whether nothing is wrong with the fixture otherwise.
    init(
        _ catalog: FixtureCatalog,
        _ audit: CatalogAudit,
        _ upgrades: FixtureUpgrades,
        mode: RecordingMode,
        mayRecord: Bool
    ) {
        self.catalog = catalog
        self.audit = audit
        self.upgrades = upgrades
        self.mode = mode
        self.mayRecord = mayRecord
    }

    mutating func check() throws {
        guard let fixture = CatalogFile(path: upgrades.name) else { return }
        for target in upgrades.targets where upgrades.needsUpgrade(to: target) {
            let file = CatalogFile(fixtureVersion: fixture.fixtureVersion, name: fixture.name, target: target)
            let isThere = audit.files.contains(file)
            if isThere { checkEdits(file) }
            guard let result = upgrades.results[target] else { continue }
            if isThere {
                try compare(result, with: file)
            } else if audit.hasShipped(file), audit.lock.hashes[file.path] != nil {
                // That it was removed is said already.
            } else if mode != .never, mayRecord {
                try record(result, file)
            } else if mode != .never {
                failures.add(
                    .missingGolden,
                    upgrades.name,
                    "\(file.path) was not written, because of what else is wrong."
                )
            } else if mayRecord, audit.lock.hashes[file.path] == nil {
                failures.add(
                    .missingGolden,
                    upgrades.name,
                    "There is no \(file.path) to compare with. " + CatalogWords.toWrite
                )
            }
        }
    }

    private mutating func compare(_ result: StoreFixture, with file: CatalogFile) throws {
        let expected: StoreFixture
        do {
            expected = try catalog.fixture(at: file)
        } catch let error as TestingError {
            failures.add(.catalog, file.path, error.message + (error.underlying.map { "\n\($0)" } ?? ""))
            return
        }
        let hasShipped = audit.hasShipped(file)
        let difference = StoreDifference(expected: expected, found: result)
        if mode == .all, mayRecord, !hasShipped {
            let whole = StoreDifference(expected: expected, found: result, aspects: .fingerprints)
            if !whole.isEmpty { try record(result, file) }
            return
        }
        guard !difference.isEmpty else { return }
        let advice =
            hasShipped
            ? "That is what releases in the field have made of such a store: mend the migration. If it was never checked "
                + "in, remove the file and its line in \(FixtureLock.file), and record it again."
            : CatalogWords.ifNotShipped(file.version)
        failures.add(
            .golden,
            upgrades.name,
            "the result is not the expected store:\n\(difference)\n\(advice)",
            at: .words(file.path)
        )
    }

    private mutating func record(_ result: StoreFixture, _ file: CatalogFile) throws {
        try catalog.write(result, to: file)
        recorded.append(file.path)
    }

    /// What shipped releases have applied shows in the ledgers of the stores that they made, too.
    private mutating func checkEdits(_ file: CatalogFile) {
        // One that cannot be read is named where results are compared with it.
        guard audit.hasShipped(file), let golden = try? catalog.fixture(at: file) else { return }
        let plan = MigrationPlan(
            state: StoreState(version: golden.schemaVersion, isFresh: false, ledger: golden.ledger),
            storeName: file.path,
            migrations: upgrades.migrations
        )
        for edit in plan.edits { failures.add(edit, at: file.path, newest: audit.newest) }
    }
}
