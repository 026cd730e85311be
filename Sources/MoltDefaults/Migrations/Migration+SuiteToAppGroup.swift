internal import Foundation
public import MoltCore

extension Migration {
    /// Moves settings from a suite into another one, as from the app's own into an app group that extensions share.
    ///
    /// ```swift
    /// .suiteToAppGroup(to: 4, from: .standard, into: .suite("group.com.example.app"))
    /// ```
    /// Only values of the source's own domain are moved: no registered default, no argument, nothing of the global
    /// domain. They are read back from disk before anything is removed from the source. Migrations behind this one see
    /// them at the new place.
    ///
    /// The migration is deferred, and tried again at every opening, when the source cannot be seen: in an app extension,
    /// for which `.standard` is another suite; while it reads as empty though it was not; and as the canary says.
    ///
    /// - Parameters:
    ///   - version: The schema version that it brings a store to.
    ///   - name: A name that no other migration of the registry has.
    ///   - source: Where the settings are.
    ///   - destination: Where they shall be. A name that cannot be used, as of an app group that the app is not entitled
    ///     to, fails the upgrade.
    ///   - keys: Which ones are moved; all by default.
    ///   - names: The new names of keys that get one, by the old ones; none by default.
    ///   - conflict: Which value stays when both suites have one; that of the destination by default.
    ///   - afterwards: Whether the values stay at the old place, too; they do by default.
    ///   - canary: How to know that the source can be read; what is seen is trusted by default.
    public static func suiteToAppGroup(
        to version: Int,
        _ name: String = "suite-to-app-group",
        from source: Suite,
        into destination: Suite,
        keys: SuiteMove.Keys = .all,
        renaming names: [String: String] = [:],
        conflict: SuiteMove.Conflict = .destinationWins,
        source afterwards: SuiteMove.Source = .keep,
        canary: SuiteMove.Canary = .none
    ) -> Migration {
        let step = SuiteMoveStep(
            source: source,
            destination: destination,
            keys: keys,
            names: names,
            conflict: conflict,
            afterwards: afterwards,
            canary: canary
        )
        return Migration(to: version, name, step.migrationStep)
    }
}

/// The step that moves settings.
private struct SuiteMoveStep: Sendable {
    var source: Suite
    var destination: Suite
    var keys: SuiteMove.Keys
    var names: [String: String]
    var conflict: SuiteMove.Conflict
    var afterwards: SuiteMove.Source
    var canary: SuiteMove.Canary

    var migrationStep: MigrationStep {
        MigrationStep(
            words: "\(afterwards == .clean ? "move" : "copy") settings from \(source) into \(destination)",
            parameters: parameters,
            faults: faults,
            attaching: [source, destination],
            readiness: { try readiness() },
            { migration in try run(migration) }
        )
    }

    private var parameters: [String] {
        let renames = names.sorted { $0.key < $1.key }.map { "\($0.key) to \($0.value)" }
        return ["keys: \(keys.words)", "conflict: \(conflict)", "source: \(afterwards)", "canary: \(canary.words)"]
            + renames
    }

    private var faults: [String] {
        var faults: [String] = []
        if source.isSameDomain(as: destination) {
            faults.append("The settings are moved from \(source) to \(destination), which is the same.")
        }
        if keys.list?.isEmpty == true { faults.append("No key is named.") }
        let targets = Dictionary(grouping: Set(names.keys).union(keys.list ?? [])) { names[$0] ?? $0 }
        for (target, olds) in targets.sorted(by: { $0.key < $1.key }) where olds.count > 1 {
            faults.append("The keys \(olds.sorted().joined(separator: " and ")) would both become \"\(target)\".")
        }
        for target in names.values where target.isEmpty {
            faults.append("A key would get an empty name.")
        }
        for key in names.keys.sorted() where !keys.includes(key) {
            faults.append("The key \"\(key)\" gets a new name, but it is not moved.")
        }
        return faults
    }

    private func readiness() throws -> String? {
        let seen = try Set(SuiteDomain(source).read().keys)
        guard try !canary.isAlive(seen, Set(SuiteDomain(destination).read().keys)) else { return nil }
        return "The settings in \(source) may not be readable yet: \(canary.words) is not there."
    }

    private func run(_ migration: MigrationContext) throws {
        let old = try migration.suite(source)
        let new = try migration.suite(destination)
        let sourceWins = try sourceWins(old, new)
        for key in try keys.list ?? old.keys {
            migration.note(try move(key, old, new, sourceWins: sourceWins))
        }
    }

    private func move(
        _ key: String,
        _ old: SuiteChanges,
        _ new: SuiteChanges,
        sourceWins: Bool
    ) throws -> KeyOutcome {
        var outcome = KeyOutcome(store: source.attachedName, key: key, outcome: .moved)
        guard let value = try old.value(forKey: key) else {
            outcome.outcome = .absent
            return outcome
        }
        guard keys.includes(key) else {
            outcome.outcome = .kept
            outcome.reason = "it is not one of the keys to move"
            return outcome
        }
        let newKey = names[key] ?? key
        let present = try new.value(forKey: newKey)
        switch present {
        case nil:
            try new.set(value, forKey: newKey)
        case value?:
            outcome.outcome = .alreadyCurrent
        case _? where sourceWins:
            try new.set(value, forKey: newKey)
            outcome.outcome = .replaced
        case _?:
            outcome.outcome = .kept
            outcome.reason = "the destination has another value, which stays"
            return outcome
        }
        if afterwards == .clean { try old.removeValue(forKey: key) }
        return outcome
    }

    private func sourceWins(_ old: SuiteChanges, _ new: SuiteChanges) throws -> Bool {
        switch conflict {
        case .destinationWins: return false
        case .sourceWins: return true
        case .newest(let key):
            let there = try new.value(forKey: names[key] ?? key)
            guard let here = try time(old.value(forKey: key), key) else { return false }
            guard let there = try time(there, key) else { return true }
            return here > there
        }
    }

    /// A date or a number as something that can be compared.
    private func time(_ value: PropertyListValue?, _ key: String) throws -> Double? {
        switch value {
        case nil: return nil
        case .date(let date): return date.timeIntervalSinceReferenceDate
        case .int(let number): return Double(number)
        case .unsigned(let number): return Double(number)
        case .double(let number): return number
        default:
            var error = MigrationError(
                .typeMismatch,
                "The key \"\(key)\" shall say which of \(source) and \(destination) was written last, but it holds neither a "
                    + "date nor a number. Choose another key or another rule."
            )
            error.recordKey = key
            throw error
        }
    }
}
