internal import Foundation
public import MoltCore

extension Suite {
    /// Upgrades the suite's settings to the registry's version, for an app that has no cache.
    ///
    /// ```swift
    /// try Suite.standard.upgrade(with: migrations)
    /// let period = Suite.standard[.period]
    /// ```
    /// Settings that are up to date are read and not written. Two processes may call this at the same time: one
    /// upgrades, the other waits.
    ///
    /// - Parameters:
    ///   - migrations: Their steps about records find none.
    ///   - attached: Other suites that blocks work on and steps do not name themselves; none by default.
    ///   - options: What goes into the ledger, who follows, and how long to wait for another process.
    /// - Throws: `MigrationError` as `Migrator.migrate(_:)` does, and ``DefaultsError`` for a suite that cannot be
    ///   used.
    @discardableResult
    public func upgrade(
        with migrations: MigrationRegistry,
        attaching attached: [any Attachable] = [],
        options: MigrationOptions = MigrationOptions()
    ) throws -> MigrationReport {
        try Migrator(migrations, options: options).migrate(DefaultsStore(self, attaching: attached.stores))
    }

    /// Upgrades the suite's settings on a queue of its own, so that no thread of the caller's pool is blocked.
    ///
    /// When the task is cancelled before the commit, the upgrade is given up.
    ///
    /// - Throws: As the upgrade that waits for the suite does.
    @discardableResult
    public func upgrade(
        with migrations: MigrationRegistry,
        attaching attached: [any Attachable] = [],
        options: MigrationOptions = MigrationOptions()
    ) async throws -> MigrationReport {
        try await DispatchQueue(label: "molt.defaults.upgrade").runCancellable { isCancelled in
            var options = options
            let isGivenUp = options.isCancelled
            options.isCancelled = { isCancelled() || isGivenUp() }
            return try upgrade(with: migrations, attaching: attached, options: options)
        }
    }

    /// Runs an upgrade and says what it did; writes nothing.
    ///
    /// - Throws: As the upgrade that waits for the suite does.
    public func dryRun(
        of migrations: MigrationRegistry,
        attaching attached: [any Attachable] = [],
        options: MigrationOptions = MigrationOptions()
    ) throws -> MigrationReport {
        var options = options
        options.isDryRun = true
        return try Migrator(migrations, options: options)
            .migrate(DefaultsStore(self, attaching: attached.stores, isDryRun: true))
    }
}

extension MigrationPlan {
    /// Computes what upgrading a suite would do, for an app without a cache; writes nothing.
    ///
    /// ```swift
    /// let plan = try MigrationPlan(for: .standard, migrations: migrations)
    /// ```
    ///
    /// - Throws: `MigrationError` with the code `invalidRegistry`; ``DefaultsError`` for a suite that cannot be read.
    public init(
        for suite: Suite,
        migrations: MigrationRegistry,
        attaching attached: [any Attachable] = [],
        role: MigrationRole = .current
    ) throws {
        try self.init(for: DefaultsStore(suite, attaching: attached.stores), migrations: migrations, role: role)
    }
}
