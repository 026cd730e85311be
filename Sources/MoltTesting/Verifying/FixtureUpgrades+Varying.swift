internal import Molt

extension FixtureUpgrades {
    /// Upgrades variations of the fixture, and reads them with today's types.
    ///
    /// Several are upgraded in one store; if something is wrong with it, each of them is upgraded alone.
    mutating func run(_ variations: StoreVariations) throws {
        var failed: Set<String> = []
        for batch in variations.batches {
            try Task.checkCancellation()
            guard !problems(with: variations.store(with: batch)).isEmpty else { continue }
            // Other samples with the same change would fail for the same reason.
            for variation in batch where !failed.contains(variation.change) {
                let problems = problems(with: variations.store(with: [variation]))
                if !problems.isEmpty { failed.insert(variation.change) }
                for problem in problems {
                    let reason = "By `\(CatalogFile.types)`, that release can have stored such a value."
                    failures.add(.variation, name, "\(problem)\n\(reason)", at: .summary(variation.text))
                }
            }
        }
    }

    /// The problems with upgrading a store to the newest version and reading it.
    private func problems(with store: StoreFixture) -> [String] {
        do {
            var result = store
            if needsUpgrade(to: migrations.version) {
                let entry: EntryPoint = store.primary == .cache ? .inMemory : .suite
                let copy = try TemporaryStore(store)
                _ = try copy.upgradeNow(through: migrations, by: entry, configuration: configuration)
                result = try copy.contents(after: entry)
            }
            var found = RecordReading(result, types, migrations, newest: migrations.version, name: name).failures
            found.add(settings.failures(in: result, migrations, name: name))
            return found.failures.filter { [.decoding, .unknownType].contains($0.kind) }.map(\.message)
        } catch {
            return ["the upgrade throws \(UpgradeText.of(error))"]
        }
    }
}
