/// Changes to one attached store that are to be applied after the commit.
package struct JournalEntry: Hashable, Sendable {
    /// The ``AttachedStore/attachedName`` of the store.
    package var store: String
    /// What its session gave; only the attached store can read it.
    package var changes: [UInt8]

    /// Creates an entry.
    package init(store: String, changes: [UInt8]) {
        self.store = store
        self.changes = changes
    }
}
