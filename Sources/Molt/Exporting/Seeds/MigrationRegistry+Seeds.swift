public import Foundation

extension MigrationRegistry {
    // MARK: Seeds

    /// Declares a file of values that the app ships, such as presets, which a later release may change.
    ///
    /// ```swift
    /// let migrations = MigrationRegistry([Migration(to: 1, "nickname-added")]).seed("presets", from: presetsURL)
    /// ```
    ///
    /// The file is an export, which ``CodableCache/export(to:only:suites:progress:)`` writes, or a store's file that no
    /// one has open. Its settings are left out. It may be of any version up to that of the registry: its records go
    /// through the migrations since then, as those of an import do, blocks included.
    ///
    /// An opening that upgrades the store applies the file after the upgrade, in one transaction, if its bytes differ
    /// from those of the file that was applied last. For each record of the file:
    ///
    /// | earlier files | the store | the record |
    /// |---|---|---|
    /// | did not have its key | has no value | is added |
    /// | did not have its key | has a value | is left out |
    /// | had its key | has the value that they had | replaces that value |
    /// | had its key | has another value, of the user | is left out |
    /// | had its key | has no value: the user has deleted it | is left out |
    ///
    /// The store remembers what earlier files had, and takes it through later migrations. So a value that the user has
    /// deleted does not come back when an earlier release is installed again. ``MigrationReport/seeds`` has the
    /// numbers, ``MigrationPlan/seeds`` the names of what an opening would apply. Opening a store that has had the
    /// file reads the file, and writes nothing. A value is compared by its type and content, as a ``ConflictPolicy``
    /// compares records.
    ///
    /// A file that is missing, damaged, or of a later version than the registry fails the opening. The store has been
    /// upgraded then. The app's own tool needs the files, too.
    ///
    /// A cache that only reads, a process that leaves upgrades to others, a store that a newer release has upgraded,
    /// and a copy of `MoltTesting` apply no seeds. Exports have what the seeds have brought, but not what the store
    /// remembers of it. The declaration is no migration: it has no version, and is part of no
    /// ``Migration/fingerprint``.
    ///
    /// - Important: A value that has expired, or that ``MoltConfiguration/sizeLimit`` has evicted, looks as if the user
    ///   had deleted it.
    /// - Parameters:
    ///   - name: A name that is unique among the seeds, and never changes.
    ///   - url: The file, such as one in the app's bundle.
    ///   - removingOthers: Whether values of earlier files that this one lacks are removed, unless the user has changed
    ///     them; false by default.
    public func seed(_ name: String, from url: URL, removingOthers: Bool = false) -> MigrationRegistry {
        var registry = self
        registry.seeds.append(
            SeedDeclaration(name: name, url: url) { store, report, registry, configuration in
                let seed = SeedImport(
                    name,
                    at: url,
                    removingOthers: removingOthers,
                    into: store,
                    report,
                    registry,
                    configuration
                )
                return try seed.run()
            }
        )
        return registry
    }
}
