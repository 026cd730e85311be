internal import Molt

extension FixtureUpgrades {
    /// Upgrades copies through each two migrations that stores can have been through in either order, and compares the
    /// results.
    ///
    /// Two branches of an app's code, each with a migration of its own, leave such stores: those of one version, and any
    /// if the registry allows late migrations. Two that have both shipped can no longer be changed.
    mutating func compareBranches() async {
        let registry = migrations.withoutShortcuts
        guard let result = results[migrations.version] else { return }
        let plan = plan(of: fixture, upTo: migrations.version)
        let pending = Set(plan.pending.map(\.name))
        let candidates = registry.migrations.filter { pending.contains($0.name) }
        for (index, first) in candidates.enumerated() {
            for second in candidates[(index + 1)...]
            where (registry.allowsLateMigrations || first.version == second.version)
                && !(sealedMigrations.contains(first.name) && sealedMigrations.contains(second.name))
            {
                await compare(first, second, in: registry, result)
            }
        }
    }

    /// Upgrades a copy through the second of two migrations before the first one.
    private mutating func compare(
        _ first: Migration,
        _ second: Migration,
        in registry: MigrationRegistry,
        _ result: StoreFixture
    ) async {
        let entry = EntryPoint.all(for: fixture.primary)[0]
        let text =
            "the result depends on which of the migrations \(first.id) and \(second.id) a store goes through first, and "
            + "two branches can leave it with either"
        let advice =
            "Change one of them so that the order makes no difference."
            + (registry.allowsLateMigrations
                ? "" : " If no store can have been through one of them alone, make them one migration.")
        do {
            let store = try TemporaryStore(fixture)
            do {
                // A branch on which the second one does not work without the first one has both.
                let branch = try registry.upTo(second.name).without([first.name])
                _ = try await store.upgrade(through: branch, by: entry, configuration: configuration)
            } catch {
                return
            }
            upgrades += 1
            _ = try await store.upgrade(through: registry, by: entry, configuration: configuration)
            var expected = result
            let found = try store.contents(after: entry)
            expected.ledger = found.ledger
            let difference = StoreDifference(expected: expected, found: found, aspects: [], migrations: migrations)
            guard !difference.isEmpty else { return }
            let orders =
                "Expected is the result in the order of the registry; found is that with \"\(second.name)\" first:"
            failures.add(.path, name, "\(text). \(orders)\n\(difference)\n\(advice)")
        } catch let error as MoltError where error.code == .lateMigration {
            // Such a store is refused.
        } catch {
            failures.add(
                .path,
                name,
                "\(text): with \"\(second.name)\" first, it throws \(UpgradeText.of(error)). \(advice)"
            )
        }
    }
}
