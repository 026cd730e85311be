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
/// ```swift
/// do {
///     cache = try CodableCache(at: url, migrations: migrations)
/// } catch let error as MoltError where error.code == .superseded {
///     showUpdateTheAppScreen()
/// }
/// ```
public struct MoltError: Error, Sendable {
    /// The kind of failure.
    public var code: Code
    /// The problem, its subject and its cause, in full sentences.
    public var problem: String
    /// The state of the store; nil if it was not written to, or if its state is not known.
    public var outcome: Outcome?
    /// The remedy, in full sentences; nil if the problem states it.
    public var advice: String?

    /// The path of the store's file, or the domain name of the suite.
    public var store: String?
    /// The migration that was run or checked.
    public var migration: MigrationID?
    /// The step of that migration: its number, from 1, and its description.
    public var step: StepPosition?
    /// The attached store that the failure is about; ``key`` is then one of its keys.
    public var attachedStore: String?
    /// The key of the record or setting, or a list of several keys.
    public var key: String?
    /// The type name that the record was written as.
    public var type: String?
    /// The type that the caller asked for.
    public var requestedType: String?
    /// The path of the property, joined with dots.
    public var property: String?
    /// The place inside a setting's value, such as `[2].name`; nil for the whole value.
    ///
    /// Descriptions of the place and of the error omit the keys of dictionaries.
    package var place: ValuePlace?
    /// The store's version, if the failure is about versions.
    public var storeVersion: Int?
    /// The version that the registry brings a store to, or the oldest one that it supports.
    public var registryVersion: Int?

    /// The upgrades that began and were interrupted, if the failure is about them.
    public var attempts: [UpgradeAttempt] = []
    /// The lock holder, if the store is busy and the holder is known.
    public var holder: UpgradeAttempt?
    /// The error that a closure, a coder, SQLite or the system threw.
    ///
    /// - Important: It may contain a value; do not log it where user data must not go.
    public var underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - problem: What happened, to which thing, and why, in full sentences. Never include a value.
    ///   - outcome: The state of the store.
    ///   - advice: What to do, in full sentences.
    ///   - store: The path of the store's file, or the domain name of the suite.
    ///   - key: The key of the record or setting.
    ///   - type: The type name of the record.
    ///   - underlying: The error that caused this one.
    public init(
        _ code: Code,
        _ problem: String,
        outcome: Outcome? = nil,
        advice: String? = nil,
        store: String? = nil,
        key: String? = nil,
        type: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.problem = problem
        self.outcome = outcome
        self.advice = advice
        self.store = store
        self.key = key
        self.type = type
        self.underlying = underlying
    }

    /// The position of a step in a migration.
    public struct StepPosition: Hashable, Sendable, Codable {
        /// The step's number in its migration, from 1.
        public var number: Int
        /// The step's description.
        public var summary: String

        /// Creates a position.
        public init(number: Int, summary: String) {
            self.number = number
            self.summary = summary
        }
    }

    /// The state of a store whose upgrade failed.
    public enum Outcome: Hashable, Sendable {
        /// The store is unchanged.
        case rolledBack
        /// The upgrade is kept; the next opening makes the outstanding changes outside the store.
        case committed

        var sentence: String {
            switch self {
            case .rolledBack:
                "The upgrade was rolled back; the store is as it was."
            case .committed:
                "The upgrade is committed. Its remaining changes outside the store will be applied when the store is "
                    + "next opened."
            }
        }
    }

    /// The underlying error when the store's records are inconsistent and no operation failed.
    package struct Damage: Error {}
}

// MARK: Descriptions

extension MoltError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// The problem, its subject and cause, the state of the store, and the remedy, in full sentences.
    public var message: String {
        [problem, outcome?.sentence, advice].compactMap(\.self).joined(separator: " ")
    }

    /// One line: the code, the message, the location, and the underlying error without its values.
    public var description: String { errorText.line }

    /// A tree: the code, then one line for each known fact, and the underlying error below.
    public var debugDescription: String { errorText.tree }

    /// The same as the description, so that a dump shows no values either.
    public var customMirror: Mirror { errorText.mirror(of: self) }

    /// The message, and that of an underlying error of Molt.
    public var errorDescription: String? {
        ErrorSummary.oneLine(
            [message, (underlying as? MoltError)?.message].compactMap(\.self).joined(separator: " ")
        )
    }

    private var details: [(label: String, text: String)] {
        var details: [(label: String, text: String)] = []
        if let store { details.append(("store", store)) }
        if let migration { details.append(("migration", migration.description)) }
        if let step { details.append(("step", "\(step.number), \(step.summary)")) }
        if let attachedStore { details.append(("attached", attachedStore)) }
        switch (key, type) {
        case (let key?, let type?): details.append(("record", "\"\(key)\" of type \(type)"))
        case (let key?, nil): details.append(("key", "\"\(key)\""))
        case (nil, let type?): details.append(("record", "of type \(type)"))
        case (nil, nil): break
        }
        if let requestedType { details.append(("requested type", requestedType)) }
        if let property { details.append(("property", "\"\(property)\"")) }
        if let place { details.append(("place", place.description)) }
        if let storeVersion { details.append(("store version", String(storeVersion))) }
        if let registryVersion {
            let label = code == .tooOld ? "oldest supported version" : "registry version"
            details.append((label, String(registryVersion)))
        }
        return details
    }
}

extension MoltError: DescribedError {
    package var errorText: ErrorText {
        ErrorText(type: "MoltError", code: code.rawValue, message: message, details: details, underlying: underlying)
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
        return error
    }
}

// MARK: Locations

extension MoltError {
    package func at(key: String) -> MoltError {
        var error = self
        error.key = key
        return error
    }

    package func of(suite: Suite) -> MoltError {
        var error = self
        error.store = suite.domainName
        return error
    }

    /// A copy of the error whose place is prefixed with a step.
    func inside(_ step: ValuePlace.Step) -> MoltError {
        var error = self
        error.place = ValuePlace([step] + (place?.steps ?? []))
        return error
    }
}
