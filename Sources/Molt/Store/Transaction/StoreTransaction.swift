internal import Foundation

/// The write transaction of an upgrade: the ledger, the journal and the records.
///
/// Records are identified by an `id` that never changes during the store's lifetime. Ids increase in the order of
/// insertion, and ``read(into:types:after:through:)`` returns records in that order. Statements are prepared at their
/// first use and kept until the end.
package final class StoreTransaction {
    private let connection: Connection
    let storeName: String
    /// Whether the store may have records; that of a suite has none.
    let holdsRecords: Bool
    /// Whether the file was made for this upgrade.
    let isFresh: Bool
    /// The state at the transaction's beginning, if the store has read it just before.
    private let lastReadState: StoreState?
    private var hasChangedLedger = false
    /// The file's generation; nil until it is known.
    private var cachedGeneration: Int64?
    private let rows: StoreRows
    private let postponed: PostponedChanges
    /// Notes the keys that records lose; nil if they are not recorded.
    private var droppedKeys: DroppedKeyLog?
    private let lastCommit: LastCommit
    private var life = Life.open

    private enum Life {
        case open
        /// A statement may be half done, or SQLite may have rolled back the transaction.
        case failed(SQLiteError)
        case over
    }

    /// Whether the transaction has deleted records whose bytes are to be erased after the commit.
    private(set) var needsErasure = false

    /// - Parameter lastRead: The state, if the store has read it and nobody has written since.
    init(
        _ connection: Connection,
        of store: StoreFile,
        isFresh: Bool = false,
        deadline: Instant? = nil,
        lastRead: StoreState? = nil
    ) {
        self.connection = connection
        storeName = store.storeName
        holdsRecords = store.primary == nil
        self.isFresh = isFresh
        lastReadState = lastRead
        cachedGeneration = lastRead.map { _ in store.generation }
        rows = StoreRows(connection, ofTransaction: true)
        let isDurable = store.options.isDurable
        lastCommit = LastCommit(beside: connection, storeName: storeName, isDurable: isDurable, deadline: deadline)
        postponed = PostponedChanges(connection, lastCommit: lastCommit)
    }

    // MARK: The life of the transaction

    /// Drops temporary tables and statements; the last call before the commit.
    func finish() throws(MoltError) {
        try mapped { () throws(SQLiteError) in
            rows.statements.removeAll()
            endReading()
            try postponed.finish()
            try droppedKeys?.finish()
            if rows.haveChanged { try connection.execute(RowQuery.forgetSize.sql) }
        }
    }

    func invalidate() {
        rows.statements.removeAll()
        postponed.invalidate()
        droppedKeys?.invalidate()
        endReading()
        life = .over
    }

    /// Runs a closure and maps SQLite's errors; after a failure, every later call throws the same error.
    @inline(__always)
    private func mapped<Value>(_ body: () throws(SQLiteError) -> Value) throws(MoltError) -> Value {
        switch life {
        case .open: break
        // A caller that swallowed the failure must not commit.
        case .failed(let error): throw MoltError(error, store: storeName)
        case .over: preconditionFailure("A transaction was used after it had ended.")
        }
        do throws(SQLiteError) {
            return try body()
        } catch {
            life = .failed(error)
            throw MoltError(error, store: storeName)
        }
    }

    // MARK: The ledger

    /// Whether the transaction has found the file as it was when the store last read its state.
    var stateIsCurrent: Bool { lastReadState != nil }

    /// The version and the ledger; called before the transaction changes them.
    func state() throws -> StoreState {
        if let lastReadState { return lastReadState }
        return try mapped { () throws(SQLiteError) in
            var state = try LedgerTable.state(connection)
            state.isFresh = isFresh
            return state
        }
    }

    /// The file's generation; another upgrade, or another file in its place, has another one.
    func generation() throws -> Int64 {
        if let cachedGeneration { return cachedGeneration }
        let generation = try mapped { () throws(SQLiteError) in try FileFormat.generation(of: connection) }
        cachedGeneration = generation
        return generation
    }

    /// Adds rows to the ledger and sets the store's schema version; the row of a deferred migration is replaced.
    func addToLedger(_ entries: [LedgerEntry], version: Int) throws {
        try mapped { () throws(SQLiteError) in
            let current = hasChangedLedger ? nil : lastReadState?.ledger
            hasChangedLedger = true
            let beginsGeneration = try LedgerTable.add(entries, version: version, to: connection, beside: current)
            if beginsGeneration { cachedGeneration = cachedGeneration.flatMap { $0 < .max ? $0 + 1 : nil } }
            if entries.contains(where: { $0.outcome.isApplied }) { try ShapeTable.clear(connection) }
        }
    }

    /// Puts a corrected row into the ledger, and sets the store's schema version.
    func correctLedger(_ entry: LedgerEntry, version: Int) throws {
        try mapped { () throws(SQLiteError) in
            hasChangedLedger = true
            try LedgerTable.replace(by: entry, version: version, in: connection)
            cachedGeneration = nil
            try ShapeTable.clear(connection)
        }
    }

    func replaceLedger(by contents: StoreContents) throws {
        try mapped { () throws(SQLiteError) in
            hasChangedLedger = true
            try LedgerTable.clear(connection)
            try LedgerTable.add(contents.ledger, version: contents.version, to: connection)
            cachedGeneration = nil
        }
    }

    func endWork(of name: String) throws {
        try mapped { () throws(SQLiteError) in try LedgerTable.endWork(of: name, connection) }
    }

    // MARK: The journal

    /// The pending changes to attached stores, in the order in which they were added.
    func journal() throws -> [JournalEntry] {
        try mapped { () throws(SQLiteError) in try JournalTable.entries(connection) }
    }

    /// Adds changes to attached stores, to be applied after the commit.
    package func addToJournal(_ entries: [JournalEntry]) throws {
        guard !entries.isEmpty else { return }
        try mapped { () throws(SQLiteError) in try JournalTable.add(entries, to: connection) }
    }

    /// Removes all entries, after they were applied.
    func clearJournal() throws {
        try mapped { () throws(SQLiteError) in try JournalTable.clear(connection) }
    }

    // MARK: Reading

    /// The names of the types that have at least one record, sorted.
    func typeNames() throws -> [String] {
        try mapped { () throws(SQLiteError) in try rows.statements[.typeNames].map { $0.text(0) } }
    }

    /// The number of records of a type, or of all types when `type` is nil.
    func count(ofType type: String?) throws -> Int {
        try mapped { () throws(SQLiteError) in
            guard let type else { return try rows.count() }
            return try rows.typeID(type).map(rows.count) ?? 0
        }
    }

    func hasRecords(before version: Int) throws -> Bool {
        try mapped { () throws(SQLiteError) in try connection.hasRecords(before: version) }
    }

    func spaceSample() throws -> SpaceSample {
        try mapped { () throws(SQLiteError) in try SpaceSample(of: connection) }
    }

    func lastRecordID() throws -> Int64 {
        try mapped { () throws(SQLiteError) in try rows.lastID() }
    }

    /// Fills a batch with the next records, in the order of their ids; the batch stays empty at the end.
    func read(into batch: RecordBatch, types: [String], after: Int64, through: Int64) throws {
        batch.removeAll()
        try mapped { () throws(SQLiteError) in
            var types = try rows.wantedTypes(types)
            guard !types.isEmpty else { return }
            let statement = try rows.statements[.scan]
            try statement.bind([after, through, types.onlyID])
            defer { statement.reset() }
            var last = after
            while !batch.isFull, try statement.step() {
                // On a damaged page, ids may not grow; the pass would then repeat forever.
                let id = statement.integer(0)
                guard id > last else { throw .disorder }
                last = id
                if let name = try types.name(of: statement.integer(2)) { batch.append(statement, name) }
            }
        }
    }

    /// Makes sure that a pass has read all records of some types; called before it adds or removes any.
    ///
    /// - Parameter count: The number of records that were read.
    /// - Throws: The store's error for damage.
    func checkRead(_ count: Int, ofTypes types: [String]) throws {
        try mapped { () throws(SQLiteError) in
            let types = try rows.wantedTypes(types)
            guard !types.isAll else { return try rows.checkIndexes(have: count) }
            var expected = 0
            for id in types.ids { expected += try rows.count(id) }
            guard count == expected else { throw .unequalIndex }
            try rows.checkIndexes(have: rows.count())
        }
    }

    /// Makes sure that a block has visited as many records of a type as there were.
    ///
    /// - Parameters:
    ///   - count: The number of records that were read; nil if the block has created some, or changed others in the
    ///     meantime.
    ///   - expected: The number that ``count(ofType:)`` gave before.
    /// - Throws: The store's error for damage.
    func checkVisited(_ count: Int?, of expected: Int) throws {
        try mapped { () throws(SQLiteError) in
            guard let count else { return try connection.checkScan() }
            guard count == expected else { throw .unequalIndex }
            try rows.checkIndexes(have: rows.count())
        }
    }

    func record(id: Int64) throws -> Record? {
        try mapped { () throws(SQLiteError) in
            let statement = try rows.statements[.recordByID]
            try statement.bind(id, at: 1)
            return try single(statement)
        }
    }

    func record(forKey key: String) throws -> Record? {
        try mapped { () throws(SQLiteError) in
            let statement = try rows.statements[.recordByKey]
            try statement.bind(key, at: 1)
            return try single(statement)
        }
    }

    /// The record that a statement finds, or nil; expects the columns of the reading queries.
    private func single(_ statement: Statement) throws(SQLiteError) -> Record? {
        try statement.first { row throws(SQLiteError) in
            RecordBatch.record(row, try rows.allTypes().name(of: row.integer(2)))
        }
    }

    // MARK: A snapshot for another thread

    /// Creates a reader of the records of some types, up to an id; the previous reader must have ended.
    ///
    /// The first one takes a snapshot of the records, which another thread can read while the transaction writes.
    ///
    /// - Returns: Nil if the caller must use ``read(into:types:after:through:)``: the transaction has made changes,
    ///   which readers would not see, or the store does not support a second reader at the moment.
    func makeReader(ofTypes types: [String], through: Int64) throws -> SnapshotReader? {
        try mapped { () throws(SQLiteError) in
            let types = try rows.wantedTypes(types)
            return types.isEmpty ? nil : try lastCommit.makeReader(of: types, through: through)
        }
    }

    /// Discards the snapshot, so that the commit can checkpoint the log.
    func endReading() { lastCommit.endReading() }

    // MARK: Types

    /// Whether a type has this name, with or without records.
    func hasType(_ name: String) throws -> Bool {
        try mapped { () throws(SQLiteError) in try rows.typeID(name) != nil }
    }

    func renameType(_ name: String, to newName: String) throws {
        try mapped { () throws(SQLiteError) in
            try droppedKeys?.renameType(name, to: newName)
            try rows.renameType(name, to: newName)
        }
    }

    /// Deletes all records of a type, and returns their number.
    package func deleteType(_ name: String) throws -> Int {
        try mapped { () throws(SQLiteError) in
            try noteDrop(ofType: name)
            return try rows.deleteType(name)
        }
    }

    /// Deletes all records of a type, and overwrites their bytes; returns their number.
    ///
    /// The file is marked for the rest of that work, also if the type is gone: its records may have been deleted
    /// before.
    package func eraseType(_ name: String) throws -> Int {
        try mapped { () throws(SQLiteError) in
            needsErasure = true
            try FileFormat.setMark(FileFormat.erasure, to: 1, of: connection)
            try droppedKeys?.erase(name, rows.typeID(name))
            return try connection.overwritingDeleted { () throws(SQLiteError) in try rows.deleteType(name) }
        }
    }

    private func noteDrop(ofType name: String) throws(SQLiteError) {
        if let droppedKeys, let id = try rows.typeID(name) { try droppedKeys.noteDrop(ofType: id) }
    }

    // MARK: The keys that records lose

    /// The version at which the current step leaves records.
    var stepVersion: Int {
        get { droppedKeys?.version ?? 0 }
        set { droppedKeys?.version = newValue }
    }

    /// Notes the keys that the records lose from now on; called after expired records were deleted.
    func recordDroppedKeys() throws {
        guard holdsRecords else { return }
        droppedKeys = try mapped { () throws(SQLiteError) in try DroppedKeyLog(connection, lastID: rows.lastID()) }
    }

    /// Adds the keys that were recorded to those of earlier upgrades, and removes old ones.
    ///
    /// - Parameters:
    ///   - lifetime: How long they are kept; nil to remove all.
    ///   - now: The time.
    func keepDroppedKeys(for lifetime: Duration?, at now: Date) throws {
        try mapped { () throws(SQLiteError) in
            let isKept = connection.hasTableInTransaction(DroppedKeyTable.name)
            let kept = isKept ? try DroppedKeyTable(of: connection) : nil
            if let lifetime {
                try kept?.remove(before: now.timeIntervalSince1970 - lifetime.seconds)
                try droppedKeys?.keep(now: now.timeIntervalSince1970)
            } else {
                try kept?.erase()
            }
        }
    }

    // MARK: What is handed over

    /// Whether something was taken out of the store, which waits until it is handed over.
    private(set) var hasHandovers = false

    /// Takes all records of a type out of the store, and overwrites their bytes; returns their number.
    func takeOut(_ type: String, for source: HandoverSource) throws -> Int {
        try mapped { () throws(SQLiteError) in
            guard let id = try rows.typeID(type) else { return 0 }
            let count = try HandoverTable(creatingIn: connection).addRecords(ofType: id, from: source)
            try droppedKeys?.noteDrop(ofType: id)
            let deleted = try connection.overwritingDeleted { () throws(SQLiteError) in try rows.deleteType(type) }
            guard deleted == count else { throw .lostRows }
            if count > 0 { hasHandovers = true }
            return count
        }
    }

    /// Adds a record to those that a step has taken out of the store.
    func handOver(_ record: borrowing Record, from source: HandoverSource) throws {
        let stored = StoreContents.StoredRecord(record)
        try mapped { () throws(SQLiteError) in
            try HandoverTable(creatingIn: connection).add(stored, from: source)
            hasHandovers = true
        }
    }

    /// Adds a setting, as the JSON of its value, to those that a step has taken out of a suite.
    func handOver(setting key: String, _ json: [UInt8], of suite: String, from source: HandoverSource) throws {
        try mapped { () throws(SQLiteError) in
            try HandoverTable(creatingIn: connection).add(setting: key, json, of: suite, from: source)
            hasHandovers = true
        }
    }

    func handoverIDs(of source: HandoverSource) throws -> [Int64] {
        try mapped { () throws(SQLiteError) in try HandoverTable(of: connection)?.ids(of: source) ?? [] }
    }

    func handover(_ id: Int64) throws -> HandoverTable.Item? {
        try mapped { () throws(SQLiteError) in try HandoverTable(of: connection)?.item(id) }
    }

    /// Removes a record or a setting that the app has stored elsewhere.
    func removeHandover(_ id: Int64) throws {
        try mapped { () throws(SQLiteError) in try HandoverTable(of: connection)?.remove(id) }
    }

    func noteFailure(ofHandover id: Int64) throws {
        try mapped { () throws(SQLiteError) in try HandoverTable(of: connection)?.noteFailure(of: id) }
    }

    // MARK: What is remembered of suites

    /// Remembers that suites have a ledger after the upgrade.
    func rememberLedgers(of suites: some Sequence<String>) throws {
        try mapped { () throws(SQLiteError) in
            for suite in suites {
                try FileFormat.setMark(FileFormat.ledgerOfSuite + suite, to: 1 as Int64, of: connection)
            }
        }
    }

    /// Remembers the domain of the standard suite.
    func remember(standardDomain: String) throws {
        try mapped { () throws(SQLiteError) in
            try FileFormat.setMark(FileFormat.standardDomain, to: standardDomain, of: connection)
        }
    }

    /// Deletes records from quarantine, as one of a type whose bytes are to be erased.
    func deleteQuarantined(where matches: (_ type: String, _ failed: MigrationID, _ step: Int) -> Bool) throws -> Int {
        try mapped { () throws(SQLiteError) in
            try QuarantineTable(of: connection)?.remove(where: matches) ?? 0
        }
    }

    // MARK: Writing

    /// Writes the contents of several records, and sets their versions.
    ///
    /// It is called once per batch, so a store should write them together. The key and the type name change only
    /// through ``postpone(_:)``.
    func write(_ contents: RecordContents) throws {
        guard !contents.rows.isEmpty else { return }
        try mapped { () throws(SQLiteError) in try rows.write(contents) }
    }

    /// Writes the contents of several records, whose current states are saved first, unless they were saved before.
    func writeKeepingOriginals(_ contents: RecordContents) throws {
        try mapped { () throws(SQLiteError) in try rows.write(contents, postponed.keepOriginals) }
    }

    func write(expiration: Double?, id: Int64) throws {
        try mapped { () throws(SQLiteError) in try rows.write(expiration: expiration, id: id) }
    }

    /// Adds a record under an unused id.
    ///
    /// - Throws: ``MoltError`` with the code `keyExists` when another record has its key.
    func insert(_ record: borrowing Record, id: Int64, version: Int) throws {
        if try !insert(NewRecords(record), from: id, version: version).isEmpty { throw keyExists(record) }
    }

    func insert(_ new: NewRecords, from firstID: Int64, version: Int) throws -> [Int] {
        guard holdsRecords else {
            throw MoltError(
                .unsupported,
                "A record cannot be put into \(storeName), which holds no records.",
                advice: "Run migrations that import records on a cache."
            )
        }
        return try mapped { () throws(SQLiteError) in try rows.insert(new, from: firstID, version: version) }
    }

    func delete(id: Int64) throws {
        try mapped { () throws(SQLiteError) in
            try droppedKeys?.noteDrop(ofID: id)
            try rows.delete(id: id)
        }
    }

    /// Deletes expired records; called before any other change.
    ///
    /// - Parameter now: The current time, in seconds since 1970; a record that expires at that moment has expired.
    /// - Returns: The number of deleted records.
    func deleteExpired(now: Double) throws -> Int {
        try mapped { () throws(SQLiteError) in
            let count = try rows.deleteExpired(now: now)
            if count > 0 { lastCommit.skipExpired(at: now) }
            return count
        }
    }

    func keyExists(_ new: borrowing Record) -> MoltError {
        keyExists(new.key, of: "A record of type \(new.typeName)", key: new.key, type: new.typeName)
    }

    private func keyExists(
        _ newKey: String,
        from path: PropertyPath? = nil,
        of what: String,
        key: String,
        type: String
    ) -> MoltError {
        MoltError(
            .keyExists,
            "\(what) would get \(path.map { "a key, from \"\($0)\"," } ?? "the key \"\(newKey)\",") which is already "
                + "used by another record.",
            advice: "Use a different key, or delete the other record or give it another key first.",
            store: storeName,
            key: key,
            type: type
        )
    }

    /// Writes a record's content, and its expiry if it was set.
    func write(_ record: borrowing Record, version: Int) throws {
        var content: [UInt8] = []
        let row = RecordContents.Row(record, version: version, buffer: 0, writingTo: &content)
        try write(RecordContents(rows: [row], buffers: [content]))
        if record.hasNewExpiration { try write(expiration: record.expirationSeconds, id: record.id) }
    }

    // MARK: Changes at the end of a pass

    /// Saves a change of a record for the end of the pass.
    ///
    /// A record's quarantine keeps its content, key, type name, expiry and version in the round; for a block, those of
    /// the record's ``original(id:)``, if it has one.
    func postpone(_ change: PostponedChange) throws {
        try mapped { () throws(SQLiteError) in try postponed.add(change) }
    }

    /// Applies the changes of a round; throws before changing anything when a key is taken.
    ///
    /// After any other failure a round may be half applied: the transaction must be rolled back, and takes no more
    /// calls.
    ///
    /// - Parameter path: The property that gives the new keys, if messages must not contain them.
    func applyPostponedChanges(round: Int, keysFrom path: PropertyPath? = nil) throws {
        guard !postponed.isEmpty else { return }
        let collision = try mapped { () throws(SQLiteError) in
            try postponed.apply(round, types: rows.allTypes, notingIn: droppedKeys)
        }
        guard let collision else {
            rows.forgetCounts()
            rows.forgetTypes()
            return
        }
        let record = try record(id: collision.id)
        let key = record?.key ?? ""
        let type = record?.typeName ?? ""
        throw keyExists(collision.newKey, from: path, of: "The record \"\(key)\" of type \(type)", key: key, type: type)
    }

    /// A record that will have the same key as others of its type when the changes of a round are applied.
    struct RecordToMerge {
        /// Its place in the order in which records are merged.
        var number: Int64
        var id: Int64
        /// The key that they will have.
        var key: ExactName
        /// Whether it does not have the key yet.
        var isMoving: Bool
    }

    /// Finds the records of a type that will have the same key when the changes of a round are applied.
    func findRecordsToMerge(ofType type: String, round: Int) throws {
        try mapped { () throws(SQLiteError) in
            if let typeID = try rows.typeID(type) { try postponed.findRecordsToMerge(ofType: typeID, round) }
        }
    }

    /// The next of them, those with one key together: first one that has it already, then by their old keys.
    func recordsToMerge(after number: Int64, count: Int) throws -> [RecordToMerge] {
        try mapped { () throws(SQLiteError) in try postponed.recordsToMerge(after: number, count: count) }
    }

    // MARK: Originals

    func beginBlock(isLarge: Bool) { postponed.beginBlock(isLarge: isLarge) }

    /// Whether originals are read from the last commit, so that they are the states at the block's beginning, also of
    /// the names of their types.
    var readsOriginals: Bool { postponed.readsOriginals }

    func keepOriginal(id: Int64) throws {
        try mapped { () throws(SQLiteError) in try postponed.keepOriginal(id: id) }
    }

    func keepOriginals(ofType type: String) throws {
        try mapped { () throws(SQLiteError) in
            if let typeID = try rows.typeID(type) { try postponed.keepOriginals(ofType: typeID) }
        }
    }

    func original(id: Int64) throws -> Record? {
        try mapped { () throws(SQLiteError) in try postponed.original(id: id) }
    }

    func saveOriginal(id: Int64) throws {
        try mapped { () throws(SQLiteError) in try postponed.saveOriginal(id: id) }
    }

    func forgetOriginals() throws {
        try mapped { () throws(SQLiteError) in try postponed.forgetOriginals() }
    }
}
