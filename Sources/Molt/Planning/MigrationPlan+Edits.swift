extension MigrationPlan {
    /// Adds the migrations whose declaration differs from a ledger.
    ///
    /// - Parameter isOfSuite: Whether the ledger is that of a suite, where another version alone is no edit, because
    ///   each store has its own versions.
    mutating func addEdits(_ history: History, _ registry: MigrationRegistry, ofSuite isOfSuite: Bool = false) {
        guard !history.applied.isEmpty else { return }
        for migration in registry.migrations {
            // If a replacement has the name of one of its parts, the row may be the part's.
            guard let row = history.applied[migration.name], !migration.replaces.contains(migration.name),
                let recorded = row.fingerprint, case let current = migration.fingerprint, recorded != current
            else { continue }
            let hasOtherSteps = recorded != migration.fingerprint(at: row.version)
            guard hasOtherSteps || !isOfSuite, !editedMigrations.contains(where: { $0.migration == migration.id })
            else {
                continue
            }
            editedMigrations.append(
                Edit(
                    migration: migration.id,
                    recorded: recorded,
                    current: current,
                    recordedVersion: row.version,
                    hasOtherSteps: hasOtherSteps
                )
            )
        }
    }
}
