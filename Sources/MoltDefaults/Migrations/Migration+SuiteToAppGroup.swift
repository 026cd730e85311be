public import MoltCore

extension Migration {
    /// Moves settings from a suite into another one, as from the app's own into an app group that extensions share.
    ///
    /// ```swift
    /// .suiteToAppGroup(to: 4, from: .standard, into: Suite("group.com.example.app"))
    /// ```
    /// Only values of the source's own domain are moved: no registered default, no argument, nothing of the global
    /// domain. They are read back from disk before anything is removed from the source. Migrations before this one see
    /// them at the old place, and those behind it at the new one. What became of each key is in the report.
    ///
    /// The migration is deferred, and tried again at every opening, when the source cannot be seen: in an app
    /// extension, for which ``Suite/standard`` is another suite; while it reads as empty though it was not; and as the
    /// canary says.
    ///
    /// - Parameters:
    ///   - version: The schema version that it brings a store to.
    ///   - name: A name that no other migration of the registry has: give one when there are two moves.
    ///   - source: Where the settings are.
    ///   - destination: Where they shall be. A name that cannot be used, as of an app group that the app is not
    ///     entitled to, fails the upgrade.
    ///   - keys: Which ones are moved; all but the system's own by default.
    ///   - names: The new names of keys that get one, by the old ones; none by default. Where that would bring two
    ///     different values under one key, the upgrade fails with the code `keyExists`.
    ///   - conflict: Which value stays when both suites have one; that of the destination by default.
    ///   - afterwards: Whether the values stay at the old place, too; they do by default.
    ///   - canary: How to know that the source can be read; what is seen is trusted by default.
    public static func suiteToAppGroup(
        to version: Int,
        _ name: String = "suite-to-app-group",
        from source: Suite,
        into destination: Suite,
        keys: SuiteMove.Keys = .all,
        renaming names: [String: String] = [:],
        conflict: SuiteMove.Conflict = .destinationWins,
        afterwards: SuiteMove.Afterwards = .keep,
        canary: SuiteMove.Canary = .none
    ) -> Migration {
        let step = SuiteMoveStep(
            source: source,
            destination: destination,
            keys: keys,
            names: names,
            conflict: conflict,
            afterwards: afterwards,
            canary: canary
        )
        return Migration(to: version, name, step.migrationStep)
    }
}
