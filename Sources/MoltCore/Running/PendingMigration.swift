/// A migration that runs, and the versions that it meets.
struct PendingMigration: Sendable {
    let migration: Migration
    /// The version that the store had before it.
    let oldVersion: Int
    /// The version that a record is at when the migration has changed it.
    let recordVersion: Int

    /// Looks the versions up.
    ///
    /// - Parameter version: The version that the store has when the upgrade begins.
    init(_ migration: Migration, in registry: MigrationRegistry, from version: Int) {
        self.migration = migration
        // A late migration changes records of a later version, and they stay at that version.
        recordVersion = max(migration.version, version)
        if version > migration.version {
            oldVersion = version
        } else {
            // Not the version of the file: a block must see the same whichever version the upgrade began at.
            let before = registry.migrations.map(\.version).filter { $0 < migration.version }.max() ?? 0
            oldVersion = max(before, version < migration.version ? version : 0)
        }
    }
}
