extension MigrationRegistry {
    /// Whether the declaration of a step names a key.
    ///
    /// - Parameter suite: The suite's name as an attached store; nil for any.
    package func namesSetting(_ key: String, of suite: String?) -> Bool {
        migrations.contains { migration in
            migration.steps.contains { step in
                guard case .settings(let work) = step.work else { return false }
                return (suite == nil || work.attached.contains { $0.name == suite }) && work.names(key)
            }
        }
    }

    /// The suite into which a migration before another one moves a setting, and that migration; nil if none does.
    ///
    /// - Parameter suite: The name of the setting's suite as an attached store.
    func move(of key: String, in suite: String, before migration: Migration) -> (to: Suite, by: MigrationID)? {
        migrations.prefix { $0.name != migration.name }.lazy.compactMap { earlier in
            earlier.steps.lazy.compactMap { step -> Suite? in
                guard case .settings(let work) = step.work, let new = work.destination(of: key, in: suite), !new.isCopy,
                    new.suite.attachedName != suite
                else { return nil }
                return new.suite
            }
            .first.map { ($0, earlier.id) }
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
        let works = migrations.flatMap(\.steps).compactMap { step in
            if case .settings(let work) = step.work, work.suite.attachedName == suite { work } else { nil }
        }
        return values.filter { key, value in
            !Suite.reservedKeys.contains(key) && !works.contains { $0.converts(key) } && isOldForm(value)
        }
        .keys.sorted()
    }
}
