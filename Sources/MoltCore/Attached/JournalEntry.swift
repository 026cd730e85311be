/// Changes to one attached store that are to be applied after the commit.
public struct JournalEntry: Hashable, Sendable {
    /// The ``AttachedStore/attachedName`` of the store.
    public var store: String
    /// What its session gave; only the attached store can read it.
    public var changes: [UInt8]

    /// Creates an entry.
    public init(store: String, changes: [UInt8]) {
        self.store = store
        self.changes = changes
    }
}
