internal import Foundation

/// What an upgrade is to do to a suite, with the suite as it was before, as the journal keeps it.
///
/// The journal's form is a binary property list: it keeps all that a suite can hold exactly, dates to the fraction of a
/// second, and is written and read as fast as the suite itself.
package struct SuiteIntent {
    /// The suite's whole domain when the upgrade began.
    var snapshot: [String: PropertyListValue]
    /// What is to be set.
    var set: [String: PropertyListValue]
    /// What is to be removed.
    var remove: [String]
    /// Whether the suite is to become what the snapshot is, whatever it is now: the intent of a backup.
    private(set) var isReplacement = false
    /// The ledger of a suite that is a store itself.
    var ledger: PropertyListValue?

    init(snapshot: [String: PropertyListValue], set: [String: PropertyListValue] = [:], remove: [String] = []) {
        self.snapshot = snapshot
        self.set = set
        self.remove = remove
    }

    /// What brings a suite back to a domain.
    init(replacingBy domain: [String: PropertyListValue]) {
        self.init(snapshot: domain)
        isReplacement = true
    }

    // MARK: In the journal

    /// What the journal keeps.
    func encoded() throws -> [UInt8] {
        if isReplacement {
            // A release that knows no backups must refuse this, and not take it for an intent that changes nothing.
            return BinaryPropertyListWriter.bytes(["replacement": .dictionary(snapshot)])
        }
        var parts: [String: PropertyListValue] = [
            "snapshot": .dictionary(snapshot), "set": .dictionary(set), "remove": .array(remove.map { .string($0) }),
        ]
        parts["ledger"] = ledger
        return BinaryPropertyListWriter.bytes(.dictionary(parts))
    }

    /// Whether the journal's bytes may say that something is to be removed, without reading all of them.
    static func mayRemove(_ bytes: [UInt8]) throws -> Bool {
        guard let list = BinaryPropertyList(Data(bytes)), let parts = list.properties(at: list.root),
            let index = parts["remove"], case .array(let keys)? = list.object(at: index)
        else { return true }
        return !keys.isEmpty
    }

    /// Reads what the journal kept.
    package init(_ bytes: [UInt8]) throws {
        // The list of parts, and the dictionary of keys in one of them.
        let parts = try PropertyListReader.value(Data(bytes), around: 2).dictionary
        if let domain = parts?["replacement"]?.dictionary {
            self.init(replacingBy: domain)
            return
        }
        guard let parts, let snapshot = parts["snapshot"]?.dictionary, let set = parts["set"]?.dictionary,
            let remove = parts["remove"]?.array
        else {
            throw DefaultsError(.unreadable, "The journal's changes to a suite cannot be read.")
        }
        self.init(snapshot: snapshot, set: set, remove: remove.compactMap(\.string))
        ledger = parts["ledger"]
    }

    // MARK: Applying it

    /// What is to be added to a domain as it is now; what the app has changed since the commit stays.
    func additions(to current: [String: PropertyListValue]) -> [String: PropertyListValue] {
        if isReplacement { return snapshot.filter { !Self.areSame(current[$0.key], $0.value) } }
        var additions: [String: PropertyListValue] = [:]
        if isLost(current) {
            additions = snapshot.merging(set) { $1 }.filter { current[$0.key] == nil }
        } else {
            additions = set.filter { isUnchanged($0.key, in: current) && current[$0.key] != $0.value.asStored() }
        }
        // A ledger that was not there when the upgrade began is one that could not be seen then, and is the true one.
        if let ledger, current[Suite.ledgerKey] != ledger.asStored(),
            current[Suite.ledgerKey] == nil || isUnchanged(Suite.ledgerKey, in: current)
        {
            additions[Suite.ledgerKey] = ledger
        }
        return additions
    }

    /// What is to be removed from a domain as it is now; what the app has changed since the commit stays.
    func removals(from current: [String: PropertyListValue]) -> Set<String> {
        if isReplacement { return Set(current.keys).subtracting(snapshot.keys) }
        return Set(remove.filter { current[$0] != nil && isUnchanged($0, in: current) })
    }

    /// All that is to be done to a domain as it is now.
    func changes(to current: [String: PropertyListValue]) -> SuiteEdit {
        var edit = SuiteEdit(values: additions(to: current))
        // What was lost is brought back first, and may be to be removed.
        edit.removed = removals(from: edit.applied(to: current))
        edit.values = edit.values.filter { !edit.removed.contains($0.key) }
        edit.removed.formIntersection(current.keys)
        return edit
    }

    private func isUnchanged(_ key: String, in current: [String: PropertyListValue]) -> Bool {
        Self.areSame(current[key], snapshot[key])
    }

    /// Whether a suite keeps both as the same, or has none of them.
    private static func areSame(_ value: PropertyListValue?, _ other: PropertyListValue?) -> Bool {
        guard let value, let other else { return value == nil && other == nil }
        return value.isStored(as: other)
    }

    /// Whether a kill has cut off the suite's file: no value is as it was before the changes, or as it is after them.
    ///
    /// On Linux the library's own write empties the file before it fills it again. The app may have set something since.
    private func isLost(_ current: [String: PropertyListValue]) -> Bool {
        guard !snapshot.isEmpty, !set.isEmpty || !snapshot.keys.allSatisfy(Set(remove).contains) else { return false }
        return !current.contains { key, value in
            Self.areSame(value, snapshot[key]) || Self.areSame(value, set[key])
        }
    }
}
