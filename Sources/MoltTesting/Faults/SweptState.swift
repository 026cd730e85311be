internal import Foundation
internal import MoltCore
internal import MoltDefaults

/// The content of a store and its suites, in a form that is equal for repeated upgrades of the same store.
package struct SweptState: Equatable {
    /// The content; the ledger entries added by an upgrade have no times and durations.
    package var contents: StoreFixture
    package var journal: [String]
    /// The quarantined records, without their times.
    package var quarantine: [String]

    package init(_ contents: StoreFixture, journal: [String] = [], quarantine: [String] = []) {
        self.contents = contents
        self.journal = journal
        self.quarantine = quarantine
    }

    /// Reads a store.
    ///
    /// - Parameter before: The store's state before the upgrade; nil for the current one.
    init(_ store: TemporaryStore, before: SweptState? = nil) throws {
        contents = try store.contents()
        journal = try store.pendingJournal()
        quarantine = try store.quarantine()
        guard let before else { return }
        let old = Set(before.contents.ledger)
        for index in contents.ledger.indices where !old.contains(contents.ledger[index]) {
            contents.ledger[index].appliedAt = Date(timeIntervalSince1970: 0)
            contents.ledger[index].duration = 0
        }
    }

    var inside: StoreFixture {
        var inside = contents
        inside.suites = [:]
        return inside
    }
}

extension SweptState {
    /// The problem with an upgrade's state; nil if it equals the state before or after, or if it is committed with
    /// pending changes to suites.
    ///
    /// - Parameter isCommitted: Whether the upgrade was committed, so that the state before is a problem.
    func fault(on course: FaultSweep.Course, isCommitted: Bool) -> String? {
        let (before, after) = (course.before, course.after)
        if self == after { return nil }
        if self == before, !isCommitted { return nil }
        if journal.isEmpty {
            guard !isCommitted else {
                return """
                    The upgrade was committed, but the store is not as it is after it:
                    \(Self.list(differences(from: after)))
                    """
            }
            let (sinceBefore, sinceAfter) = (differences(from: before), differences(from: after))
            // The intended state is unknown; the more similar one is the likelier.
            let isNearBefore = sinceBefore.count <= sinceAfter.count
            return """
                The store is neither as it was nor as it is after the upgrade. It would be as it \(isNearBefore ? "was" : "is after it"), but:
                \(Self.list(isNearBefore ? sinceBefore : sinceAfter))
                """
        }
        guard inside == after.inside, quarantine == after.quarantine else {
            return """
                Changes to suites are still to be made, but the store is not as it is after the upgrade:
                \(Self.list(Self.lines(inside, expected: after.inside) + quarantineLines(after)))
                """
        }
        let torn = inconsistentSettings(before.contents.suites, after.contents.suites)
        guard !torn.isEmpty else { return nil }
        return "Changes to suites are still to be made, and meanwhile settings are lost:\n\(Self.list(torn))"
    }

    func differences(from expected: SweptState) -> [String] {
        var lines = Self.lines(contents, expected: expected.contents)
        if journal != expected.journal {
            let waiting = journal.isEmpty ? "no store" : journal.joined(separator: ", ")
            lines.append("changes are still to be made to \(waiting)")
        }
        return lines + quarantineLines(expected)
    }

    private func quarantineLines(_ expected: SweptState) -> [String] {
        guard quarantine != expected.quarantine else { return [] }
        let counts = "\(quarantine.count) records, expected \(expected.quarantine.count)"
        return ["the quarantine has \(counts), or other ones"]
    }

    /// The settings whose values are neither old nor new, or that were removed before the new ones were set.
    private func inconsistentSettings(
        _ before: [Suite: [String: PropertyListValue]],
        _ after: [Suite: [String: PropertyListValue]]
    ) -> [String] {
        var torn: [String] = []
        var removed: [String] = []
        var missing: [String] = []
        let suites = Set(contents.suites.keys).union(before.keys).union(after.keys)
        for suite in suites.sorted(by: { $0.attachedName < $1.attachedName }) {
            let (found, old, new) = (contents.suites[suite] ?? [:], before[suite] ?? [:], after[suite] ?? [:])
            for key in Set(found.keys).union(old.keys).union(new.keys).sorted() {
                let place = "\(suite): \(key)"
                if found[key] != old[key], found[key] != new[key] {
                    torn.append("\(place) is neither as it was nor as it is to be")
                } else if found[key] == nil, old[key] != nil {
                    removed.append(place)
                } else if found[key] != new[key], new[key] != nil {
                    missing.append(place)
                }
            }
        }
        if let removed = removed.first, let missing = missing.first {
            torn.append("\(removed) was removed before \(missing) was set")
        }
        return torn
    }

    /// The differences between two stores that must be equal in all respects, one per line.
    static func lines(_ found: StoreFixture, expected: StoreFixture) -> [String] {
        let lines = StoreDifference(expected: expected, found: found, aspects: .fingerprints).lines
        guard lines.isEmpty, found != expected else { return lines }
        return ["the records are in another order, or the ledger's rows do not say the same"]
    }

    static func list(_ lines: [String]) -> String {
        let shown = 6
        var lines = lines
        if lines.count > shown { lines[shown...] = ["and \(lines.count - shown) more"] }
        return lines.map { "  - \($0)" }.joined(separator: "\n")
    }
}
