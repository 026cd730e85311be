internal import Foundation
public import Molt

extension FixtureCatalog {
    /// Upgrades every fixture in every way, checks the results, and records what is missing if asked to.
    ///
    /// ```swift
    /// try await FixtureCatalog("Fixtures").verify(
    ///     migrations,
    ///     types: [.type(Person.self, samples: ["ada": Person(firstName: "Ada", lastName: "Lovelace")])]
    /// )
    /// ```
    ///
    /// Each fixture is upgraded to the newest version and to each one in between, through every entry point and as a
    /// dry run. Every result must equal the upgraded fixture of its version. One jump must have the same result, byte
    /// for byte, as the upgrades step by step. Migrations that stores of two branches can have been through in either
    /// order must give the same result in both. A second opening must change nothing, the ledger must be complete, and
    /// every record must be readable as a current type, and so must every setting of `settings`. Every shipped version
    /// must have a fixture, and shipped fixtures and migrations must not have changed. A record or setting of some
    /// fixture must have each type and property that a declared step names, and a path with `.each` in a migration of
    /// the newest version may not take the keys of dictionaries for elements. Releases of older versions must be able
    /// to read and write the results as far as all later migrations declare it; `types.json` tells what they expect.
    /// Failures show values of the fixtures, and errors of the app's own code as they are.
    ///
    /// Samples of types and settings are written as the app would write them after it was installed. The result must
    /// equal the fixture of the registry's version with the name "samples". The properties that the samples show must
    /// equal those that `types.json` has for that version: a model that changed without a new version is a failure,
    /// which proposes a migration.
    ///
    /// Variations of the records and settings of each fixture are upgraded, too, and read as the current types: each
    /// optional property absent and null, each object empty, each known case of an enum. They are made where
    /// `types.json` says that a release of that version could have stored them, and are never recorded.
    ///
    /// With `MOLT_RECORD=missing`, all missing files are written in one run; with `all`, those of the newest version
    /// are also overwritten, unless it is sealed. Nothing is written of a fixture that has another failure, nor of any
    /// while one of an older version has. A run that has written files fails: check them and run again.
    ///
    /// What was sealed may not change; see ``FixtureCatalog``. At a sealed version, only samples of new types and
    /// settings can be added. `missing` adds these, too, at the newest version.
    ///
    /// - Parameters:
    ///   - migrations: The app's registry.
    ///   - types: The app's current types, for decoding records, with samples to record; raw data needs no type.
    ///   - settings: The settings that the app reads today. A key that no fixture has is a failure only if one has a
    ///     similar key, or the key in another suite. If there are any, every setting of a fixture after its upgrade
    ///     must be among them, be named by a step, or be the system's. None by default.
    ///   - versions: The versions that must have a fixture. By default these are 0 and every version of the registry,
    ///     from its oldest supported version on. A catalog without fixtures always fails.
    ///   - shipped: The newest version that has shipped; it must be sealed with all earlier ones. A run with
    ///     `MOLT_RECORD=missing` that finds no other failure seals them. nil, the default, requires no seal.
    ///   - losses: The names of all data that the migrations may destroy, as in `MigrationReport.DataLoss.name`:
    ///     "Person.fax" for a property, "Draft" for the records of a type, "theme" for a setting. nil, the default,
    ///     allows any.
    ///   - limit: The greatest number of variations of each fixture; 0 for none.
    ///   - configuration: The app's configuration of its cache, with its coders and suites.
    /// - Returns: The upgrades that were run.
    /// - Throws: ``VerificationFailure`` with all failures, or the error of reading or writing the directory.
    @discardableResult
    public func verify(
        _ migrations: MigrationRegistry,
        types: [FixtureType],
        settings: [FixtureSetting] = [],
        versions: [Int]? = nil,
        shipped: Int? = nil,
        acknowledging losses: [String]? = nil,
        variations limit: Int = 500,
        configuration: MoltConfiguration = MoltConfiguration()
    ) async throws -> VerificationReport {
        let configuration = try await configuration.fetchingRecords(of: migrations)
        var verification = try CatalogVerification(
            self,
            migrations,
            types: types,
            settings: settings,
            shipped: shipped,
            losses: losses.map(AcknowledgedLosses.init),
            variationLimit: limit,
            configuration: configuration
        )
        return try await verification.run(versions: versions)
    }
}

