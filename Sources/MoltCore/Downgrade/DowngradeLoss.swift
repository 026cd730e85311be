/// What would be lost, or no longer be seen, when an older app goes on with a store that a newer one has upgraded.
public struct DowngradeLoss: Hashable, Sendable {
    /// The store, by its file's path or by the name of its suite.
    public var store: String
    /// The version that the store has.
    public var storeVersion: Int
    /// The newest version that this app knows.
    public var registryVersion: Int
    /// The migrations in the store's ledger that this app does not know.
    public var unknownMigrations: [MigrationID]
    /// How many records the store has now, or settings.
    public var recordCount: Int
    /// What takes the place of the store; nil when it is to start afresh.
    public var backup: StoreBackup?
    /// The attached stores that become what they were when the backup was made, too.
    public var attachedStores: [String]
}

extension DowngradeLoss: CustomStringConvertible {
    /// What there is, and what takes its place, in one line; no value.
    public var description: String {
        let names = unknownMigrations.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let now = "\(store) at version \(storeVersion) (\(names)) with \(recordCount) records"
        guard let backup else { return "\(now), kept aside for an empty store at version \(registryVersion)" }
        let attached = attachedStores.isEmpty ? "" : ", and \(attachedStores.joined(separator: ", ")) as they were then"
        return "\(now), replaced by the backup of \(backup.date) (\(backup))\(attached)"
    }
}
