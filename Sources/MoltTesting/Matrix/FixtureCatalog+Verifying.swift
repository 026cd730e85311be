internal import Foundation
public import MoltCache
public import MoltCore

extension FixtureCatalog {
    /// Upgrades every fixture in every way, and checks what comes out.
    ///
    /// Each fixture is upgraded to the newest version and to each one in between, through every ``EntryPoint`` and as a
    /// dry run. The result must be the expected store of the catalog, whichever way; one jump must give byte for byte
    /// what step by step gives; a second opening must change nothing; the ledger must be complete; and every record must
    /// be readable as one of today's types. There must be a fixture of every version that shipped, and no file that
    /// shipped may have changed, nor a migration.
    ///
    /// With `MOLT_RECORD=missing` the expected stores that are missing are written, and with `all` those of the newest
    /// version again; what is found wrong with a fixture otherwise keeps its expected stores from being written, and a
    /// fixture that was written by hand from getting its line in `fixtures.lock`. A run that has written something fails:
    /// look at what it wrote, and run it again.
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
        let mode = try recordingMode()
        var report = MatrixReport()
        var failures = FailureList()
        for fault in migrations.faults { failures.add(.registry, "registry", fault) }
        let isValid = failures.isEmpty
        let audit = try CatalogAudit(self, migrations, mode: mode)
        failures.add(audit.failures)
        let fixtures = audit.files.filter { $0.target == nil }
            .sorted { ($0.fixtureVersion, $0.name) < ($1.fixtureVersion, $1.name) }
        checkVersions(versions ?? migrations.shippedVersions, fixtures, migrations, &failures)
        var recorded: [String] = []
        /// The fixtures with which, and with whose expected stores, nothing is wrong.
        var right: Set<CatalogFile> = []
        for file in fixtures {
            let isOld = file.fixtureVersion < migrations.oldestSupportedVersion
            // Nobody needs a fixture any more that cannot be upgraded, be it readable or not.
            if isOld, !audit.unlocked.contains(where: { $0.fixture == file }) { continue }
            guard let fixture = read(file, &failures), isValid else { continue }
            if isOld {
                right.insert(file)
                continue
            }
            var upgrades = FixtureUpgrades(
                file.path,
                fixture,
                migrations: migrations,
                types: types,
                configuration: configuration,
                newest: audit.newest
            )
            try await upgrades.run()
            report.rows.append(upgrades.row)
            failures.add(upgrades.failures)
            let isRight = upgrades.failures.isEmpty && !audit.failures.isAbout(file.path) && audit.lock.faults.isEmpty
            var goldens = GoldenStores(self, audit, upgrades, mode: mode, mayRecord: isRight)
            try goldens.check()
            failures.add(goldens.failures)
            recorded += goldens.recorded
            if isRight, goldens.failures.isEmpty { right.insert(file) }
        }
        let locked = try lock(audit, right: right, recorded: recorded, &failures)
        report.recorded = Set(recorded + locked).sorted()
        if !report.recorded.isEmpty {
            let list = recorded + locked.filter { !recorded.contains($0) }.map { "\(FixtureLock.file): \($0)" }
            failures.add(
                .recorded,
                "catalog",
                "Written in this run, and not checked:\n\(list.joined(separator: "\n"))\n"
                    + "Look at it, and run again without \(RecordingMode.variable)."
            )
        }
        guard failures.isEmpty else { throw MatrixFailure(failures: failures.failures, report: report) }
        return report
    }

    /// Writes the lines of the lock that are to be others, and returns what they are about.
    private func lock(
        _ audit: CatalogAudit,
        right: Set<CatalogFile>,
        recorded: [String],
        _ failures: inout FailureList
    ) throws -> [String] {
        guard audit.lock.faults.isEmpty else { return [] }
        var paths = audit.forgotten.map(\.path)
        for file in audit.unlocked where !recorded.contains(file.path) {
            // A line makes a file a shipped one soon, which nobody can mend.
            if right.contains(file.fixture), !failures.isAbout(file.path) {
                paths.append(file.path)
            } else {
                failures.add(.lock, file.path, CatalogWords.notLocked)
            }
        }
        try updateLock(of: paths + recorded)
        return paths
    }

    private func read(_ file: CatalogFile, _ failures: inout FailureList) -> StoreFixture? {
        do {
            return try fixture(at: file)
        } catch let error as TestingError {
            failures.add(.catalog, file.path, error.message + (error.underlying.map { "\n\($0)" } ?? ""))
        } catch {
            failures.add(.catalog, file.path, "The file cannot be read: \(error)")
        }
        return nil
    }

    private func checkVersions(
        _ versions: [Int],
        _ fixtures: [CatalogFile],
        _ migrations: MigrationRegistry,
        _ failures: inout FailureList
    ) {
        let oldest = migrations.oldestSupportedVersion
        if !fixtures.contains(where: { $0.fixtureVersion >= oldest }) {
            let what =
                if !FileManager.default.fileExists(atPath: directory.path) {
                    "The directory \(directory.path) does not exist."
                } else if fixtures.isEmpty {
                    "The directory \(directory.path) exists, and has none."
                } else {
                    "Those in the directory \(directory.path) are all older than version \(oldest)."
                }
            failures.add(.missingFixture, "catalog", "There is no fixture to upgrade. \(what)")
        }
        let known = Set(fixtures.map(\.fixtureVersion))
        for version in Set(versions).sorted() where !known.contains(version) {
            failures.add(
                .missingFixture,
                "catalog",
                "There is no fixture of version \(version). Capture one from a store of a release that wrote it: "
                    + "`try catalog.record(StoreFixture(capturing: cache), named: \"everyday\")`, run with "
                    + "\(RecordingMode.variable)=missing. It becomes \(version)-everyday.json."
            )
        }
    }
}

extension MigrationRegistry {
    /// The versions that stores in the field may have, and that can be upgraded.
    fileprivate var shippedVersions: [Int] {
        [oldestSupportedVersion] + migrations.map(\.version).filter { $0 >= oldestSupportedVersion }
    }
}
