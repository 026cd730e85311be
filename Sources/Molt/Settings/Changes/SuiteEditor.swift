/// A suite during an upgrade: its content when the upgrade began, with the changes of all steps so far.
///
/// ```swift
/// .run("seconds become minutes", suites: [Suite.standard], onFreshStore: true) { migration in
///     let settings = try migration.suite(.standard)
///     if case .int(let seconds)? = try settings.value(forKey: "interval") {
///         try settings.set(.int(seconds / 60), forKey: "interval")
///     }
/// }
/// ```
///
/// Only the suite's own persistent domain is read and changed, never registered defaults, arguments or the global
/// domain. Nothing is changed before the upgrade is committed.
///
/// Do not use an editor after the upgrade has ended: a call then stops the process.
public final class SuiteEditor: SettingsAccess {
    /// The suite that is being upgraded.
    public let suite: Suite
    /// The suite's name as an attached store.
    let name: String
    /// The domain when the upgrade began, as the suite would return it after a write.
    private let snapshot: [String: PropertyListValue]
    private let ledger: SuiteLedger?
    /// Whether the ledger is not the one in the settings, and has to be put there.
    private let restoresLedger: Bool
    /// The changes of all steps so far.
    var edits = Edits()
    /// The changes at the last call of ``samples(limit:)``.
    private var sampled: [String: PropertyListValue?] = [:]
    private var isOver = false
    /// The keys that were set or removed since the step began.
    private var touched: Set<String> = []
    /// What the steps of the current migration have changed the content of.
    private var contents = ContentChanges()
    /// The first error of a subscript, which fails the upgrade.
    private var failure: (any Error)?

    /// Changes to a suite.
    struct Edits {
        /// The values that steps have set; nil for removed ones.
        fileprivate var changes: [String: PropertyListValue?] = [:]
        /// The old keys of renamed values, by new key.
        fileprivate var renamed: [String: String] = [:]
        /// The keys of values that come from another suite.
        fileprivate var arrived: Set<String> = []
        /// The new places of moved values, by their keys in this suite.
        fileprivate var moved: [String: Moved] = [:]
    }

    /// Settings whose content the steps of a migration change, all of them or none.
    private struct ContentChanges {
        var migration = ""
        /// The values before the migration.
        var before: [String: PropertyListValue] = [:]
        /// The keys of values that a step could not convert.
        var unconverted: Set<String> = []
    }

    fileprivate struct Moved {
        // Two suites may exchange values.
        weak var suite: SuiteEditor?
        var key: String
    }

    init(_ suite: Suite, _ snapshot: SuiteSnapshot) {
        self.suite = suite
        name = suite.attachedName
        self.snapshot = snapshot.values.mapValues { $0.asStored() }
        ledger = snapshot.ledger
        restoresLedger = snapshot.finding != nil
    }

    // MARK: Reading

    /// The keys that currently have a value, sorted.
    public var keys: [String] {
        get throws {
            try check()
            return currentKeys.sorted()
        }
    }

    /// The number of keys that currently have a value.
    package var count: Int {
        currentKeys.count
    }

    /// The current value of a key; nil if it has none.
    ///
    /// - Throws: The error that a subscript has met before, since it could not throw it.
    public func value(forKey key: String) throws -> PropertyListValue? {
        try check()
        return Suite.reservedKeys.contains(key) ? nil : current(key)
    }

    // MARK: Changing

    /// Sets a value.
    ///
    /// - Throws: ``MoltError`` with the code `cannotStore` for a value or a key that no suite can hold.
    public func set(_ value: PropertyListValue, forKey key: String) throws {
        try checkKey(key)
        do {
            try suite.check(value, forKey: key)
            try suite.checkForm(of: key, among: snapshot)
        } catch {
            throw ofStep(error)
        }
        // The next step sees the same value as if the store had been closed and reopened in between.
        change(key, to: value.asStored())
    }

    func receive(_ value: PropertyListValue, forKey key: String) throws {
        try set(value, forKey: key)
        edits.arrived.insert(key)
    }

    /// Removes a value; does nothing if the key has none.
    public func removeValue(forKey key: String) throws {
        try checkKey(key)
        change(key, to: nil)
    }

    /// Removes a value that another suite has now.
    func removeValue(forKey key: String, movedTo other: SuiteEditor, _ newKey: String) throws {
        try removeValue(forKey: key)
        edits.moved[key] = Moved(suite: other, key: newKey)
    }

    /// Renames a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - newKey: Its new name.
    ///   - policy: The policy if the new key has another value.
    /// - Returns: Whether the key had a value.
    /// - Throws: ``MoltError`` with the code `keyExists` if the new key has another value.
    @discardableResult
    public func rename(
        _ key: String,
        to newKey: String,
        onConflict policy: ConflictPolicy<PropertyListValue> = .fail
    ) throws -> Bool {
        try renaming(key, to: newKey, policy) != .absent
    }

