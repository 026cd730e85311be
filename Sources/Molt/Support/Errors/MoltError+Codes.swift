extension MoltError {
    /// The kinds of failure; new ones may be added, so switch over them with a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        // "contextExpired" was a code, and must not become another one.

        /// The code's stable name.
        public let rawValue: String

        /// The code's stable name.
        public var description: String { rawValue }

        /// Creates a code from its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }
}

// MARK: The registry, and what a store can be upgraded from

extension MoltError.Code {
    /// The registry is inconsistent; the message lists every fault.
    public static let invalidRegistry = Self(rawValue: "invalidRegistry")
    /// No migration of the registry has the requested name.
    public static let unknownMigration = Self(rawValue: "unknownMigration")
    /// A newer release has upgraded the store.
    public static let superseded = Self(rawValue: "superseded")
    /// The store's ledger has migrations that this registry does not: they were renamed or removed, or belong to
    /// another branch.
    public static let migrationMissing = Self(rawValue: "migrationMissing")
    /// The store is older than the oldest version that the registry supports.
    public static let tooOld = Self(rawValue: "tooOld")
    /// A migration was registered below a version that the store has already passed.
    public static let lateMigration = Self(rawValue: "lateMigration")
    /// Some, but not all, of the migrations that another one replaces were applied.
    public static let partlyReplaced = Self(rawValue: "partlyReplaced")
    /// The registry's baseline gave no valid version to a store without a ledger; see
    /// ``MigrationRegistry/baseline(from:)``.
    public static let baselineFailed = Self(rawValue: "baselineFailed")
    /// A migration was edited after the store had counted it as applied.
    public static let migrationEdited = Self(rawValue: "migrationEdited")
    /// A row of the ledger cannot be corrected as requested; the message says why.
    package static let notCorrected = Self(rawValue: "notCorrected")
    /// A type's stored shape differs from the one recorded at the same schema version.
    public static let shapeChanged = Self(rawValue: "shapeChanged")
}

// MARK: Steps and records

extension MoltError.Code {
    /// A step's closure threw, or left the record in a state that cannot be written.
    public static let stepFailed = Self(rawValue: "stepFailed")
    /// A migration's check of the upgraded store threw; see ``Migration/check(_:_:)``.
    public static let checkFailed = Self(rawValue: "checkFailed")
    /// A record's content is not valid JSON (RFC 8259).
    public static let malformedContent = Self(rawValue: "malformedContent")
    /// A property to be read, removed or renamed is missing from the record.
    public static let propertyMissing = Self(rawValue: "propertyMissing")
    /// A property cannot be renamed because the record already has the new name.
    public static let propertyExists = Self(rawValue: "propertyExists")
    /// A value cannot be read as the requested type, or encoded to JSON; what is stored is unchanged.
    public static let typeMismatch = Self(rawValue: "typeMismatch")
    /// Two records would have the same key, or a record cannot be put back because its key is in use.
    public static let keyExists = Self(rawValue: "keyExists")
    /// No record has the requested key.
    public static let recordMissing = Self(rawValue: "recordMissing")
    /// More records could not be converted than the policy allows; the upgrade was rolled back.
    public static let tooManyFailures = Self(rawValue: "tooManyFailures")
    /// A setting cannot be converted, and the step does not allow that.
    public static let notConvertible = Self(rawValue: "notConvertible")
    /// The store does not support an operation of a step, such as adding a record to a store of settings.
    public static let unsupported = Self(rawValue: "unsupported")
    /// A block used a suite that neither it nor the configuration names.
    public static let suiteNotNamed = Self(rawValue: "suiteNotNamed")
    /// A suite, or a file or directory beside the store, could not be read or changed.
    public static let suiteFailed = Self(rawValue: "suiteFailed")
}

// MARK: Upgrades that did not run, or not to their end

extension MoltError.Code {
    /// The store needs an upgrade that another process must run; see ``MoltConfiguration/process``.
    public static let needsMigration = Self(rawValue: "needsMigration")
    /// A migration must wait, for example for settings that cannot be read now, and the others depend on it.
    public static let deferred = Self(rawValue: "deferred")
    /// The store does not meet a migration's condition; see ``Migration/requirement(orElse:_:)``.
    public static let requirementUnmet = Self(rawValue: "requirementUnmet")
    /// A migration's work after the commit threw, or the closure that gets what a step hands over, and a later opening
    /// tries again; see ``Migration/afterCommit(_:_:)`` and ``MigrationStep/handOverRecords(_:to:_:)``.
    public static let workFailed = Self(rawValue: "workFailed")
    /// An earlier upgrade's changes to a suite, or to a directory of Cache, have not been applied yet.
    public static let journalPending = Self(rawValue: "journalPending")
    /// The upgrade was interrupted too often; see ``MoltConfiguration/retriesInterruptedUpgrades``.
    public static let attemptsFailed = Self(rawValue: "attemptsFailed")
    /// The upgrade was cancelled and rolled back.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The deadline for releasing the store's locks has passed; see ``MoltConfiguration/deadline``.
    public static let deadlinePassed = Self(rawValue: "deadlinePassed")
}

