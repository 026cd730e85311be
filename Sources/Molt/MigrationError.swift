/// An error of the migration pipeline: the code to act on, the location, and a message with a remedy.
///
/// Every failure of a registry, a plan, a migration or a record has this type. An error that a migration's own closure
/// throws becomes the ``underlying`` error of one with the code ``Code/stepFailed``.
///
/// No description of this error contains a record's value: `description`, `debugDescription` and `errorDescription`
/// name the underlying error by its type only. Read ``underlying`` for the rest.
///
/// ```swift
/// do {
///     cache = try CodableCache(at: url, migrations: migrations)
/// } catch let error as MigrationError where error.code == .superseded {
///     showUpdateTheAppScreen()
/// }
/// ```
public struct MigrationError: Error, Sendable {
    /// The kind of failure.
    public var code: Code
    /// The problem, its subject and its cause, in full sentences.
    package var problem: String
    /// The state of the store; nil if it was not written to, or if its state is not known.
    public var outcome: Outcome?
    /// The remedy, in full sentences; nil if the problem states it.
    package var advice: String?
    /// The path of the store's file, or the name of its suite.
    public var store: String?
    /// The migration that was run or checked.
    public var migration: MigrationID?
    /// The step of that migration: its number, from 1, and its description.
    public var step: StepPosition?
    /// The key of the record.
    public var recordKey: String?
    /// The record's type name.
    public var recordType: String?
    /// The attached store that the failure is about; ``recordKey`` is then one of its keys.
    public var attachedStore: String?
    /// The path of the property, joined with dots.
    public var property: String?
    /// The store's version, if the failure is about versions.
    public var storeVersion: Int?
    /// The version that the registry brings a store to, or the oldest one that it supports.
    public var registryVersion: Int?
    /// The upgrades that began and were interrupted, if the failure is about them.
    public var attempts: [UpgradeAttempt] = []
    /// The lock holder, if the store is busy and the holder is known.
    public var holder: UpgradeAttempt?
    /// The error that a closure, a coder or the store threw.
    ///
    /// - Important: It may contain a record's value; do not log it where user data must not go.
    public var underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: The problem and the remedy, in full sentences. Never include a record's value.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.init(code, message, nil, underlying: underlying)
    }

    /// Creates an error with the state of the store.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - problem: The problem, in full sentences. Never include a record's value.
    ///   - outcome: The state of the store.
    ///   - advice: The remedy, in full sentences.
    package init(
        _ code: Code,
        _ problem: String,
        _ outcome: Outcome?,
        advice: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.problem = problem
        self.outcome = outcome
        self.advice = advice
        self.underlying = underlying
    }
}

extension MigrationError {
    /// The kinds of failure; new ones may be added, so switch over them with a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The code's stable name.
        public let rawValue: String

        /// The code's stable name.
        public var description: String { rawValue }

        /// Creates a code from its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The registry is inconsistent; the message lists every fault.
        public static let invalidRegistry = Code(rawValue: "invalidRegistry")
        /// No migration of the registry has the requested name.
        public static let unknownMigration = Code(rawValue: "unknownMigration")
        /// A newer app has upgraded the store.
        public static let superseded = Code(rawValue: "superseded")
        /// The store's ledger has migrations that this registry does not: they were renamed or removed, or belong to
        /// another branch.
        public static let migrationMissing = Code(rawValue: "migrationMissing")
        /// The store was upgraded or replaced while it was open: open it again.
        public static let storeChanged = Code(rawValue: "storeChanged")
        /// The store is older than the oldest version that the registry supports.
        public static let tooOld = Code(rawValue: "tooOld")
        /// A migration was registered below a version that the store has already passed.
        public static let lateMigration = Code(rawValue: "lateMigration")
        /// Some, but not all, of the migrations that another one replaces were applied.
        public static let partlyReplaced = Code(rawValue: "partlyReplaced")
        /// A migration was edited after the store had counted it as applied.
        public static let migrationEdited = Code(rawValue: "migrationEdited")
        /// A type's stored shape differs from the one recorded at the same schema version; nothing was written.
        public static let schemaDrift = Code(rawValue: "schemaDrift")
        /// A step's closure threw, or left the record in a state that cannot be written.
        public static let stepFailed = Code(rawValue: "stepFailed")
        /// A record's content is not valid JSON (RFC 8259).
        public static let malformedContent = Code(rawValue: "malformedContent")
        /// A property to be read, removed or renamed is missing from the record.
        public static let propertyMissing = Code(rawValue: "propertyMissing")
        /// A property cannot be renamed because the record already has the new name.
        public static let propertyExists = Code(rawValue: "propertyExists")
        /// A value cannot be decoded as the requested type, or encoded to JSON.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        /// More records could not be converted than the policy allows; the upgrade was rolled back.
        public static let tooManyFailures = Code(rawValue: "tooManyFailures")
        /// Two records would have the same key.
        public static let keyExists = Code(rawValue: "keyExists")
        /// No record has the requested key.
        public static let recordMissing = Code(rawValue: "recordMissing")
        /// A migration's context was used after its block had returned.
        public static let contextExpired = Code(rawValue: "contextExpired")
        /// A block used an attached store that is not attached.
        public static let notAttached = Code(rawValue: "notAttached")
        /// An attached store could not be read or changed.
        public static let attachedStoreFailed = Code(rawValue: "attachedStoreFailed")
        /// An earlier upgrade's changes to an attached store have not been applied yet.
        public static let journalPending = Code(rawValue: "journalPending")
        /// A migration must wait, for example for settings that cannot be read now, and the others depend on it.
        public static let deferred = Code(rawValue: "deferred")
        /// The store does not support an operation of a step, such as adding a record to a store of settings.
        public static let unsupported = Code(rawValue: "unsupported")
        /// A setting cannot be converted, and the step does not allow that.
        public static let notConvertible = Code(rawValue: "notConvertible")
        /// The upgrade was cancelled and rolled back.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The deadline for releasing the store's locks has passed; see ``MigrationOptions/deadline``.
        public static let deadlinePassed = Code(rawValue: "deadlinePassed")
        /// The app has suspended its access to stores; see ``StoreAccess``.
        public static let suspended = Code(rawValue: "suspended")
        /// The store needs an upgrade that another process must run; see ``MigrationOptions/duty``.
        public static let needsMigration = Code(rawValue: "needsMigration")
        /// The upgrade was interrupted as often as the limit allows; see ``MigrationOptions/attemptLimit``.
        public static let attemptsFailed = Code(rawValue: "attemptsFailed")
        /// Another process held the store for longer than the timeout.
        public static let busy = Code(rawValue: "busy")
        /// The store could not be read or written: the disk is full, or the file is damaged.
        public static let storeFailed = Code(rawValue: "storeFailed")
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
}

extension MigrationError {
    /// The underlying error when the store's records are inconsistent and no operation failed.
    package struct Damage: Error {}
}
