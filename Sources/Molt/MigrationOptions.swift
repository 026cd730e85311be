package import Foundation

/// Options of an upgrade: ledger data, monitoring, policies and time limits.
public struct MigrationOptions: Sendable {
    /// The app's version, for the ledger; by default the short version of the main bundle, if any.
    public var appVersion: String
    /// The monitor that follows the upgrade.
    public var monitor: MigrationMonitor?
    /// How long to wait while another process holds the store: 60 seconds by default, and 0 for negative values.
    public var lockTimeout: Duration
    /// Called between records, on any thread, and while waiting; the upgrade is rolled back when it returns true.
    public var isCancelled: @Sendable () -> Bool
    /// The role of the process that opens the store; derived from the process's bundle by default.
    public var role: MigrationOptions.Role
    /// The policy for a migration that was edited after the store had counted it as applied.
    ///
    /// By default an error in debug builds and an event in all others. See ``Migration/fingerprint``.
    public var editedMigrations: MigrationOptions.MismatchPolicy
    /// The policy for a record that a step cannot convert; by default the upgrade stops.
    ///
    /// A step's own policy takes precedence; see ``MigrationStep/onFailure(_:)``.
    public var unconvertible: RecordFailurePolicy
    /// Which process must upgrade the store; by default the one that opens it.
    public var duty = MigrationOptions.Duty.opener
    /// The time by which the store's locks must be released; nil, the default, for no limit.
    ///
    /// Some systems kill an app that is suspended while it holds a lock. An upgrade still running at the deadline stops
    /// before the next record, or within a statement of the store. It is rolled back and fails with the code
    /// `deadlinePassed`; a later opening starts again. It cannot stop within a closure of a migration, so leave time
    /// for those.
    public var deadline: ContinuousClock.Instant?
    /// How often an upgrade may be interrupted by a crash or a kill before Molt stops trying; 5 by default.
    ///
    /// It then fails with the code `attemptsFailed` until the limit is raised or a newer release of the app opens the
    /// store. nil means no limit. A number below 1 counts as 1: an upgrade that was never interrupted always begins.
    public var attemptLimit: Int? = 5
    /// Whether the store is backed up before an upgrade writes to it; nil, the default, for no backup.
    public var backup: BackupPolicy?
    #if DEBUG
        /// Whether the last upgrade is redone when its migrations have changed since; false by default.
        ///
        /// Use it while you write a migration. When you then edit, rename or remove the migrations of the store's
        /// version, the next opening restores the copy of the store and its suites that was made before those
        /// migrations ran, and upgrades the store again. Upgrades make such copies even without a ``backup`` policy. If
        /// there is no copy, a cache whose migrations attach no suite is started afresh. The replaced contents are kept
        /// beside the store until the app removes them. A change of an earlier migration is an error as usual, and so
        /// is a closure whose edit does not increase its revision: Molt cannot see it.
        ///
        /// It exists in debug builds only, so that it cannot ship:
        ///
        /// ```swift
        /// #if DEBUG
        ///     configuration.redoesUnshippedMigrations = true
        /// #endif
        /// ```
        public var redoesUnshippedMigrations = false
    #endif
    /// The current time, by which expired records are removed before an upgrade; nil to keep them.
    package var now: (@Sendable () -> Date)?
    /// Whether migrations on read are only recorded in the ledger; otherwise they run like others.
    package var onlyRecordsOnRead = false
    /// Whether the upgrade changes nothing outside the store.
    package var isDryRun = false
    /// Whether the report names what matches nothing in the store, which may read records; a dry run always does.
    package var findsUnmatchedNames: Bool = {
        #if DEBUG
            true
        #else
            false
        #endif
    }()
    /// The number of records of each step that the report of a dry run shows.
    package var sampleCount = 0
    /// The number of records that are read, changed and written at a time.
    package var batchSize = 512
    /// Called at each point of the upgrade, for tests that inject failures; nil costs nothing.
    package var atPoint: UpgradeHook?

    /// Creates options; each property documents its default.
    public init(
        appVersion: String = MigrationOptions.bundleVersion,
        monitor: MigrationMonitor? = nil,
        lockTimeout: Duration = .seconds(60),
        role: MigrationOptions.Role = .current,
        editedMigrations: MigrationOptions.MismatchPolicy = .standard,
        unconvertible: RecordFailurePolicy = .stop,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.appVersion = appVersion
        self.monitor = monitor
        self.lockTimeout = lockTimeout
        self.role = role
        self.editedMigrations = editedMigrations
        self.unconvertible = unconvertible
        self.isCancelled = isCancelled
    }

    /// The short version of the main bundle; empty when it has none, as in a command-line tool.
    public static var bundleVersion: String {
        Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String ?? ""
    }

    /// Whether the last upgrade is redone when its migrations have changed since; false in release builds.
    var redoesLastUpgrade: Bool {
        #if DEBUG
            redoesUnshippedMigrations
        #else
            false
        #endif
    }

    /// The policy for backups of the upgrade.
    var effectiveBackup: BackupPolicy? {
        backup ?? (redoesLastUpgrade ? BackupPolicy(keep: 5) : nil)
    }

    /// Cancels the upgrade also when a closure returns true.
    package mutating func cancel(when isCancelled: @escaping @Sendable () -> Bool) {
        let other = self.isCancelled
        self.isCancelled = { isCancelled() || other() }
    }

    func policy(of step: UpgradeSchedule.Step) -> RecordFailurePolicy {
        step.onFailure ?? unconvertible
    }

    /// Throws when the upgrade was cancelled or its deadline has passed.
    package func checkCancellation() throws {
        try checkDeadline()
        guard isCancelled() || monitor?.progress.isCancelled == true else { return }
        throw MoltError(
            .cancelled,
            "The opening was cancelled.",
            outcome: .rolledBack,
            advice: "Open it again to upgrade it.",
            underlying: CancellationError()
        )
    }

    /// Throws when the deadline has passed, or when the app has suspended its access to stores.
    ///
    /// - Parameter isCommitted: Whether the upgrade is committed, and only changes outside the store remain.
    func checkDeadline(isCommitted: Bool = false) throws {
        if StoreAccess.isSuspended { throw MoltError.suspended(isCommitted ? .committed : nil) }
        guard let deadline, ContinuousClock.now >= deadline else { return }
        guard isCommitted else { throw MoltError.deadlinePassed }
        throw MoltError(
            .deadlinePassed,
            "The deadline has passed.",
            outcome: .committed
        )
    }
}

extension MoltError {
    /// The error of an upgrade that the deadline stopped before its commit.
    package static var deadlinePassed: MoltError {
        MoltError(
            .deadlinePassed,
            "The deadline has passed.",
            outcome: .rolledBack,
            advice: "Open it again to upgrade it."
        )
    }
}
