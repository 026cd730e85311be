/// A migration that will run, with the versions before and after it.
struct PendingMigration: Sendable {
    let migration: Migration
    /// What the plan decided; a step runs if this says so.
    let actions: MigrationPlan.Actions
    /// The store's version before the migration.
    let oldVersion: Int
    /// The version of a record after the migration has changed it.
    let recordVersion: Int
    /// For an on-read migration: records at this version or later are already upgraded.
    var doneFrom = Int.max
    /// Records at this version or later were changed by the same upgrade.
    var changedFrom = 0

    /// Creates pending migrations in order, of which all steps run unless their actions say otherwise.
    ///
    /// - Parameters:
    ///   - version: The store's version when the upgrade begins.
    ///   - changedFrom: See ``changedFrom``; by default, it is the version after that.
    static func all(
        _ migrations: [(Migration, MigrationPlan.Actions)],
        in registry: MigrationRegistry,
        from version: Int,
        changedFrom: Int? = nil
    ) -> [PendingMigration] {
        let versions = registry.migrations.map(\.version)
        // The previous version of each version; several migrations may have the same one.
        let before = Dictionary(firstOf: Array(zip(versions, [0] + versions)))
        return migrations.map { migration, actions in
            var pending = PendingMigration(migration, actions, before: before[migration.version] ?? 0, from: version)
            pending.changedFrom = changedFrom ?? version + 1
            return pending
        }
    }

    /// Creates a pending migration for the remaining records of an on-read migration.
    init(backfilling migration: Migration, _ actions: MigrationPlan.Actions = .init(.run)) {
        self.migration = migration
        self.actions = actions
        oldVersion = 0
        recordVersion = migration.version
        doneFrom = migration.version
    }

    /// - Parameters:
    ///   - before: The registry's version before that of the migration.
    ///   - version: The store's version when the upgrade begins.
    private init(_ migration: Migration, _ actions: MigrationPlan.Actions, before: Int, from version: Int) {
        self.migration = migration
        self.actions = actions
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