    /// Copies the value of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - newKey: The key that gets its value.
    ///   - policy: The policy if that key has another value.
    /// - Returns: Whether the key had a value.
    /// - Throws: ``MoltError`` with the code `keyExists` if that key has another value.
    @discardableResult
    public func copy(
        _ key: String,
        to newKey: String,
        onConflict policy: ConflictPolicy<PropertyListValue> = .fail
    ) throws -> Bool {
        try copying(key, to: newKey, policy) != .absent
    }

    /// What became of a value for which there is a new key.
    enum Arrival {
        case absent
        /// There was no other value.
        case free
        case kept, replaced, merged
    }

    func renaming(_ key: String, to newKey: String, _ policy: ConflictPolicy<PropertyListValue>) throws -> Arrival {
        guard key != newKey else { return .absent }
        let arrival = try copy(key, to: newKey, policy, "renamed")
        switch arrival {
        case .absent: break
        case .kept: try removeValue(forKey: key)
        case .free, .replaced, .merged:
            edits.renamed[newKey] = edits.renamed[key] ?? key
            let before = contents.before.removeValue(forKey: key)
            contents.before[newKey] = arrival == .merged ? current(newKey) : before
            contents.unconverted.remove(newKey)
            if contents.unconverted.remove(key) != nil { contents.unconverted.insert(newKey) }
            if edits.arrived.contains(key) { edits.arrived.insert(newKey) }
            try removeValue(forKey: key, movedTo: self, newKey)
        }
        return arrival
    }

    func copying(_ key: String, to newKey: String, _ policy: ConflictPolicy<PropertyListValue>) throws -> Arrival {
        try copy(key, to: newKey, policy, "copied")
    }

    private func copy(
        _ key: String,
        to newKey: String,
        _ policy: ConflictPolicy<PropertyListValue>,
        _ verb: String
    ) throws -> Arrival {
        guard let value = try value(forKey: key) else { return .absent }
        guard let other = current(newKey), other != value else {
            try set(value, forKey: newKey)
            return .free
        }
        switch try policy.choose(between: other, and: value) {
        case .existing: return .kept
        case .new:
            try set(value, forKey: newKey)
            return .replaced
        case .merged(let merged):
            try set(merged, forKey: newKey)
            return .merged
        case .undecided:
            throw MoltError(
                .keyExists,
                "The key \"\(key)\" cannot be \(verb) to \"\(newKey)\", which has another value.",
                advice: ConflictPolicy<PropertyListValue>.advice,
                suite: name,
                key: key
            )
        }
    }

    /// Records an error of a subscript, which fails the upgrade.
    package func subscriptFailed(_ error: any Error) {
        failure = failure ?? ofStep(error)
    }

    /// An error of the suite as one of the step, which works on the suite as an attached store.
    private func ofStep(_ error: any Error) -> any Error {
        guard var error = error as? MoltError else { return error }
        error.store = nil
        error.suite = name
        return error
    }

    // MARK: Finishing

    /// Ends the work without keeping its changes.
    func end() {
        isOver = true
    }

    /// Ends the work, and returns the encoded changes for the journal; nil if there are none.
    ///
    /// - Parameter rows: The rows for the suite's ledger.
    /// - Throws: ``MoltError`` if the suite cannot be written, or the first error of a subscript.
    func finish(adding rows: [SuiteLedger.Row]) throws -> [UInt8]? {
        defer { end() }
        try check()
        let effective = edits.changes.filter { key, value in snapshot[key] != value }
        let history = ledger?.history ?? History()
        let rows = rows.filter { !history.repeats($0.entry) }
        guard !effective.isEmpty || !rows.isEmpty || restoresLedger else { return nil }
        try ledger?.checkWritable(in: suite)
        try suite.checkWritable()
        try suite.check(snapshot, with: effective)
        var patch = SuitePatch(snapshot: snapshot)
        patch.set = effective.compactMapValues { $0 }
        patch.remove = effective.filter { $0.value == nil }.keys.sorted()
        patch.renamed = edits.renamed
        patch.arrived = edits.arrived
        patch.rows = rows
        if restoresLedger { patch.ledger = ledger }
        let newKeys = edits.moved.compactMapValues { $0.suite?.newKey(of: $0.key) }
            .filter { $0.value.suite != suite.name }
        patch.moved = newKeys.isEmpty ? nil : newKeys
        return try patch.encoded()
    }

