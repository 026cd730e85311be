extension Migration {
    /// Moves settings from one suite to another, such as from the app's own to an app group shared with extensions.
    ///
    /// ```swift
    /// .suiteToAppGroup(to: 4, from: .standard, into: Suite("group.com.example.app"))
    /// ```
    /// Only values of the source's own domain are moved, never registered defaults, arguments or the global domain.
    /// They are read back from disk before anything is removed from the source. Earlier migrations see the settings in
    /// the source, and later ones in the destination. The report contains the outcome of each key.
    ///
    /// The migration is deferred and retried at every opening while the source is not readable: in an app extension,
    /// whose ``Suite/standard`` is another suite; and while the source reads as empty but was not.
    ///
    /// - Parameters:
    ///   - version: The schema version that the migration brings a store to.
    ///   - name: A name that is unique in the registry; pass one if there are two moves.
    ///   - source: The suite that has the settings. For those of a former bundle identifier, a sandboxed app on macOS
    ///     needs a temporary exception for shared preferences, for writing, too, with `removingSource: true`. If the
    ///     system hides them, the suite looks empty, and the migration counts as applied.
    ///   - destination: The suite that gets the settings. If the app may not use it, for example an app group that the
    ///     app is not entitled to, the upgrade fails; macOS does not report a missing entitlement.
    ///   - keys: The keys to move; all except the system's own by default.
    ///   - names: The new names of renamed keys, by old name; none by default. If two different values would get the
    ///     same key, the upgrade fails with the code `keyExists`.
    ///   - policy: The value that stays if both suites have one; that of the destination by default, because newer code
    ///     has written it.
    ///   - removingSource: Whether the values are removed from the source after the copies were read back from disk;
    ///     false by default, for extensions and older releases. Values that lost a conflict stay. On Apple's systems, a
    ///     service writes settings a little after they are set, so a loss of power in between can lose the values at
    ///     both places: to be safe, remove them in a later release instead.
    public static func suiteToAppGroup(
        to version: Int,
        _ name: String = "suite-to-app-group",
        from source: Suite,
        into destination: Suite,
        keys: Suite.Keys = .all,
        renaming names: [String: String] = [:],
        onConflict policy: ConflictPolicy<Suite> = .keep,
        removingSource: Bool = false
    ) -> Migration {
        let step = SuiteMoveStep(
            source: .suite(source),
            destination: destination,
            keys: keys,
            names: names,
            policy: policy,
            removesSource: removingSource
        )
        return Migration(to: version, name, step.migrationStep)
    }
}