// MARK: Access to a store

extension MoltError.Code {
    /// Another process held the store for longer than the timeout.
    public static let busy = Self(rawValue: "busy")
    /// The app has suspended its access to stores; see ``StoreAccess``.
    public static let suspended = Self(rawValue: "suspended")
    /// The cache was closed.
    public static let closed = Self(rawValue: "closed")
    /// The store was upgraded or replaced while it was open: open it again.
    public static let storeChanged = Self(rawValue: "storeChanged")
    /// The file was removed, moved or replaced while the cache had it open.
    public static let fileReplaced = Self(rawValue: "fileReplaced")
    /// There is no file, and the call does not create one.
    public static let fileMissing = Self(rawValue: "fileMissing")
    /// A store that was to be moved has data at both places; see ``MigrationRegistry/storeMove(from:to:protection:)``.
    public static let twoStores = Self(rawValue: "twoStores")
    /// A file already exists where a new one was to be created.
    public static let fileExists = Self(rawValue: "fileExists")
    /// The path leads to a directory, or to something else that is not a regular file.
    public static let notAFile = Self(rawValue: "notAFile")
    /// The process lacks permission to read or create a store's file or its directory.
    public static let noPermission = Self(rawValue: "noPermission")
    /// The file or its volume is read-only.
    public static let readOnly = Self(rawValue: "readOnly")
    /// The store could not be read or written, for example because the disk is full or the file is damaged.
    public static let storeFailed = Self(rawValue: "storeFailed")
    /// The file is not an SQLite database.
    public static let notADatabase = Self(rawValue: "notADatabase")
    /// The database, or something in it or beside it, was not made by Molt.
    public static let foreignFile = Self(rawValue: "foreignFile")
    /// The store has a format that only a newer release of Molt knows.
    public static let newerFormat = Self(rawValue: "newerFormat")
}

// MARK: Values of a cache

extension MoltError.Code {
    /// The content cannot be decoded as the requested type; the stored bytes are kept.
    public static let unreadableContent = Self(rawValue: "unreadableContent")
    /// The value cannot be encoded.
    public static let notEncodable = Self(rawValue: "notEncodable")
    /// Key and value together exceed SQLite's limit, which is 1 000 000 000 bytes by default.
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// The quarantine has no record with this id.
    public static let notQuarantined = Self(rawValue: "notQuarantined")
}

// MARK: Suites and their values

extension MoltError.Code {
    /// The suite's name is invalid, or this app may not use the suite.
    public static let invalidSuite = Self(rawValue: "invalidSuite")
    /// A suite cannot hold a value of this type, or the platform would not return the value unchanged.
    ///
    /// No suite holds nil inside an array or dictionary, an integer of more than 64 bits, infinity or NaN in JSON, more
    /// than 200 nested levels, or Molt's own key, `molt.ledger`. On Linux, none holds a date more than 30 million years
    /// away, a string that begins with a byte order mark, or a dictionary whose only key is `CF$UID`. Each change there
    /// writes the whole suite: if the app itself has set such a value, an upgrade that does not remove it fails before
    /// its commit.
    public static let cannotStore = Self(rawValue: "cannotStore")
    /// A file of settings is not a property list, or contains values that no suite can hold.
    public static let settingUnreadable = Self(rawValue: "settingUnreadable")
    /// The suite cannot be written: its file has no location, or the volume is full or read-only.
    public static let suiteNotWritable = Self(rawValue: "suiteNotWritable")
    /// The suite did not return the values that were just written to it.
    public static let readBackFailed = Self(rawValue: "readBackFailed")
}

// MARK: Exports

extension MoltError.Code {
    /// A file to be imported is neither an export nor a store, or it is truncated or damaged.
    public static let malformedExport = Self(rawValue: "malformedExport")
}

// MARK: Backups

extension MoltError.Code {
    /// There is not enough disk space for a backup.
    public static let noSpaceForBackup = Self(rawValue: "noSpaceForBackup")
    /// A backup could not be made.
    public static let backupFailed = Self(rawValue: "backupFailed")
    /// A backup cannot be restored: it is damaged, missing, or of another store.
    public static let backupUnusable = Self(rawValue: "backupUnusable")
    /// Restoring a backup failed: the disk is full or faulty.
    public static let restoreFailed = Self(rawValue: "restoreFailed")
}
