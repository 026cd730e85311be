public import Foundation

/// A failure of Molt: a code to act on, the problem, the state of the store, the remedy, and the location.
///
/// Everything in Molt throws this type: opening a cache, upgrading it, reading and writing its values, and settings.
/// An error that a migration's own closure throws becomes the ``underlying`` error of one with the code
/// ``Code/stepFailed``.
///
/// No description of the error contains a value, or the key of a dictionary inside one: `description`,
/// `debugDescription` and `errorDescription` name the underlying error by its type only. They do name the keys of
/// records and settings, and the properties of Codable types. Read ``underlying`` for the rest.
///
/// The errors that an app throws itself are of its own types.
///
/// ```swift
/// do {
///     cache = try CodableCache(at: url, migrations: migrations)
/// } catch let error as MoltError where error.code == .superseded {
///     showUpdateTheAppScreen()
/// }
/// ```
public struct MoltError: Error, Sendable {
    private var facts: SharedValue<Facts>

    /// The kind of failure.
    public package(set) var code: Code {
        get { facts.value.code }
        set { facts.value.code = newValue }
    }
    /// The problem, its subject and its cause, in full sentences.
    public package(set) var problem: String {
        get { facts.value.problem }
        set { facts.value.problem = newValue }
    }
    /// The remedy, in full sentences; nil if there is none, or none that this error knows.
    public package(set) var advice: String? {
        get { facts.value.advice }
        set { facts.value.advice = newValue }
    }
    /// What the failed call has done to the store; nil if it had nothing to change there, or if that is not known.
    public package(set) var outcome: Outcome? {
        get { facts.value.outcome }
        set { facts.value.outcome = newValue }
    }

    /// The path of the store's file, or the domain name of the suite.
    ///
    /// In an upgrade of a suite without a cache, it is the name that plans and reports have, such as "suite x".
    public package(set) var store: String? {
        get { facts.value.store }
        set { facts.value.store = newValue }
    }
    /// The migration that was run or checked.
    public package(set) var migration: MigrationID? {
        get { facts.value.migration }
        set { facts.value.migration = newValue }
    }
    /// The step of that migration: its number, from 1, and its description.
    public package(set) var step: StepPosition? {
        get { facts.value.step }
        set { facts.value.step = newValue }
    }
    /// The suite, or the file or directory beside the store, that the failure is about; ``key`` is then one of its
    /// keys.
    public package(set) var suite: String? {
        get { facts.value.suite }
        set { facts.value.suite = newValue }
    }
    /// The key of the record or setting, or a list of several keys.
    public package(set) var key: String? {
        get { facts.value.key }
        set { facts.value.key = newValue }
    }
    /// The type name that the record was written as.
    public package(set) var type: String? {
        get { facts.value.type }
        set { facts.value.type = newValue }
    }
    /// The type that the caller asked for.
    public package(set) var requestedType: String? {
        get { facts.value.requestedType }
        set { facts.value.requestedType = newValue }
    }
    /// The path of the property, joined with dots.
    public package(set) var property: String? {
        get { facts.value.property }
        set { facts.value.property = newValue }
    }
    /// The path into a setting's value, such as `[2].name`; nil for the whole value.
    ///
    /// Descriptions of the path and of the error omit the keys of dictionaries.
    package var valuePath: ValuePath? {
        get { facts.value.valuePath }
        set { facts.value.valuePath = newValue }
    }
    /// The store's version, if the failure is about versions.
    public package(set) var storeVersion: Int? {
        get { facts.value.storeVersion }
        set { facts.value.storeVersion = newValue }
    }
    /// The version that the registry brings a store to, or the oldest one that it supports.
    public package(set) var registryVersion: Int? {
        get { facts.value.registryVersion }
        set { facts.value.registryVersion = newValue }
    }

