/// What a store says of itself: its schema version and its ledger.
package struct StoreState: Hashable, Sendable {
    /// The schema version; 0 = written before Molt, or never migrated.
    package var version: Int
    /// Whether there is no store yet: no file, or one in which nothing was ever written.
    package var isFresh: Bool
    /// The migrations that the store counts as applied, in the order in which they were recorded.
    package var ledger: [LedgerEntry]
    /// The attached stores to which the changes of a committed upgrade have not been applied yet.
    package var journal: [String]
    /// Whether a later release of Molt has written it in a layout that this one can read, and not write.
    package var isForReadingOnly = false

    /// Creates a state.
    package init(
        version: Int,
        isFresh: Bool,
        ledger: [LedgerEntry],
        journal: [String] = []
    ) {
        self.version = version
        self.isFresh = isFresh
        self.ledger = ledger
        self.journal = journal
    }

    /// The state of a store that does not exist yet.
    package static let fresh = StoreState(version: 0, isFresh: true, ledger: [])
}
