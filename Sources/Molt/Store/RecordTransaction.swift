/// The records of a ``MigrationStore``, inside the write transaction of an upgrade.
///
/// Records are identified by an `id` that never changes during the store's lifetime. Ids increase in the order of
/// insertion, and ``read(into:types:after:through:)`` returns records in that order.
package protocol RecordTransaction: AnyObject {
    // MARK: Reading

    /// The names of the types that have at least one record, sorted.
    func typeNames() throws -> [String]

    /// The number of records of a type, or of all types when `type` is nil.
    func count(ofType type: String?) throws -> Int

    /// Whether a record was last written before a schema version.
    func hasRecords(before version: Int) throws -> Bool

    /// The greatest record id, or 0 when there is no record.
    func lastRecordID() throws -> Int64

    /// Fills a batch with the next records by id, until it ``RecordBatch/isFull`` or there are no more.
    ///
    /// It stays empty only when there is none. No record is missed because an index of the store is damaged.
    ///
    /// - Parameters:
    ///   - batch: The batch, which is emptied first.
    ///   - types: Only records of these types; unknown names are ignored.
    ///   - after: Only records with a greater id.
    ///   - through: Only records up to this id.
    func read(into batch: RecordBatch, types: [String], after: Int64, through: Int64) throws

    /// Makes sure that a pass has read all records of some types; called before it adds or removes any.
    ///
    /// - Parameter count: The number of records that were read.
    /// - Throws: The store's error for damage if it knows of more.
    func checkRead(_ count: Int, ofTypes types: [String]) throws

    func record(id: Int64) throws -> Record?

    func record(forKey key: String) throws -> Record?

    // MARK: Writing

    /// Writes the contents of several records, and sets their versions.
    ///
    /// It is called once per batch, so a store should write them together. The key and the type name change only
    /// through ``deferChange(_:)``.
    func write(_ contents: RecordContents) throws

    /// Writes a record's expiry, in seconds since 1970, or nil for never.
    func write(expiration: Double?, id: Int64) throws

    /// Adds a record under an unused id.
    ///
    /// - Throws: ``MoltError`` with the code `keyExists` when another record has its key.
    func insert(_ record: borrowing Record, id: Int64, version: Int) throws

    func delete(id: Int64) throws

    /// Deletes expired records; called before any other change.
    ///
    /// - Parameter now: The current time, in seconds since 1970; a record that expires at that moment has expired.
    /// - Returns: The number of deleted records.
    func deleteExpired(now: Double) throws -> Int

    /// Renames a type for all its records, and merges it into an existing type; unknown names are ignored.
    func renameType(_ name: String, to newName: String) throws

    /// Deletes all records of a type, and returns their number.
    func deleteType(_ name: String) throws -> Int

    // MARK: Deferred changes

    /// Saves a change of a record for the end of the pass; there may be a million, so stores keep them on disk.
    ///
    /// A record's quarantine keeps its content, key, type name, expiry and version at the stage; for a block, those of
    /// the record's ``original(id:)``, if it has one.
    func deferChange(_ change: DeferredChange) throws

    /// Makes the deferred changes of one stage, all at once, so that keys may be swapped.
    ///
    /// Records are quarantined first, because others may take their keys.
    ///
    /// - Throws: ``MoltError`` with the code `keyExists` and the new key, with the stage's records unchanged. Any
    ///   other error may leave changes half made, and the transaction must be rolled back.
    func applyDeferredChanges(stage: Int) throws

    // MARK: Originals

    /// Saves a record's current state for ``original(id:)``, unless it was saved before.
    func keepOriginal(id: Int64) throws

    /// Saves the current state of all records of a type, unless they were saved before.
    func keepOriginals(ofType type: String) throws

    /// The first saved state of a record, or nil.
    func original(id: Int64) throws -> Record?

    /// Deletes all saved states.
    func forgetOriginals() throws

    // MARK: Reading on another thread

    /// Creates a reader of the records of some types, up to an id; the previous reader must have ended.
    ///
    /// The first one takes a snapshot of the records, which another thread can read while the transaction writes.
    ///
    /// - Returns: Nil if the caller must use ``read(into:types:after:through:)``: the transaction has made changes, which
    ///   readers would not see, or the store does not support a second reader at the moment.
    func makeReader(ofTypes types: [String], through: Int64) throws -> (any RecordReader)?

    /// Discards the snapshot.
    func endReading()
}

/// Reads the records of some types on another thread, while the transaction writes.
///
/// It reads the records as they were when the transaction began. One thread at a time may use it.
package protocol RecordReader: AnyObject {
    /// Fills a batch with the next records, in the order of their ids; the batch stays empty at the end.
    func read(into batch: RecordBatch) throws

    /// Ends the reading; this is the last call.
    func end()
}

extension RecordTransaction {
    /// Writes a record's content, and its expiry if it was set.
    package func write(_ record: borrowing Record, version: Int) throws {
        var content: [UInt8] = []
        record.writeContent(to: &content)
        let row = RecordContents.Row(
            id: record.id,
            version: version,
            isData: record.isData,
            buffer: 0,
            range: content.indices
        )
        try write(RecordContents(rows: [row], buffers: [content]))
        if record.hasNewExpiration { try write(expiration: record.expirationSeconds, id: record.id) }
    }
}

extension MigrationTransaction {
    /// The records of a store that must support them.
    ///
    /// - Throws: ``MoltError`` with the code `unsupported` if the store has no records.
    package var requiredRecords: any RecordTransaction {
        get throws {
            guard let records else { throw MoltError(.unsupported, "The store holds no records.") }
            return records
        }
    }
}