/// One run of ``FixtureCatalog/verify(_:types:settings:versions:shipped:acknowledging:variations:configuration:)``.
struct CatalogVerification {
    let catalog: FixtureCatalog
    let migrations: MigrationRegistry
    let types: [FixtureType]
    let losses: AcknowledgedLosses?
    let configuration: MoltConfiguration

    private let declaredSettings: [FixtureSetting]
    /// The newest version that has shipped; nil if the test does not say.
    private let shipped: Int?
    private let mode: RecordingMode
    private let audit: CatalogAudit
    private var report = VerificationReport()
    private var failures = FailureList()
    private var names = StepNames()
    private var settings: SettingReading
    private var lost: Set<String> = []
    /// Whether all fixtures of versions before the registry's have been upgraded without a failure.
    private var areOlderFixturesSound = true
    /// The names of the shortcuts that a fixture takes.
    private var shortcuts: Set<String> = []
    private var olderReleases: OlderReleases
    private let seals: SealsFile
    /// The names of the migrations that are sealed, or to be sealed.
    private let shippedMigrations: Set<String>
    /// The shapes in the file of types by version and name; nil if it cannot be read.
    private let shapes: [Int: [String: TypeShape]]?
    /// The shapes of this release; empty if there are no samples.
    private var currentShapes: [String: TypeShape] = [:]
    /// What the releases of a version could have written; nil for a version without shapes.
    private var forms: [Int: ReleaseForms?] = [:]

    init(
        _ catalog: FixtureCatalog,
        _ migrations: MigrationRegistry,
        types: [FixtureType],
        settings: [FixtureSetting],
        shipped: Int?,
        losses: AcknowledgedLosses?,
        variationLimit: Int,
        configuration: MoltConfiguration
    ) throws {
        self.catalog = catalog
        self.migrations = migrations
        self.types = types
        self.settings = SettingReading(settings)
        declaredSettings = settings
        self.losses = losses
        self.configuration = configuration
        self.shipped = shipped
        report.variationLimit = variationLimit
        var failures = FailureList()
        func read<File: VersionsFile>(_ url: URL) -> File? {
            do {
                return try File(at: url)
            } catch {
                failures.add(.catalog, url.lastPathComponent, FailureList.text(of: error))
                return nil
            }
        }
        shapes = (read(catalog.typesURL) as TypesFile?)?.versions
        let seals: SealsFile? = read(catalog.sealsURL)
        self.failures = failures
        self.seals = seals ?? SealsFile()
        shippedMigrations = Set(self.seals.ledger.map(\.name) + (shipped.map(migrations.upTo(version:))?.names ?? []))
        // Without the file of seals, any file may be sealed.
        let requested = seals == nil ? .never : try catalog.recordingMode()
        audit = try CatalogAudit(catalog, migrations, self.seals, shapes, mode: requested)
        mode = audit.hasUnsealedVersions ? .never : requested
        olderReleases = OlderReleases(shapes ?? [:], self.seals)
    }

