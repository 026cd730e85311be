/// What all parts of one upgrade work with.
struct UpgradeScope {
    let transaction: any MigrationTransaction
    /// What errors call the store.
    let storeName: String
    let coding: RecordCoding
    let options: MigrationOptions
    let meter: ProgressMeter

    init(transaction: any MigrationTransaction, storeName: String, coding: RecordCoding, options: MigrationOptions) {
        self.transaction = transaction
        self.storeName = storeName
        self.coding = coding
        self.options = options
        meter = ProgressMeter(monitor: options.monitor)
    }
}
