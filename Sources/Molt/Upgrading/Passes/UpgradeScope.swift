internal import Foundation

/// The objects that all parts of one upgrade share.
struct UpgradeScope {
    /// The records of the store; empty for a store without records.
    let records: any RecordTransaction
    let storeName: String
    let registry: MigrationRegistry
    let attachments: Attachments
    let options: MigrationOptions
    /// The time at which the upgrade began: the app's clock must not be asked while the lock is held.
    let now: Date
    let meter: ProgressMeter
    let failures: FailureTally
    /// The notes of a dry run; nil for an upgrade.
    let notes: StepNotes?

    /// Whether to look for names in steps that match nothing in the store.
    var findsUnmatchedNames: Bool { options.isDryRun || options.findsUnmatchedNames }

    init(
        transaction: any MigrationTransaction,
        store: any MigrationStore,
        registry: MigrationRegistry,
        attachments: Attachments,
        options: MigrationOptions,
        now: Date,
        meter: ProgressMeter
    ) {
        records = transaction.records ?? NoRecords(storeName: store.storeName)
        storeName = store.storeName
        self.registry = registry
        self.attachments = attachments
        self.options = options
        self.now = now
        self.meter = meter
        failures = FailureTally(options)
        notes = StepNotes(options)
    }
}