    /// Checks the registry, the files and every upgrade, in this order.
    ///
    /// - Parameter versions: The versions that must have a fixture; nil for all that can be upgraded.
    mutating func run(versions: [Int]?) async throws -> VerificationReport {
        for fault in migrations.faults { failures.add(.registry, "registry", fault) }
        failures.add(audit.failures)
        if let losses { failures.add(losses.failures(of: migrations)) }
        let release = sampledRelease()
        currentShapes = release?.types ?? [:]
        checkVersions(versions ?? migrations.upgradableVersions, release)
        let files = audit.fixtures.filter { $0.version >= migrations.oldestSupportedVersion }
        try await verify(files.filter { $0 != release?.file })
        if let release {
            for problem in settings.failuresOfForms() { failures.add(.samples, release.file.path, problem) }
            if isReplaced(release.file) {
                try await record(release)
            } else if files.contains(release.file), let fixture = read(release.file) {
                try await verify(release, comparedWith: fixture)
            }
            if !audit.fixtures.contains(release.file) { try await verifyMissing(release) }
            try check(release)
        } else {
            reportRemovedSamples()
        }
        // Names may be unknown because of other mistakes.
        let areNamesKnown = failures.isOnly([
            .loss, .missingFixture, .missingUpgradedFixture, .upgradedFixture, .decoding, .variation, .samples, .types,
            .recorded, .unnamedSetting,
        ])
        failures.add(names.failuresOfForgotten(in: migrations))
        if areNamesKnown {
            failures.add(names.failures(of: migrations))
            reportUnprovenShortcuts()
            failures.add(settings.failuresOfNames())
            if let losses { failures.add(losses.failuresOfUnused(in: migrations, found: lost)) }
        }
        failures.add(olderReleases.failures(of: migrations))
        if let shipped { try seal(upTo: shipped) }
        reportRecordedFiles()
        guard failures.isEmpty else { throw VerificationFailure(failures: failures.failures, report: report) }
        return report
    }

    /// Seals the versions that have shipped, or says that they are not sealed.
    private mutating func seal(upTo version: Int) throws {
        guard migrations.faults.isEmpty, !failures.isAbout(.catalog, CatalogFile.seals) else { return }
        guard version <= migrations.version else {
            let problem = "`shipped` is \(version), and the registry ends at version \(migrations.version)."
            return failures.add(.sealed, CatalogFile.seals, problem)
        }
        let missing = try catalog.missingSeals(upTo: version, migrations)
        guard !missing.isEmpty else { return }
        guard mode != .never else {
            return failures.add(
                .sealed,
                CatalogFile.seals,
                "Version \(version) has shipped, and not all of it is sealed: \(Shown.some(missing)). To seal it, once there "
                    + "is no other failure: \(RecordingMode.missing.command)"
            )
        }
        guard failures.isEmpty, report.recorded.isEmpty else {
            let others =
                failures.isEmpty
                ? "files were written in this run. Look at them, and then: \(RecordingMode.missing.command)"
                : "there are other failures."
            return failures.add(.sealed, CatalogFile.seals, "Version \(version) was not sealed, because \(others)")
        }
        do {
            try catalog.seal(upTo: version, migrations)
            report.recorded.append(CatalogFile.seals)
        } catch {
            failures.add(.sealed, CatalogFile.seals, FailureList.text(of: error))
        }
    }

    private mutating func reportUnprovenShortcuts() {
        let replacedByShortcuts = migrations.replacedByShortcuts
        for migration in migrations.migrations
        where replacedByShortcuts[migration.name] != nil && !shortcuts.contains(migration.name) {
            failures.add(
                .path,
                "registry",
                "no fixture goes through migration \(migration.id), so nothing proves that it does what the migrations "
                    + "that it replaces do. Add a fixture of a version before them."
            )
        }
    }

    private mutating func checkVersions(_ versions: [Int], _ release: SampledRelease?) {
        let oldest = migrations.oldestSupportedVersion
        if release == nil, !audit.fixtures.contains(where: { $0.version >= oldest }) {
            let path = catalog.directory.path
            let reason =
                if !FileManager.default.fileExists(atPath: path) {
                    "The directory \(path) does not exist."
                } else if audit.fixtures.isEmpty {
                    "The directory \(path) has none."
                } else {
                    "Those in the directory \(path) are all older than version \(oldest)."
                }
            failures.add(
                .missingFixture,
                "catalog",
                "There is no fixture to upgrade. \(reason) Give `types` or `settings` samples, such as "
                    + "`.type(Person.self, samples: [\"ada\": …])`, and then: \(RecordingMode.missing.command)"
            )
        }
        // A fixture of samples that is missing is reported with its name.
        let known = Set(audit.fixtures.map(\.version) + (release.map { [$0.file.version] } ?? []))
        for version in Set(versions).sorted() where !known.contains(version) {
            let (source, name) =
                version == migrations.version
                ? (
                    "Give `types` and `settings` samples, such as `.type(Person.self, samples: [\"ada\": …])`",
                    "samples"
                )
                : (
                    "If it never shipped, pass those that did: `versions: [\(shippable(without: version))]`. Otherwise capture "
                        + "a store of a release that wrote it: `try catalog.record(StoreFixture(\(capture)), named: "
                        + "\"everyday\")`; or write the file by hand",
                    "everyday"
                )
            failures.add(
                .missingFixture,
                "catalog",
                "There is no fixture of version \(version), which becomes \(version)-\(name).json. \(source), and then: "
                    + RecordingMode.missing.command
            )
        }
    }

