/// The step that converts the values of keys according to their forms.
struct SettingsConversion: Sendable {
    var kind: String
    /// A summary of the step for plans and reports, without the suite.
    var summary: String
    /// The other parameters of the step, as strings.
    var parameters: [String]
    var suite: Suite
    var keys: [SettingKeys]
    /// Keys that it leaves alone on purpose.
    var exceptions: [String]
    /// Whether a value that cannot be converted fails the upgrade.
    var isStrict: Bool
    /// Whether a value probably has a form that it converts.
    var mayNeedConversion: @Sendable (PropertyListValue) -> Bool
    var convert: @Sendable (PropertyListValue, DefaultsForm) -> ConversionResult

    var step: MigrationStep {
        let declaration = AttachedStoreStep(
            name: kind,
            summary: "\(summary) in \(suite)",
            parameters: [suite.declaredName] + parameters + ["unconvertible: \(isStrict ? "fail" : "leave")"]
                + keys.map { "\($0.name): \($0.form.identity)" },
            faults: faults
        )
        let names = Set(keys.map(\.name) + exceptions)
        return MigrationStep(
            declaration,
            .settings(.convert(suite, keys: names, isOldForm: mayNeedConversion) { try run($0) })
        )
    }

    private var faults: [String] {
        var faults: [String] = []
        if keys.isEmpty { faults.append("No key is named.") }
        if keys.contains(where: \.name.isEmpty) { faults.append("A key has an empty name.") }
        let names = Dictionary(grouping: keys, by: \.name)
        for (name, same) in names.sortedByKey where same.count > 1 {
            faults.append("The key \"\(name)\" is named \(same.count) times.")
        }
        for key in exceptions where names[key] != nil {
            faults.append("The key \"\(key)\" is both converted and left alone.")
        }
        return faults
    }

    private func run(_ migration: MigrationContext) throws {
        let settings = try migration.suite(suite)
        let outcomes = try keys.map { try convert($0, settings) }
        let forgotten = try forgottenKeys(migration, settings)
        try migration.note(outcomes + forgotten, among: settings.keys)
        let failed = outcomes.filter { $0.outcome == .notConvertible }
        guard isStrict, let first = failed.first else { return }
        let list = failed.map { "\"\($0.key)\" (\($0.reason ?? ""))" }.joined(separator: ", ")
        throw MoltError(
            .notConvertible,
            "Settings cannot be converted: \(list).",
            advice: "Correct them, or leave out `strict: true` to accept that they stay as they are.",
            suite: suite.attachedName,
            key: first.key
        )
    }

    /// The keys with a value in the old form that no migration of the registry names.
    private func forgottenKeys(_ migration: MigrationContext, _ settings: SuiteEditor) throws -> [MigrationReport
        .KeyOutcome]
    {
        let values = try settings.keys.map { ($0, try settings.value(forKey: $0)) }
        return migration.runner.registry.forgottenKeys(
            of: settings.name,
            in: Dictionary(uniqueKeysWithValues: values).compactMapValues(\.self),
            mayNeedConversion
        ).map { key in
            MigrationReport.KeyOutcome(
                store: settings.name,
                key: key,
                outcome: .notNamed,
                reason: "it probably has an old form, and no migration converts it: add it to the keys, or to `except`"
            )
        }
    }

    private func convert(_ key: SettingKeys, _ settings: SuiteEditor) throws -> MigrationReport.KeyOutcome {
        var outcome = MigrationReport.KeyOutcome(store: settings.name, key: key.name, outcome: .absent)
        guard let stored = try settings.value(forKey: key.name) else { return outcome }
        switch convert(stored, key.form) {
        case .alreadyCurrent:
            // Its bytes are right in every process, also in one that does not have the class.
            outcome.reason = key.form.holdsArchives ? KeyedArchive.fault(of: stored) : nil
            outcome.outcome = outcome.reason == nil ? .alreadyCurrent : .unreadable
        case .converted(let value):
            try settings.set(value, forKey: key.name)
            outcome.outcome = .converted
        case .notConvertible(let reason, let path):
            outcome.outcome = .notConvertible
            outcome.reason = reason
            outcome.place = path.steps.isEmpty ? nil : path.fullDescription
        }
        return outcome
    }
}
