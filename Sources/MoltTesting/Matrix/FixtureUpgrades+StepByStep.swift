internal import MoltCache
internal import MoltCore

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