    /// The upgrades that began and were interrupted, if the failure is about them.
    public package(set) var attempts: [UpgradeAttempt] {
        get { facts.value.attempts }
        set { facts.value.attempts = newValue }
    }
    /// The lock holder, if the store is busy and the holder is known.
    public package(set) var holder: UpgradeAttempt? {
        get { facts.value.holder }
        set { facts.value.holder = newValue }
    }
    /// The error that a closure, a coder, SQLite or the system threw.
    ///
    /// - Important: It may contain a value; do not log it where user data must not go.
    public package(set) var underlying: (any Error)? {
        get { facts.value.underlying }
        set { facts.value.underlying = newValue }
    }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - problem: What happened, to which thing, and why, in full sentences. Never include a value.
    ///   - advice: What to do, in full sentences.
    ///   - outcome: The state of the store.
    ///   - store: The path of the store's file, or the domain name of the suite.
    ///   - underlying: The error that caused this one.
    @inline(never)  // It is called at 200 places, and would be copied into all of them.
    package init(
        _ code: Code,
        _ problem: String,
        advice: String? = nil,
        outcome: Outcome? = nil,
        store: String? = nil,
        migration: MigrationID? = nil,
        step: StepPosition? = nil,
        suite: String? = nil,
        key: String? = nil,
        type: String? = nil,
        requestedType: String? = nil,
        property: String? = nil,
        storeVersion: Int? = nil,
        registryVersion: Int? = nil,
        attempts: [UpgradeAttempt] = [],
        holder: UpgradeAttempt? = nil,
        underlying: (any Error)? = nil
    ) {
        facts = SharedValue(
            Facts(
                code: code,
                problem: problem,
                advice: advice,
                outcome: outcome,
                store: store,
                migration: migration,
                step: step,
                suite: suite,
                key: key,
                type: type,
                requestedType: requestedType,
                property: property,
                valuePath: nil,
                storeVersion: storeVersion,
                registryVersion: registryVersion,
                attempts: attempts,
                holder: holder,
                underlying: underlying
            )
        )
    }

    // Most errors need few of the arguments, and each argument is code at every place that creates an error.

    @inline(never)
    package init(_ code: Code, _ problem: String, advice: String? = nil) {
        self.init(code, problem, advice: advice, outcome: nil, store: nil, migration: nil)
    }

    @inline(never)
    package init(_ code: Code, _ problem: String, advice: String? = nil, outcome: Outcome? = nil, store: String?) {
        self.init(code, problem, advice: advice, outcome: outcome, store: store, migration: nil)
    }

    @inline(never)
    package init(_ code: Code, _ problem: String, advice: String? = nil, migration: MigrationID?) {
        self.init(code, problem, advice: advice, outcome: nil, store: nil, migration: migration)
    }

    @inline(never)
    package init(_ code: Code, _ problem: String, advice: String? = nil, suite: String?, key: String? = nil) {
        self.init(code, problem, advice: advice, outcome: nil, store: nil, suite: suite, key: key)
    }

    @inline(never)
    package init(_ code: Code, _ problem: String, advice: String? = nil, underlying: (any Error)?) {
        self.init(code, problem, advice: advice, outcome: nil, store: nil, underlying: underlying)
    }

    /// The position of a step in a migration.
    public struct StepPosition: Equatable, Sendable {
        /// The step's number in its migration, from 1.
        public let number: Int
        /// The step's description.
        public let summary: String

        package init(number: Int, summary: String) {
            self.number = number
            self.summary = summary
        }
    }

    /// What a failed call has done to a store.
    public enum Outcome: Sendable {
        /// Nothing was written.
        case unchanged
        /// The upgrade began, and was undone: the store is as it was before.
        case rolledBack
        /// The upgrade or the import is kept; the next opening does what is left, such as the outstanding changes
        /// outside the store.
        case committed

        var sentence: String {
            switch self {
            case .unchanged:
                "Nothing was changed."
            case .rolledBack:
                "The upgrade was rolled back; the store is as it was."
            case .committed:
                "The changes are committed. The next opening of the store completes them."
            }
        }
    }

    /// What the error knows, in one object: functions that may throw it pass on a reference.
    private struct Facts {
        var code: Code
        var problem: String
        var advice: String?
        var outcome: Outcome?
        var store: String?
        var migration: MigrationID?
        var step: StepPosition?
        var suite: String?
        var key: String?
        var type: String?
        var requestedType: String?
        var property: String?
        var valuePath: ValuePath?
        var storeVersion: Int?
        var registryVersion: Int?
        var attempts: [UpgradeAttempt]
        var holder: UpgradeAttempt?
        var underlying: (any Error)?
    }

    /// The underlying error when the store's records are inconsistent and no operation failed.
    struct Damage: Error {}
}

// MARK: Descriptions

