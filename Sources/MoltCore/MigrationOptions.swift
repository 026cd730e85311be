package import Foundation

/// How a migrator runs: what it writes into the ledger, who follows it, and how long it waits.
public struct MigrationOptions: Sendable {
    /// The app's version, for the ledger; by default the short version of the main bundle, where there is one.
    public var appVersion: String
    /// Who follows the upgrade.
    public var monitor: MigrationMonitor?
    /// How long to wait while another process holds the store; 60 seconds by default.
    ///
    /// Less than none counts as none.
    public var lockTimeout: Duration
    /// Asked between records, by any thread, and while waiting; the upgrade is rolled back when it says true.
    public var isCancelled: @Sendable () -> Bool
    /// Who opens the store; by default what the process's bundle says.
    public var role: MigrationRole
    /// What happens when a migration was edited after the store had counted it as applied.
    ///
    /// An error in debug builds and an event in all others, by default. See ``Migration/fingerprint``.
    public var editedMigrations: MismatchPolicy
    /// What happens to a record that a step cannot convert: the upgrade stops, by default.
    ///
    /// The policy of a step comes before this one; see ``MigrationStep/onFailure(_:)``.
    public var unconvertible: RecordFailurePolicy
    /// The policy of all steps, whatever they say themselves; nil to let them.
    package var policyOfAllSteps: RecordFailurePolicy?
    /// Who is to upgrade a store that needs it; who opens it, by default.
    public var duty = UpgradeDuty.opener
    /// When the store's locks must be given up at the latest; nil for never, the default.
    ///
    /// An app that is about to be suspended while it holds a lock is killed by some systems. An upgrade that is still at
    /// work then stops before the next record, or within a statement of the store, is rolled back, and fails with the code
    /// `deadlinePassed`; a later opening begins anew, or behind the last batch that was committed. It cannot stop within a
    /// closure of a migration: leave those some time.
    public var deadline: ContinuousClock.Instant?
    /// How often an upgrade may be cut off, by a crash or a kill, before it is not tried again; 5 by default.
    ///
    /// It then fails with the code `attemptsFailed`, until it is allowed more, or a newer release of the app comes. nil
    /// for no limit. A number below 1 counts as 1: an upgrade that was never cut off is always begun.
    public var attemptLimit: Int? = 5
    /// Whether the store is copied before an upgrade writes to it; not by default.
    public var backup: BackupPolicy?
    /// What time it is, by which records that have expired are removed before an upgrade; nil to keep them.
    package var now: (@Sendable () -> Date)?
    /// Whether nothing outside the store is changed.
    package var isDryRun = false
    /// The ids up to this one are not given to records that blocks create, whether or not there are records with them.
    package var lastReservedID: Int64 = 0
    /// How many records are read, changed and written at a time.
    package var batchSize = 512
    /// Is told each point of the upgrade, for tests that let it fail there; nil costs nothing.
    package var atPoint: UpgradeHook?

    /// Creates options with the defaults that are named at each property.
    public init(
        appVersion: String = MigrationOptions.bundleVersion,
        monitor: MigrationMonitor? = nil,
        lockTimeout: Duration = .seconds(60),
        role: MigrationRole = .current,
        editedMigrations: MismatchPolicy = .standard,
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

    /// The short version of the main bundle; empty when it has none, as a command-line tool.
    public static var bundleVersion: String {
        Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String ?? ""
    }

    /// What happens to a record that a step cannot convert.
    func policy(of step: UpgradeSchedule.Step) -> RecordFailurePolicy {
        policyOfAllSteps ?? step.onFailure ?? unconvertible
    }

    /// Throws when someone asked for the upgrade to stop, or its time is over.
    func checkCancellation() throws {
        try checkDeadline()
        guard isCancelled() || monitor?.progress.isCancelled == true else { return }
        throw MigrationError(
            .cancelled,
            "The opening was cancelled.",
            .rolledBack,
            advice: "Open it again to upgrade it.",
            underlying: CancellationError()
        )
    }

    /// Throws when the time is over.
    ///
    /// - Parameter isCommitted: Whether the upgrade is committed, and only changes outside the store are still to be made.
    func checkDeadline(isCommitted: Bool = false) throws {
        guard let deadline, ContinuousClock.now >= deadline else { return }
        guard isCommitted else { throw MigrationError.deadlinePassed }
        throw MigrationError(
            .deadlinePassed,
            "The deadline has passed.",
            .committed
        )
    }
}

extension MigrationError {
    /// The error of an upgrade that was stopped before its commit because the time was over.
    package static var deadlinePassed: MigrationError {
        MigrationError(
            .deadlinePassed,
            "The deadline has passed.",
            .rolledBack,
            advice: "Open it again to upgrade it."
        )
    }
}
