internal import Foundation
internal import Molt

/// Compares the types of this release with those that the file `types.json` has for the same version, and records them.
///
/// Reordered properties and added enum cases are not changes, because existing data can still be read.
struct TypesRecording {
    private(set) var failures = FailureList()
    /// Whether the file was written.
    private(set) var isRecorded = false
    private let catalog: FixtureCatalog
    private let version: Int
    /// The version of older samples, whose shapes must be recorded; nil if there are none.
    private let samplesVersion: Int?
    /// The shapes of this release.
    private let types: [String: TypeShape]
    /// The coders of this release.
    private let coding: RecordCoding
    /// Which versions have shipped.
    private let protection: WriteProtection

    /// - Parameters:
    ///   - catalog: The catalog.
    ///   - versions: The content of its file of types.
    ///   - types: The shapes of this release.
    ///   - version: The registry's version.
    ///   - samplesVersion: The version of older samples; nil if there are none.
    ///   - coding: The coders of this release.
    init(
        in catalog: FixtureCatalog,
        _ versions: [Int: [String: TypeShape]],
        _ types: [String: TypeShape],
        at version: Int,
        after samplesVersion: Int?,
        coding: RecordCoding,
        mode: RecordingMode,
        protection: WriteProtection
    ) throws {
        self.catalog = catalog
        self.version = version
        self.samplesVersion = samplesVersion
        self.types = types
        self.coding = coding
        self.protection = protection
        try run(versions, mode)
    }

    private mutating func run(_ versions: [Int: [String: TypeShape]], _ mode: RecordingMode) throws {
        let newest = versions.keys.max()
        guard newest ?? version <= version else {
            fail(
                "The file has version \(newest ?? version), and the registry ends at version \(version): use the "
                    + "registry that the file was recorded with, or a newer one."
            )
            return
        }
        guard let recorded = versions[version] else {
            if newest == nil, let samplesVersion, !mode.overwrites {
                fail(
                    "There is no such file, although there are samples of version \(samplesVersion), whose types only it "
                        + "has. If it was never checked in, `\(RecordingMode.variable)=\(RecordingMode.all.rawValue)` writes "
                        + "the types of version \(version) alone. Otherwise restore it: "
                        + catalog.restoring(CatalogFile.types)
                )
                return
            }
            guard mode == .never else { return try record(merging: mode == .missing) }
            let what = newest == nil ? "There is no such file." : "The file does not have version \(version)."
            fail("\(what) \(RecordingAdvice.toWrite)")
            return
        }
        guard !mode.overwrites else {
            if recorded != types { try recordAgain(recorded) }
            return
        }
        let changes = changes(since: recorded)
        guard changes.isEmpty else { return failChanged(changes, since: recorded) }
        if mode == .missing {
            if recorded.merging(types, uniquingKeysWith: { $0.merged(with: $1) }) != recorded {
                try record(merging: true)
            }
            return
        }
        let unrecorded = types.keys.filter { recorded[$0] == nil }.sorted().map(SampledSetting.text(ofShape:))
        guard !unrecorded.isEmpty else { return }
        fail(
            "Version \(version) does not have: \(unrecorded.joined(separator: ", ")). A new type or setting needs no new "
                + "version. \(RecordingAdvice.toWrite)"
        )
    }

    private mutating func fail(_ message: String) {
        failures.add(.types, CatalogFile.types, message)
    }

    /// The differences, and the types and settings without a sample, in a line each.
    private func changes(since recorded: [String: TypeShape]) -> [String] {
        recorded.sorted { $0.key < $1.key }.flatMap { name, earlier in
            let setting = SampledSetting(shapeName: name)?.text
            return types[name]?.differences(from: earlier).map { change in
                setting.map(change.description(ofSetting:)) ?? change.description
            } ?? ["There is no sample of \(SampledSetting.text(ofShape: name)), which the file has."]
        }
    }

