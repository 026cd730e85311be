/// The write side of a ``MigrationStore`` during an upgrade.
///
/// Records are known by an `id` that never changes while the store exists; ids grow in the order of insertion, and
/// ``read(into:type:after:through:)`` hands records out in that order.
public protocol MigrationTransaction: AnyObject {
    /// Reads the version and the ledger as they are inside the transaction.
    func state() throws -> StoreState

    // MARK: Reading

    /// The names of the types that have at least one record, sorted.
    func typeNames() throws -> [String]

    /// The number of records of a type, or of all types when `type` is nil.
    func count(ofType type: String?) throws -> Int

    /// The greatest record id, or 0 when there is no record.
    func lastRecordID() throws -> Int64

    /// Fills a batch with the next records by id, until it ``RecordBatch/isFull`` or there are no more.
    ///
    /// It stays empty only when there is none.
    ///
    /// - Parameters:
    ///   - batch: Emptied first, then filled.
    ///   - type: Only records of this type; nil for all types.
    ///   - after: Only records with a greater id.
    ///   - through: Only records with this id or a smaller one.
    func read(into batch: RecordBatch, type: String?, after: Int64, through: Int64) throws

    /// The record with an id, or nil.
    func record(id: Int64) throws -> Record?

    /// The record with a key, or nil.
    func record(forKey key: String) throws -> Record?

    // MARK: Writing

    /// Writes a record's content, and sets the version that it was last written at.
    ///
    /// Key and type name are left as they are: they change through ``deferChange(_:)``.
    ///
    /// - Parameters:
    ///   - content: JSON text as UTF-8, or raw data; valid during the call.
    ///   - isData: Whether the content is raw data.
    ///   - id: The record.
    ///   - version: The version that the record is at now.
    func write(content: UnsafeRawBufferPointer, isData: Bool, id: Int64, version: Int) throws

    /// Writes the contents of several records, as one call for each would.
    ///
    /// A pass writes each of its batches with one call; a store that can write many at once should.
    func write(_ contents: RecordContents) throws

    /// Writes when a record expires: in seconds since 1970, or nil for never.
    func write(expiration: Double?, id: Int64) throws

    /// Adds a record under an id that no record has had.
    ///
    /// - Throws: ``MigrationError`` with the code `keyExists` when another record has its key.
    func insert(_ record: borrowing Record, id: Int64, version: Int) throws

    /// Deletes the record with an id.
    func delete(id: Int64) throws

    /// Deletes the records that have expired; called before any other change.
    ///
    /// - Parameter now: In seconds since 1970; what expires then has expired.
    /// - Returns: How many there were.
    func deleteExpired(now: Double) throws -> Int

    /// Renames a type for all its records; onto an existing type, merges the two. Unknown names do nothing.
    func renameType(_ name: String, to newName: String) throws

    /// Deletes all records of a type.
    ///
    /// - Returns: How many there were.
    func deleteType(_ name: String) throws -> Int

    // MARK: Changes that wait for the end of a pass

    /// Keeps a change of a record's key, type or existence for the end of the pass that found it.
    ///
    /// A pass over a million records may defer a million changes: a store keeps them on disk, not in memory.
    func deferChange(_ change: DeferredChange) throws

    /// Keeps for the end of the pass that a record is to be put into quarantine.
    ///
    /// What is kept of it is its content, key, type name, expiry and version at the stage. A block's record is kept as its
    /// ``original(id:)`` is, where it has one. A store that has no quarantine need not implement this.
    ///
    /// - Throws: ``MigrationError`` with the code `unsupported` when the store has no quarantine.
    func deferQuarantine(_ quarantine: DeferredQuarantine) throws

    /// Makes the changes that were deferred at one stage, all at the same moment: keys may be swapped.
    ///
    /// Records are put into quarantine first: the others may have their keys.
    ///
    /// - Throws: ``MigrationError`` with the code `keyExists`, the new key, and the stage's records unchanged; any other
    ///   error may leave a part done, and the transaction must be given up.
    func applyDeferredChanges(stage: Int) throws

    // MARK: Originals

    /// Keeps a record as it is now, unless it is kept already, for ``original(id:)``.
    func keepOriginal(id: Int64) throws

    /// Keeps all records of a type as they are now, unless they are kept already.
    func keepOriginals(ofType type: String) throws

    /// The record as it was when it was first kept, or nil when it was not kept.
    func original(id: Int64) throws -> Record?

    /// Forgets all kept records.
    func forgetOriginals() throws

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
    /// Deletes nothing: the store's records do not expire.
    public func deleteExpired(now: Double) throws -> Int { 0 }

    /// Refuses: the store has no quarantine.
    public func deferQuarantine(_ quarantine: DeferredQuarantine) throws {
        throw MigrationError(
            .unsupported,
            "The store cannot keep records in quarantine. Let the upgrade stop at a record that cannot be converted, or "
                + "drop such records."
        )
    }

    /// A store that commits all migrations as one is never asked for it.
    public func setUnfinished(_ unfinished: UnfinishedMigration?, version: Int) throws {
        throw MigrationError(.unsupported, "The store cannot keep a migration that is half done.")
    }

    /// Writes the contents of several records, one at a time.
    public func write(_ contents: RecordContents) throws {
        for row in contents.rows {
            try contents.withContent(of: row) { content in
                try write(content: content, isData: row.isData, id: row.id, version: row.version)
            }
        }
    }

    /// Writes a record's content back, and its expiry when it was set.
    public func write(_ record: borrowing Record, version: Int) throws {
        var content: [UInt8] = []
        record.writeContent(to: &content)
        try content.withUnsafeBytes { content in
            try write(content: content, isData: record.isData, id: record.id, version: version)
        }
        if record.hasNewExpiration { try write(expiration: record.expirationSeconds, id: record.id) }
    }
}
