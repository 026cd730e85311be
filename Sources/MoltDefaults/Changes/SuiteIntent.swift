internal import Foundation

/// What an upgrade is to do to a suite, with the suite as it was before, as the journal keeps it.
package struct SuiteIntent: Codable {
    /// The suite's whole domain when the upgrade began.
    var snapshot: [String: PropertyListValue]
    /// What is to be set.
    var set: [String: PropertyListValue] = [:]
    /// What is to be removed.
    var remove: [String] = []
    /// The former keys of values that were renamed, by the new ones.
    var renamed: [String: String] = [:]
    /// The keys of values that come from another suite, which loses them when this one has them.
    var arrived: Set<String> = []
    /// Whether the suite is to become what the snapshot is, whatever it is now: the intent of a backup.
    var isReplacement = false
    /// The ledger of a suite that is a store itself.
    var ledger: PropertyListValue?

    init(snapshot: [String: PropertyListValue]) {
        self.snapshot = snapshot
    }

    /// What brings a suite back to a domain.
    init(replacingBy domain: [String: PropertyListValue]) {
        self.init(snapshot: domain)
        isReplacement = true
    }

    // MARK: In the journal

    /// What the journal keeps: JSON, which holds all that a suite can hold exactly, dates to the fraction of a second.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    /// Reads what the journal kept.
    package init(_ bytes: [UInt8]) throws {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch {
            throw DefaultsError(
                .unreadable,
                "The journal's changes to a suite cannot be read.",
                underlying: error
            )
        }
    }

    // MARK: Applying it

    /// What is to be added to a suite as it is now; what the app has changed or removed since the commit stays so.
    func additions(to content: SuiteContent) -> [String: PropertyListValue] {
        let current = content.values
        if isReplacement { return snapshot.filter { !Self.areSame(current[$0.key], $0.value) } }
        var additions: [String: PropertyListValue] = [:]
        if content.isTruncated {
            additions = snapshot.merging(set) { $1 }.filter { current[$0.key] == nil }
        } else {
            let isEmptied = isEmptied(current)
            additions = set.filter { key, value in
                (!isEmptied || arrived.contains(key)) && isUnchanged(key, in: current)
                    && current[key] != value.asStored() && !isRemoved(key, from: current)
            }
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

    /// All that is to be done to a suite as it is now.
    func changes(to content: SuiteContent) -> SuiteEdit {
        var edit = SuiteEdit(values: additions(to: content))
        // What was lost is brought back first, and may be to be removed.
        edit.removed = removals(from: edit.applied(to: content.values))
        edit.values = edit.values.filter { !edit.removed.contains($0.key) }
        edit.removed.formIntersection(content.values.keys)
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

    /// Whether the app has removed all settings since: what was made of them must not come back either.
    private func isEmptied(_ current: [String: PropertyListValue]) -> Bool {
        let keys = snapshot.keys.filter { !Suite.ownKeys.contains($0) }
        return !keys.isEmpty && keys.allSatisfy { current[$0] == nil }
    }

    /// Whether the app has removed a value since that was to get this key.
    private func isRemoved(_ newKey: String, from current: [String: PropertyListValue]) -> Bool {
        guard let key = renamed[newKey], snapshot[key] != nil else { return false }
        return current[key] == nil && current[newKey] == nil
    }
}
