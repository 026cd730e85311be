import Foundation
import Molt

/// Does what its base does, but for one flaw.
final class FlawedTransaction: MigrationTransaction {
    private let base: any MigrationTransaction
    private let flaw: FlawedStore.Flaw?
    private var deletedCount = 0
    private var quarantined: [DeferredQuarantine] = []
    /// What was deferred.
    private(set) var deferred: [DeferredChange] = []
    /// Whether deferred changes were made.
    private(set) var hasApplied = false
    /// How far a migration has come, when that was set.
    private(set) var mark: UnfinishedMigration?
    /// Whether a migration that commits in batches has come to its end.
    private(set) var hasEnded = false
    var isOver = false

    init(_ base: any MigrationTransaction, _ flaw: FlawedStore.Flaw?) {
        self.base = base
        self.flaw = flaw
    }

    func state() throws -> StoreState {
        if flaw == .staysUsable { return .fresh }
        var state = try base.state()
        if flaw == .startsAnew { state.unfinished = nil }
        return state
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
        deferred.append(change)
        if flaw == .losesChanges { return }
        try base.deferChange(change)
        if flaw == .makesChangesAtOnce { try base.applyDeferredChanges(stage: change.stage) }
    }

    func deferQuarantine(_ quarantine: DeferredQuarantine) throws {
        quarantined.append(quarantine)
        if flaw != .forgetsQuarantine, flaw != .losesQuarantine { try base.deferQuarantine(quarantine) }
    }

    func applyDeferredChanges(stage: Int) throws {
        hasApplied = true
        // Only what this transaction has deferred.
        if flaw == .losesChanges { for change in deferred { try base.deferChange(change) } }
        if flaw == .losesQuarantine { for record in quarantined { try base.deferQuarantine(record) } }
        deferred.removeAll { $0.stage == stage }
        quarantined = []
        try base.applyDeferredChanges(stage: stage)
    }

    func setUnfinished(_ unfinished: UnfinishedMigration?, version: Int) throws {
        mark = unfinished
        hasEnded = unfinished == nil
        var kept = unfinished
        switch flaw {
        case .acceptsMark: return
        case .forgetsMark: kept = nil
        case .neverEnds: kept = try unfinished ?? base.state().unfinished
        case .forgetsCounts:
            kept?.counts = RecordCounts()
            kept?.stepCounts = []
        default: break
        }
        try base.setUnfinished(kept, version: version)
    }

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
