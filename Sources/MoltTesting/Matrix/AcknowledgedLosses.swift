internal import MoltCore

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

    private func add(_ losses: [DataLoss], of migration: MigrationID, to failures: inout FailureList) {
        for loss in losses where !names.contains(loss.name) {
            let what =
                switch loss.kind {
                case .property: "the property \(loss.name)"
                case .values: "some values of \(loss.name)"
                case .records: "records of type \(loss.name)"
                case .setting: "the setting \(loss.name)"
                }
            failures.add(
                .loss,
                "registry",
                "migration \(migration) removes \(what). If that is intended, add \"\(loss.name)\" to `acknowledging`."
            )
        }
    }
}
