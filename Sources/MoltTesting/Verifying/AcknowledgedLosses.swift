internal import Molt

/// The names of the data that migrations may destroy, as given by a test.
struct AcknowledgedLosses {
    private let names: Set<String>

    init(_ names: [String]) {
        self.names = Set(names)
    }

    /// The failures for data that the registry's declarations destroy, with or without a fixture that has it.
    func failures(of migrations: MigrationRegistry) -> FailureList {
        var failures = FailureList()
        for migration in migrations.migrations where migration.version > migrations.oldestSupportedVersion {
            add(migration.steps.flatMap(\.declaration.losses), of: migration.id, to: &failures)
        }
        return failures
    }

    /// The failures for data that a dry run destroyed, including what its closures dropped.
    func failures(of report: MigrationReport) -> FailureList {
        var failures = FailureList()
        for entry in report.entries { add(entry.steps.flatMap(\.losses), of: entry.migration, to: &failures) }
        return failures
    }

    /// The failures for names of data that neither the registry's declarations nor the upgrade of a fixture destroys.
    ///
    /// - Parameter found: The names of what the upgrades of all fixtures have destroyed.
    func failuresOfUnused(in migrations: MigrationRegistry, found: Set<String>) -> FailureList {
        let known = found.union(migrations.migrations.flatMap(\.steps).flatMap(\.declaration.losses).map(\.name))
        var failures = FailureList()
        for name in names.subtracting(known).sorted() {
            let nearest = MigrationReport.UnmatchedName.nearest(to: name, among: known.subtracting(names).sorted())
            failures.add(
                .loss,
                "registry",
                "\"\(name)\" in `acknowledging` names nothing that a migration removes"
                    + (nearest.map { "; did you mean \"\($0)\"?" } ?? ". Correct it, or leave it out.")
            )
        }
        return failures
    }

    private func add(_ losses: [MigrationReport.DataLoss], of migration: MigrationID, to failures: inout FailureList) {
        for loss in losses where !names.contains(loss.name) {
            let what =
                switch loss.kind {
                case .property: "removes the property \(loss.name)"
                case .values: "replaces values of \(loss.name) by a conversion"
                case .converted: "replaces the property \(loss.name) by a conversion"
                case .records: "removes records of type \(loss.name)"
                case .merged: "merges records of type \(loss.typeName) that would have the same key"
                case .conflicts: "keeps one of two values, where both exist, at \(loss.meetingPlace)"
                case .setting: "removes the setting \(loss.name)"
                case .settings: "removes the settings \(loss.name)"
                }
            failures.add(
                .loss,
                "registry",
                "migration \(migration) \(what). If that is intended, add \"\(loss.name)\" to `acknowledging`."
            )
        }
    }
}
