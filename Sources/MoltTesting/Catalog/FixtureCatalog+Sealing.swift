internal import Foundation
package import Molt

extension FixtureCatalog {
    /// The file with what has shipped.
    var sealsURL: URL { directory.appending(path: CatalogFile.seals, directoryHint: .notDirectory) }

    /// Seals the versions up to one that has shipped: what belongs to them may not change from then on.
    ///
    /// Leaves everything that is sealed already as it is, and seals the rest.
    ///
    /// - Parameters:
    ///   - version: The newest version that has shipped.
    ///   - migrations: The registry of its release, or a later one; without it, the ledgers of the version's files tell
    ///     which migrations it has.
    /// - Returns: What was sealed, in words; nil if all of it was sealed before.
    /// - Throws: ``TestingError`` with the code `unsuitable` if there is nothing to seal, `shipped` if something sealed
    ///   has changed, or the error of reading or writing a file.
    @discardableResult
    package func seal(upTo version: Int, _ migrations: MigrationRegistry? = nil) throws -> String? {
        if let migrations {
            try migrations.validate()
            guard version <= migrations.version else {
                throw TestingError(
                    .unsuitable,
                    "The registry ends at version \(migrations.version). Seal version \(version) with the registry of its "
                        + "release, or a later one.",
                    file: directory
                )
            }
        }
        // Writing the file would create a directory whose name is misspelled.
        guard FileManager.default.fileExists(atPath: directory.path) else {
            throw TestingError(.unreadable, "There is no such directory.", file: directory)
        }
        var summary: String?
        try SealsFile.update(at: sealsURL) { versions in
            let seals = SealsFile(versions: versions)
            let sealing = try sealing(upTo: version, migrations, seals)
            summary = sealing.summary
            versions = sealing.versions
        }
        return summary
    }

    private func sealing(
        upTo version: Int,
        _ migrations: MigrationRegistry?,
        _ seals: SealsFile
    ) throws -> Sealing {
        let paths = try paths()
        let shapes = try TypesFile(at: typesURL).versions
        let files = paths.compactMap(CatalogFile.init(path:)).filter { $0.version <= version }
        guard files.contains(where: { $0.version == version }) || shapes[version] != nil else {
            let known = Set(paths.compactMap { CatalogFile(path: $0)?.version }).sorted().map(String.init)
            throw TestingError(
                .unsuitable,
                "The catalog has no file of version \(version)"
                    + (known.isEmpty ? "." : ", but of \(known.joined(separator: ", "))."),
                file: directory
            )
        }
        if let changed = try SealCheck(self, seals, shapes, paths, migrations).firstFailure {
            throw TestingError(.shipped, changed)
        }
        var sealing = Sealing(seals, upTo: version)
        for file in files where seals.files[file.path] == nil { sealing.add(file, try digest(of: file)) }
        for (version, shapes) in shapes.sorted(by: { $0.key < $1.key }) { try sealing.add(shapes, of: version) }
        // A migration that was added to a version since it was sealed has not shipped with it.
        if version > seals.newest ?? -1 {
            sealing.add(try migrations?.upTo(version: version).fullLedger ?? ledger(of: files, upTo: version))
        }
        return sealing
    }

    /// The migrations in the ledgers of files, by version.
    ///
    /// - Throws: ``TestingError`` with the code `unsuitable` if no file of the version itself has a ledger.
    private func ledger(of files: [CatalogFile], upTo version: Int) throws -> [LedgerEntry] {
        var entries: [LedgerEntry] = []
        var isComplete = version == 0
        for file in files.sorted(by: { ($0.version, $0.path) < ($1.version, $1.path) }) {
            let store = try file.target == nil ? fixture(at: file) : upgraded(at: file).store
            if file.version == version, !store.ledger.isEmpty { isComplete = true }
            for entry in store.ledger where entry.outcome.isApplied {
                if let index = entries.firstIndex(where: { $0.name == entry.name }) {
                    // A fixture that was written by hand has no fingerprints.
                    if entry.fingerprint != nil { entries[index] = entry }
                } else {
                    entries.append(entry)
                }
            }
        }
        guard isComplete else {
            throw TestingError(
                .unsuitable,
                "No file of version \(version) lists the migrations of its store. Seal it in the test that has the "
                    + "registry: `verify(…, shipped: \(version))`.",
                file: directory
            )
        }
        return entries.enumerated().sorted { ($0.1.version, $0.0) < ($1.1.version, $1.0) }.map(\.element)
    }

