internal import Molt

extension FixtureUpgrades {
    /// Upgrades copies through each two migrations that stores can have been through in either order, and compares the
    /// results.
    ///
    /// Two branches of an app's code, each with a migration of its own, leave such stores: those of one version, and
    /// any if the registry allows late migrations. A migration that has shipped comes first everywhere: no store has
    /// been through a later one alone. Two that cannot meet give the same in either order.
    mutating func compareBranches() async throws {
        let registry = migrations.withoutShortcuts
        guard let result = results[migrations.version] else { return }
        let applied = Set(fixture.ledger.filter(\.outcome.isApplied).map(\.name))
        let candidates = registry.migrations.filter { $0.version >= fixture.version && !applied.contains($0.name) }
        for (index, first) in candidates.enumerated() where !shippedMigrations.contains(first.name) {
            for second in candidates[(index + 1)...]
            where (registry.allowsLateMigrations || first.version == second.version) && first.canMeet(second) {
                try Task.checkCancellation()
                try await compare(first, second, in: registry, result)
            }
        }
    }

    /// Upgrades a copy through the second of two migrations before the first one.
    private mutating func compare(
        _ first: Migration,
        _ second: Migration,
        in registry: MigrationRegistry,
        _ result: StoreFixture
    ) async throws {
        let entry = EntryPoint.all(for: fixture.primary)[0]
        let text =
            "stores of two branches can go through the migrations \(first.id) and \(second.id) in either order, and the "
            + "results differ"
        let advice =
            "Change one of them so that the order makes no difference."
            + (registry.allowsLateMigrations
                ? "" : " If no store can have been through the second one alone, make them one migration.")
            + " If both have shipped, seal their versions."
        do {
            let store = try TemporaryStore(fixture)
            do {
                // A branch on which the second one does not work without the first one has both.
                let branch = try registry.upTo(second.name).without([first.name])
                _ = try await store.upgrade(through: branch, by: entry, configuration: configuration)
            } catch is MoltError {
                return
            }
            upgrades += 1
            _ = try await store.upgrade(through: registry, by: entry, configuration: configuration)
            let difference = StoreDifference(ofDataIn: result, try store.contents(after: entry))
            guard !difference.isEmpty else { return }
            let orders =
                "Expected is the result in the order of the registry; found is that with \"\(second.name)\" first:"
            failures.add(.path, name, "\(text). \(orders)\n\(difference)\n\(advice)")
        } catch let error as MoltError where error.code == .lateMigration {
            // Such a store is refused.
        } catch let error as CancellationError {
            throw error
        } catch {
            failures.add(
                .path,
                name,
                "\(text): with \"\(second.name)\" first, it throws \(UpgradeText.of(error)). \(advice)"
            )
        }
    }
}