    /// The versions of stores in the field as source, if there are none of a version.
    private func shippable(without version: Int) -> String {
        Set(migrations.upgradableVersions).subtracting([version]).sorted().map(String.init).joined(separator: ", ")
    }

    /// The arguments that make a fixture of a store on a device, as Swift source.
    private var capture: String {
        let suites = declaredSettings.map(\.place.suite) + migrations.migrations.flatMap(\.attached).compactMap(\.suite)
        guard types.isEmpty, let suite = suites.first else { return "cacheFile: file" }
        let source = suite == .standard ? ".standard" : "Suite(\(suite.description.debugDescription))"
        return "settings: propertyList, of: \(source)"
    }

    private mutating func read(_ file: CatalogFile) -> StoreFixture? {
        do {
            return try catalog.fixture(at: file)
        } catch {
            failures.add(
                .catalog,
                file.path,
                FailureList.text(of: error) + audit.protection.adviceOnConflict(error, in: file)
            )
            return nil
        }
    }

    /// Upgrades fixtures in every way, and compares the results with the upgraded fixtures.
    ///
    /// All are upgraded before a file is written: a migration that fails for one of them is probably changed.
    private mutating func verify(_ files: [CatalogFile]) async throws {
        var results: [(file: CatalogFile, upgrades: FixtureUpgrades)] = []
        for file in files {
            var isSound = false
            // An unreadable file is reported even if nothing can be upgraded.
            if let fixture = read(file), migrations.faults.isEmpty {
                let upgrades = try await upgrade(fixture, file)
                results.append((file, upgrades))
                isSound = self.isSound(upgrades, file)
            }
            if file.version < migrations.version, !isSound { areOlderFixturesSound = false }
        }
        for (file, upgrades) in results { try compare(upgrades, file) }
    }

    /// Upgrades a fixture in every way, without adding its failures.
    private mutating func upgrade(_ fixture: StoreFixture, _ file: CatalogFile) async throws -> FixtureUpgrades {
        var upgrades = FixtureUpgrades(
            file.path,
            fixture,
            migrations: migrations,
            types: types,
            settings: settings,
            configuration: configuration,
            protection: audit.protection,
            shippedMigrations: shippedMigrations,
            losses: losses
        )
        try await upgrades.run()
        try olderReleases.check(upgrades)
        // Of a fixture that has failed, all variations would.
        var row = upgrades.row
        if upgrades.failures.isEmpty { try vary(&upgrades, &row, file) }
        report.rows.append(row)
        names.add(upgrades.names)
        if let result = upgrades.results[migrations.version] { settings.add(result, name: file.path) }
        lost.formUnion(upgrades.lost)
        shortcuts.formUnion(upgrades.shortcuts)
        return upgrades
    }

    /// Upgrades variations of a fixture, and adds their numbers to its row.
    private mutating func vary(
        _ upgrades: inout FixtureUpgrades,
        _ row: inout VerificationReport.Row,
        _ file: CatalogFile
    ) throws {
        let version = file.version
        let release = forms[version] ?? releaseForms(of: version, including: upgrades.fixture)
        forms[version] = .some(release)
        let names = Set(upgrades.fixture.records.filter { !$0.content.isData }.map(\.typeName))
        guard report.variationLimit > 0, let release else {
            if report.variationLimit > 0, !names.isEmpty || !upgrades.fixture.sampledSettings.isEmpty {
                row.unvaried = "no variations, because `\(CatalogFile.types)` does not have the version."
            }
            return
        }
        let unknown = names.filter { release.shapes[$0] == nil }.sorted()
        if !unknown.isEmpty {
            row.unvaried =
                "no variations of \(Shown.some(unknown)), which version \(version) in `\(CatalogFile.types)` does not have."
        }
        let limit = report.variationLimit
        let now = configuration.now()
        let variations = StoreVariations(of: upgrades.fixture, at: version, release, limit: limit, now: now)
        row.variations = variations.variations.count
        row.possibleVariations = variations.possible
        try upgrades.run(variations)
    }

