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
    /// The migration that commits in batches and is half done; nil when none is.
    public var unfinishedMigration: MigrationID?
    /// How many records the store has now, or settings.
    public var recordCount: Int
    /// The backup that takes the place of the store; nil when it is to start afresh.
    public var backup: StoreBackup?
    /// The attached stores that become what they were when the backup was made, too.
    ///
    /// The backup has them, or a later one that was made before the newer app's upgrades worked on them.
    public var attachedStores: [String]
    /// The attached stores that the newer app's upgrades have worked on, and that stay as they are now.
    ///
    /// No backup has them as they were, or they are not attached where the store is opened. The next upgrade finds what
    /// the newer app has left there, as settings that it has moved into a group. Say no, or remove those by hand.
    public var storesLeft: [String] = []
}

extension DowngradeLoss: CustomStringConvertible {
    /// What there is now, and in brackets what takes its place, in one line; no value.
    public var description: String {
        var changes = unknownMigrations.map { "\"\($0.name)\"" }
        if let unfinishedMigration {
            changes.removeAll { $0 == "\"\(unfinishedMigration.name)\"" }
            changes.append("\"\(unfinishedMigration.name)\" half done")
        }
        let names = changes.isEmpty ? "" : " (\(changes.joined(separator: ", ")))"
        let now = "\(store) at version \(storeVersion)\(names) with \(recordCount) records"
        guard let backup else { return "\(now) [kept aside; an empty store at version \(registryVersion) begins]" }
        let attached = attachedStores.isEmpty ? "" : "; also put back: \(attachedStores.joined(separator: ", "))"
        let left = storesLeft.isEmpty ? "" : "; not put back: \(storesLeft.joined(separator: ", "))"
        return "\(now) [the backup of \(backup.date) takes its place: \(backup)\(attached)\(left)]"
    }
}
