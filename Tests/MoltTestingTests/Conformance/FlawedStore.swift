import Foundation
import Molt

/// A store in memory with one flaw.
final class FlawedStore: MigrationStore {
    enum Flaw: String, CaseIterable, Sendable {
        case reusesIDs, unsortedTypes, keepsChanges, forgetsFingerprint, hasNoTypes, comparesCharacters
        case handsOutTooFew, ignoresThrough, forgetsExpiry, textBecomesData, overwritesKeys, makesChangesAtOnce
        case keepsLatestOriginal, shufflesJournal, neverFresh, staysUsable, keepsDeferredRow, setsNoVersion
        case rewritesContent, countsDeleted, wrapsErrors, forgetsQuarantine

        /// The behaviour that it breaks.
        var behavior: String {
            switch self {
            case .reusesIDs: "A record keeps its id, whatever becomes of it and of others"
            case .unsortedTypes, .hasNoTypes: "Type names are sorted, and are those of types with records"
            case .keepsChanges: "A transaction that was undone has changed no record"
            case .forgetsFingerprint: "Ledger rows come back with all their fields, in their order"
            case .comparesCharacters: "Keys are told apart by their bytes"
            case .handsOutTooFew: "A batch is emptied, filled up, and holds fewer only at the end"
            case .ignoresThrough: "Reading keeps to its bounds: after one id, through another"
            case .forgetsExpiry: "An expiry is set, changed and taken away"
            case .textBecomesData, .rewritesContent: "Content is kept byte for byte, as text or as data"
            case .overwritesKeys: "A key that another record has is refused, and nothing changes"
            case .makesChangesAtOnce: "A deferred change is made at its stage, and only then"
            case .keepsLatestOriginal: "An original is the record as it was when it was first kept"
            case .shufflesJournal: "The journal keeps what is added to it, in its order"
            case .neverFresh: "A new store is fresh: it has no version, no ledger and no journal"
            case .staysUsable: "A transaction is refused after its end"
            case .keepsDeferredRow: "The ledger row of a deferred migration is replaced, and no other"
            case .setsNoVersion: "The version is the one that was recorded last, with ledger rows or without"
            case .countsDeleted: "Records are counted, by type and all"
            case .forgetsQuarantine:
                "A record goes into quarantine before its stage, or the store says that it has none"
            case .wrapsErrors: "What the closure throws comes out, and nothing of the transaction is kept"
            }
        }
    }

    private let base = CacheStore(inMemory: .standard)
    private let flaw: Flaw

    init(_ flaw: Flaw) {
        self.flaw = flaw
    }

    struct Wrapper: Error {
        var error: any Error
    }

    var storeName: String { base.storeName }
    var coding: RecordCoding { base.coding }

    func state() throws -> StoreState {
        var state = try base.state()
        if flaw == .neverFresh { state.isFresh = false }
        return state
    }

    func upgrade(_ body: (any MigrationTransaction) throws -> Void, waiting: () throws -> Void) throws {
        var kept: (any Error)?
        do {
            try base.upgrade(
                { transaction throws in
                    let flawed = FlawedTransaction(transaction, flaw)
                    defer { if flaw != .staysUsable { flawed.isOver = true } }
                    do {
                        try body(flawed)
                    } catch  where flaw == .keepsChanges {
                        kept = error
                    }
                },
                waiting: waiting
            )
        } catch  where flaw == .wrapsErrors {
            throw Wrapper(error: error)
        }
        if let kept { throw kept }
    }
}

/// Does what its base does, but for one flaw.
final class FlawedTransaction: MigrationTransaction {
    private let base: any MigrationTransaction
    private let flaw: FlawedStore.Flaw
    private var deletedCount = 0
    var isOver = false

    init(_ base: any MigrationTransaction, _ flaw: FlawedStore.Flaw) {
        self.base = base
        self.flaw = flaw
    }

    func state() throws -> StoreState {
        if flaw == .staysUsable { return .fresh }
        return try base.state()
    }

    func typeNames() throws -> [String] {
        switch flaw {
        case .unsortedTypes: try base.typeNames().reversed()
        case .hasNoTypes: []
        default: try base.typeNames()
        }
    }

    func count(ofType type: String?) throws -> Int {
        try base.count(ofType: type) + (flaw == .countsDeleted ? deletedCount : 0)
    }

    func lastRecordID() throws -> Int64 { try base.lastRecordID() }

    func read(into batch: RecordBatch, type: String?, after: Int64, through: Int64) throws {
        let through = flaw == .ignoresThrough ? .max : through
        guard flaw == .handsOutTooFew, batch.capacity > 1 else {
            return try base.read(into: batch, type: type, after: after, through: through)
        }
        let short = RecordBatch(capacity: batch.capacity - 1, coding: .standard)
        try base.read(into: short, type: type, after: after, through: through)
        batch.removeAll()
        for index in 0..<short.count { Self.append(short[index], id: short[index].id, to: batch) }
    }

    func record(id: Int64) throws -> Record? { try base.record(id: id) }

    func record(forKey key: String) throws -> Record? {
        guard flaw == .comparesCharacters else { return try base.record(forKey: key) }
        return try base.record(forKey: key.precomposedStringWithCanonicalMapping)
    }

    func write(content: UnsafeRawBufferPointer, isData: Bool, id: Int64, version: Int) throws {
        try base.write(content: content, isData: isData, id: id, version: version)
    }

    func write(expiration: Double?, id: Int64) throws {
        if flaw == .forgetsExpiry, expiration == nil { return }
        try base.write(expiration: expiration, id: id)
    }

    func insert(_ record: borrowing Record, id: Int64, version: Int) throws {
        var record = copy record
        switch flaw {
        case .reusesIDs:
            var free: Int64 = 1
            while try base.record(id: free) != nil { free += 1 }
            try base.insert(record, id: id == 8 ? free : id, version: version)
        case .overwritesKeys:
            if let other = try base.record(forKey: record.key) { try base.delete(id: other.id) }
            try base.insert(record, id: id, version: version)
        case .textBecomesData:
            var content: [UInt8] = []
            record.writeContent(to: &content)
            try record.replaceContent(with: Data(content))
            try base.insert(record, id: id, version: version)
        case .rewritesContent:
            if !record.isData { try record.replaceContent(with: record.content()) }
            try base.insert(record, id: id, version: version)
        default:
            try base.insert(record, id: id, version: version)
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
        try base.delete(id: id)
    }

    func renameType(_ name: String, to newName: String) throws { try base.renameType(name, to: newName) }
    func deleteType(_ name: String) throws -> Int { try base.deleteType(name) }

    func deferChange(_ change: DeferredChange) throws {
        try base.deferChange(change)
        if flaw == .makesChangesAtOnce { try base.applyDeferredChanges(stage: change.stage) }
    }

    func deferQuarantine(_ quarantine: DeferredQuarantine) throws {
        if flaw != .forgetsQuarantine { try base.deferQuarantine(quarantine) }
    }

    func applyDeferredChanges(stage: Int) throws { try base.applyDeferredChanges(stage: stage) }
    func keepOriginal(id: Int64) throws { try base.keepOriginal(id: id) }
    func keepOriginals(ofType type: String) throws { try base.keepOriginals(ofType: type) }

    func original(id: Int64) throws -> Record? {
        guard flaw == .keepsLatestOriginal, try base.original(id: id) != nil else { return try base.original(id: id) }
        return try base.record(id: id)
    }

    func forgetOriginals() throws { try base.forgetOriginals() }

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
