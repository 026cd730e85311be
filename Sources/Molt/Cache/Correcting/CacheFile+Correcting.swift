internal import Foundation

extension CacheFile {
    /// Corrects what the ledger says of one migration, without the app's registry.
    ///
    /// Only what the ledger itself tells can be corrected: an applied migration can be marked as pending, and one that
    /// was so marked as applied again.
    ///
    /// - Throws: ``MoltError`` as ``CodableCache/correctLedger(_:at:migrations:reason:configuration:)`` does, and with
    ///   the code `notCorrected` if the change needs the registry.
    package func correctLedger(_ change: LedgerChange, reason: String) throws -> LedgerEntry {
        let ledger = try state().ledger
        let row = ledger.first { $0.name == change.migration }
        let isCorrectable =
            switch change {
            case .markApplied: row.map { $0.outcome == .unmarked } ?? false
            // Whether the other outcomes are about settings, too, the row does not tell.
            case .markPending: row.map { [.ran, .onRead, .unmarked].contains($0.outcome) } ?? true
            case .acceptEdit: false
            }
        guard isCorrectable, row?.attachedCounts.isEmpty != false else {
            throw MoltError(
                .notCorrected,
                row == nil
                    ? "The ledger has no migration \"\(change.migration)\", and marking one needs the app's migrations."
                    : "This correction of migration \"\(change.migration)\" needs the app's migrations.",
                advice: "Use the app's own tool, or `CodableCache.correctLedger`.",
                outcome: .unchanged,
                store: path
            )
        }
        let migrations = ledger.map { row in
            let migration = Migration(to: row.version, row.name)
            return row.outcome == .onRead ? migration.onRead() : migration
        }
        var configuration = MoltConfiguration()
        // A person waits, and an app keeps its store open.
        configuration.timeout = .seconds(1)
        let store = StoreFile(at: URL(fileURLWithPath: path), createsFile: false)
        var corrector = LedgerCorrector(change, of: store, MigrationRegistry(migrations), reason: reason, configuration)
        corrector.isComplete = false
        return try corrector.run()
    }
}
