/// The step that copies or moves settings into a suite, from another one or from a file.
struct SuiteMoveStep: Sendable {
    var source: Source
    var destination: Suite
    var keys: Suite.Keys
    /// The new names of keys, by old name.
    var names: [String: String]
    var policy: ConflictPolicy<Suite>
    var removesSource: Bool

    var migrationStep: MigrationStep {
        let declaration = AttachedStoreStep(
            name: source.kind,
            summary: "\(removesSource ? "move" : "copy") settings from \(source) into \(destination)",
            parameters: parameters,
            faults: faults
        )
        return MigrationStep(
            declaration,
            .settings(
                .receive(from: source.attached, destination, destinationOfKey: destination(of:in:)) { try run($0) }
            )
        )
    }

    /// Where a setting of a suite is moved or copied; nil if it is neither.
    @Sendable private func destination(of key: String, in suite: String) -> SettingsWork.Destination? {
        guard source.name == suite, keys.includes(key) else { return nil }
        return SettingsWork.Destination(suite: destination, key: newName(of: key), isCopy: !removesSource)
    }

    private var parameters: [String] {
        let renames = names.sortedByKey.flatMap { [$0.key, $0.value] }
        return [source.identity, destination.declaredName] + keys.identity + policy.identity
            + [removesSource ? "clean" : "keep", "none", "names"] + renames
    }

    private func newName(of key: String) -> String {
        names[key] ?? key
    }

    // MARK: Checking

    private var faults: [String] {
        var faults = source.faults
        if source.isSame(as: destination) {
            faults.append(
                "The settings are copied from \(source) into \(destination), which is the same place. To give keys "
                    + "other names, use `renameSetting`."
            )
        }
        if keys.list?.isEmpty == true { faults.append("No key is named.") }
        let targets = Dictionary(grouping: Set(names.keys).union(keys.list ?? []), by: newName(of:))
        for (target, olds) in targets.sortedByKey {
            let olds = olds.sorted().map { "\"\($0)\"" }
            if olds.count > 1 {
                faults.append("The keys \(olds.joined(separator: " and ")) would both become \"\(target)\".")
            }
            if target.isEmpty { faults.append("The key \(olds[0]) would get an empty name.") }
            if Suite.reservedKeys.contains(target) { faults.append("The key \"\(target)\" is reserved by Molt.") }
        }
        for key in names.keys.sorted() where !keys.includes(key) {
            faults.append("The key \"\(key)\" gets a new name, but it is not copied.")
        }
        return faults
    }

    // MARK: Moving

    private func run(_ migration: MigrationContext) throws {
        let values = try source.values(migration)
        let new = try migration.suite(destination)
        // Only now is there a file, if all settings were unsaved.
        try checkFiles()
        let sourceWins = try sourceWins(values, new)
        let missed = migration.missedSteps
        /// The moved keys: old names by new name.
        var found: [String: [String]] = [:]
        var outcomes: [MigrationReport.KeyOutcome] = []
        for key in keys.list ?? values.keys.sorted() {
            var outcome = MigrationReport.KeyOutcome(store: source.name, key: key, outcome: .absent)
            if let value = values[key] {
                if keys.includes(key) {
                    if let other = found[newName(of: key)]?.first {
                        try checkSame(value, key, values[other], other)
                    }
                    found[newName(of: key), default: []].append(key)
                    (outcome.outcome, outcome.reason) = try write(value, key, new, missed, sourceWins: sourceWins)
                } else {
                    (outcome.outcome, outcome.reason) = (.kept, "it is not one of the keys to move")
                }
            }
            outcomes.append(outcome)
        }
        if outcomes.isEmpty {
            outcomes.append(MigrationReport.KeyOutcome(store: source.name, key: "*", outcome: .absent))
        }
        // A misspelled key would keep its name.
        let seen = Set(outcomes.map(\.key))
        for key in names.keys.sorted() where !seen.contains(key) {
            outcomes.append(MigrationReport.KeyOutcome(store: source.name, key: key, outcome: .absent))
        }
        try migration.note(outcomes, among: values.keys.sorted())
        if removesSource, case .suite(let suite) = source { try clean(migration.suite(suite), found, new) }
    }

