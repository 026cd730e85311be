/// What went wrong in the pipeline: the code to act on, the place, and a message that says what to do.
///
/// Every failure of a registry, a plan, a migration or a record is one of these. What a migration's own closure
/// throws is the ``underlying`` error of one with the code ``Code/stepFailed``.
///
/// No description of this error holds a record's value: `description`, `debugDescription` and `errorDescription`
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
    /// What kind of failure it is.
    public var code: Code
    /// What happened, to which thing, and why, in full sentences.
    package var problem: String
    /// What became of the store; nil if it was not written to.
    public var outcome: Outcome?
    /// What to do, in full sentences; nil if the problem says it.
    package var advice: String?
    /// The store, by its file's path or by the name of its suite.
    public var store: String?
    /// The migration that was being run or looked at.
    public var migration: MigrationID?
    /// The step of that migration, counted from 1, and in words.
    public var step: StepPosition?
    /// The key of the record.
    public var recordKey: String?
    /// The type name that the record was written as.
    public var recordType: String?
    /// What is attached to the store, where the failure is about that; the key is one of its keys then.
    public var attachedStore: String?
    /// The property, its path joined with dots.
    public var property: String?
    /// The version that the store carries, where the failure is about versions.
    public var storeVersion: Int?
    /// The version that the registry brings a store to, or the oldest one that it supports.
    public var registryVersion: Int?
    /// The upgrades that were begun and cut off, where the failure is about those.
    public var attempts: [UpgradeAttempt] = []
    /// Who holds the store, where the failure is that it is busy and the holder is known.
    public var holder: UpgradeAttempt?
    /// What was thrown further down: by a closure, by a coder, by the store.
    ///
    /// - Important: It may hold a record's value; do not log it where users' data must not go.
    public var underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What kind of failure it is.
    ///   - message: Full sentences: what happened and what to do. Never a record's value.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.init(code, message, nil, underlying: underlying)
    }

    /// Creates an error that says what became of the store.
    ///
    /// - Parameters:
    ///   - code: What kind of failure it is.
    ///   - problem: What happened, in full sentences. Never a record's value.
    ///   - outcome: What became of the store.
    ///   - advice: What to do, in full sentences.
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
        /// The code's stable text.
        public let rawValue: String

        /// The code's stable text.
        public var description: String { rawValue }

        /// Creates a code from its stable text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The registry contradicts itself; the message lists every fault.
        public static let invalidRegistry = Code(rawValue: "invalidRegistry")
        /// A name was asked for that no migration of the registry has.
        public static let unknownMigration = Code(rawValue: "unknownMigration")
        /// A newer app has upgraded the store.
        public static let superseded = Code(rawValue: "superseded")
        /// Migrations were applied to the store that this registry does not have: it renamed or removed them, or another
        /// branch has them.
        public static let migrationMissing = Code(rawValue: "migrationMissing")
        /// Somebody upgraded the store, or put another one in its place, while it was open: open it again.
        public static let storeChanged = Code(rawValue: "storeChanged")
        /// The store is older than the oldest version that the registry supports.
        public static let tooOld = Code(rawValue: "tooOld")
        /// A migration was registered below a version that the store has passed already.
        public static let lateMigration = Code(rawValue: "lateMigration")
        /// Some, but not all, of the migrations that another one replaces were applied.
        public static let partlyReplaced = Code(rawValue: "partlyReplaced")
        /// A migration was edited after the store had counted it as applied, or while it is half done.
        public static let migrationEdited = Code(rawValue: "migrationEdited")
        /// A type is stored otherwise than the store remembers, at the same schema version; nothing was written.
        public static let schemaDrift = Code(rawValue: "schemaDrift")
        /// A step's closure threw, or left the record in a state that cannot be written.
        public static let stepFailed = Code(rawValue: "stepFailed")
        /// A record's content is not JSON text as RFC 8259 has it.
        public static let malformedContent = Code(rawValue: "malformedContent")
        /// A property was read, removed or renamed that the record does not have.
        public static let propertyMissing = Code(rawValue: "propertyMissing")
        /// A property would be renamed to a name that the record has already.
        public static let propertyExists = Code(rawValue: "propertyExists")
        /// A value cannot be decoded as the type asked for, or encoded to JSON.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        /// More records could not be converted than the policy allows; the upgrade was rolled back.
        public static let tooManyFailures = Code(rawValue: "tooManyFailures")
        /// Two records would have the same key.
        public static let keyExists = Code(rawValue: "keyExists")
        /// A record was asked for by a key that no record has.
        public static let recordMissing = Code(rawValue: "recordMissing")
        /// A migration's context was used after its block had returned.
        public static let contextExpired = Code(rawValue: "contextExpired")
        /// A block asked for an attached store that nobody has attached.
        public static let notAttached = Code(rawValue: "notAttached")
        /// An attached store could not be read or changed.
        public static let attachedStoreFailed = Code(rawValue: "attachedStoreFailed")
        /// Changes of an earlier upgrade to an attached store are still to be applied.
        public static let journalPending = Code(rawValue: "journalPending")
        /// A migration must wait, as for settings that cannot be read now, and the others cannot run without it.
        public static let deferred = Code(rawValue: "deferred")
        /// The store cannot do what a step asks of it, as take in a record when it holds settings.
        public static let unsupported = Code(rawValue: "unsupported")
        /// A setting cannot be converted, and the step was told to accept no such thing.
        public static let notConvertible = Code(rawValue: "notConvertible")
        /// Someone asked for the upgrade to stop; it was rolled back.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The time was over by which the store's locks were to be given up; see ``MigrationOptions/deadline``.
        public static let deadlinePassed = Code(rawValue: "deadlinePassed")
        /// The store must be upgraded first, and somebody else has to do it; see ``MigrationOptions/duty``.
        public static let needsMigration = Code(rawValue: "needsMigration")
        /// The upgrade was begun often enough and cut off each time; see ``MigrationOptions/attemptLimit``.
        public static let attemptsFailed = Code(rawValue: "attemptsFailed")
        /// Another process held the store for longer than the time allowed.
        public static let busy = Code(rawValue: "busy")
        /// The store's own reading or writing failed: disk full, damaged file.
        public static let storeFailed = Code(rawValue: "storeFailed")
    }

    /// Which step of a migration.
    public struct StepPosition: Hashable, Sendable, Codable {
        /// The step's place in its migration, counted from 1.
        public var number: Int
        /// The step in words.
        public var words: String

        /// Creates a position.
        public init(number: Int, words: String) {
            self.number = number
            self.words = words
        }
    }
}

extension MigrationError {
    /// The underlying error where the records of a store contradict each other, and nothing has failed.
    package struct Damage: Error {}
}
