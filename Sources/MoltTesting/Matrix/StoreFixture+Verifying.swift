public import MoltCache
public import MoltCore

extension StoreFixture {
    /// Upgrades the store in every way, without expected stores: for stores that are made in code.
    ///
    /// ```swift
    /// try await fixture.verifyUpgrades(through: migrations, types: [.type(Person.self)])
    /// ```
    ///
    /// All that ``FixtureCatalog/verify(_:types:versions:configuration:)`` checks of a fixture is checked but its files:
    /// the entry points agree, one jump gives what step by step gives, a second opening changes nothing, the ledger is
    /// complete, and every record can be read.
    ///
    /// - Parameters:
    ///   - migrations: The app's registry.
    ///   - types: The app's types of today that records are read as; raw data is known by itself.
    ///   - name: What failures call the store.
    ///   - configuration: How the app opens its cache: its coders, what it attaches.
    /// - Returns: What was run.
    /// - Throws: ``MatrixFailure`` with everything that is wrong.
    @discardableResult
    public func verifyUpgrades(
        through migrations: MigrationRegistry,
        types: [FixtureType],
        named name: String = "the store",
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) async throws -> MatrixReport {
        var report = MatrixReport()
        var failures = FailureList()
        for fault in migrations.faults { failures.add(.registry, "registry", fault) }
        if failures.isEmpty {
            var upgrades = FixtureUpgrades(
                name,
                self,
                migrations: migrations,
                types: types,
                configuration: configuration
            )
            try await upgrades.run()
            report.rows.append(upgrades.row)
            failures.add(upgrades.failures)
        }
        guard failures.isEmpty else { throw MatrixFailure(failures: failures.failures, report: report) }
        return report
    }
}
