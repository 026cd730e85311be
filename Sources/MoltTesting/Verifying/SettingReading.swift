internal import Molt

/// Reads the settings of upgraded stores as the app does today, and looks for the names of settings that none of them
/// has.
struct SettingReading {
    private let settings: [FixtureSetting]
    /// The keys that the stores have, by suite.
    private var keys: [String: Set<String>] = [:]
    /// The forms of their settings, each with the name of a store that has it.
    private var forms: [SampledSetting: [SettingForm: String]] = [:]

    init(_ settings: [FixtureSetting]) {
        self.settings = settings
    }

    /// The coders with which the app reads single settings, if they are not Foundation's own.
    var codings: [SampledSetting: RecordCoding] {
        let codings = settings.filter { !$0.place.isPrefix }.compactMap { setting in
            setting.coding.map { (SampledSetting(setting.place.name.text, in: setting.place.suite), $0) }
        }
        return Dictionary(codings) { $1 }
    }

    /// Adds the keys of an upgraded store, and the forms of its settings.
    ///
    /// - Parameter name: The fixture's file or name.
    mutating func add(_ store: StoreFixture, name: String) {
        for (suite, values) in store.suites { keys[suite.attachedName, default: []].formUnion(values.keys) }
        for setting in store.sampledSettings {
            if let form = setting.value.libraryForm { forms[setting.name, default: [:]][form] = name }
        }
    }

    /// The failures for samples that are JSON text because nothing says otherwise, where the stores have other forms.
    func failuresOfForms() -> [String] {
        settings.filter { $0.samples?.isPresumedText == true }.compactMap { setting in
            let name = SampledSetting(setting.place.name.text, in: setting.place.suite)
            let others = (forms[name] ?? [:]).filter { $0.key != .jsonText }
            guard let found = others.min(by: { $0.value < $1.value }) else { return nil }
            return
                "The sample of the setting \(name.text) is JSON text, because no form is given, and \(found.value) has "
                + "\(found.key) after its upgrade. Pass the form in which the app stores it, such as `form: "
                + ".\(found.key.code)`."
        }
    }

    /// The failures for settings of a store that the app cannot read, and for those that nothing names, if the test
    /// names any.
    ///
    /// - Parameters:
    ///   - migrations: The app's registry.
    ///   - name: The fixture's file or name.
    func failures(in store: StoreFixture, _ migrations: MigrationRegistry, name: String) -> FailureList {
        var failures = FailureList()
        let suites = store.suites.map { ($0.key.attachedName, $0.value) }.sorted { $0.0 < $1.0 }
        for (suite, values) in suites {
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                let named = settings.filter { $0.includes(key, in: suite) }
                let isOnlyInPrefixes = named.allSatisfy(\.place.isPrefix)
                for setting in named where setting.place.isPrefix == isOnlyInPrefixes {
                    guard let problem = setting.problem(value, migrations.coding) else { continue }
                    let location = "\(Shown.key(key)) of \(suite) cannot be read as \(setting.typeName)"
                    failures.add(.decoding, name, "\(location): \(problem)")
                }
            }
        }
        addUnnamed(store, migrations, name: name, to: &failures)
        return failures
    }

    private func addUnnamed(
        _ store: StoreFixture,
        _ migrations: MigrationRegistry,
        name: String,
        to failures: inout FailureList
    ) {
        let unnamed = store.sampledSettings.filter { found in
            let suite = found.suite.attachedName
            return !settings.contains { $0.includes(found.key, in: suite) } && !Suite.Keys.isOfSystem(found.key)
                && !migrations.namesSetting(found.key, of: suite)
        }
        guard !settings.isEmpty, let first = unnamed.first else { return }
        let list = unnamed.map { "    .unread(\($0.name.arguments))," }.joined(separator: "\n")
        failures.add(
            .unnamedSetting,
            "catalog",
            "after the upgrade there are settings that are not among those that were given, and no step names them. Add "
                + "`.setting(\(first.key.debugDescription), Value.self, in: \(first.name.suiteCode))` for one that the app "
                + "reads, or a migration that renames or removes it. List those that are not the app's:\n\(list)",
            at: .summary(name)
        )
    }

    /// The failures for names that no store has, if it has a similar key that is not named, or another suite has the
    /// key.
    ///
    /// Others may be keys that few users have set.
    func failuresOfNames() -> FailureList {
        var failures = FailureList()
        for setting in settings {
            let (place, suite) = (setting.place, setting.place.suite.attachedName)
            guard !(keys[suite] ?? []).contains(where: place.includes) else { continue }
            let others = unnamed(in: suite)
            let name = place.name.text
            let names = place.isPrefix ? others.map { String($0.prefix(name.count)) } : others
            let otherSuite = keys.keys.sorted().first { unnamed(in: $0).contains(where: place.includes) }
            let advice =
                if let otherSuite {
                    "\(otherSuite) has it. Correct the suite"
                } else if let nearest = MigrationReport.UnmatchedName.nearest(to: name, among: names) {
                    "did you mean \"\(nearest)\"? Correct the name"
                } else {
                    ""
                }
            guard !advice.isEmpty else { continue }
            failures.add(
                .unmatchedName,
                "catalog",
                "\"\(place.label)\" of \(suite) in `settings` is in no fixture after its upgrade; \(advice), or add a "
                    + "fixture that has it."
            )
        }
        return failures
    }

    /// The keys of a suite, sorted, without those that the test names.
    private func unnamed(in suite: String) -> [String] {
        (keys[suite] ?? []).filter { key in !settings.contains { $0.includes(key, in: suite) } }.sorted()
    }
}

extension PropertyListValue {
    /// The form of a Codable value; nil for what is in none.
    fileprivate var libraryForm: SettingForm? {
        if let string { return (try? JSONPart(string)) != nil ? .jsonText : .native }
        return (try? SettingContent(self))?.form
    }
}
