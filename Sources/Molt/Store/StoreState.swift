/// A store's schema version, ledger and related state.
package struct StoreState: Equatable, Sendable {
    /// The schema version; 0 = written before Molt, or never migrated.
    package var version: Int
    /// Whether the store does not exist yet: there is no file, or nothing was ever written to it.
    package var isFresh: Bool
    /// The rows for applied and deferred migrations, in the order in which they were recorded.
    package var ledger: [LedgerEntry]
    /// The names of the migrations that came before an applied one in the registry that applied it to a suite.
    ///
    /// Only a suite that is upgraded without a cache has any.
    var earlier: Set<String> = []
    /// The attached stores with committed changes that are not applied yet.
    package var journal: [String]
    /// The number of the store's layout, if a later release of Molt wrote it and this one can read but not write it.
    package var laterLayout: Int?
    /// The version at which the app says that the store enters, if it has no ledger; `version` is the same.
    package var baseline: Int?
    /// The version that the store itself has.
    package var storedVersion: Int
    /// Whether bytes of deleted records are still to be erased from the file.
    var needsErasure = false
    /// Whether the store can have records; a suite that is upgraded without a cache has none.
    package var holdsRecords = true

    package init(
        version: Int,
        isFresh: Bool,
        ledger: [LedgerEntry],
        journal: [String] = []
    ) {
        self.version = version
        storedVersion = version
        self.isFresh = isFresh
        self.ledger = ledger
        self.journal = journal
    }

    package static let fresh = StoreState(version: 0, isFresh: true, ledger: [])
}
