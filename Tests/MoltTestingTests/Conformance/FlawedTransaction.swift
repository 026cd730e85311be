import Foundation
import Molt

/// A transaction that does what its base does, except for one flaw.
final class FlawedTransaction: MigrationTransaction, RecordTransaction {
    private let base: any MigrationTransaction
    private let rows: any RecordTransaction
    private let flaw: FlawedStore.Flaw?
    private var deletedCount = 0
    var isOver = false

    init(_ base: any MigrationTransaction, _ flaw: FlawedStore.Flaw?) throws {
        self.base = base
        rows = try base.requiredRecords
        self.flaw = flaw
    }

    var records: (any RecordTransaction)? { self }

    func state() throws -> StoreState {
        flaw == .staysUsable ? .fresh : try base.state()
    }

    func typeNames() throws -> [String] {
        switch flaw {
        case .unsortedTypes: try rows.typeNames().reversed()
        case .hasNoTypes: []
        default: try rows.typeNames()
        }
    }

    func count(ofType type: String?) throws -> Int {
        try rows.count(ofType: type) + (flaw == .countsDeleted ? deletedCount : 0)
    }

    func hasRecords(before version: Int) throws -> Bool { try rows.hasRecords(before: version) }

    func lastRecordID() throws -> Int64 { try rows.lastRecordID() }

    func read(into batch: RecordBatch, types: [String], after: Int64, through: Int64) throws {
        let through = flaw == .ignoresThrough ? .max : through
        guard flaw == .handsOutTooFew, batch.capacity > 1 else {
            return try rows.read(into: batch, types: types, after: after, through: through)
        }
        let short = RecordBatch(capacity: batch.capacity - 1)
        try rows.read(into: short, types: types, after: after, through: through)
        batch.removeAll()
        for index in 0..<short.count { Self.append(short[index], id: short[index].id, to: batch) }
    }

    func checkRead(_ count: Int, ofTypes types: [String]) throws { try rows.checkRead(count, ofTypes: types) }

    func record(id: Int64) throws -> Record? { try rows.record(id: id) }

    func record(forKey key: String) throws -> Record? {
        guard flaw == .comparesCharacters else { return try rows.record(forKey: key) }
        return try rows.record(forKey: key.precomposedStringWithCanonicalMapping)
    }

    func write(_ contents: RecordContents) throws { try rows.write(contents) }

    func write(expiration: Double?, id: Int64) throws {
        if flaw == .forgetsExpiry, expiration == nil { return }
        try rows.write(expiration: expiration, id: id)
    }

    func insert(_ record: borrowing Record, id: Int64, version: Int) throws {
        var record = copy record
        switch flaw {
        case .reusesIDs:
            var free: Int64 = 1
            while try rows.record(id: free) != nil { free += 1 }
            try rows.insert(record, id: id == 8 ? free : id, version: version)
        case .overwritesKeys:
            if let other = try rows.record(forKey: record.key) { try rows.delete(id: other.id) }
            try rows.insert(record, id: id, version: version)
        case .textBecomesData:
            var content: [UInt8] = []
            record.writeContent(to: &content)
            try record.replaceContent(with: Data(content))
            try rows.insert(record, id: id, version: version)
        case .rewritesContent:
            if !record.isData { try record.replaceContent(with: record.content()) }
            try rows.insert(record, id: id, version: version)
        default:
            try rows.insert(record, id: id, version: version)
        }
    }

    private static func append(_ record: Record, id: Int64, to batch: RecordBatch) {
        var content: [UInt8] = []
        record.writeContent(to: &content)
        Array(record.key.utf8).withUnsafeBytes { key in
            content.withUnsafeBytes { content in
                batch.append(
                    id: id,
                    typeName: record.typeName,
                    key: key,
                    content: content,
                    isData: record.isData,
                    expiration: record.expiration?.timeIntervalSince1970
                )
            }
        }
    }

    func delete(id: Int64) throws {
        deletedCount += 1
        try rows.delete(id: id)
    }

    func renameType(_ name: String, to newName: String) throws { try rows.renameType(name, to: newName) }
    func deleteType(_ name: String) throws -> Int { try rows.deleteType(name) }

    func deferChange(_ change: DeferredChange) throws {
        if flaw == .forgetsQuarantine, case .quarantine = change.kind { return }
        try rows.deferChange(change)
        if flaw == .makesChangesAtOnce { try rows.applyDeferredChanges(stage: change.stage) }
    }

    func deleteExpired(now: Double) throws -> Int { try rows.deleteExpired(now: now) }

    func makeReader(ofTypes types: [String], through: Int64) throws -> (any RecordReader)? { nil }
    func endReading() {}

    func applyDeferredChanges(stage: Int) throws {
        try rows.applyDeferredChanges(stage: stage)
    }

    func keepOriginal(id: Int64) throws { try rows.keepOriginal(id: id) }
    func keepOriginals(ofType type: String) throws { try rows.keepOriginals(ofType: type) }

    func original(id: Int64) throws -> Record? {
        guard flaw == .keepsLatestOriginal, try rows.original(id: id) != nil else { return try rows.original(id: id) }
        return try rows.record(id: id)
    }

    func forgetOriginals() throws { try rows.forgetOriginals() }

    func record(_ entries: [LedgerEntry], version: Int) throws {
        var entries = entries
        if flaw == .forgetsFingerprint { for index in entries.indices { entries[index].fingerprint = nil } }
        if flaw == .keepsDeferredRow {
            let known = try base.state().ledger.map(\.name)
            entries.removeAll { known.contains($0.name) }
        }
        let old = try base.state().version
        try base.record(entries, version: flaw == .setsNoVersion && entries.isEmpty ? old : version)
    }

    func journal() throws -> [JournalEntry] {
        flaw == .shufflesJournal ? try base.journal().reversed() : try base.journal()
    }

    func addToJournal(_ entries: [JournalEntry]) throws { try base.addToJournal(entries) }
    func clearJournal() throws { try base.clearJournal() }
}
