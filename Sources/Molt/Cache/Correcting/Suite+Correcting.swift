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
    /// It does what ``CacheFile/correctLedger(_:migrations:reason:configuration:)`` does for a cache.
    ///
    /// - Parameters:
    ///   - change: The migration, and what the ledger says of it from now on.
    ///   - migrations: The app's registry.
    ///   - reason: Why, in a few words for people, without values of users; the ledger keeps it.
    ///   - configuration: The other suites, the app's version, and how long to wait for others; the defaults
    ///     otherwise.
    /// - Returns: The corrected row.
    /// - Throws: ``MoltError`` with the codes for a cache; `busy` if another process is upgrading the suite.
    @discardableResult
    package func correctLedger(
        _ change: LedgerChange,
        with migrations: MigrationRegistry,
        reason: String,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> LedgerEntry {
        try migrations.validate()
        let store = try StoreFile(upgrading: self, attaching: configuration.suites)
        return try LedgerCorrector(change, of: store, migrations, reason: reason, configuration).run()
    }
}