    /// What the releases of a version could have written; nil if their shapes are not known.
    ///
    /// - Parameter fixture: A fixture of the version, which may not have a file yet.
    private func releaseForms(of version: Int, including fixture: StoreFixture) -> ReleaseForms? {
        let releaseShapes = shapes?[version] ?? (version == migrations.version ? currentShapes : [:])
        guard !releaseShapes.isEmpty else { return nil }
        // The audit has reported a file that cannot be read.
        let fixtures = audit.fixtures.filter { $0.version == version }.compactMap { try? catalog.fixture(at: $0) }
        let coding = migrations.upTo(version: version).coding
        return ReleaseForms(releaseShapes, coding, samples: fixtures + [fixture], settings: settings.codings)
    }

    /// Adds the failures of a fixture's upgrades, and compares the results with the upgraded fixtures.
    private mutating func compare(_ upgrades: FixtureUpgrades, _ file: CatalogFile) throws {
        failures.add(upgrades.failures)
        var comparison = UpgradedFixtureComparison(
            catalog: catalog,
            audit: audit,
            upgrades: upgrades,
            mode: mode,
            mayRecord: mayRecord(upgrades, file)
        )
        try comparison.run(file)
        failures.add(comparison.failures)
        report.recorded += comparison.recorded
    }

    /// Whether a fixture has no failures, and no older one has.
    private func mayRecord(_ upgrades: FixtureUpgrades, _ file: CatalogFile) -> Bool {
        areOlderFixturesSound && isSound(upgrades, file)
    }

    /// Whether a fixture has no failures.
    private func isSound(_ upgrades: FixtureUpgrades, _ file: CatalogFile) -> Bool {
        upgrades.failures.isEmpty && !audit.failures.isAbout(file.path) && !failures.isAbout(.samples, file.path)
    }

    // MARK: Samples

    /// The store and the types of this release; nil if there are no samples, or none that can be written.
    private mutating func sampledRelease() -> SampledRelease? {
        guard migrations.faults.isEmpty else { return nil }
        do {
            return try SampledRelease(types, declaredSettings, migrations, configuration)
        } catch {
            let text = (error as? TestingError)?.message ?? UpgradeText.of(error)
            failures.add(.samples, "catalog", "The samples cannot be written as a store: \(text)")
            return nil
        }
    }

    /// Whether a file that cannot be read is written in this run.
    private func isReplaced(_ file: CatalogFile) -> Bool {
        guard audit.fixtures.contains(file) else { return false }
        do {
            _ = try catalog.fixture(at: file)
            return false
        } catch {
            return audit.protection.replaces(file, after: error)
        }
    }

    /// Verifies the fixture of this release, and compares the samples with it or records them.
    private mutating func verify(_ release: SampledRelease, comparedWith kept: StoreFixture) async throws {
        let difference = difference(kept, release.store, .fingerprints)
        let hasShipped = audit.hasShipped(release.file)
        let onlyAdds =
            (audit.protection.isSealed(release.file.version) || !hasShipped)
            && self.difference(kept, release.store(likeThatOf: kept), .fingerprints).isEmpty
        if mode.overwrites && !hasShipped || mode != .never && onlyAdds, !difference.isEmpty {
            return try await record(release)
        }
        try compare(try await upgrade(kept, release.file), release.file)
        guard !difference.isEmpty else { return }
        let isEditAlone = self.difference(kept, release.store).isEmpty
        let advice =
            onlyAdds
            ? "Only new types or settings were added. \(RecordingAdvice.toWrite)"
            : hasShipped
                ? audit.protection.advice(onVersion: release.file.version)
                : isEditAlone
                    ? audit.protection.adviceOnEdit(release.file.version)
                    : audit.protection.adviceIfNotShipped(release.file.version)
        failures.add(
            .samples,
            release.file.path,
            "The samples are not stored as in the file:\n\(difference)\n\(advice)"
        )
    }