    private mutating func failChanged(_ changes: [String], since recorded: [String: TypeShape]) {
        let hasSettings = types.keys.contains { SampledSetting(shapeName: $0) != nil }
        let (what, values) = hasSettings ? ("types or settings", "values") : ("types", "records")
        let proposal = StepProposal(from: recorded, to: types, stores: catalog.stores(at: version), coding: coding)
            .migration(to: version + 1)
        fail(
            "The \(what) changed, and the version is still \(version):\n"
                + changes.map { "- \($0)\n" }.joined()
                + "Stores at version \(version) have the previous properties. Add a migration to version \(version + 1)"
                + (proposal.map { ", such as:\n\($0)\n" } ?? ". ")
                + "If stored \(values) can be read as they are, it needs no step: "
                + "\(MoltError.migrationWithoutStep(of: "types", from: version)) "
                + (protection.isSealed(version)
                    ? "Then: \(RecordingMode.missing.command)"
                    : "If version \(version) has not shipped yet, write its types again instead: "
                        + protection.commandToOverwrite(version))
        )
    }

    /// - Parameter merging: Whether the recorded types of the version are kept.
    private mutating func record(merging: Bool) throws {
        let types = types
        try TypesFile.update(at: catalog.typesURL) { versions in
            versions[version] = merging ? (versions[version] ?? [:]).merging(types) { $0.merged(with: $1) } : types
        }
        isRecorded = true
    }

    /// Overwrites the types of the version, and says what has changed: the version may have shipped.
    private mutating func recordAgain(_ recorded: [String: TypeShape]) throws {
        try record(merging: false)
        let changes = changes(since: recorded)
        guard !changes.isEmpty else { return }
        failures.add(
            .recorded,
            CatalogFile.types,
            "The types of version \(version) were written again, and differ from the previous ones:\n"
                + changes.map { "- \($0)\n" }.joined()
                + "If version \(version) has shipped, add a migration to version \(version + 1), and restore the file: "
                + catalog.restoring(CatalogFile.types)
        )
    }
}

extension FixtureCatalog {
    /// The migration that probably carries stores of one version to another, as Swift source to paste and to judge.
    ///
    /// ```swift
    /// print(try FixtureCatalog("Fixtures").proposedMigration(from: 1, to: 2))
    /// ```
    ///
    /// ```text
    /// Migration(
    ///     to: 2,
    ///     "alien-becomes-person-and-split-full-name",
    ///     .renameType("Alien", to: "Person"),
    ///     .splitProperty("Person", "fullName", into: ["firstName", "lastName"]),  // in the order of the parts
    ///     .addProperty("Person", "visits", default: 0)
    /// )
    /// ```
    ///
    /// Names and types of properties in `types.json` suggest the steps, and each is tried on the catalog's stores of
    /// the old version, and on variations of them. A step that fails, loses a value, or leaves what the new types
    /// cannot read is a comment, and so is a choice that only you can make. An ellipsis stands for a value that only
    /// you know.
    ///
    /// - Returns: The source; a migration without a step if stored records can be read as they are.
    /// - Throws: ``TestingError`` with the code `notRecorded` if the file lacks a version, or the error of reading it.
    public func proposedMigration(from old: Int, to new: Int) throws -> String {
        let versions = try TypesFile(at: typesURL).versions
        guard let before = versions[old], let after = versions[new] else {
            let version = versions[old] == nil ? old : new
            throw TestingError(.notRecorded, "The file does not have version \(version).", file: typesURL)
        }
        let proposal = StepProposal(from: before, to: after, stores: stores(at: old), laterStores: stores(at: new))
        return proposal.migration(to: new) ?? "Migration(to: \(new), \"version-\(new)\")"
    }

    /// The stores of a version that can be read, by the names of their files; other code reports the rest.
    func stores(at version: Int) -> [String: StoreFixture] {
        let files = ((try? paths()) ?? []).compactMap(CatalogFile.init(path:)).filter { $0.version == version }
        return Dictionary(
            uniqueKeysWithValues: files.compactMap { file in
                let store = file.target == nil ? try? fixture(at: file) : try? upgraded(at: file).store
                return store.map { (file.path, $0) }
            }
        )
    }

    /// The file with the properties of the app's types.
    var typesURL: URL { directory.appending(path: CatalogFile.types, directoryHint: .notDirectory) }
}
