/// What all parts of one upgrade work with.
struct UpgradeScope {
    let transaction: any MigrationTransaction
    /// What errors call the store.
    let storeName: String
    let coding: RecordCoding
    let attachments: Attachments
    let options: MigrationOptions
    let attempt: AttemptNote
    let meter: ProgressMeter

    init(
        transaction: any MigrationTransaction,
        store: any MigrationStore,
        attachments: Attachments,
        options: MigrationOptions,
        attempt: AttemptNote
    ) {
        self.transaction = transaction
        storeName = store.storeName
        coding = store.coding
        self.attachments = attachments
        self.options = options
        self.attempt = attempt
        meter = ProgressMeter(monitor: options.monitor)
    }
}
