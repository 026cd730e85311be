public import Foundation
public import Molt

extension FixtureCatalog {
    /// Upgrades every fixture in every way and checks the results.
    ///
    /// Each fixture is upgraded to the newest version and to each one in between, through every ``EntryPoint`` and as a
    /// dry run. Every result must equal the catalog's golden file. One jump must have the same result, byte for
    /// byte, as the upgrades step by step. A second opening must change nothing, the ledger must be complete, and every
    /// record must be readable as a current type, and so must every setting of `settings`. Every shipped version must
    /// have a fixture, and shipped fixtures and migrations must not have changed. A record or setting of some fixture
    /// must have each type and property that a declared step names, and a path with `.each` in a migration of the
    /// newest version may not take the keys of dictionaries for elements. Releases of older versions must be able to
    /// read and write the results as far as all later migrations declare it. Failures show values of the fixtures, and
    /// errors of the app's own code as they are.
    ///
    /// With `MOLT_RECORD=missing`, missing golden files are written; with `all`, those of the newest version are
    /// also overwritten, unless the fixture has another failure. A run that has written files fails: check them and run
    /// again.
    ///
    /// - Parameters:
    ///   - migrations: The app's registry.
    ///   - types: The app's current types, for decoding records; raw data needs no type.
    ///   - settings: The settings that the app reads today; other settings are not read. A key that no fixture has is a
    ///     failure only if one has a similar key, or the key in another suite. None by default.
    ///   - versions: The versions that must have a fixture. By default these are 0 and every version of the registry,
    ///     from its oldest supported version on. A catalog without fixtures always fails.
    ///   - losses: The names of all data that the migrations may destroy, as in `MigrationReport.DataLoss.name`:
    ///     "Person.fax" for a property, "Draft" for the records of a type, "theme" for a setting. nil, the default,
    ///     allows any.
    ///   - schema: The file in which a ``SchemaSnapshot`` records the shapes of the app's types. It tells what releases
    ///     of older versions expect of the stores that migrations declare them to read; see
    ///     `Migration.readableByOlderReleases()`. nil, the default, for none.
    ///   - configuration: The app's configuration of its cache, with its coders and attached stores.
    /// - Returns: The upgrades that were run.
    /// - Throws: ``VerificationFailure`` with all failures, or the error of reading or writing the directory.
    @discardableResult
    public func verify(
        _ migrations: MigrationRegistry,
        types: [FixtureType],
        settings: [FixtureSetting] = [],
        versions: [Int]? = nil,
        acknowledging losses: [String]? = nil,
        schema: URL? = nil,
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) async throws -> VerificationReport {
        var verification = try CatalogVerification(
            self,
            migrations,
            types: types,
            settings: settings,
            losses: losses.map(AcknowledgedLosses.init),
            olderReleases: OlderReleases(migrations, schema: schema),
            configuration: configuration
        )
        return try await verification.run(versions: versions)
    }
}

/// One run of ``FixtureCatalog/verify(_:types:settings:versions:acknowledging:schema:configuration:)``.
struct CatalogVerification {
    let catalog: FixtureCatalog
    let migrations: MigrationRegistry
    let types: [FixtureType]
    let losses: AcknowledgedLosses?
    let configuration: CodableCache.Configuration

    private let mode: RecordingMode
    private let audit: CatalogAudit
    private var report = VerificationReport()
    private var failures = FailureList()
    private var names = StepNames()
    private var settings: SettingCheck
    private var lost: Set<String> = []
    /// The names of the shortcuts that a fixture takes.
    private var shortcuts: Set<String> = []
    private var olderReleases: OlderReleases

    init(
        _ catalog: FixtureCatalog,
        _ migrations: MigrationRegistry,
        types: [FixtureType],
        settings: [FixtureSetting],
        losses: AcknowledgedLosses?,
        olderReleases: OlderReleases,
        configuration: CodableCache.Configuration
    ) throws {
        self.catalog = catalog
        self.migrations = migrations
        self.types = types
        self.settings = SettingCheck(settings)
        self.losses = losses
        self.olderReleases = olderReleases
        self.configuration = configuration
        mode = try catalog.recordingMode()
        audit = try CatalogAudit(catalog, migrations, mode: mode)
    }

