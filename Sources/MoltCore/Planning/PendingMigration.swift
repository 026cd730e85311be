/// A migration that runs, and the versions that it meets.
struct PendingMigration: Sendable {
    let migration: Migration
    /// The version that the store had before it.
    let oldVersion: Int
    /// The version that a record is at when the migration has changed it.
    let recordVersion: Int

    /// Some migrations of a registry, in their order.
    ///
    /// - Parameter version: The version that the store has when the upgrade begins.
    static func all(_ migrations: [Migration], in registry: MigrationRegistry, from version: Int) -> [PendingMigration]
    {
        let versions = registry.migrations.map(\.version)
        // By each version, the one before it. Versions do not go down, and there may be several migrations of one.
        let before = Dictionary(zip(versions, [0] + versions)) { first, _ in first }
        return migrations.map { PendingMigration($0, before: before[$0.version] ?? 0, from: version) }
    }

    /// - Parameters:
    ///   - before: The version of the registry before the migration's own.
    ///   - version: The version that the store has when the upgrade begins.
    private init(_ migration: Migration, before: Int, from version: Int) {
        self.migration = migration
        // A late migration changes records of a later version, and they stay at that version.
        recordVersion = max(migration.version, version)
        if version > migration.version {
            oldVersion = version
        } else {
            // Not the version of the file: a block must see the same whichever version the upgrade began at.
            oldVersion = max(before, version < migration.version ? version : 0)
        }
    }
}
