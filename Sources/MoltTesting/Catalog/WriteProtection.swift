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

    /// Whether a version is sealed, or counts as shipped because there is a newer one.
    func hasShipped(_ version: Int) -> Bool {
        isSealed(version) || mode != .unsealed && version < newest
    }

    func isSealed(_ version: Int) -> Bool { sealed.map { version <= $0 } ?? false }

    /// The value of `MOLT_RECORD` with which the files of a version that is not sealed are written again.
    func valueToOverwrite(_ version: Int) -> String {
        (version < newest ? RecordingMode.unsealed : .all).rawValue
    }

    /// Why a file of a version that has shipped is not written again, and what to do.
    func advice(onVersion version: Int) -> String {
        isSealed(version)
            ? "Version \(version) is sealed, because it has shipped: undo the change, or make it a migration to version "
                + "\(max(newest, version) + 1)."
            : "The file is of version \(version), and there is a version \(newest): a file of an older version is not "
                + "written again. Use the registry of version \(newest), or undo the change. If version \(version) has not "
                + "shipped: \(RecordingMode.variable)=\(RecordingMode.unsealed.rawValue) swift test"
    }

    /// Whether a file of a version may be written again in this run.
    func mayOverwrite(_ version: Int) -> Bool { mode.overwrites && !hasShipped(version) }
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
        return WriteProtection(newest: versions.max() ?? 0, sealed: seals.newest, mode: mode)
    }
}