    /// Removes the settings from the source whose values the destination has.
    private func clean(_ old: SuiteEditor, _ found: [String: [String]], _ new: SuiteEditor) throws {
        for (newKey, keys) in found {
            let copy = try new.value(forKey: newKey)
            for key in keys where try old.value(forKey: key) == copy {
                try old.removeValue(forKey: key, movedTo: new, newKey)
            }
        }
    }

    private func checkFiles() throws {
        guard source.isSameFile(as: destination) else { return }
        throw MoltError(
            .unsupported,
            "\(source) and \(destination) have the same file, because one is a link to the other, so nothing can be "
                + "moved.",
            advice: "Remove the link, or the migration.",
            suite: source.attached.name
        )
    }

    /// Sets a value in the destination, unless the destination's value wins.
    private func write(
        _ value: PropertyListValue,
        _ key: String,
        _ new: SuiteEditor,
        _ missed: MissedSteps,
        sourceWins: Bool
    ) throws -> (MigrationReport.KeyOutcome.Outcome, reason: String?) {
        let newKey = newName(of: key)
        let reason = newKey == key ? nil : "its key is \"\(newKey)\" now"
        let present = try new.value(forKey: newKey)
        if present == value { return (.alreadyCurrent, reason) }
        if present != nil, case .fail = policy.rule { throw conflict(key, newKey) }
        if present != nil, !sourceWins { return (.kept, "the destination has another value, which stays") }
        if let step = missed.first(changing: newKey, of: destination) {
            return (.kept, "it would miss \(step.positionInReason), which \(destination) has been through")
        }
        try new.receive(value, forKey: newKey)
        guard present == nil else { return (.replaced, reason) }
        return (removesSource ? .moved : .copied, reason)
    }

    /// Checks that two keys of the source that become one have the same value.
    private func checkSame(
        _ value: PropertyListValue,
        _ key: String,
        _ otherValue: PropertyListValue?,
        _ other: String
    ) throws {
        guard value != otherValue else { return }
        throw MoltError(
            .keyExists,
            "The keys \"\(other)\" and \"\(key)\" of \(source) would both become \"\(newName(of: key))\", and their values "
                + "are not the same.",
            advice: "Choose another new name, or leave one of them out.",
            suite: source.attached.name,
            key: key
        )
    }

    // MARK: Resolving conflicts

    private func conflict(_ key: String, _ newKey: String) -> MoltError {
        MoltError(
            .keyExists,
            "\(destination) has another value under the key \"\(newKey)\" than \(source).",
            advice: "Pass `onConflict:` to say which one stays.",
            suite: source.attached.name,
            key: key
        )
    }

    private func sourceWins(_ values: [String: PropertyListValue], _ new: SuiteEditor) throws -> Bool {
        switch policy.rule {
        case .fail, .keep, .merge, .newest, .newestValue, .mergeImported: return false
        case .replace: return true
        case .newestSuite(let key):
            let here = try time(values[key], key, in: "\(source)")
            let newKey = newName(of: key)
            let there = try time(new.value(forKey: newKey), newKey, in: "\(destination)")
            switch (here, there) {
            case (nil, _): return false
            case (_, nil): return true
            case (.int(let here), .int(let there)): return here > there
            case (.date(let here), .date(let there)): return here > there
            case (.date, _), (_, .date):
                throw notComparable(key, "it holds a date in one of them and a number in the other")
            case (let here?, let there?): return number(here) > number(there)
            }
        }
    }

    private func time(_ value: PropertyListValue?, _ key: String, in store: String) throws -> PropertyListValue? {
        switch value {
        case nil, .date, .int, .unsigned, .double: return value
        default: throw notComparable(key, "it holds neither a date nor a number in \(store)")
        }
    }

    private func number(_ value: PropertyListValue) -> Double {
        switch value {
        case .int(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .double(let number): number
        default: -.infinity
        }
    }

    private func notComparable(_ key: String, _ fault: String) -> MoltError {
        MoltError(
            .typeMismatch,
            "The key \"\(key)\" decides whether \(source) or \(destination) is newer, but \(fault).",
            advice: "Choose another key or another rule.",
            key: key
        )
    }
}
