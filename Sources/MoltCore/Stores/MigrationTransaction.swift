/// The ledger and the journal of a ``MigrationStore``, inside the write transaction of an upgrade.
package protocol MigrationTransaction: AnyObject {
    /// The records of the store; nil for a store that holds none, such as a settings suite.
    var records: (any RecordTransaction)? { get }

    /// Reads the version and the ledger as they are inside the transaction.
    func state() throws -> StoreState

    // MARK: The ledger

    /// Adds rows to the ledger and sets the store's schema version; the row of a deferred migration is replaced.
    func record(_ entries: [LedgerEntry], version: Int) throws

    // MARK: The journal

    /// What is to be done to attached stores, in the order in which it was added.
    func journal() throws -> [JournalEntry]

    /// Adds what is to be done to attached stores after the commit.
    func addToJournal(_ entries: [JournalEntry]) throws

    /// Forgets what was to be done to attached stores: it is done.
    func clearJournal() throws
}
