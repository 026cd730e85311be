/// The ledger and the journal of a ``MigrationStore``, inside the write transaction of an upgrade.
package protocol MigrationTransaction: AnyObject {
    /// The records of the store; nil for a store without records, such as a settings suite.
    var records: (any RecordTransaction)? { get }

    /// Reads the version and the ledger inside the transaction.
    func state() throws -> StoreState

    // MARK: The ledger

    /// Adds rows to the ledger and sets the store's schema version; the row of a deferred migration is replaced.
    func record(_ entries: [LedgerEntry], version: Int) throws

    // MARK: The journal

    /// The pending changes to attached stores, in the order in which they were added.
    func journal() throws -> [JournalEntry]

    /// Adds changes to attached stores, to be applied after the commit.
    func addToJournal(_ entries: [JournalEntry]) throws

    /// Removes all entries, after they were applied.
    func clearJournal() throws
}
