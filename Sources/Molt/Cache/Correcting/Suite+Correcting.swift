extension Suite {
    /// Corrects what the ledger of a suite without a cache says of one migration.
    ///
    /// It does what ``CacheFile/correctLedger(_:migrations:reason:configuration:)`` does for a cache.
    ///
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
