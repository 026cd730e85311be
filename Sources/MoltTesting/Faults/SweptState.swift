internal import Foundation
internal import Molt

/// The content of a store and its suites, in a form that is equal for repeated upgrades of the same store.
struct SweptState: Equatable {
    /// The content; the ledger entries added by an upgrade have no times and durations.
    private var contents: StoreFixture
    private var journal: [String]
    /// The quarantined records, without their times.
    private var quarantine: [String]
    /// What waits to be handed over.
    private var handovers: [String]

    /// Reads a store.
    ///
    /// - Parameter before: The store's state before the upgrade; nil for the current one.
    init(_ store: TemporaryStore, before: SweptState? = nil) throws {
        contents = try store.contents()
        journal = try store.pendingJournal()
        quarantine = try store.quarantine()
        handovers = try store.handovers()
        guard let before else { return }
        let old = before.contents.ledger
        for index in contents.ledger.indices where !old.contains(contents.ledger[index]) {
            contents.ledger[index].appliedAt = Date(timeIntervalSince1970: 0)
            contents.ledger[index].duration = 0
        }
    }

    /// The problem with the state after an interruption; nil if it is the one before or after an upgrade, or if the
    /// upgrade is committed with pending changes to suites.
    ///
    /// - Parameter isCommitted: Whether the upgrade was committed, so that the state before is a problem.
    func problem(between before: SweptState, and after: SweptState, isCommitted: Bool) -> String? {
        if self == after || self == before && !isCommitted { return nil }
        guard journal.isEmpty else {
            var pending = after
            pending.journal = journal
            pending.contents.suites = contents.suites
            let lines = differences(from: pending) + lostSettings(before.contents.suites, after.contents.suites)
            return lines.isEmpty ? nil : Self.text("Changes to suites have not been applied yet. Until then:", lines)
        }
        if isCommitted {
            return Self.text(
                "The upgrade was committed, but the store differs from an upgraded one:",
                differences(from: after)
            )
        }
        // The intended state is unknown; the more similar one is the likelier.
        let (old, new) = (differences(from: before), differences(from: after))
        return Self.text(
            "The store is neither as it was before the upgrade nor as it is after one. It differs from its "
                + (old.count <= new.count ? "old state in:" : "new state in:"),
            old.count <= new.count ? old : new
        )
    }

    func differences(from expected: SweptState) -> [String] {
        let difference = StoreDifference(expected: expected.contents, found: contents, aspects: .fingerprints)
        var lines = difference.lines
        if lines.isEmpty, contents != expected.contents {
            lines = ["the records are in another order, or the ledger's rows differ"]
        }
        if journal != expected.journal {
            let waiting = journal.joined(separator: ", ")
            lines.append(
                journal.isEmpty ? "no changes are left to apply" : "changes to \(waiting) have not been applied yet"
            )
        }
        if quarantine != expected.quarantine {
            let counts = "\(quarantine.count) records, expected \(expected.quarantine.count)"
            lines.append("the quarantine differs: \(counts)")
        }
        if handovers != expected.handovers {
            let counts = "\(handovers.count) records and settings, expected \(expected.handovers.count)"
            lines.append("what waits to be handed over differs: \(counts)")
        }
        return lines
    }

    /// The settings whose values are neither old nor new, or that were removed before the new ones were set.
    private func lostSettings(
        _ before: [Suite: [String: PropertyListValue]],
        _ after: [Suite: [String: PropertyListValue]]
    ) -> [String] {
        var lines: [String] = []
        var (removed, missing): ([String], [String]) = ([], [])
        let suites = Set(contents.suites.keys).union(before.keys).union(after.keys)
        for suite in suites.sorted(by: { $0.attachedName < $1.attachedName }) {
            let (found, old, new) = (contents.suites[suite] ?? [:], before[suite] ?? [:], after[suite] ?? [:])
            for key in Set(found.keys).union(old.keys).union(new.keys).sorted() {
                let setting = "\(suite): \(key)"
                if found[key] != old[key], found[key] != new[key] {
                    lines.append("\(setting) has neither its old value nor its new one")
                } else if found[key] == nil, old[key] != nil {
                    removed.append(setting)
                } else if found[key] != new[key], new[key] != nil {
                    missing.append(setting)
                }
            }
        }
        if let removed = removed.first, let missing = missing.first {
            lines.append("\(removed) was removed before \(missing) was set")
        }
        return lines
    }

    /// A sentence and a list, of which only the first lines are shown.
    static func text(_ head: String, _ lines: [String]) -> String {
        let more = lines.count > 6 ? ["and \(lines.count - 6) more"] : []
        return ([head] + (lines.prefix(6) + more).map { "  - \($0)" }).joined(separator: "\n")
    }
}
