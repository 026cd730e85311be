public import Foundation
internal import Molt

extension SchemaSnapshot {
    /// Compares the shapes with the shapes recorded for the same version in a file.
    ///
    /// A change without a new version is a failure that lists each difference. At a new version the shapes are recorded
    /// beside those of earlier versions, which stay unchanged. Recording is explicit: `MOLT_RECORD=missing` writes
    /// versions and types missing from the file; `all` also overwrites the shapes of this version, for a version that
    /// has not shipped. A run that has written anything fails.
    ///
    /// Reordered properties and added enum cases are not changes, because existing data can still be read.
    ///
    /// - Parameters:
    ///   - url: The file; one for the whole app.
    ///   - mode: The recording mode; set by the environment by default.
    /// - Throws: ``TestingError`` with the code `schemaDrift`, `notRecorded`, `recorded` or `shipped`, or the error of
    ///   reading or writing the file.
    public func verify(at url: URL, recording mode: RecordingMode? = nil) throws {
        let mode = try mode ?? .fromEnvironment()
        let versions = try SchemaHistory(at: url).versions
        let newest = versions.keys.max()
        if let newest, newest > version {
            throw TestingError(
                .shipped,
                "The snapshot was recorded at version \(newest), and the version is \(version) now. Give it the version of "
                    + "the registry; a version that has shipped is not taken back.",
                file: url
            )
        }
        guard let recorded = versions[version] else {
            if mode != .never { try record(at: url, merging: mode == .missing) }
            let what =
                newest.map { "The newest version that the snapshot has is \($0), and the version is \(version) now. " }
                ?? "There is no snapshot yet. "
            throw TestingError(.notRecorded, what + CatalogWords.toWrite, file: url)
        }
        if mode == .all {
            if recorded != shapes { try record(at: url, merging: false) }
            return
        }
        try verifyShapes(comparedWith: recorded, at: url)
        if mode == .missing, recorded.merging(shapes, uniquingKeysWith: { $0.merged(with: $1) }) != recorded {
            try record(at: url, merging: true)
        }
        let unrecorded = shapes.keys.filter { recorded[$0] == nil }.sorted()
        guard unrecorded.isEmpty else {
            throw TestingError(
                .notRecorded,
                "The snapshot of version \(version) does not have: \(unrecorded.joined(separator: ", ")). "
                    + "A new type or setting needs no new version. " + CatalogWords.toWrite,
                file: url
            )
        }
    }

    /// The migration that probably carries stores of one version to another, as Swift source to paste and to judge.
    ///
    /// ```swift
    /// print(try SchemaSnapshot.proposedMigration(at: url, from: 1, to: 2))
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
    /// Names and types of properties suggest the steps. An ellipsis stands for a value that only you know.
    ///
    /// - Returns: The source; a migration without a step if stored records can be read as they are.
    /// - Throws: ``TestingError`` with the code `notRecorded` if the file lacks a version, or the error of reading it.
    public static func proposedMigration(at url: URL, from old: Int, to new: Int) throws -> String {
        let versions = try SchemaHistory(at: url).versions
        guard let before = versions[old], let after = versions[new] else {
            let version = versions[old] == nil ? old : new
            throw TestingError(.notRecorded, "The snapshot does not have version \(version).", file: url)
        }
        return StepProposal(from: before, to: after).migration(to: new) ?? "Migration(to: \(new), \"version-\(new)\")"
    }

    /// - Throws: ``TestingError`` with the code `schemaDrift` for shapes that differ, and types and settings without a
    ///   sample.
    private func verifyShapes(comparedWith recorded: [String: TypeShape], at url: URL) throws {
        var hasChangedSetting = false
        let changes = recorded.sorted { $0.key < $1.key }.flatMap { name, earlier in
            let setting = SampledSetting(shapeName: name)?.text
            let changes =
                shapes[name]?.differences(from: earlier).map { change in
                    setting.map(change.description(ofSetting:)) ?? change.description
                } ?? [
                    "There is no sample of \(setting.map { "setting \($0)" } ?? "'\(name)'"), which the snapshot has."
                ]
            if setting != nil, !changes.isEmpty { hasChangedSetting = true }
            return changes
        }
        guard !changes.isEmpty else { return }
        let (what, values) = hasChangedSetting ? ("types or settings", "values") : ("types", "records")
        let proposal = StepProposal(from: recorded, to: shapes).migration(to: version + 1)
        throw TestingError(
            .schemaDrift,
            "The \(what) changed, and the version is still \(version):\n"
                + changes.map { "- \($0)\n" }.joined()
                + "Stores at version \(version) contain the previous shape. Add a migration to version \(version + 1)"
                + (proposal.map { ", such as:\n\($0)\n" } ?? ". ")
                + "When stored \(values) can be read as they are, it needs no step: "
                + "\(MoltError.migrationWithoutStep(of: "types", from: version)) If version \(version) has not shipped "
                + "yet, write its shapes again: \(RecordingMode.variable)=all swift test",
            file: url
        )
    }

    /// Writes the shapes; always throws, so that the recording is noticed.
    ///
    /// - Parameter merging: Whether the recorded types of the version are kept.
    private func record(at url: URL, merging: Bool) throws {
        try SchemaHistory.update(version, at: url) { recorded in
            merging ? recorded.merging(shapes) { $0.merged(with: $1) } : shapes
        }
        throw TestingError(
            .recorded,
            "Written in this run, and not checked: the shapes of version \(version). Look at them, and run again without "
                + "\(RecordingMode.variable).",
            file: url
        )
    }
}
