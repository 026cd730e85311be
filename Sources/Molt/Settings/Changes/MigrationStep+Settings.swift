extension MigrationStep {
    /// Changes settings of a suite once.
    ///
    /// ```swift
    /// Migration(to: 5, "sounds", .settings(in: .standard, "split the volume") { settings in
    ///     guard let volume = try settings.value(for: DefaultsKey<Double?>("volume")) else { return }
    ///     try settings.set(.double(volume), forKey: "musicVolume")
    ///     try settings.set(.double(volume), forKey: "speechVolume")
    ///     try settings.removeValue(forKey: "volume")
    /// })
    /// ```
    /// It also runs on a newly created store, because the settings may be older than the store: the closure must do
    /// nothing if there is nothing to change. If the settings cannot be read now, for example on a device that has not
    /// been unlocked yet, the migration is deferred.
    ///
    /// - Parameters:
    ///   - suite: The suite.
    ///   - summary: A summary of the closure for plans and reports.
    ///   - revision: The revision of the closure, 1 by default; see `MigrationStep.transform(_:revision:_:)`.
    ///   - body: Receives the settings; an error it throws rolls the upgrade back.
    public static func settings(
        in suite: Suite,
        _ summary: String = "change settings",
        revision: Int = 1,
        _ body: @escaping @Sendable (SuiteEditor) throws -> Void
    ) -> MigrationStep {
        MigrationStep(
            kind: "settings",
            summary: "\(summary) in \(suite)",
            parameters: [suite.declaredName, String(revision)],
            attaching: [.suite(suite)],
            changing: suite,
            runsClosure: true
        ) { migration in
            let settings = try migration.suite(suite)
            try migration.note(settings.outcomes(of: body), among: settings.keys)
        }
    }

    /// Renames a key; if the key has no value, does nothing and reports it as absent.
    ///
    /// - Throws: When it runs, `MoltError` with the code `keyExists` if the new key has a different value.
    public static func renameKey(_ key: String, to newKey: String, in suite: Suite) -> MigrationStep {
        let summary = "rename the key \(key) to \(newKey) in \(suite)"
        var faults = faults(of: [key, newKey])
        if key == newKey { faults.append("The key \"\(key)\" is renamed to itself.") }
        return MigrationStep(
            kind: "renameKey",
            summary: summary,
            parameters: [suite.declaredName, key, newKey],
            faults: faults,
            attaching: [.suite(suite)],
            changing: suite
        ) { migration in
            let settings = try migration.suite(suite)
            let isRenamed = try settings.renameKey(key, to: newKey)
            var outcome = MigrationReport.KeyOutcome(
                store: suite.attachedName,
                key: key,
                outcome: isRenamed ? .renamed : .absent
            )
            if isRenamed { outcome.reason = "to \(newKey)" }
            try migration.note([outcome], among: settings.keys)
        }
    }

    /// Removes settings and reports which of them existed.
    ///
    /// - Important: The values are lost when the upgrade is committed.
    public static func removeKeys(_ keys: String..., in suite: Suite) -> MigrationStep {
        let summary = "remove \(keys.joined(separator: ", ")) from \(suite)"
        return MigrationStep(
            kind: "removeKeys",
            summary: summary,
            parameters: [suite.declaredName] + keys,
            faults: faults(of: keys),
            attaching: [.suite(suite)],
            changing: suite,
            losses: keys.map { .init(.setting, $0) }
        ) { migration in
            let settings = try migration.suite(suite)
            let outcomes = try keys.map { key in
                let isThere = try settings.value(forKey: key) != nil
                try settings.removeValue(forKey: key)
                return MigrationReport.KeyOutcome(
                    store: suite.attachedName,
                    key: key,
                    outcome: isThere ? .removed : .absent
                )
            }
            try migration.note(outcomes, among: settings.keys)
        }
    }

    private static func faults(of keys: [String]) -> [String] {
        var faults: [String] = []
        if keys.isEmpty { faults.append("No key is named.") }
        if keys.contains("") { faults.append("A key has an empty name.") }
        for key in keys where Suite.ownKeys.contains(key) {
            faults.append("The key \"\(key)\" is reserved by Molt.")
        }
        return faults
    }
}
