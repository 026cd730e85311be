internal import Foundation
internal import Molt

/// The files of a catalog, and all problems with them that are found before any upgrade.
struct CatalogAudit {
    private(set) var failures = FailureList()
    /// The fixtures, sorted by version and name.
    private(set) var fixtures: [CatalogFile] = []
    /// The readable upgraded fixtures of fixtures that can still be upgraded.
    private(set) var upgraded: [CatalogFile: UpgradedFixture] = [:]
    private(set) var unreadable: Set<CatalogFile> = []
    /// Whether this run may write nothing, because versions below the newest one are not sealed and may have shipped.
    private(set) var hasUnsealedVersions = false
    /// Which versions have shipped.
    let protection: WriteProtection
    private let catalog: FixtureCatalog
    private let migrations: MigrationRegistry

    /// - Parameters:
    ///   - seals: The sealed versions.
    ///   - shapes: The recorded shapes by version and name; nil if they cannot be read.
    init(
        _ catalog: FixtureCatalog,
        _ migrations: MigrationRegistry,
        _ seals: SealsFile,
        _ shapes: [Int: [String: TypeShape]]?,
        mode: RecordingMode
    ) throws {
        self.catalog = catalog
        self.migrations = migrations
        let paths = try catalog.paths()
        protection = catalog.protection(paths, migrations, seals, mode)
        failures.add(try SealCheck(catalog, seals, shapes, paths, migrations).failures)
        var expected: [CatalogFile] = []
        for path in paths {
            guard let file = CatalogFile(path: path) else {
                failures.add(
                    .catalog,
                    path,
                    "This is not the name of a fixture. It is `1-name.json` for a store of version 1, `1-name@2.json` for the "
                        + "same store at version 2, `\(CatalogFile.types)` for the properties of the types, and "
                        + "`\(CatalogFile.seals)` for what has shipped."
                )
                continue
            }
            if file.target == nil { fixtures.append(file) } else { expected.append(file) }
        }
        fixtures.sort { ($0.fixtureVersion, $0.name) < ($1.fixtureVersion, $1.name) }
        for file in expected {
            checkOrigin(of: file)
            guard file.fixtureVersion >= migrations.oldestSupportedVersion else { continue }
            checkTarget(of: file)
            read(file)
        }
        for fixture in fixtures { try checkDigest(of: fixture) }
        if mode == .all { checkUnsealed(fixtures + expected) }
    }

    private mutating func checkUnsealed(_ files: [CatalogFile]) {
        guard let version = protection.unsealed else { return }
        let unsealed = files.filter { !protection.isSealed($0.version) && $0.version < protection.newest }
        hasUnsealedVersions = true
        let canSeal = protection.commandToOverwrite(afterSealing: version) != RecordingMode.unsealed.command
        failures.add(
            .sealed,
            "catalog",
            "Nothing was written: these files belong to versions below \(protection.newest), and are not sealed: "
                + "\(Shown.some(unsealed.map(\.path).sorted())). "
                + (canSeal
                    ? "If none of these has shipped, use `\(RecordingMode.variable)=\(RecordingMode.unsealed.rawValue)`, which "
                        + "writes them again, too. If they have, seal them first: "
                    : "If they have shipped, seal them first: add `shipped: \(version)` to the call of `verify`, and run the "
                        + "tests with `\(RecordingMode.missing.command)`. If none has: ")
                + protection.commandToOverwrite(afterSealing: version)
        )
    }

    func hasShipped(_ file: CatalogFile) -> Bool { protection.hasShipped(file.version) }

    private mutating func checkOrigin(of file: CatalogFile) {
        guard !fixtures.contains(file.fixture) else { return }
        failures.add(
            .catalog,
            file.path,
            "The fixture \(file.fixture.path), which this file was made from, is missing. If it was removed on purpose, "
                + "remove this file, too. Otherwise restore it, because devices in the field may hold such a store: "
                + catalog.restoring(file.fixture.path)
        )
    }

    /// Reports an upgraded fixture that no upgrade is compared with.
    private mutating func checkTarget(of file: CatalogFile) {
        guard let target = file.target, !migrations.migrations.contains(where: { $0.version == target }) else { return }
        let isNewer = target > migrations.version
        let advice =
            isNewer
            ? "It ends at version \(migrations.version): use the registry that the file was recorded with, or a newer "
                + "one."
            : "If a later migration has replaced those to that version, remove the file. Otherwise restore them."
        failures.add(
            .catalog,
            file.path,
            "Nothing is compared with this file: the registry has no version \(target)\(isNewer ? "" : " any more"). "
                + "\(advice)"
        )
    }

    private mutating func read(_ file: CatalogFile) {
        do {
            upgraded[file] = try catalog.upgraded(at: file)
        } catch {
            if protection.replaces(file, after: error) { return }
            unreadable.insert(file)
            failures.add(
                .catalog,
                file.path,
                FailureList.text(of: error) + protection.adviceOnConflict(error, in: file)
            )
        }
    }

    /// Reports a fixture that has changed since its upgraded fixtures were made.
    private mutating func checkDigest(of fixture: CatalogFile) throws {
        // Such a fixture may be recorded again, together with its upgraded fixtures.
        if protection.mayOverwrite(fixture.version) { return }
        // One failure names the command that restores it.
        if failures.isAbout(.sealed, fixture.path) { return }
        let made = upgraded.filter { $0.key.fixture == fixture }.sorted { $0.key.version < $1.key.version }
        guard !made.isEmpty else { return }
        let digest = try catalog.digest(of: fixture)
        for (file, upgrade) in made where upgrade.fixtureDigest != digest {
            failures.add(
                .changed,
                fixture.path,
                hasShipped(fixture)
                    ? adviceOnChange(of: fixture, made[0].key) : protection.adviceIfNotShipped(fixture.version),
                at: .summary(file.path)
            )
        }
    }

    private func adviceOnChange(of fixture: CatalogFile, _ upgraded: CatalogFile) -> String {
        "The fixture is of an older version, and is not the one that the upgraded fixture was made from. Correct an upgrade "
            + "by a new migration, and add a new case as a new fixture. If neither file was ever checked in, remove the "
            + "upgraded fixture, and record it again. Otherwise restore the fixture: "
            + catalog.restoring(fixture.path, asWith: upgraded.path)
    }
}
