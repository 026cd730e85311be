public import MoltCore

/// A suite during an upgrade: what it held when the upgrade began, with the changes of all steps so far.
///
/// ```swift
/// .run("seconds become minutes", onFreshStore: true, attaching: [Suite.standard]) { migration in
///     let settings = try migration.suite(.standard)
///     if case .int(let seconds)? = try settings.value(forKey: "interval") {
///         try settings.set(.int(seconds / 60), forKey: "interval")
///     }
/// }
/// ```
///
/// Only the suite's own persistent domain is read and changed: never a registered default, an argument, or a value of
/// the global domain. Nothing is written before the upgrade was committed; then all is, or nothing. It must not be
/// used after the upgrade: its calls then throw an error with the code `contextExpired`.
public final class SuiteChanges: AttachedSession, SettingsAccess {
    /// The suite.
    public let suite: Suite
    /// What the suite held, as it keeps values that are written to it.
    private let snapshot: [String: PropertyListValue]
    /// What steps have set; nil for what they have removed.
    private var changes: [String: PropertyListValue?] = [:]
    /// The former keys of values that were renamed, by the new ones.
    private var renamed: [String: String] = [:]
    /// The keys of values that come from another suite.
    private var arrived: Set<String> = []
    private var isOver = false
    /// The keys that were set or removed since the step began.
    private var touched: Set<String> = []
    /// What a subscript could not set: it fails the upgrade.
    private var failure: (any Error)?

    init(_ suite: Suite) throws {
        self.suite = suite
        snapshot = try PropertyListValue.asStored(SuiteDomain(suite).read())
    }

    // MARK: Reading

    /// The keys that have a value now, sorted.
    ///
    /// - Throws: `MigrationError` with the code `contextExpired`.
    public var keys: [String] {
        get throws {
            try check()
            return currentKeys.sorted()
        }
    }

    /// The number of keys that have a value now.
    public var count: Int {
        currentKeys.count
    }

    /// The value that a key has now; nil when there is none.
    ///
    /// - Throws: `MigrationError` with the code `contextExpired`.
    public func value(forKey key: String) throws -> PropertyListValue? {
        try check()
        return Suite.ownKeys.contains(key) ? nil : current(key)
    }

    // MARK: Changing

    /// Sets a value.
    ///
    /// - Throws: ``DefaultsError`` with the code `cannotStore` for a value or a key that no suite can hold;
    ///   `MigrationError` with the code `contextExpired`.
    public func set(_ value: PropertyListValue, forKey key: String) throws {
        try check()
        try checkKey(key)
        try SuiteDomain.check(value, forKey: key, in: suite)
        // The next step sees what it would see if the store were closed and opened in between.
        change(key, to: value.asStored())
    }

    /// Sets a value that another suite has had until now.
    func receive(_ value: PropertyListValue, forKey key: String) throws {
        try set(value, forKey: key)
        arrived.insert(key)
    }

    /// Removes a value; does nothing when there is none.
    ///
    /// - Throws: `MigrationError` with the code `contextExpired`.
    public func removeValue(forKey key: String) throws {
        try check()
        try checkKey(key)
        change(key, to: nil)
    }

    /// Gives a value another key.
    ///
    /// - Returns: Whether there was a value to rename.
    /// - Throws: `MigrationError` with the code `keyExists` when the new key has a value that is not the same.
    @discardableResult
    public func renameKey(_ key: String, to newKey: String) throws -> Bool {
        try check()
        guard key != newKey, let value = current(key) else { return false }
        if let other = current(newKey), other != value {
            var error = MigrationError(
                .keyExists,
                "The key \"\(key)\" cannot be renamed to \"\(newKey)\", which has a value of its own. Remove one of the two "
                    + "first."
            )
            error.attachedStore = suite.attachedName
            error.recordKey = key
            throw error
        }
        try set(value, forKey: newKey)
        renamed[newKey] = renamed[key] ?? key
        if arrived.contains(key) { arrived.insert(newKey) }
        try removeValue(forKey: key)
        return true
    }

