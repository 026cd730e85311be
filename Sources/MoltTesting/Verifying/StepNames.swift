internal import Molt

/// The names in the declared steps of a registry, compared with the records and settings of all fixtures.
///
/// Blocks are left out, as they may look for records that are rarely there.
struct StepNames {
    private struct StepID: Hashable {
        var migration: String
        /// The step's position in its migration.
        var step: Int
    }

    /// The properties in steps that no fixture has had so far, if one has had records of the type, or the setting.
    private var properties: [StepID: [PropertyPath: MigrationReport.UnmatchedName]] = [:]
    /// The types in steps of which a fixture has had no record.
    private var types: [StepID: MigrationReport.UnmatchedName] = [:]
    /// The settings in an old form that no migration names, by migration and key.
    private var forgotten: [String: [String: MigrationReport.KeyOutcome]] = [:]
    /// The keys that no fixture has had so far, and those that one has had, by migration.
    private var absent: [String: [Setting: MigrationReport.KeyOutcome]] = [:]
    private var present: [String: Set<Setting>] = [:]
    /// The keys that fixtures have before their upgrades, by suite.
    private var keys: [String: Set<String>] = [:]

    private struct Setting: Hashable {
        /// The step's position in its migration.
        var step: Int
        var suite: String
        var key: String

        init(step: Int, _ outcome: MigrationReport.KeyOutcome) {
            self.step = step
            (suite, key) = (outcome.store, outcome.key)
        }

        /// Whether a key is what a step names: the key, or a prefix with an asterisk.
        func names(_ other: String) -> Bool {
            key == other || key.hasSuffix("*") && other.hasPrefix(key.dropLast())
        }
    }

    /// Adds what an upgrade of a fixture found.
    ///
    /// - Parameter isWhole: Whether it was an upgrade through the whole registry; a later migration may convert a key.
    mutating func add(
        _ report: MigrationReport,
        of fixture: StoreFixture,
        _ migrations: MigrationRegistry,
        isWhole: Bool
    ) {
        for (suite, values) in fixture.suites { keys[suite.attachedName, default: []].formUnion(values.keys) }
        let suites = fixture.suites.filter { !$0.value.isEmpty }.keys.map(\.attachedName)
        for entry in report.entries where isWhole {
            let name = entry.migration.name
            for (index, step) in entry.steps.enumerated() {
                for var key in step.keys {
                    let setting = Setting(step: index, key)
                    switch key.outcome {
                    case .notNamed: forgotten[name, default: [:]][key.key] = key
                    case .absent:
                        // Where no setting is left, the key may have been there before an earlier migration.
                        if !suites.contains(key.store) { key.reason = nil }
                        absent[name, default: [:]].merge([setting: key], uniquingKeysWith: Self.clearer)
                    default: present[name, default: []].insert(setting)
                    }
                }
            }
        }
        let steps = Dictionary(migrations.migrations.map { ($0.name, $0.steps) }) { first, _ in first }
        for entry in report.entries {
            for (index, step) in entry.steps.enumerated() {
                let isOnSettings = steps[entry.migration.name]?[index].settings != nil
                // Nothing was looked for in a store without records, or without a setting that can be read.
                let hasLooked = isOnSettings ? step.hasReadSetting : !fixture.records.isEmpty
                guard hasLooked else { continue }
                let stepID = StepID(migration: entry.migration.name, step: index)
                if let type = step.unmatched.first(where: { $0.property == nil }) {
                    types.merge([stepID: type], uniquingKeysWith: Self.clearer)
                } else {
                    let names = step.unmatched.compactMap { name in name.property.map { ($0, name) } }
                    add(Dictionary(names, uniquingKeysWith: Self.clearer), at: stepID)
                }
            }
        }
    }

    /// Keeps the properties that neither the fixtures before nor this one have.
    private mutating func add(_ names: [PropertyPath: MigrationReport.UnmatchedName], at stepID: StepID) {
        guard let earlier = properties[stepID] else {
            properties[stepID] = names
            return
        }
        properties[stepID] = earlier.filter { names[$0.key] != nil }.merging(
            names.filter { earlier[$0.key] != nil },
            uniquingKeysWith: Self.clearer
        )
    }

    /// The name with the nearest one that exists.
    private static func clearer(
        _ name: MigrationReport.UnmatchedName,
        _ other: MigrationReport.UnmatchedName
    ) -> MigrationReport.UnmatchedName {
        name.nearest == nil ? other : name
    }

    /// The outcome with the nearest key; in some fixture there may be no similar one.
    private static func clearer(
        _ key: MigrationReport.KeyOutcome,
        _ other: MigrationReport.KeyOutcome
    ) -> MigrationReport.KeyOutcome {
        key.reason == nil ? other : key
    }

