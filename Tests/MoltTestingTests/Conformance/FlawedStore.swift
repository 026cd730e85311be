import Foundation
import Molt

/// A store in memory with one flaw.
final class FlawedStore: MigrationStore {
    enum Flaw: String, CaseIterable, Sendable {
        case reusesIDs, unsortedTypes, keepsChanges, forgetsFingerprint, hasNoTypes, comparesCharacters
        case handsOutTooFew, ignoresThrough, forgetsExpiry, textBecomesData, overwritesKeys, makesChangesAtOnce
        case keepsLatestOriginal, shufflesJournal, neverFresh, staysUsable, keepsDeferredRow, setsNoVersion
        case rewritesContent, countsDeleted, wrapsErrors, forgetsQuarantine

        /// The behavior that the flaw violates.
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

    private let base: CacheStore
    private let flaw: Flaw?

    init(_ flaw: Flaw?, base: CacheStore = CacheStore(inMemoryWith: [])) {
        self.flaw = flaw
        self.base = base
    }

    struct Wrapper: Error {
        var error: any Error
    }

    var storeName: String { base.storeName }

    func state() throws -> StoreState {
        var state = try base.state()
        if flaw == .neverFresh { state.isFresh = false }
        return state
    }

    func withWriteTransaction(
        until deadline: ContinuousClock.Instant?,
        isSynced: Bool,
        _ body: (any MigrationTransaction) throws -> Void,
        waiting: () throws -> Void
    ) throws {
        var kept: (any Error)?
        do {
            try base.withWriteTransaction(
                until: deadline,
                isSynced: isSynced,
                { transaction throws in
                    let flawed = try FlawedTransaction(transaction, flaw)
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
