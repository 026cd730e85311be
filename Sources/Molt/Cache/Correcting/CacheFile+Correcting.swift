extension CacheFile {
    /// Corrects what the ledger of a closed cache says of one migration, for the repair of a single store.
    ///
    /// A migration that is marked as applied does not run. One that is marked as pending runs at the next opening, also
    /// below the store's version, on the records as they are then. An accepted edit is no mismatch any more. No record
    /// and no setting changes. The row keeps each correction; see ``LedgerEntry/corrections``.
    ///
    /// The ledgers of the suites that the migration works on are corrected, too. The correction is made completely or
    /// not at all; if the process is killed while suites are changed, the next opening finishes it.
    ///
    /// - Important: Nothing checks that the records and settings have the form that the corrected ledger says.
    /// - Parameter reason: Why, in a few words for people, without values of users; the ledger keeps it.
    /// - Returns: The corrected row.
    /// - Throws: ``MoltError`` with the code `busy` if the cache is open in this process or another one; `notCorrected`
    ///   if the reason is empty or the row does not allow the change; `unknownMigration`; `fileMissing` without a
    ///   store; `journalPending` if the store must be opened first; `deferred` if a suite cannot be used now;
    ///   `superseded`, `migrationMissing` or `tooOld` for a store of another release; `invalidRegistry`; or the store's
    ///   error. Nothing is changed then, unless ``MoltError/outcome`` is `committed`.
    @discardableResult
    package func correctLedger(
        _ change: LedgerChange,
        migrations: MigrationRegistry,
        reason: String,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> LedgerEntry {
        try FileStatus.checkPath(path)
        try migrations.validate()
        let store = StoreFile(at: url, createsFile: false, attaching: configuration.attachedStores)
        return try LedgerCorrector(change, of: store, migrations, reason: reason, configuration).run()
    }

    /// Corrects what the ledger says of one migration, without the app's registry.
    ///
    /// Only what the ledger itself tells can be corrected: an applied migration can be marked as pending, and one that
    /// was so marked as applied again.
    ///
    /// - Throws: ``MoltError`` as ``correctLedger(_:migrations:reason:configuration:)`` does, and with
    ///   the code `notCorrected` if the change needs the registry.
    package func correctLedger(_ change: LedgerChange, reason: String) throws -> LedgerEntry {
        try checkExists()
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
                advice: "Run the same command with the app's own tool.",
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
        let store = StoreFile(at: url, createsFile: false)
        let corrector = LedgerCorrector(change, of: store, MigrationRegistry(migrations), reason: reason, configuration)
        corrector.isComplete = false
        return try corrector.run()
    }
}
