internal import Foundation

extension LedgerEntry {
    /// Creates the row of a migration.
    ///
    /// - Parameter registry: The registry that has it, which tells what it replaces.
    init(
        of migration: Migration,
        in registry: MigrationRegistry,
        outcome: Outcome,
        appliedAt: Date,
        appVersion: String
    ) {
        self.init(name: migration.name, version: migration.version, outcome: outcome, appliedAt: appliedAt)
        self.appVersion = appVersion
        take(from: migration, in: registry)
    }

    /// Takes what the row says of the migration itself, and not of its run.
    mutating func take(from migration: Migration, in registry: MigrationRegistry) {
        version = migration.version
        fingerprint = migration.fingerprint
        replaces = registry.replaced(by: migration)
        replacedKinds = registry.replacedKinds(by: migration)
        olderReleases = migration.olderReleases
    }
}

extension MigrationRegistry {
    /// The ledger of a store that has been through all migrations, without times.
    package var fullLedger: [LedgerEntry] {
        migrations.map { LedgerEntry(of: $0, in: self, outcome: .ran, appliedAt: .distantPast, appVersion: "") }
    }
}
