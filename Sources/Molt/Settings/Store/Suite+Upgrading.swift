internal import Foundation

extension Suite {
    /// Upgrades the suite's settings to the registry's version, for an app that has no cache.
    ///
    /// ```swift
    /// try Suite.standard.upgrade(with: migrations)
    /// let period = Suite.standard[.period]
    /// ```
    /// If the settings are up to date, nothing is written. If two processes call this at once, one upgrades and
    /// the other waits.
    ///
    /// - Parameters:
    ///   - migrations: The registry; its steps about records find none.
    ///   - attached: Other suites that blocks use but steps do not name; none by default.
    ///   - options: The app's version for the ledger, the monitor, the time to wait for another process, and more.
    /// - Throws: ``MoltError`` as `Migrator.migrate(_:)` does, or for a suite that cannot be used.
    @discardableResult
    public func upgrade(
        with migrations: MigrationRegistry,
        attaching attached: [any Attachable] = [],
        options: MigrationOptions = MigrationOptions()
    ) throws -> MigrationReport {
        try Migrator(migrations, options: options).migrate(DefaultsStore(self, attaching: attached.stores))
    }

    /// Upgrades the suite's settings on a dispatch queue of its own, without blocking the cooperative thread pool.
    ///
    /// Cancelling the task before the commit cancels the upgrade.
    ///
    /// - Throws: The same errors as the synchronous method.
    @discardableResult
    public func upgrade(
        with migrations: MigrationRegistry,
        attaching attached: [any Attachable] = [],
        options: MigrationOptions = MigrationOptions()
    ) async throws -> MigrationReport {
        try await DispatchQueue(label: "molt.defaults.upgrade").runCancellable { isCancelled in
            var options = options
            options.cancel(when: isCancelled)
            return try upgrade(with: migrations, attaching: attached, options: options)
        }
    }

    /// The ledger of a suite that is a store: its applied migrations, in order, and its deferred ones.
    ///
    /// - Throws: ``MoltError`` for a suite that cannot be read.
    public func history() throws -> [LedgerEntry] {
        try DefaultsStore(self).state().ledger
    }

    /// Runs an upgrade without writing anything, and returns its report.
    ///
    /// - Parameter samples: The maximum number of changed settings to show for each step, before and after, with their
    ///   values; none by default.
    /// - Throws: The same errors as the upgrade.
    public func dryRun(
        of migrations: MigrationRegistry,
        attaching attached: [any Attachable] = [],
        samples: Int = 0,
        options: MigrationOptions = MigrationOptions()
    ) throws -> MigrationReport {
        var options = options
        options.isDryRun = true
        options.sampleCount = samples
        return try Migrator(migrations, options: options)
            .migrate(DefaultsStore(self, attaching: attached.stores, isDryRun: true))
    }
}

extension MigrationPlan {
    /// Computes the plan for upgrading a suite, for an app without a cache; writes nothing.
    ///
    /// ```swift
    /// let plan = try MigrationPlan(for: .standard, migrations: migrations)
    /// ```
    ///
    /// - Throws: ``MoltError`` with the code `invalidRegistry`, or for a suite that cannot be read.
    public init(
        for suite: Suite,
        migrations: MigrationRegistry,
        attaching attached: [any Attachable] = [],
        role: MigrationOptions.Role = .current
    ) throws {
        try self.init(
            for: DefaultsStore(suite, attaching: attached.stores),
            migrations: migrations,
            role: role,
            onlyRecordsOnRead: false
        )
    }
}
