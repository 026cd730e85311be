/// Changes to one attached store that are to be made after the commit.
package struct JournalEntry: Equatable, Sendable {
    package var store: String
    /// The changes, in a form that only the attached store can read.
    package var changes: [UInt8]

    package init(store: String, changes: [UInt8]) {
        self.store = store
        self.changes = changes
    }
}
