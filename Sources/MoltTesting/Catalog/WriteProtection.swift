internal import Foundation
internal import Molt

/// Tells which versions of a catalog have shipped, so that their files are never written again.
struct WriteProtection {
    /// The newest version of the registry and of all files.
    ///
    /// The registry may be older than the catalog, for example on a branch; shipped files stay protected then.
    let newest: Int
    /// The newest sealed version; nil if none is.
    let sealed: Int?
    let mode: RecordingMode
    /// The newest version below the newest one that is not sealed and has files; nil if there is none.
    var unsealed: Int?
    /// The catalog; nil for a store made in code.
    var catalog: FixtureCatalog?

    /// Whether a version is sealed, or counts as shipped because there is a newer one.
    func hasShipped(_ version: Int) -> Bool {
        isSealed(version) || mode != .unsealed && version < newest
    }

    func isSealed(_ version: Int) -> Bool { sealed.map { version <= $0 } ?? false }

    /// Whether a file of a version may be written again in this run.
    func mayOverwrite(_ version: Int) -> Bool { mode.overwrites && !hasShipped(version) }

    // MARK: Advice

    /// The command that writes the files of a version again that is not sealed.
    ///
    /// Versions below the newest one must be sealed before the files of that one are written.
    func commandToOverwrite(_ version: Int) -> String {
        guard version == newest else { return RecordingMode.unsealed.command }
        return unsealed.map(commandToOverwrite(afterSealing:)) ?? RecordingMode.all.command
    }

    /// The command that seals the versions up to one, and then writes the files of the newest version again.
    func commandToOverwrite(afterSealing version: Int) -> String {
        // The tool cannot seal a version whose files do not tell which migrations it has.
        guard let catalog, catalog.hasLedger(of: version) else { return RecordingMode.unsealed.command }
        return "swift run molt seal \(ShellWord(catalog.directory.path)) \(version) && \(RecordingMode.all.command)"
    }

    /// What to do about a difference at a version that is not sealed, and may have shipped.
    func adviceIfNotShipped(_ version: Int) -> String {
        "If version \(version) has shipped, undo the change, or make it a migration to version \(version + 1). If it has "
            + "not, and the new one is right: \(commandToOverwrite(version))"
    }

    /// What to do about a file that differs in the fingerprints of migrations alone.
    func adviceOnEdit(_ version: Int) -> String {
        "The content is the same, but migrations were edited since the file was written. Undo the edits of those that have "
            + "shipped. If none has: \(commandToOverwrite(version))"
    }

    /// What to do about a file that has the conflict markers of a merge; empty for other errors.
    func adviceOnConflict(_ error: any Error, in file: CatalogFile) -> String {
        guard FixtureText.isConflict(error), file.isDerived, !isSealed(file.version) else { return "" }
        return " If version \(file.version) has not shipped, it is enough to write it again: "
            + commandToOverwrite(file.version)
    }

    /// Whether a file that cannot be read is written in this run, because it only has the conflict markers of a merge.
    func replaces(_ file: CatalogFile, after error: any Error) -> Bool {
        FixtureText.isConflict(error) && file.isDerived && mayOverwrite(file.version)
    }

    /// Why a file of a version that has shipped is not written again, and what to do.
    func advice(onVersion version: Int) -> String {
        isSealed(version)
            ? "Version \(version) is sealed, because it has shipped: undo the change, or make it a migration to version "
                + "\(max(newest, version) + 1)."
            : "The file is of version \(version), and there is a version \(newest): a file of an older version is not "
                + "written again. Use the registry of version \(newest), or undo the change. If version \(version) has not "
                + "shipped: \(commandToOverwrite(version))"
    }
}

extension RecordingMode {
    /// The command that runs the tests in this mode.
    var command: String { (self == .never ? "" : "\(Self.variable)=\(rawValue) ") + "swift test" }
}

extension FixtureCatalog {
    /// - Parameters:
    ///   - paths: The names of the files.
    ///   - migrations: The app's registry; nil if it is not known.
    ///   - seals: The sealed versions.
    func protection(
        _ paths: [String],
        _ migrations: MigrationRegistry?,
        _ seals: SealsFile,
        _ mode: RecordingMode
    ) -> WriteProtection {
        // `verify` reports a file of types that cannot be read.
        let types = (try? TypesFile(at: typesURL).versions.keys.max()) ?? nil
        let files = paths.compactMap { CatalogFile(path: $0)?.version }
        let versions = [files.max(), types, migrations?.version, seals.newest].compactMap(\.self)
        var protection = WriteProtection(newest: versions.max() ?? 0, sealed: seals.newest, mode: mode, catalog: self)
        protection.unsealed = files.filter { !protection.isSealed($0) && $0 < protection.newest }.max()
        return protection
    }

    /// Whether a file of a version tells which migrations the version has, or the version has none.
    fileprivate func hasLedger(of version: Int) -> Bool {
        let files = ((try? paths()) ?? []).compactMap(CatalogFile.init(path:)).filter { $0.version == version }
        return version == 0
            || files.contains { file in
                let store = file.target == nil ? try? fixture(at: file) : try? upgraded(at: file).store
                return store?.ledger.isEmpty == false
            }
    }
}
