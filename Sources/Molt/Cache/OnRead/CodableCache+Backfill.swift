internal import Foundation

extension CodableCache {
    /// Upgrades all records that still have to go through migrations on read, and returns when they are written.
    ///
    /// By default the cache does so by itself after it is opened; see ``MoltConfiguration/runsBackfill``. The call then
    /// waits for it. It does nothing if there are none. Reads and writes may go on meanwhile.
    ///
    /// Do not call it in a monitor's closure or in a closure of a migration. Each batch of records is a transaction of
    /// its own. After an interruption, the next opening or call goes on with the records that were not upgraded yet. At
    /// the end, the ledger counts the migrations as run.
    ///
    /// - Throws: For a record that cannot be converted, the ``MoltError`` of the step, after all other records were
    ///   upgraded; such a record keeps its content, unless the policy of the step or the registry sets it aside.
    ///   ``MoltError`` with the code `closed`, `busy`, `suspended`, `storeFailed` or, for a cache that is only readable,
    ///   `readOnly`; ``MoltError`` with the code `storeChanged` or `deadlinePassed`.
    public func backfill() throws {
        try sweep?.finish()
    }

    /// Upgrades all records that still have to go through migrations on read; waits without blocking a thread.
    ///
    /// Cancelling the task stops it before the next record; the cache then continues in the background.
    ///
    /// - Throws: The errors of the synchronous call, and `CancellationError`.
    public func backfill() async throws {
        // A queue of its own, because other calls must not wait for the backfill.
        try await DispatchQueue(label: "molt.backfill.wait").runCancellable { [sweep] isCancelled in
            try sweep?.finish(isCancelled: isCancelled)
        }
    }

    /// The content after the migrations on read that it still has to go through; nothing is written.
    func upgraded(_ stored: StoredContent) throws(MoltError) -> StoredContent {
        guard stored.version < schemaVersion, let upgrader = sweep?.upgrader, stored.version < upgrader.version else {
            return stored
        }
        do {
            return try stored.upgraded(by: upgrader)
        } catch {
            throw MoltError(
                .unreadableContent,
                "The content of \"\(stored.key)\" could not be upgraded when it was read.",
                store: path,
                key: stored.key,
                type: stored.typeName,
                underlying: error
            )
        }
    }
}
