import Foundation
import Molt

/// A cache file that another process reaches just before a transaction begins.
final class RacingStore: MigrationStore {
    private let base: CacheStore
    /// The actions before the first transaction, the second, and so on.
    private var before: [() throws -> Void]
    /// How often each transaction finds the lock taken before it gets it.
    private let waits: Int

    init(at url: URL, waits: Int = 0, before: [() throws -> Void] = []) {
        base = CacheStore(at: url)
        self.waits = waits
        self.before = before
    }

    var storeName: String { base.storeName }

    func state() throws -> StoreState { try base.state() }

    func withWriteTransaction(
        until deadline: ContinuousClock.Instant?,
        isSynced: Bool,
        _ body: (any MigrationTransaction) throws -> Void,
        waiting: () throws -> Void
    ) throws {
        if !before.isEmpty { try before.removeFirst()() }
        for _ in 0..<waits { try waiting() }
        try base.withWriteTransaction(until: nil, isSynced: isSynced, body, waiting: waiting)
    }
}
