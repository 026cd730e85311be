public import Foundation

extension CodableCache {
    /// Corrects what the ledger of a closed cache says of one migration, for the repair of a single store.
    ///
    /// ```swift
    /// // A hotfix has changed the records of this store already.
    /// try CodableCache.correctLedger(
    ///     .markApplied("split-full-name"), at: url, migrations: migrations, reason: "Split by the hotfix 2.1.1."
    /// )
    /// ```
    /// A migration that is marked as applied does not run. One that is marked as pending runs at the next opening, also
    /// below the store's version, on the records as they are then. An accepted edit is no mismatch any more. No record
    /// and no setting changes. The row keeps each correction; see ``LedgerEntry/corrections``.
    ///
    /// The ledgers of the suites that the migration works on are corrected, too. The correction is made completely or
    /// not at all; if the process is killed while suites are changed, the next opening finishes it.
    ///
    /// - Important: Nothing checks that the records and settings have the form that the corrected ledger says.
    /// - Parameters:
    ///   - change: The migration, and what the ledger says of it from now on.
    ///   - url: The file.
    ///   - migrations: The app's registry.
    ///   - reason: Why, in a few words for people, without values of users; the ledger keeps it.
    ///   - configuration: The attached suites, the app's version, and how long to wait for others; the defaults
    ///     otherwise.
    /// - Returns: The corrected row.
    /// - Throws: ``MoltError`` with the code `busy` if the cache is open in this process or another one; `notCorrected`
    ///   if the reason is empty or the row does not allow the change; `unknownMigration`; `fileMissing` without a
    ///   store; `journalPending` if the store must be opened first; `deferred` if a suite cannot be used now;
    ///   `superseded`, `migrationMissing` or `tooOld` for a store of another release; `invalidRegistry`; or the store's
    ///   error. Nothing is changed then, unless ``MoltError/outcome`` is `committed`.
    @discardableResult
    public static func correctLedger(
        _ change: LedgerChange,
        at url: URL,
        migrations: MigrationRegistry,
        reason: String,
        configuration: Configuration = Configuration()
    ) throws -> LedgerEntry {
        try FileStatus.checkPath(FileStatus.path(of: url))
        try migrations.validate()
        let store = StoreFile(at: url, createsFile: false, attaching: configuration.attachedStores)
        return try LedgerCorrector(change, of: store, migrations, reason: reason, configuration).run()
    }
}

extension Suite {
    /// Corrects what the ledger of a suite without a cache says of one migration.
    ///
    /// ```swift
    /// try Suite.standard.correctLedger(
    ///     .markPending("theme-nested"), with: migrations, reason: "Restored from a copy."
    /// )
    /// try Suite.standard.upgrade(with: migrations)
    /// ```
    ///
    /// It does what ``CodableCache/correctLedger(_:at:migrations:reason:configuration:)`` does for a cache.
    ///
    /// - Parameters:
    ///   - change: The migration, and what the ledger says of it from now on.
    ///   - migrations: The app's registry.
    ///   - reason: Why, in a few words for people, without values of users; the ledger keeps it.
    ///   - configuration: The attached suites, the app's version, and how long to wait for others; the defaults
    ///     otherwise.
    /// - Returns: The corrected row.
    /// - Throws: ``MoltError`` with the codes for a cache; `busy` if another process is upgrading the suite.
    @discardableResult
    public func correctLedger(
        _ change: LedgerChange,
        with migrations: MigrationRegistry,
        reason: String,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> LedgerEntry {
        try migrations.validate()
        let store = try StoreFile(upgrading: self, attaching: configuration.attached)
        return try LedgerCorrector(change, of: store, migrations, reason: reason, configuration).run()
    }
}
