internal import Foundation

extension Suite {
    /// Upgrades the suite's settings to the registry's version, without a cache.
    ///
    /// ```swift
    /// try Suite.standard.upgrade(with: migrations)
    /// let period = Suite.standard[.period]
    /// ```
    /// Whether the suite needs an upgrade is decided by its own ledger, which caches that work on the suite write, too:
    /// a widget that calls this after its app has opened a cache finds nothing to do, and the reverse. Migrations that
    /// only work on records are left to caches.
    ///
    /// Call it on the suite that has the settings today; from a release that moves them to an app group on, on the
    /// group. The report and the backups have its name. If the call throws, do not write settings: a value under a key
    /// that a migration still has to set makes the next upgrade fail.
    ///
    /// Settings that a newer release has upgraded stay as they are if each of its migrations lets older releases write;
    /// see ``Migration/olderReleases(may:)``. Others are refused with the code `superseded`.
    ///
    /// If the settings are up to date, nothing is written, and no file is opened unless something waits in it to be
    /// handed over. If two processes call this at once, one upgrades and the other waits.
    ///
    /// - Parameters:
    ///   - migrations: The registry.
    ///   - configuration: The suites that blocks use but steps do not name, the app's version, the monitor, and more.
    /// - Throws: ``MoltError`` as ``CodableCache/init(at:migrations:configuration:)`` does, or for a suite that cannot
    ///   be used.
    @discardableResult
    public func upgrade(
        with migrations: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> MigrationReport {
        try advisingOnDamage {
            let migrator = Migrator(migrations, configuration: configuration)
            let store = try StoreFile(upgrading: self, attaching: configuration.suites)
            return try migrator.migrate(store)
        }
    }

    /// Runs a closure, and replaces the advice of an error about damage of the suite's own file, which is for caches.
    func advisingOnDamage<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch var error as MoltError where MoltError.isDamage(error) {
            guard let path = error.store, path == (try? SuiteFiles(self).store.path) else { throw error }
            error.advice =
                "It holds the changes of an unfinished upgrade. Move it away, then restore a backup with "
                + "`Suite.restore(_:)`, or upgrade again if there is none."
            throw error
        }
    }

    /// The suite's ledger: the migrations that have worked on it, in order, and those that it waits for.
    ///
    /// - Throws: ``MoltError`` for a suite that cannot be read.
    public func history() throws -> [LedgerEntry] {
        try ledger()?.history.rows ?? []
    }

    /// Runs an upgrade without writing anything, and returns its report.
    ///
    /// - Parameter samples: The maximum number of changed settings to show for each step, before and after, with their
    ///   values; none by default.
    /// - Throws: The same errors as the upgrade.
    public func dryRun(
        _ migrations: MigrationRegistry,
        samples: Int = 0,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> MigrationReport {
        let attached = ([self] + configuration.suites).map(AttachedStore.suite)
        return try Migrator(migrations, configuration: configuration, mode: .dryRun(samples: samples))
            .migrate(StoreFile(inMemoryWith: attached, upgrading: self))
    }

    /// Computes what upgrading the suite would do, for an app without a cache; writes nothing.
    ///
    /// ```swift
    /// print(try Suite.standard.plan(migrations))
    /// ```
    ///
    /// - Throws: ``MoltError`` with the code `invalidRegistry`, or for a suite that cannot be read.
    public func plan(
        _ migrations: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> MigrationPlan {
        let store = try StoreFile(upgrading: self, attaching: configuration.suites)
        return try migrations.plan(for: store, configuration, mode: .atOnce)
    }
}
