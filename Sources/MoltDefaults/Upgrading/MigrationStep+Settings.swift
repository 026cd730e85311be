public import MoltCore

extension MigrationStep {
    /// Changes settings of a suite, once.
    ///
    /// ```swift
    /// Migration(to: 5, "sounds", .settings(in: .standard, "split the volume") { settings in
    ///     guard let volume = try settings.value(for: DefaultsKey<Double?>("volume")) else { return }
    ///     try settings.set(.double(volume), forKey: "musicVolume")
    ///     try settings.set(.double(volume), forKey: "speechVolume")
    ///     try settings.removeValue(forKey: "volume")
    /// })
    /// ```
    /// It also runs on a store that was just created, because the settings may be older than the store: the closure
    /// must do nothing where there is nothing to change. When the settings cannot be read now, as on a device that was
    /// not unlocked yet, the migration is deferred.
    ///
    /// - Parameters:
    ///   - suite: The suite.
    ///   - words: What the closure does, as plans and reports show it.
    ///   - body: Gets the settings; what it throws rolls the upgrade back.
    public static func settings(
        in suite: Suite,
        _ words: String = "change settings",
        _ body: @escaping @Sendable (SuiteChanges) throws -> Void
    ) -> MigrationStep {
        MigrationStep(words: "\(words) in \(suite)", parameters: [], attaching: [suite]) { migration in
            try body(migration.suite(suite))
        }
    }

    /// Gives a setting another key; does nothing when there is none.
    ///
    /// - Throws: When it runs, `MigrationError` with the code `keyExists` if the new key has a value that is not the same.
    public static func renameKey(_ key: String, to newKey: String, in suite: Suite) -> MigrationStep {
        let words = "rename the key \(key) to \(newKey) in \(suite)"
        return MigrationStep(words: words, parameters: [key, newKey], attaching: [suite]) { migration in
            try migration.suite(suite).renameKey(key, to: newKey)
        }
    }

    /// Removes settings.
    ///
    /// - Important: The values are gone when the upgrade is committed.
    public static func removeKeys(_ keys: String..., in suite: Suite) -> MigrationStep {
        let words = "remove \(keys.joined(separator: ", ")) from \(suite)"
        return MigrationStep(words: words, parameters: keys, attaching: [suite]) { migration in
            let settings = try migration.suite(suite)
            for key in keys { try settings.removeValue(forKey: key) }
        }
    }
}
