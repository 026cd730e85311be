/// The keys that suites may have before a step runs, as far as the steps before it tell.
struct ExpectedKeys {
    /// The keys by suite, as the name of an attached store.
    private var keys: [String: Set<String>]
    /// The suites that may have any key.
    private var unknown: Set<String> = []

    init(_ suites: [String: AttachedStores.SuiteState]) {
        keys = suites.compactMapValues { suite in (try? suite.content?.values()).map { Set($0.keys) } }
    }

    func mayHave(_ place: SettingsPlace) -> Bool {
        let suite = place.suite.attachedName
        return unknown.contains(suite) || keys[suite]?.contains(where: place.includes) == true
    }

    /// Adds the keys that a step may bring; those that it removes stay, since it may also find a reason to keep them.
    mutating func add(from step: MigrationStep) {
        let suites = step.attached.compactMap { $0.suite?.attachedName }
        switch step.work {
        case .block: unknown.formUnion(suites)
        case .settings(let work): add(from: work, suites)
        case .records, .store, .bring, .check: break
        }
    }

    private mutating func add(from work: SettingsWork, _ suites: [String]) {
        if work.bringsUnknownSettings || suites.count > 1 && suites.contains(where: unknown.contains) {
            unknown.formUnion(suites)
        }
        for (suite, names) in keys where suites.contains(suite) {
            for key in names {
                guard let new = work.destination(of: key, in: suite) else { continue }
                keys[new.suite.attachedName, default: []].insert(new.key)
            }
        }
    }
}