    private func difference(
        _ expected: StoreFixture,
        _ found: StoreFixture,
        _ aspects: StoreDifference.Aspects = []
    ) -> StoreDifference {
        StoreDifference(expected: expected, found: found, aspects: aspects, migrations: migrations)
    }

    private mutating func verifyMissing(_ release: SampledRelease) async throws {
        if audit.failures.isAbout(release.file.path) { return }
        guard mode == .never else { return try await record(release) }
        failures.add(try await upgrade(release.store, release.file).failures)
        failures.add(
            .missingFixture,
            release.file.path,
            "There is no such file for the samples, which are the store of this release. \(RecordingAdvice.toWrite)"
        )
    }

    /// Writes the samples, unless they have a failure.
    private mutating func record(_ release: SampledRelease) async throws {
        let upgrades = try await upgrade(release.store, release.file)
        guard mayRecord(upgrades, release.file) else {
            failures.add(upgrades.failures)
            failures.add(.samples, release.file.path, "The file was not written, because of the other failures.")
            return
        }
        try catalog.write(release.store, to: release.file)
        report.recorded.append(release.file.path)
        if seals.files[release.file.path] != nil { try catalog.sealAgain(release.file) }
        try compare(upgrades, release.file)
    }

    /// Compares the types with the recorded ones of their version, or records them.
    ///
    /// They are only compared if the version has shipped, or if the samples or an older fixture have a failure.
    private mutating func check(_ release: SampledRelease) throws {
        guard let shapes, !release.types.isEmpty else { return }
        let hasFailed =
            !areOlderFixturesSound || failures.isAbout(release.file.path)
            || failures.isAbout(.sealed, CatalogFile.types)
        if hasFailed, mode != .never, shapes[release.file.version] == nil {
            let message = "Version \(release.file.version) was not written, because of the other failures."
            failures.add(.types, CatalogFile.types, message)
            return
        }
        let isProtected = audit.hasShipped(release.file)
        let mode: RecordingMode = hasFailed ? .never : mode.overwrites && isProtected ? .missing : mode
        let older = audit.fixtures.filter { $0.name == CatalogFile.samples && $0.version < release.file.version }
        let check = try TypesRecording(
            in: catalog,
            shapes,
            release.types,
            at: release.file.version,
            after: older.last?.version,
            coding: migrations.coding,
            mode: mode,
            protection: audit.protection
        )
        failures.add(check.failures)
        guard check.isRecorded else { return }
        report.recorded.append(CatalogFile.types)
        if audit.protection.isSealed(release.file.version) { try catalog.sealAgain(typesOf: release.file.version) }
    }

    /// Reports that there is no sample any more of what the files of this version were recorded from.
    private mutating func reportRemovedSamples() {
        let file = CatalogFile(fixtureVersion: migrations.version, name: CatalogFile.samples)
        let isRecorded = shapes?[file.version] != nil || audit.fixtures.contains(file)
        guard migrations.faults.isEmpty, isRecorded, !failures.isAbout(.samples, "catalog") else { return }
        failures.add(
            .samples,
            "catalog",
            "There are no samples any more, although `\(CatalogFile.types)` or \(file.path) was recorded from some, so a "
                + "model that changes is not noticed. Restore the samples of `types` and `settings`."
        )
    }

    private mutating func reportRecordedFiles() {
        guard !report.recorded.isEmpty else { return }
        report.recorded.sort()
        failures.add(
            .recorded,
            "catalog",
            "Written in this run, and not checked:\n\(report.recorded.joined(separator: "\n"))\n"
                + RecordingAdvice.toCheck
        )
    }
}

extension MigrationRegistry {
    /// The versions of stores in the field that can be upgraded.
    fileprivate var upgradableVersions: [Int] {
        [oldestSupportedVersion] + migrations.map(\.version).filter { $0 >= oldestSupportedVersion }
    }
}
