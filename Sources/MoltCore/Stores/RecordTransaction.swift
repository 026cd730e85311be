/// The records of a ``MigrationStore``, inside the write transaction of an upgrade.
///
/// Records are known by an `id` that never changes while the store exists; ids grow in the order of insertion, and
/// ``read(into:type:after:through:)`` hands records out in that order.
package protocol RecordTransaction: AnyObject {
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
    /// ``original(id:)`` is, where it has one.
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

    // MARK: Reading on another thread

    /// Takes a snapshot of the records, which other threads can read while the transaction writes.
    ///
    /// - Returns: False if ``read(into:type:after:through:)`` is to be used: if the transaction has changed something, which
    ///   the readers would not see, or if the store cannot be read a second time just now.
    func beginReading() throws -> Bool

    /// A reader of the records of a type in the snapshot, up to an id; ended before the next one is made.
    ///
    /// A caller that reads to the end compares how many records there were with ``count(ofType:)``, because a damaged store
    /// may end them early.
    func makeReader(ofType type: String, through: Int64) throws -> any RecordReader

    /// Gives the snapshot up, if there is one.
    func endReading()
}

/// Reads the records of one type on another thread, while the transaction writes.
///
/// It gives them as they were when the transaction began. One thread uses it at a time.
package protocol RecordReader: AnyObject {
    /// Fills a batch with the next records, in the order of their ids; it stays empty when all were read.
    func read(into batch: RecordBatch) throws

    /// Ends the reading; the last call.
    func end()
}

extension RecordTransaction {
    /// Writes the contents of several records, one at a time.
    package func write(_ contents: RecordContents) throws {
        for row in contents.rows {
            try contents.withContent(of: row) { content in
                try write(content: content, isData: row.isData, id: row.id, version: row.version)
            }
        }
    }

    /// Writes a record's content back, and its expiry when it was set.
    package func write(_ record: borrowing Record, version: Int) throws {
        var content: [UInt8] = []
        record.writeContent(to: &content)
        try content.withUnsafeBytes { content in
            try write(content: content, isData: record.isData, id: record.id, version: version)
        }
        if record.hasNewExpiration { try write(expiration: record.expirationSeconds, id: record.id) }
    }
}

extension MigrationTransaction {
    /// The records of a store that must hold some.
    ///
    /// - Throws: ``MigrationError`` with the code `unsupported` if the store holds none.
    package var heldRecords: any RecordTransaction {
        get throws {
            guard let records else { throw MigrationError(.unsupported, "The store holds no records.") }
            return records
        }
    }
}
