public import MoltCache
public import MoltCore

extension FixtureCatalog {
    /// Upgrades every fixture in every way, and checks what comes out.
    ///
    /// Each fixture is upgraded to the newest version and to each one in between, through every ``EntryPoint`` and as a
    /// dry run. The result must be the expected store of the catalog, whichever way; one jump must give byte for byte
    /// what step by step gives; a second opening must change nothing; the ledger must be complete; and every record must
    /// be readable as one of today's types. There must be a fixture of every version that shipped, and no fixture or
    /// migration that shipped may have changed.
    ///
    /// With `MOLT_RECORD=missing` the expected stores that are missing are written, and with `all` those of the newest
    /// version again, unless something else is wrong with the fixture. A run that has written something fails: look at
    /// what it wrote, and run it again.
    ///
    /// - Parameters:
    ///   - migrations: The app's registry.
    ///   - types: The app's types of today that records are read as; raw data is known by itself.
    ///   - versions: The versions that there must be a fixture of. By default these are 0 and every version of the
    ///     registry, from its oldest supported version on. A catalog without any fixture fails in any case.
    ///   - configuration: How the app opens its cache: its coders, what it attaches.
    /// - Returns: What was run.
    /// - Throws: ``MatrixFailure`` with everything that is wrong; or why the directory cannot be read or written.
    @discardableResult
    public func verify(
        _ migrations: MigrationRegistry,
        types: [FixtureType],
        versions: [Int]? = nil,
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) async throws -> MatrixReport {
        var verification = try CatalogVerification(self, migrations, types: types, configuration: configuration)
        return try await verification.run(versions: versions)
    }
}
