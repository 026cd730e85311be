internal import Foundation
internal import Molt

/// Compares a catalog and a registry with what was sealed.
struct SealCheck {
    private(set) var failures = FailureList()
    private let catalog: FixtureCatalog
    private let seals: SealsFile

    /// - Parameters:
    ///   - shapes: The recorded shapes by version and name; nil if they cannot be read.
    ///   - paths: The names of the catalog's files.
    ///   - migrations: The app's registry; nil if it is not known.
    init(
        _ catalog: FixtureCatalog,
        _ seals: SealsFile,
        _ shapes: [Int: [String: TypeShape]]?,
        _ paths: [String],
        _ migrations: MigrationRegistry?
    ) throws {
        self.catalog = catalog
        self.seals = seals
        for (version, seal) in seals.versions.sorted(by: { $0.key < $1.key }) {
            for (path, digest) in seal.files.sorted(by: { $0.key < $1.key }) {
                try check(path, of: version, digest, isThere: paths.contains(path), migrations)
            }
            guard let shapes else { continue }
            for (name, digest) in seal.types.sorted(by: { $0.key < $1.key }) {
                guard try shapes[version]?[name].map(Seal.digest) != digest else { continue }
                // The file as a whole may have shapes of later versions.
                failures.add(
                    .sealed,
                    CatalogFile.types,
                    "Version \(version) is sealed, and its \(SampledSetting.text(ofShape: name)) has changed since. Put back "
                        + "that version as it was when it was sealed: "
                        + catalog.showing(CatalogFile.types, asWith: CatalogFile.seals)
                )
            }
        }
        if let migrations { check(migrations) }
    }

    /// The first failure in words, with the file that it is about; nil if there is none.
    var firstFailure: String? { failures.failures.first.map { "\($0.subject): \($0.message)" } }

    /// Adds a failure about a file, with the command that restores the sealed one.
    private mutating func add(_ path: String, _ problem: String) {
        failures.add(.sealed, path, "\(problem) Restore it: \(catalog.restoring(path, asWith: CatalogFile.seals))")
    }

    private mutating func check(
        _ path: String,
        of version: Int,
        _ digest: String,
        isThere: Bool,
        _ migrations: MigrationRegistry?
    ) throws {
        guard let file = CatalogFile(path: path) else { return }
        guard isThere else {
            guard !isObsolete(file, migrations) else { return }
            add(path, "The file belongs to version \(version), which is sealed, and is missing.")
            return
        }
        guard try catalog.digest(of: file) != digest else { return }
        let names = file.target.map { _ in
            seals.ledger(of: version).filter { $0.version > file.fixtureVersion && $0.version <= version }.map {
                MigrationID(name: $0.name, version: $0.version).description
            }
        }
        let made = names.map { $0.isEmpty ? "" : ", the result of \($0.joined(separator: ", "))," } ?? ""
        add(path, "The file\(made) belongs to version \(version), which is sealed, and has changed since.")
    }

    /// Whether a file may be removed: its store is too old, or a later migration has replaced those to its version.
    private func isObsolete(_ file: CatalogFile, _ migrations: MigrationRegistry?) -> Bool {
        guard let migrations else { return true }
        let versions = Set(migrations.migrations.map(\.version))
        // A store between replaced migrations cannot be upgraded without them.
        let isBetween =
            seals.ledger.contains { $0.version == file.fixtureVersion }
            && !versions.contains(file.fixtureVersion)
        return file.fixtureVersion < migrations.oldestSupportedVersion || isBetween
            || file.target.map { !versions.contains($0) } ?? false
    }

    // MARK: Migrations

    private mutating func check(_ migrations: MigrationRegistry) {
        guard let newest = seals.newest, migrations.faults.isEmpty else { return }
        let ledger = seals.ledger
        for entry in migrations.unknown(in: ledger) {
            let id = MigrationID(name: entry.name, version: entry.version)
            failures.add(
                .sealed,
                "registry",
                "migration \(id) is sealed, and the registry lacks it, although stores have been through it. Restore it. "
                    + "Leave it out only if another migration replaces it, or after `oldestVersion(\(entry.version))`."
            )
        }
        let state = StoreState(version: newest, isFresh: false, ledger: ledger)
        let plan = migrations.plan(for: state, of: CatalogFile.seals)
        for edit in plan.editedMigrations {
            failures.add(edit, at: CatalogFile.seals, WriteProtection(newest: newest, sealed: newest, mode: .never))
        }
        let known = Set(ledger.map(\.name))
        for migration in migrations.migrations
        where migration.version <= newest && migration.replaces.isEmpty && !known.contains(migration.name)
            && !migrations.allowsLateMigrations
        {
            failures.add(
                .sealed,
                "registry",
                "migration \(migration.id) is not sealed, and version \(newest) is: releases of version \(migration.version) "
                    + "have shipped without it. Make it a migration to version \(max(newest, migrations.version) + 1)."
            )
        }
        checkOrder(migrations)
    }

    /// Reports sealed migrations that the registry runs in another order.
    ///
    /// One that was sealed with a later release may stand before those of earlier ones.
    private mutating func checkOrder(_ migrations: MigrationRegistry) {
        let places = Dictionary(migrations.names.enumerated().map { ($1, $0) }) { first, _ in first }
        for seal in seals.versions.sorted(by: { $0.key < $1.key }).map(\.value) {
            let sealed = seal.migrations.map(\.entry).filter { places[$0.name] != nil }
            for (first, second) in zip(sealed, sealed.dropFirst())
            where first.version == second.version && (places[first.name] ?? 0) > (places[second.name] ?? 0) {
                failures.add(
                    .sealed,
                    "registry",
                    "\"\(first.name)\" and \"\(second.name)\" are migrations to version \(first.version), which is sealed, "
                        + "and the registry has them in the opposite order. Restore the order."
                )
            }
        }
    }
}