    /// What belongs to the versions up to one that has shipped, and is not sealed.
    ///
    /// New types and settings of a sealed version are sealed when they are recorded.
    func missingSeals(upTo version: Int, _ migrations: MigrationRegistry) throws -> [String] {
        let seals = try SealsFile(at: sealsURL)
        let (files, known) = (seals.files, Set(seals.ledger.map(\.name)))
        let unsealed = try paths().compactMap(CatalogFile.init(path:)).filter {
            $0.version <= version && files[$0.path] == nil
        }
        // A migration that was added to a version since it was sealed has not shipped with it.
        let isSealed = version <= seals.newest ?? -1
        let names = isSealed ? [] : migrations.upTo(version: version).names.filter { !known.contains($0) }
        let missing = unsealed.map(\.path) + names.map { "migration \(Shown.key($0))" }
        return missing.isEmpty && !isSealed ? ["version \(version)"] : missing
    }

    /// Seals a file of a sealed version again, to which only new types or settings were added.
    func sealAgain(_ file: CatalogFile) throws {
        let digest = try digest(of: file)
        try SealsFile.update(at: sealsURL) { $0[file.version]?.files[file.path] = digest }
    }

    /// Seals the shapes of a sealed version again, to which only new types, settings or cases were added.
    func sealAgain(typesOf version: Int) throws {
        let digests = try (TypesFile(at: typesURL).versions[version] ?? [:]).mapValues(Seal.digest)
        try SealsFile.update(at: sealsURL) { $0[version]?.types.merge(digests) { _, new in new } }
    }
}

extension Seal {
    /// The digest of a shape, as compact JSON with sorted keys.
    static func digest(of shape: TypeShape) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return SHA256.hexadecimal(of: try encoder.encode(shape))
    }
}

/// Seals in the making.
private struct Sealing {
    private(set) var versions: [Int: Seal]
    private let before: SealsFile
    private let version: Int

    init(_ seals: SealsFile, upTo version: Int) {
        before = seals
        versions = seals.versions
        self.version = version
        if versions[version] == nil { versions[version] = Seal() }
    }

    mutating func add(_ file: CatalogFile, _ digest: String) {
        versions[file.version, default: Seal()].files[file.path] = digest
    }

    mutating func add(_ shapes: [String: TypeShape], of version: Int) throws {
        guard version <= self.version else { return }
        for (name, shape) in shapes where versions[version]?.types[name] == nil {
            versions[version, default: Seal()].types[name] = try Seal.digest(of: shape)
        }
    }

    mutating func add(_ ledger: [LedgerEntry]) {
        let known = Set(before.ledger.map(\.name))
        for entry in ledger where !known.contains(entry.name) {
            // An earlier release that is sealed did not have it.
            let isLate = before.newest.map { entry.version <= $0 } ?? false
            versions[isLate ? version : entry.version, default: Seal()].migrations.append(SealedMigration(entry))
        }
    }

    /// The numbers of newly sealed files, types and migrations, in words; nil if there are none.
    var summary: String? {
        guard versions != before.versions else { return nil }
        func count(_ content: KeyPath<Seal, Int>) -> Int {
            func sum(_ seals: [Int: Seal]) -> Int { seals.values.reduce(0) { $0 + $1[keyPath: content] } }
            return sum(versions) - sum(before.versions)
        }
        let parts = [
            (count(\.files.count), "file"), (count(\.types.count), "type"), (count(\.migrations.count), "migration"),
        ]
        let text = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        return "Version \(version) is sealed"
            + (text.isEmpty ? "." : ": \(text.joined(separator: ", ")) in \(CatalogFile.seals).")
    }
}
