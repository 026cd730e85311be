/// A migration that will run, with the versions before and after it.
struct PendingMigration: Sendable {
    let migration: Migration
    /// The store's version before the migration.
    let oldVersion: Int
    /// The version of a record after the migration has changed it.
    let recordVersion: Int
    /// For an on-read migration: records at this version or later are already upgraded.
    var doneFrom = Int.max

    /// Creates pending migrations in order; the version is the store's when the upgrade begins.
    static func all(_ migrations: [Migration], in registry: MigrationRegistry, from version: Int) -> [PendingMigration]
    {
        let versions = registry.migrations.map(\.version)
        // The previous version of each version; several migrations may have the same one.
        let before = Dictionary(zip(versions, [0] + versions)) { first, _ in first }
        return migrations.map { PendingMigration($0, before: before[$0.version] ?? 0, from: version) }
    }

    /// Creates a pending migration for the remaining records of an on-read migration.
    init(backfilling migration: Migration) {
        self.migration = migration
        oldVersion = 0
        recordVersion = migration.version
        doneFrom = migration.version
    }

    /// - Parameters:
    ///   - before: The registry's version before that of the migration.
    ///   - version: The store's version when the upgrade begins.
    private init(_ migration: Migration, before: Int, from version: Int) {
        self.migration = migration
        // A late migration changes records of a later version, and they stay at that version.
        recordVersion = max(migration.version, version)
        if version > migration.version {
            oldVersion = version
        } else {
            // A block must see the same version wherever the upgrade began, so this is not the version of the file.
            oldVersion = max(before, version < migration.version ? version : 0)
        }
    }
}
