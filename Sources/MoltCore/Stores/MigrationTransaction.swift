/// The ledger and the journal of a ``MigrationStore``, inside the write transaction of an upgrade.
package protocol MigrationTransaction: AnyObject {
    /// The records of the store; nil for a store that holds none, such as a settings suite.
    var records: (any RecordTransaction)? { get }

    /// Reads the version and the ledger as they are inside the transaction.
    func state() throws -> StoreState

    // MARK: The ledger

    /// Adds rows to the ledger and sets the store's schema version; the row of a deferred migration is replaced.
    func record(_ entries: [LedgerEntry], version: Int) throws

    /// Keeps how far a migration has come that commits in batches, and sets the store's schema version; nil when it has
    /// come to its end.
    ///
    /// While one is kept, changes that are deferred outlive the transaction: those of earlier batches are there, too, and
    /// nil is set only when all have been applied. Only stores that say so can do it, see
    /// ``MigrationStore/commitsInBatches``.
    func setUnfinished(_ unfinished: UnfinishedMigration?, version: Int) throws

    // MARK: The journal

    /// What is to be done to attached stores, in the order in which it was added.
    func journal() throws -> [JournalEntry]

    /// Adds what is to be done to attached stores after the commit.
    func addToJournal(_ entries: [JournalEntry]) throws

    /// Forgets what was to be done to attached stores: it is done.
    func clearJournal() throws
}

extension MigrationTransaction {
    /// A store that commits all migrations as one is never asked for it.
    package func setUnfinished(_ unfinished: UnfinishedMigration?, version: Int) throws {
        throw MigrationError(.unsupported, "The store cannot keep a migration that is half done.")
    }
}