    mutating func add(_ other: StepNames) {
        for (stepID, names) in other.properties { add(names, at: stepID) }
        types.merge(other.types, uniquingKeysWith: Self.clearer)
        forgotten.merge(other.forgotten) { $0.merging($1) { first, _ in first } }
        absent.merge(other.absent) { $0.merging($1, uniquingKeysWith: Self.clearer) }
        present.merge(other.present) { $0.union($1) }
        keys.merge(other.keys) { $0.union($1) }
    }

    /// The failures for settings in an old form that no migration names.
    func failuresOfForgotten(in migrations: MigrationRegistry) -> FailureList {
        var failures = FailureList()
        for migration in migrations.migrations {
            for (_, key) in (forgotten[migration.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
                failures.add(.unmatchedName, "registry", "migration \(migration.id): \(key).")
            }
        }
        return failures
    }

    /// The failures for names that no record or setting of any fixture has, and for keys of settings.
    func failures(of migrations: MigrationRegistry) -> FailureList {
        var failures = FailureList()
        for migration in migrations.migrations {
            for problem in problemsOfKeys(in: migration) {
                failures.add(.unmatchedName, "registry", "migration \(migration.id): \(problem)")
            }
            for (index, step) in migration.steps.enumerated() where step.isDeclared || step.isConditional {
                let stepID = StepID(migration: migration.name, step: index)
                let names =
                    properties[stepID].map { $0.values.sorted { "\($0)" < "\($1)" } }
                    ?? [step.isDeclared ? types[stepID] : nil].compactMap(\.self)
                for name in names {
                    failures.add(
                        .unmatchedName,
                        "registry",
                        "migration \(migration.id), step \(index + 1) (\(step)): \(name.inFixtures) Correct the name, or add "
                            + "a fixture with a \(name.suite == nil ? "record" : "setting") that has it."
                    )
                }
            }
        }
        return failures
    }

    /// The problems with keys that a migration names and no fixture has, if one has a similar key, or another suite
    /// does.
    ///
    /// Others may be keys that few users have set, or that nothing writes any more.
    private func problemsOfKeys(in migration: Migration) -> [String] {
        let found = present[migration.name] ?? []
        return (absent[migration.name] ?? [:]).filter { setting, _ in
            !migration.steps[setting.step].isBlock
                && !found.contains {
                    $0.step == setting.step && $0.suite == setting.suite && setting.names($0.key)
                }
        }
        .sorted { ($0.key.step, $0.key.suite, $0.key.key) < ($1.key.step, $1.key.suite, $1.key.key) }
        .compactMap { setting, key in
            let what = "\"\(key.key)\" of \(key.store) is in no fixture"
            let isInOneSuite = migration.steps[setting.step].settings != nil
            if isInOneSuite, let suite = otherSuite(of: setting) {
                return "\(what); \(suite) has it. Correct the suite, or add a fixture that has it."
            }
            return key.reason.map { "\(what); \($0). Correct the key, or add a fixture that has it." }
        }
    }

    /// The suite in which a fixture has a key, if none has it in the suite of the step.
    private func otherSuite(of setting: Setting) -> String? {
        func has(_ suite: String) -> Bool { keys[suite]?.contains(where: setting.names) ?? false }
        // The app may use one key in two suites, with a step for each.
        func hasStep(_ suite: String) -> Bool {
            present.values.contains { $0.contains { $0.suite == suite && setting.names($0.key) } }
        }
        return has(setting.suite) ? nil : keys.keys.sorted().first { has($0) && !hasStep($0) }
    }
}

extension MigrationReport.Step {
    /// Whether the step has read a setting, and found or missed the properties that it names.
    fileprivate var hasReadSetting: Bool {
        let unread: [MigrationReport.KeyOutcome.Outcome] = [.absent, .notConvertible, .unreadable]
        return !unmatched.isEmpty || keys.contains { !unread.contains($0.outcome) }
    }
}

extension MigrationReport.UnmatchedName {
    /// A sentence without the number of records of the one fixture in which the name was looked for.
    fileprivate var inFixtures: String {
        let subject =
            suite.map { "fixture's setting \"\(type)\" of \($0)" } ?? "record of type \"\(type)\" of a fixture"
        let what = property.map { "\"\($0)\" is in no \(subject)" } ?? "no fixture has a record of type \"\(type)\""
        guard let nearest else { return what + "." }
        return what + "; did you mean \(nearest.hasPrefix("[") ? nearest : "\"\(nearest)\"")?"
    }
}