    /// Keeps what a subscript could not read or set: the upgrade fails with it.
    public func subscriptFailed(_ error: any Error) {
        failure = failure ?? (error as? DefaultsError)?.of(suite: suite) ?? error
    }

    // MARK: The end

    /// Ends the work, and gives the changes as the journal keeps them; nil when there are none.
    ///
    /// - Throws: ``DefaultsError`` when the suite cannot be written, or what a subscript could not do.
    package func finish() throws -> [UInt8]? {
        defer { isOver = true }
        try check()
        let effective = changes.filter { key, value in snapshot[key] != value }
        guard !effective.isEmpty else { return nil }
        try SuiteDomain(suite).checkWritable()
        var intent = SuiteIntent(snapshot: snapshot)
        intent.set = effective.compactMapValues { $0 }
        intent.remove = effective.filter { $0.value == nil }.keys.sorted()
        intent.renamed = renamed
        intent.arrived = arrived
        return try intent.encoded()
    }

    private var currentKeys: Set<String> {
        var keys = Set(snapshot.keys)
        for (key, value) in changes {
            if value == nil {
                keys.remove(key)
            } else {
                keys.insert(key)
            }
        }
        return keys.subtracting(Suite.ownKeys)
    }

    private func current(_ key: String) -> PropertyListValue? {
        changes[key] ?? snapshot[key]
    }

    /// Refuses what is ours.
    private func checkKey(_ key: String) throws {
        guard Suite.ownKeys.contains(key) else { return }
        throw DefaultsError.ownKey(key, in: suite)
    }

    // MARK: Keys of ours

    /// What stands under a key of ours.
    func ownValue(forKey key: String) -> PropertyListValue? {
        current(key)
    }

    /// Sets a key of ours.
    func setOwn(_ value: PropertyListValue, forKey key: String) {
        change(key, to: value)
    }

    private func change(_ key: String, to value: PropertyListValue?) {
        changes[key] = .some(value)
        renamed[key] = nil
        if value == nil { arrived.remove(key) }
        touched.insert(key)
    }

    // MARK: What a step has done

    /// Runs a step, and tells what became of the keys that it has set and removed.
    func outcomes(of step: (SuiteChanges) throws -> Void) throws -> [KeyOutcome] {
        touched = []
        let before = changes
        try step(self)
        return touched.subtracting(Suite.ownKeys).sorted().map { key in
            let old = before[key] ?? snapshot[key]
            let new = current(key)
            let outcome: KeyOutcome.Outcome =
                if new == old { old == nil ? .absent : .alreadyCurrent } else { new == nil ? .removed : .changed }
            return KeyOutcome(store: suite.attachedName, key: key, outcome: outcome)
        }
    }

    /// Throws when the upgrade is over, or what a subscript could not do.
    ///
    /// - Throws: `MigrationError` with the code `contextExpired`; ``DefaultsError``.
    package func check() throws {
        guard !isOver else {
            throw MigrationError(
                .contextExpired,
                "The settings of an upgrade were used after it had ended. Do all work inside the step's closure."
            )
        }
        if let failure { throw failure }
    }
}

extension SuiteChanges {
    /// How many keys that are absent get an explanation; on a new device all of them may be.
    private static let explained = 10

    /// What became of the keys that a step names, those that are absent with the key that may be meant.
    func explaining(_ outcomes: [KeyOutcome]) throws -> [KeyOutcome] {
        let absent = outcomes.indices.filter { outcomes[$0].outcome == .absent }
        guard !absent.isEmpty else { return outcomes }
        let others = Set(try keys).subtracting(outcomes.map(\.key)).sorted()
        var outcomes = outcomes
        for index in absent.prefix(Self.explained) {
            let nearest = UnmatchedName.nearest(to: outcomes[index].key, among: others)
            outcomes[index].reason = nearest.map { "the nearest key is \"\($0)\"" }
        }
        return outcomes
    }
}