extension MoltError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// The problem, its subject and cause, the state of the store, and the remedy, in full sentences.
    public var message: String {
        [problem, outcome?.sentence, advice].compactMap(\.self).joined(separator: " ")
    }

    /// One line: the code, the message, the location, and the underlying error without its values.
    public var description: String {
        var parts = details.map { "\($0.label): \($0.text)" }
        if let underlying { parts.append("underlying: \(ErrorSummary.line(of: underlying))") }
        let location = parts.isEmpty ? "" : " [\(parts.joined(separator: "; "))]"
        return ErrorSummary.oneLine("\(code): \(message)\(location)")
    }

    /// A tree: the code, then one line for each known fact, and the underlying error below.
    public var debugDescription: String {
        treeLines.joined(separator: "\n")
    }

    /// The same as the description, so that a dump shows no values either.
    public var customMirror: Mirror {
        var children = [(label: String?.some("code"), value: code.rawValue as Any), ("message", message)]
        children += details.map { ($0.label, $0.text) }
        if let underlying { children.append(("underlying", ErrorSummary.line(of: underlying))) }
        return Mirror(self, children: children, displayStyle: .struct)
    }

    /// The message, and the problem and remedy of an underlying error of Molt.
    public var errorDescription: String? {
        let cause = underlying as? MoltError
        return ErrorSummary.oneLine([message, cause?.problem, cause?.advice].compactMap(\.self).joined(separator: " "))
    }

    var treeLines: [String] {
        var branches = [["message: \(ErrorSummary.oneLine(message))"]]
        branches += details.map { ["\($0.label): \(ErrorSummary.oneLine($0.text))"] }
        if let underlying {
            var lines = ErrorSummary.lines(of: underlying)
            lines[0] = "underlying: \(lines[0])"
            branches.append(lines)
        }
        var tree = ["MoltError: \(ErrorSummary.oneLine(code.rawValue))"]
        for (index, branch) in branches.enumerated() {
            let isLast = index == branches.count - 1
            tree.append((isLast ? "└─ " : "├─ ") + branch[0])
            tree += branch.dropFirst().map { (isLast ? "   " : "│  ") + $0 }
        }
        return tree
    }

    /// The known parts of the location, with their labels.
    package var details: [(label: String, text: String)] {
        let record: (label: String, text: String)? =
            switch (key, type) {
            case (let key?, let type?): ("record", "\"\(key)\" of type \(type)")
            case (let key?, nil): ("key", "\"\(key)\"")
            case (nil, let type?): ("record", "of type \(type)")
            case (nil, nil): nil
            }
        let all: [(label: String, text: String?)] = [
            ("store", store),
            ("migration", migration?.description),
            ("step", step.map { "\($0.number), \($0.summary)" }),
            ("suite", suite),
            (record?.label ?? "", record?.text),
            ("requested type", requestedType),
            ("property", property.map { "\"\($0)\"" }),
            ("place", valuePath?.description),
            ("store version", storeVersion.map(String.init)),
            (code == .tooOld ? "oldest supported version" : "registry version", registryVersion.map(String.init)),
        ]
        return all.compactMap { label, text in text.map { (label, $0) } }
    }
}

// MARK: Outcomes

extension MoltError {
    /// Whether the error is about a single record, so that the upgrade may go on without it.
    package var isAboutRecord: Bool {
        guard !(underlying is CancellationError) else { return false }
        let codes: Set<Code> = [
            .stepFailed, .malformedContent, .propertyMissing, .propertyExists, .typeMismatch, .keyExists, .cannotStore,
            .notEncodable,
        ]
        return codes.contains(code)
    }
}

extension Error {
    /// The error with the store's outcome added, if it has none.
    func with(_ outcome: MoltError.Outcome) -> any Error {
        guard var error = self as? MoltError, error.outcome == nil else { return self }
        error.outcome = outcome
        // The next opening does the rest, whatever the reason for opening the store.
        if outcome == .committed, error.isStop { error.advice = nil }
        return error
    }
}

// MARK: Stopping

extension MoltError {
    /// The error of work that ``StoreAccess/suspend(timeout:)`` interrupted or prevented.
    @inline(never)
    package static func suspended(_ outcome: Outcome? = nil) -> MoltError {
        MoltError(
            .suspended,
            "The app has suspended its access to stores.",
            advice: outcome == .committed ? nil : "Try again after `StoreAccess.resume()`.",
            outcome: outcome
        )
    }

    @inline(never)
    static var deadlinePassed: MoltError {
        MoltError(.deadlinePassed, "The deadline has passed.", advice: "Open the store again to upgrade it.")
    }

    /// Whether the app, or its deadline, has stopped the work.
    var isStop: Bool { [.cancelled, .deadlinePassed, .suspended].contains(code) }

    /// Whether an error of a closure that reads a snapshot says that the opening cannot go on.
    func isOfOpening(_ store: String) -> Bool { isStop || code == .deferred || self.store == store }
}

// MARK: Locations

extension MoltError {
    /// An error at the same place, with this one as its cause.
    func leading(to code: Code, _ problem: String, advice: String? = nil) -> MoltError {
        var error = self
        error.code = code
        error.problem = problem
        error.advice = advice
        error.underlying = self
        return error
    }

    package func at(key: String) -> MoltError {
        var error = self
        error.key = key
        return error
    }

    /// A copy of the error whose path is prefixed with a step.
    func inside(_ step: ValuePath.Step) -> MoltError {
        var error = self
        error.valuePath = ValuePath([step] + (valuePath?.steps ?? []))
        return error
    }
}