    /// Checks the registry, the files and every upgrade, in this order.
    ///
    /// - Parameter versions: The versions that must have a fixture; nil for all that can be upgraded.
    mutating func run(versions: [Int]?) async throws -> VerificationReport {
        for fault in migrations.faults { failures.add(.registry, "registry", fault) }
        failures.add(audit.failures)
        if let losses { failures.add(losses.failures(of: migrations)) }
        checkVersions(versions ?? migrations.upgradableVersions)
        for file in audit.fixtures where file.version >= migrations.oldestSupportedVersion {
            // An unreadable file is reported even if nothing can be upgraded.
            guard let fixture = read(file), migrations.faults.isEmpty else { continue }
            try await verify(fixture, file)
        }
        // Names may be unknown because of other mistakes.
        let areNamesKnown = failures.isOnly([.loss, .missingFixture, .missingGolden, .golden, .decoding])
        failures.add(names.failuresOfForgotten(in: migrations))
        if areNamesKnown {
            failures.add(names.failures(of: migrations))
            reportUnprovenShortcuts()
            failures.add(settings.failuresOfNames())
            if let losses { failures.add(losses.failuresOfUnused(in: migrations, found: lost)) }
        }
        failures.add(olderReleases.failures(of: migrations))
        reportRecordedFiles()
        guard failures.isEmpty else { throw VerificationFailure(failures: failures.failures, report: report) }
        return report
    }

    private mutating func reportUnprovenShortcuts() {
        let ways = migrations.shortcutWays
        for migration in migrations.migrations where ways[migration.name] != nil && !shortcuts.contains(migration.name)
        {
            failures.add(
                .path,
                "registry",
                "no fixture takes migration \(migration.id), so nothing proves that it does what the migrations do that it "
                    + "replaces. Add a fixture of a version before them."
            )
        }
    }

    private mutating func checkVersions(_ versions: [Int]) {
        let oldest = migrations.oldestSupportedVersion
        if !audit.fixtures.contains(where: { $0.version >= oldest }) {
            let path = catalog.directory.path
            let reason =
                if !FileManager.default.fileExists(atPath: path) {
                    "The directory \(path) does not exist."
                } else if audit.fixtures.isEmpty {
                    "The directory \(path) exists, and has none."
                } else {
                    "Those in the directory \(path) are all older than version \(oldest)."
                }
            failures.add(.missingFixture, "catalog", "There is no fixture to upgrade. \(reason)")
        }
        let known = Set(audit.fixtures.map(\.version))
        for version in Set(versions).sorted() where !known.contains(version) {
            let source =
                version == migrations.version
                ? "Write a store in a test: `try catalog.record(store.contents(), named: \"everyday\", migrations: migrations)`"
                : "Capture a store of a release that wrote it: "
                    + "`try catalog.record(StoreFixture(cacheFile: file), named: \"everyday\")`"
            failures.add(
                .missingFixture,
                "catalog",
                "There is no fixture of version \(version). \(source), run with \(RecordingMode.variable)=missing. It becomes "
                    + "\(version)-everyday.json."
            )
        }
    }

    private mutating func read(_ file: CatalogFile) -> StoreFixture? {
        do {
            return try catalog.fixture(at: file)
        } catch {
            failures.add(.catalog, file.path, FailureList.text(of: error))
            return nil
        }
    }

    /// Upgrades a fixture in every way, and compares the results with the golden files.
    private mutating func verify(_ fixture: StoreFixture, _ file: CatalogFile) async throws {
        var upgrades = FixtureUpgrades(
            file.path,
            fixture,
            migrations: migrations,
            types: types,
            settings: settings,
            configuration: configuration,
            newest: audit.newest,
            losses: losses
        )
        try await upgrades.run()
        try olderReleases.check(upgrades)
        report.rows.append(upgrades.row)
        failures.add(upgrades.failures)
        names.add(upgrades.names)
        if let result = upgrades.results[migrations.version] { settings.add(result) }
        lost.formUnion(upgrades.lost)
        shortcuts.formUnion(upgrades.shortcuts)
        var comparison = GoldenComparison(
            catalog: catalog,
            audit: audit,
            upgrades: upgrades,
            mode: mode,
            mayRecord: upgrades.failures.isEmpty && !audit.failures.isAbout(file.path)
        )
        try comparison.run(file)
        failures.add(comparison.failures)
        report.recorded += comparison.recorded
    }

    private mutating func reportRecordedFiles() {
        guard !report.recorded.isEmpty else { return }
        report.recorded.sort()
        failures.add(
            .recorded,
            "catalog",
            "Written in this run, and not checked:\n\(report.recorded.joined(separator: "\n"))\n"
                + "Look at it, and run again without \(RecordingMode.variable)."
        )
    }
}

extension MigrationRegistry {
    /// The versions of stores in the field that can be upgraded.
    fileprivate var upgradableVersions: [Int] {
        [oldestSupportedVersion] + migrations.map(\.version).filter { $0 >= oldestSupportedVersion }
    }
}
