internal import Foundation

/// The objects that all parts of one upgrade share.
struct UpgradeScope {
    let records: StoreTransaction
    let storeName: String
    let registry: MigrationRegistry
    let attachments: Attachments
    let configuration: MoltConfiguration
    /// The time at which the upgrade began: the app's clock must not be asked while the lock is held.
    let now: Date
    let meter: ProgressMeter
    let failures: FailureTally
    /// The notes of a dry run; nil for an upgrade.
    let notes: StepNotes?

    /// Whether to look for names in steps that match nothing in the store.
    var findsUnmatchedNames: Bool { configuration.isDryRun || configuration.hooks.findsUnmatchedNames }

    init(
        transaction: StoreTransaction,
        registry: MigrationRegistry,
        attachments: Attachments,
        configuration: MoltConfiguration,
        now: Date,
        meter: ProgressMeter
    ) {
        records = transaction
        storeName = transaction.storeName
        self.registry = registry
        self.attachments = attachments
        self.configuration = configuration
        self.now = now
        self.meter = meter
        failures = FailureTally(registry.failurePolicy)
        notes = StepNotes(configuration)
    }
}
