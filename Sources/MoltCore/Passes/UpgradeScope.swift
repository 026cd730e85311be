/// What all parts of one upgrade work with.
struct UpgradeScope {
    let transaction: any MigrationTransaction
    /// The records of the store; none for a store that holds none.
    let records: any RecordTransaction
    /// What errors call the store.
    let storeName: String
    let coding: RecordCoding
    let attachments: Attachments
    let options: MigrationOptions
    let meter: ProgressMeter
    let failures: FailureTally

    init(
        transaction: any MigrationTransaction,
        store: any MigrationStore,
        attachments: Attachments,
        options: MigrationOptions,
        meter: ProgressMeter
    ) {
        self.transaction = transaction
        records = transaction.records ?? NoRecords(storeName: store.storeName)
        storeName = store.storeName
        coding = store.coding
        self.attachments = attachments
        self.options = options
        self.meter = meter
        failures = FailureTally(options)
    }
}
