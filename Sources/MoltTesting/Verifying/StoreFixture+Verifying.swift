package import Foundation
public import Molt

extension StoreFixture {
    /// Upgrades the store in every way without files, for stores made in code.
    ///
    /// ```swift
    /// try await fixture.verifyUpgrades(through: migrations, types: [.type(Person.self)])
    /// ```
    ///
    /// It checks the same as
    /// ``FixtureCatalog/verify(_:types:settings:versions:shipped:acknowledging:variations:configuration:)``, apart from
    /// files: the entry points agree, one jump has the same result as step by step, a second opening changes nothing,
    /// the ledger is complete, every record and every setting in `settings` can be read, and older releases can read
    /// and write what migrations declare. Names of steps and settings are not checked, because one store rarely has all
    /// of them, and there are no variations, because nothing tells which types its release had.
    ///
    /// - Parameters:
    ///   - migrations: The app's registry.
    ///   - types: The app's current types, for decoding records; raw data needs no type.
    ///   - settings: The settings that the app reads today; if there are any, all others must be listed, too. None by
    ///     default.
    ///   - name: The store's name in failures.
    ///   - configuration: The app's configuration of its cache, with its coders and suites.
    /// - Returns: The upgrades that were run.
    /// - Throws: ``VerificationFailure`` with all failures.
    @discardableResult
    public func verifyUpgrades(
        through migrations: MigrationRegistry,
        types: [FixtureType],
        settings: [FixtureSetting] = [],
        named name: String = "the store",
        configuration: MoltConfiguration = MoltConfiguration()
    ) async throws -> VerificationReport {
        try await verifyUpgrades(
            through: migrations,
            types: types,
            settings: settings,
            named: name,
            knowing: nil,
            configuration: configuration
        )
    }

    /// - Parameter typesFile: The file that tells what older releases expect; nil for none.
    @discardableResult
    package func verifyUpgrades(
        through migrations: MigrationRegistry,
        types: [FixtureType],
        settings: [FixtureSetting] = [],
        named name: String = "the store",
        knowing typesFile: URL?,
        configuration: MoltConfiguration = MoltConfiguration()
    ) async throws -> VerificationReport {
        let configuration = try await configuration.fetchingRecords(of: migrations)
        var report = VerificationReport()
        var failures = FailureList()
        var olderReleases = OlderReleases(try typesFile.map { try TypesFile(at: $0).versions } ?? [:])
        for fault in migrations.faults { failures.add(.registry, "registry", fault) }
        if failures.isEmpty {
            var upgrades = FixtureUpgrades(
                name,
                self,
                migrations: migrations,
                types: types,
                settings: SettingReading(settings),
                configuration: configuration
            )
            try await upgrades.run()
            report.rows.append(upgrades.row)
            failures.add(upgrades.failures)
            try olderReleases.check(upgrades)
            failures.add(olderReleases.failures(of: migrations))
        }
        guard failures.isEmpty else { throw VerificationFailure(failures: failures.failures, report: report) }
        return report
    }
}
