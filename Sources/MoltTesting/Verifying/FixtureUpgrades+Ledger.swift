internal import Molt

extension FixtureUpgrades {
    /// Checks that an upgraded store has a ledger that fits the registry; without it, all migrations would run again.
    ///
    /// - Returns: Whether the registry can upgrade the store.
    mutating func checkOwnLedger() -> Bool {
        guard fixture.version <= migrations.version else {
            failures.add(
                .ledger,
                name,
                "The store is at version \(fixture.version), and the registry ends at \(migrations.version). Use "
                    + "the registry that made it, or correct the version."
            )
            return false
        }
        let unknown = migrations.unknown(in: fixture.ledger)
        guard unknown.isEmpty else {
            failures.add(
                .ledger,
                name,
                "The ledger of the fixture has migrations that the registry lacks: "
                    + unknown.map { "\"\($0.name)\" (version \($0.version))" }.joined(separator: ", ")
                    + ". The registry has: \(migrations.names.joined(separator: ", ")). Restore the migration if it "
                    + "has shipped, because such a migration is never removed or renamed. Otherwise correct the "
                    + "fixture."
            )
            return false
        }
        let passed = migrations.migrations.first { $0.version <= fixture.version }
        if let passed, fixture.ledger.isEmpty, migrations.baseline == nil {
            failures.add(
                .ledger,
                name,
                "The store is at version \(fixture.version), and its ledger is empty: the migrations up to that "
                    + "version would run on it again. List them in the fixture: \"ledger\": [{\"name\": "
                    + "\"\(passed.name)\", \"version\": \(passed.version)}, …]. If such stores have shipped, declare a "
                    + "`baseline` in the registry."
            )
            return false
        }
        return true
    }

    /// Checks the ledger after an upgrade, and reports deferred migrations.
    mutating func check(_ result: StoreFixture, _ report: MigrationReport, _ target: Int) {
        let occurrence = FailureList.Occurrence.upgrade(to: target, by: nil)
        for deferral in report.deferred where !waitsForCache(report) {
            let reason = UpgradeText.withoutCopies(deferral.reason)
            failures.add(.ledger, name, "migration \(deferral.migration) still waits: \(reason)", at: occurrence)
        }
        let deferred = Set(report.deferred.map(\.migration))
        if result.version != version(after: target) {
            failures.add(.ledger, name, "the store is at version \(result.version) afterwards", at: occurrence)
        }
        let plan = plan(of: result, upTo: target)
        for problem in plan.problems { failures.add(.ledger, name, problem.message, at: occurrence) }
        for entry in plan.entries where !entry.isApplied && entry.status != .notNeeded {
            guard !deferred.contains(entry.migration) else { continue }
            failures.add(.ledger, name, "migration \(entry.migration) is not in the ledger afterwards", at: occurrence)
        }
        if !needsUpgrade(to: target), plan.problems.isEmpty {
            let difference = StoreDifference(expected: fixture, found: result, aspects: .fingerprints)
            guard !difference.isEmpty else { return }
            failures.add(
                .repetition,
                name,
                "opening a store that is up to date changed it:\n\(difference)",
                at: occurrence
            )
        }
    }
}

extension FixtureUpgrades {
    /// Whether a suite alone waits for its app's cache, because a migration moves settings into records.
    private func waitsForCache(_ report: MigrationReport) -> Bool {
        let moving = migrations.migrations
            .filter { migration in migration.steps.contains { $0.usesRecords && $0.settings != nil } }.map(\.id)
        return fixture.primary != .cache && report.deferred.contains { moving.contains($0.migration) }
    }
}

extension StoreFixture {
    /// A registry for which the migrations up to the fixture's version count as applied if its ledger is empty.
    ///
    /// A registry with a baseline of its own stays as it is, and so does one that ends before the fixture.
    func addingBaseline(to migrations: MigrationRegistry) -> MigrationRegistry {
        guard ledger.isEmpty, (1...max(1, migrations.version)).contains(version), migrations.baseline == nil
        else { return migrations }
        return migrations.baseline(version)
    }
}
