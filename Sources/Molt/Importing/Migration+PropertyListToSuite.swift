public import Foundation

extension Migration {
    /// Copies the settings of a property list file, such as a framework's own, into a suite.
    ///
    /// ```swift
    /// .propertyListToSuite(to: 4, from: folder.appending(path: "sounds.plist"), into: .standard)
    /// ```
    /// The file is read when the migration runs, as XML or binary, and is never changed or removed. For a file that
    /// `UserDefaults` keeps, name its suite with
    /// ``suiteToAppGroup(to:_:from:into:keys:renaming:onConflict:removingSource:)`` instead: the system may not have
    /// written the latest values yet.
    ///
    /// If there is no file, as on a new device, nothing is copied and the migration counts as applied. The report
    /// contains the outcome of each key, under the file's name; a listed key without a value is absent.
    ///
    /// The migration is deferred and retried at every opening while the file cannot be read: in an app extension that
    /// does not see it, and on a locked device that protects it. An upgrade fails with the code `unreadable` if the
    /// file is damaged or does not hold a dictionary, with `noPermission` if its permissions deny access, and with
    /// `suiteFailed` if it is not a file or cannot be read for another reason. Nothing is changed then.
    ///
    /// - Parameters:
    ///   - version: The schema version that the migration brings a store to.
    ///   - name: A name that is unique in the registry; pass one if there are two files.
    ///   - file: The property list. The migration's fingerprint contains the file's name but not its directory, which
    ///     may change between installations.
    ///   - destination: The suite that gets the settings. The registry is invalid if the file is the suite's own.
    ///   - keys: The keys to copy; all except the system's own by default.
    ///   - names: The new names of renamed keys, by old name; none by default. If two different values would get the
    ///     same key, the upgrade fails with the code `keyExists`.
    ///   - policy: The value that wins if both have one; that of the suite by default.
    public static func propertyListToSuite(
        to version: Int,
        _ name: String = "property-list-to-suite",
        from file: URL,
        into destination: Suite,
        keys: Suite.Keys = .all,
        renaming names: [String: String] = [:],
        onConflict policy: ConflictPolicy<Suite> = .keep
    ) -> Migration {
        let step = SuiteMoveStep(
            source: .file(AttachedFile(path: FileStatus.path(of: file))),
            destination: destination,
            keys: keys,
            names: names,
            policy: policy,
            removesSource: false
        )
        return Migration(to: version, name, step.migrationStep)
    }
}
