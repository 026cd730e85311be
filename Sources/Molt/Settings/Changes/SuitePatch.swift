internal import Foundation

/// The changes that an upgrade makes to a suite, with the suite's earlier content and its new ledger rows.
///
/// The journal of a store keeps it between the commit and the change of the suite.
package struct SuitePatch: Codable {
    var snapshot: [String: PropertyListValue]
    var set: [String: PropertyListValue] = [:]
    var remove: [String] = []
    /// The old keys of renamed values, by new key.
    var renamed: [String: String] = [:]
    /// The keys of values that come from another suite, which loses them once this suite has them.
    var arrived: Set<String> = []
    /// The places of moved values in other suites, by the keys that they had in this one; nil for none.
    var moved: [String: NewKey]?
    /// Whether the suite's content is replaced by the snapshot, as when a backup is restored.
    var isReplacement = false
    private var added = SuiteLedger.Rows()
    private var correctedRows: SuiteLedger.Rows?
    /// The rows to add to the suite's ledger.
    var rows: [SuiteLedger.Row] {
        get { added.rows }
        set { added.rows = newValue }
    }
    /// The rows of the suite's ledger that were corrected by hand, and are all that changes; nil for none.
    var corrected: [SuiteLedger.Row]? {
        get { correctedRows?.rows }
        set { correctedRows = newValue.map(SuiteLedger.Rows.init) }
    }
    /// The ledger to which the rows are added, if the suite has none or that of another suite; nil for its own.
    var ledger: SuiteLedger?
    /// The identifier of the import that the values come from, so that no migration has to make the same changes; nil
    /// for an upgrade.
    var importID: String?

    private enum CodingKeys: String, CodingKey {
        case snapshot, set, remove, renamed, arrived, moved, isReplacement, ledger, importID
        case added = "rows"
        case correctedRows = "corrected"
    }

    /// A part of the changes: data that moves between suites is always in at least one of them.
    enum Phase: Hashable, Sendable, CaseIterable {
        /// Additions and replacements, and the rows of the ledger.
        case add
        /// Removals.
        case remove
    }

    /// The key that a setting has now, in a suite, which is the app's own if it has no name.
    struct NewKey: Codable {
        var suite: String?
        var key: String
    }

    package init(snapshot: [String: PropertyListValue]) {
        self.snapshot = snapshot
    }

    init(replacingBy domain: [String: PropertyListValue]) {
        self.init(snapshot: domain.mapValues { $0.asStored() })
        isReplacement = true
    }

    // MARK: Coding

    /// Encodes the changes as JSON, which preserves every value exactly, including dates' fractions of a second.
    func encoded() throws -> [UInt8] {
        let bytes = Array(try JSONEncoder(.withoutEscapingSlashes).encode(self))
        Self.latest.withLock { $0 = [(bytes, self)] + $0.prefix(1) }
        return bytes
    }

    package init(_ bytes: [UInt8]) throws {
        if let cached = Self.latest.withLock({ $0.first { $0.bytes == bytes } }) {
            self = cached.patch
            return
        }
        do {
            self = try JSONDecoder().decode(Self.self, fromStored: Data(bytes))
        } catch {
            throw MoltError(.settingUnreadable, "The journal's changes to a suite cannot be read.", underlying: error)
        }
    }

    /// The two latest changes, which the process that encoded them applies without decoding them: a move has two.
    private static let latest = Locked<[(bytes: [UInt8], patch: SuitePatch)]>([])

    // MARK: Applying

    /// Makes the changes of one phase, or of both, and reads them back.
    func apply(_ phase: Phase?, to suite: Suite) throws {
        if phase == .remove, remove.isEmpty, !isReplacement { return }
        let patch = phase == .add ? self : try withoutRemovalsOfLostValues(of: suite)
        var ledger: PropertyListValue?
        try suite.change(restoring: snapshot) { current in
            let changes = try patch.changes(to: current, of: suite, phase)
            ledger = isReplacement ? snapshot[Suite.ledgerKey] : changes[Suite.ledgerKey] ?? current[Suite.ledgerKey]
            return changes
        }
        // If the app has removed everything meanwhile, what was remembered still holds.
        if phase != .remove, isReplacement || ledger != nil { SuiteMemory(of: suite).remember(ledger) }
    }

    /// The changes to a suite's current values; nil removes a value.
    ///
    /// A suite with the patch's rows has its additions. Another store may have brought the suite through one of the
    /// migrations since the commit, and the app may have set values since then: its rows and values stay, and what is
    /// missing is left to the next plan. Imported values are added all the same.
    func changes(
        to current: [String: PropertyListValue],
        of suite: Suite,
        _ phase: Phase? = nil
    ) throws -> [String: PropertyListValue?] {
        let own = try ownLedger(in: current, of: suite)
        // One that was lost since the commit is known by what is remembered. The rows of these changes may be among it,
        // and the settings may have been put back to before them.
        let names = Set(rows.map(\.entry.name))
        let counting =
            try self.ledger ?? (isReplacement ? nil : SuiteMemory(of: suite).ledger()?.recovered(without: names))
        let restored = counting.flatMap { own?.isOfSameSuite(as: $0) == true ? nil : $0 }
        let ledger = restored ?? own
        if let corrected {
            let ledger = ledger ?? SuiteLedger()
            try ledger.checkWritable(in: suite)
            return try (ledger.correcting(corrected) ?? restored).map { [Suite.ledgerKey: try $0.stored()] } ?? [:]
        }
        let isImport = importID != nil
        let history = ledger?.history ?? History()
        let isAdded = importID.map { ledger?.hasImport($0) == true } ?? rows.allSatisfy { history.contains($0.entry) }
        guard isAdded || isImport || !rows.contains(where: { history.repeats($0.entry) }) else { return [:] }
        // All was made at once. What the app has set back since, or removed, stays so.
        if isAdded, isImport || !rows.isEmpty && phase == nil { return [:] }
        var changes: [String: PropertyListValue?] = [:]
        if phase != .remove, rows.isEmpty || !isAdded {
            changes = additions(to: current)
            if !isAdded {
                var ledger = ledger ?? SuiteLedger()
                try ledger.checkWritable(in: suite)
                ledger = ledger.adding(isImport ? rows.filter { !history.repeats($0.entry) } : rows)
                if let importID { ledger.add(import: importID) }
                changes[Suite.ledgerKey] = try ledger.identified(as: SuiteMemory(of: suite).ledger()).stored()
            }
        }
        if phase != .remove, changes[Suite.ledgerKey] == nil, let restored {
            changes[Suite.ledgerKey] = try restored.identified(as: nil).stored()
        }
        if phase != .add {
            for key in removals(from: current) { changes.updateValue(nil, forKey: key) }
        }
        return changes
    }

    /// The ledger among a suite's current values; a ledger that is replaced need not be readable.
    private func ownLedger(in current: [String: PropertyListValue], of suite: Suite) throws -> SuiteLedger? {
        if isReplacement { return nil }
        return ledger == nil ? try SuiteLedger(in: current, of: suite) : try? SuiteLedger(in: current, of: suite)
    }

    /// The values to add to a suite's current ones; keys that the app has changed since the commit keep their state.
    private func additions(to current: [String: PropertyListValue]) -> [String: PropertyListValue] {
        if isReplacement { return snapshot.filter { current[$0.key] != $0.value } }
        let isEmptied = isEmptied(current)
        return set.filter { key, value in
            (!isEmptied || arrived.contains(key)) && isUnchanged(key, in: current)
                && current[key] != value && !isRemoved(key, from: current)
        }
    }

    /// The keys to remove from a current domain; values that the app has changed since the commit stay.
    private func removals(from current: [String: PropertyListValue]) -> [String] {
        if isReplacement { return current.keys.filter { snapshot[$0] == nil } }
        return remove.filter { current[$0] != nil && isUnchanged($0, in: current) }
    }

    /// The domains that it moves values to.
    var destinations: Set<String> {
        Set(moved?.values.map { Suite(name: $0.suite).domainName } ?? [])
    }

    /// A copy that removes moved values only if the suites that they were moved to return them now.
    ///
    /// A suite whose file is also that of the other one, as through a link, would return them, too.
    private func withoutRemovalsOfLostValues(of suite: Suite) throws -> SuitePatch {
        var copy = self
        for (name, moved) in Dictionary(grouping: moved ?? [:], by: \.value.suite) {
            let other = Suite(name: name)
            let found = try suite.isSameFile(as: other) ? [:] : other.allValues()
            let lost = Set(moved.filter { found[$0.value.key] == nil }.map(\.key))
            copy.remove.removeAll { lost.contains($0) }
            for key in lost.sorted() {
                DebugWarning.print("\(other) did not return the moved setting \"\(key)\", which stays in \(suite)")
            }
        }
        return copy
    }

    private func isUnchanged(_ key: String, in current: [String: PropertyListValue]) -> Bool {
        current[key] == snapshot[key]
    }

    /// Whether the app has removed all settings since; values derived from them must not come back either.
    private func isEmptied(_ current: [String: PropertyListValue]) -> Bool {
        let keys = snapshot.keys.filter { !Suite.reservedKeys.contains($0) }
        return !keys.isEmpty && keys.allSatisfy { current[$0] == nil }
    }

    /// Whether the app has since removed the value that was to be renamed to this key.
    private func isRemoved(_ newKey: String, from current: [String: PropertyListValue]) -> Bool {
        guard let key = renamed[newKey], snapshot[key] != nil else { return false }
        return current[key] == nil && current[newKey] == nil
    }
}

extension Suite {
    /// The patch that restores the suite's current state, including values under reserved keys.
    ///
    /// It has the ledger that counts, if that is not the one among the values.
    ///
    /// - Parameter snapshot: Its content, if it is known what counts; by default, what is remembered decides.
    func patchRestoringCurrentState(_ snapshot: SuiteSnapshot? = nil) throws -> JournalEntry {
        var values = try allValues()
        // The ledger of a suite that no migration needs may be damaged.
        if let snapshot = snapshot ?? (try? SuiteSnapshot(self, []) { _ in [] }), snapshot.finding != nil,
            let ledger = snapshot.ledger
        {
            values[Self.ledgerKey] = try ledger.stored()
        }
        return JournalEntry(store: attachedName, changes: try SuitePatch(replacingBy: values).encoded())
    }
}
