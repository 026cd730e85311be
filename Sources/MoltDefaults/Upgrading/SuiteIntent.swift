internal import Foundation

/// What an upgrade is to do to a suite, with the suite as it was before, as the journal keeps it.
struct SuiteIntent: Codable {
    /// The suite's whole domain when the upgrade began.
    var snapshot: [String: PropertyListValue]
    /// What is to be set.
    var set: [String: PropertyListValue]
    /// What is to be removed.
    var remove: [String]
    /// The ledger of a suite that is a store itself.
    var ledger: PropertyListValue?

    /// The bytes that the journal keeps: JSON.
    func encoded() throws -> [UInt8] {
        Array(try JSONEncoder().encode(self))
    }

    init(snapshot: [String: PropertyListValue], set: [String: PropertyListValue] = [:], remove: [String] = []) {
        self.snapshot = snapshot
        self.set = set
        self.remove = remove
    }

    /// Reads what the journal kept.
    init(_ bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(bytes))
    }

    /// What is to be added to a domain as it is now; what the app has changed since the commit stays.
    func additions(to current: [String: PropertyListValue]) -> [String: PropertyListValue] {
        var additions: [String: PropertyListValue] = [:]
        if isLost(current) {
            additions = snapshot.merging(set) { $1 }.filter { current[$0.key] == nil }
        } else {
            additions = set.filter { isUnchanged($0.key, in: current) }
        }
        if let ledger { additions[Suite.ledgerKey] = ledger }
        return additions.filter { current[$0.key] != $0.value.asStored() }
    }

    /// What is to be removed from a domain as it is now; what the app has changed since the commit stays.
    func removals(from current: [String: PropertyListValue]) -> Set<String> {
        Set(remove.filter { current[$0] != nil && isUnchanged($0, in: current) })
    }

    private func isUnchanged(_ key: String, in current: [String: PropertyListValue]) -> Bool {
        current[key]?.asStored() == snapshot[key]?.asStored()
    }

    /// Whether a kill has cut off the suite's file: nothing is left of what must be there before and after the changes.
    ///
    /// On Linux the library's own write empties the file before it fills it again.
    private func isLost(_ current: [String: PropertyListValue]) -> Bool {
        let expected = Set(snapshot.keys).subtracting(remove).union(set.keys)
        return !expected.isEmpty && !snapshot.isEmpty && expected.allSatisfy { current[$0] == nil }
    }
}