    /// Where a value is after all steps; nil if one of them removed it.
    private func newKey(of key: String) -> SuitePatch.NewKey? {
        guard current(key) == nil else { return SuitePatch.NewKey(suite: suite.name, key: key) }
        return edits.moved[key].flatMap { $0.suite?.newKey(of: $0.key) }
    }

    private var currentKeys: Set<String> {
        Set(snapshot.keys).union(edits.changes.keys).filter { current($0) != nil }.subtracting(Suite.reservedKeys)
    }

    private func current(_ key: String) -> PropertyListValue? {
        edits.changes[key] ?? snapshot[key]
    }

    private func checkKey(_ key: String) throws {
        try check()
        guard Suite.reservedKeys.contains(key) else { return }
        throw ofStep(MoltError.ownKey(key, in: suite))
    }

    private func change(_ key: String, to value: PropertyListValue?) {
        edits.changes[key] = .some(value)
        edits.renamed[key] = nil
        edits.moved[key] = nil
        if value == nil { edits.arrived.remove(key) }
        touched.insert(key)
    }

    // MARK: Content

    /// The value of a key whose content a step of a migration changes; nil if an earlier one could not convert it.
    func content(of key: String, for migration: String) throws -> PropertyListValue? {
        if contents.migration != migration { contents = ContentChanges(migration: migration) }
        guard !contents.unconverted.contains(key), let value = try value(forKey: key) else { return nil }
        if contents.before[key] == nil { contents.before[key] = value }
        return value
    }

    /// Takes back what the steps of the migration have done to a setting that one of them cannot convert.
    func leaveContent(of key: String) throws {
        contents.unconverted.insert(key)
        if let value = contents.before[key] { try set(value, forKey: key) }
    }

    /// Whether an earlier step of the migration could not convert a setting.
    func isUnconverted(_ key: String, in migration: String) -> Bool {
        contents.migration == migration && contents.unconverted.contains(key)
    }

    /// Whether a setting has another value than before the upgrade.
    func hasChanged(_ key: String) -> Bool { edits.changes[key] != nil && current(key) != snapshot[key] }

    // MARK: Outcomes of a step

    func samples(limit: Int) -> [MigrationReport.Sample] {
        func earlier(_ key: String) -> PropertyListValue? { sampled[key] ?? snapshot[key] }
        let keys = edits.changes.keys.filter { !Suite.reservedKeys.contains($0) && earlier($0) != current($0) }.sorted()
        defer { sampled = edits.changes }
        return keys.prefix(limit).map { key in
            let (before, after) = (earlier(key).map(SampleValue.init), current(key).map(SampleValue.init))
            // Where the content is the same, its form has changed.
            let isSame = before?.content == after?.content
            return MigrationReport.Sample(
                key: key,
                of: name,
                before: isSame ? before?.form : before?.content,
                after: isSame ? after?.form : after?.content
            )
        }
    }

    /// Runs a step and returns the outcomes of the keys that it has set and removed.
    func outcomes(of step: (SuiteEditor) throws -> Void) throws -> [MigrationReport.KeyOutcome] {
        touched = []
        let before = edits.changes
        try step(self)
        return touched.subtracting(Suite.reservedKeys).sorted().map { key in
            let old = before[key] ?? snapshot[key]
            let new = current(key)
            let outcome: MigrationReport.KeyOutcome.Outcome =
                if new == old { old == nil ? .absent : .alreadyCurrent } else { new == nil ? .removed : .changed }
            return MigrationReport.KeyOutcome(store: name, key: key, outcome: outcome)
        }
    }

    /// Throws the first error of a subscript.
    func check() throws {
        precondition(!isOver, "The settings of an upgrade were used after it had ended.")
        if let failure { throw failure }
    }
}

/// A value as samples show it.
private struct SampleValue {
    /// The content, whatever its form.
    let content: RecordValue
    /// The form in a few words.
    let form: RecordValue

    init(_ value: PropertyListValue) {
        let setting = try? SettingContent(value)
        content =
            setting.flatMap { $0.form.isPropertyList ? $0.propertyList?.recordValue : $0.record[[]] }
            ?? value.recordValue
        form = .string(setting?.form.description ?? value.kindName)
    }
}

extension PropertyListValue {
    /// The value as JSON, for samples; dates and data are texts.
    fileprivate var recordValue: RecordValue {
        switch self {
        case .bool(let bool): .bool(bool)
        case .int(let int): .int(int)
        case .unsigned(let unsigned): .int(unsigned)
        case .double(let double): .double(double) ?? .string("\(double)")
        case .string(let string): .string(string)
        case .date: .string("date \(self)")
        case .data: .string(description)
        case .array(let elements): .array(elements.map(\.recordValue))
        case .dictionary(let values):
            .object(.init(values.sortedByKey.map { (name: $0, value: $1.recordValue) }))
        }
    }
}
