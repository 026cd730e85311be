package import MoltCore

extension MigrationOptions {
    /// Has a hook called at each point of an upgrade, including each batch read and each change of the store.
    package mutating func observe(_ hook: @escaping UpgradeHook) {
        atPoint = hook
        wrapTransaction = { ObservedTransaction($0, hook) }
    }
}

/// A transaction that reports each change to a hook before passing it on, for tests that inject failures.
private final class ObservedTransaction: MigrationTransaction {
    let records: (any RecordTransaction)?
    private let base: any MigrationTransaction
    private let atPoint: UpgradeHook

    init(_ base: any MigrationTransaction, _ atPoint: @escaping UpgradeHook) {
        self.base = base
        self.atPoint = atPoint
        records = base.records.map { ObservedRecords($0, atPoint) }
    }

    private func reach(_ kind: UpgradePoint.Kind, _ subject: String = "") throws {
        try atPoint(UpgradePoint(kind, subject))
    }

    func state() throws -> StoreState {
        try base.state()
    }

    func record(_ entries: [LedgerEntry], version: Int) throws {
        try reach(.writeLedger)
        try base.record(entries, version: version)
    }

    func journal() throws -> [JournalEntry] {
        try base.journal()
    }

    func addToJournal(_ entries: [JournalEntry]) throws {
        if !entries.isEmpty { try reach(.writeJournal) }
        try base.addToJournal(entries)
    }

    func clearJournal() throws {
        try reach(.clearJournal)
        try base.clearJournal()
    }
}

/// Records that report each batch read and each change to a hook before passing it on.
private final class ObservedRecords: RecordTransaction {
    private let base: any RecordTransaction
    private let atPoint: UpgradeHook

    init(_ base: any RecordTransaction, _ atPoint: @escaping UpgradeHook) {
        self.base = base
        self.atPoint = atPoint
    }

    private func reach(_ kind: UpgradePoint.Kind, _ subject: String = "") throws {
        try atPoint(UpgradePoint(kind, subject))
    }

    // MARK: Reading

    func typeNames() throws -> [String] {
        try base.typeNames()
    }

    func count(ofType type: String?) throws -> Int {
        try base.count(ofType: type)
    }

    func lastRecordID() throws -> Int64 {
        try base.lastRecordID()
    }

    func read(into batch: RecordBatch, type: String, after: Int64, through: Int64) throws {
        try reach(.read, "of \(type)")
        try base.read(into: batch, type: type, after: after, through: through)
    }

    func endReading() {
        base.endReading()
    }

    func makeReader(ofType type: String, through: Int64) throws -> (any RecordReader)? {
        try base.makeReader(ofType: type, through: through).map { reader in
            ObservedReader(reader) { [atPoint] in try atPoint(UpgradePoint(.read, "of \(type)")) }
        }
    }

    func record(id: Int64) throws -> Record? {
        try base.record(id: id)
    }

    func record(forKey key: String) throws -> Record? {
        try base.record(forKey: key)
    }

    // MARK: Writing

    func write(_ contents: RecordContents) throws {
        try reach(.writeBatch)
        try base.write(contents)
    }

    func deleteExpired(now: Double) throws -> Int {
        try base.deleteExpired(now: now)
    }

    func write(expiration: Double?, id: Int64) throws {
        try reach(.writeExpiry)
        try base.write(expiration: expiration, id: id)
    }

    func insert(_ record: borrowing Record, id: Int64, version: Int) throws {
        try reach(.insert, "of \(record.typeName)")
        try base.insert(record, id: id, version: version)
    }

    func delete(id: Int64) throws {
        try reach(.delete)
        try base.delete(id: id)
    }

    func renameType(_ name: String, to newName: String) throws {
        try reach(.renameType, "\(name) to \(newName)")
        try base.renameType(name, to: newName)
    }

    func deleteType(_ name: String) throws -> Int {
        try reach(.deleteType, name)
        return try base.deleteType(name)
    }

    // MARK: Deferred changes

    func deferChange(_ change: DeferredChange) throws {
        try reach(.deferChange)
        try base.deferChange(change)
    }

    func applyDeferredChanges(stage: Int) throws {
        try reach(.applyDeferredChanges)
        try base.applyDeferredChanges(stage: stage)
    }

    func keepOriginal(id: Int64) throws {
        try base.keepOriginal(id: id)
    }

    func keepOriginals(ofType type: String) throws {
        try base.keepOriginals(ofType: type)
    }

    func original(id: Int64) throws -> Record? {
        try base.original(id: id)
    }

    func forgetOriginals() throws {
        try base.forgetOriginals()
    }
}

/// A reader that reports each batch read to a hook before passing it on.
private final class ObservedReader: RecordReader {
    private let base: any RecordReader
    private let beforeRead: () throws -> Void

    init(_ base: any RecordReader, beforeRead: @escaping () throws -> Void) {
        self.base = base
        self.beforeRead = beforeRead
    }

    func read(into batch: RecordBatch) throws {
        try beforeRead()
        try base.read(into: batch)
    }

    func end() {
        base.end()
    }
}
