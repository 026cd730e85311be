extension MigrationRegistry {
    /// The suite into which a migration before another one moves a setting, and that migration; nil if none does.
    ///
    /// - Parameter suite: The name of the setting's suite as an attached store.
    func move(of key: String, in suite: String, before migration: Migration) -> (to: Suite, by: MigrationID)? {
        migrations.prefix { $0.name != migration.name }.lazy.compactMap { earlier in
            earlier.steps.lazy.compactMap { $0.destination(of: key, in: suite) }.first.map { ($0, earlier.id) }
        }.first
    }

    /// The keys of a suite whose values have an old form, and that no migration converts or changes the content of,
    /// sorted.
    ///
    /// - Parameters:
    ///   - suite: The suite's name as an attached store.
    ///   - values: Its values.
    ///   - isOldForm: Whether a value probably has the old form.
    func forgottenKeys(
        of suite: String,
        in values: [String: PropertyListValue],
        _ isOldForm: (PropertyListValue) -> Bool
    ) -> [String] {
        let steps = migrations.flatMap(\.steps).filter { step in step.attached.contains { $0.name == suite } }
        return values.filter { key, value in
            !Suite.ownKeys.contains(key) && !steps.contains { $0.convertsKey(key) } && isOldForm(value)
        }
        .keys.sorted()
    }
}
