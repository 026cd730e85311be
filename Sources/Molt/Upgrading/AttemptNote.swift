/// The log entry of this upgrade: made under the store's write lock, removed at the end.
final class AttemptNote {
    private let log: AttemptLog?
    private let configuration: MoltConfiguration
    private var own: UpgradeAttempt?
    /// See ``MigrationSummary/interruptions``.
    private(set) var interruptions = 0

    init(_ store: StoreFile, _ configuration: MoltConfiguration) {
        log = configuration.isDryRun ? nil : store.attemptsURL.map(AttemptLog.init)
        self.configuration = configuration
    }

    /// Notes that an upgrade begins.
    ///
    /// - Throws: ``MoltError`` with the code `attemptsFailed` if it was interrupted too often.
    func begin(_ plan: MigrationPlan) throws {
        guard let log, own == nil else { return }
        let attempt = UpgradeAttempt(plan, appVersion: configuration.appVersion)
        // The lock is free for this attempt, so an earlier one at the same upgrade was interrupted. In rare cases it has
        // just failed, and its process is about to clear the log.
        let all = log.attempts()
        // An attempt at the store's own version was interrupted only if its journal is left.
        interruptions = all.count { $0.to > plan.from || $0.to == plan.from && !plan.journal.isEmpty }
        let earlier = all.filter { $0.isRepeated(by: attempt) }
        // A developer stops the app in the debugger again and again.
        let retries = configuration.retriesInterruptedUpgrades || configuration.redoesLastUpgrade
        if !retries, earlier.count >= configuration.hooks.attemptLimit { throw MoltError.attemptsFailed(earlier) }
        log.begin(attempt)
        own = attempt
    }

    /// Whether an earlier upgrade was interrupted.
    var hasEarlier: Bool { log?.exists == true }

    /// Clears the log at the end of the upgrade, with or without an error.
    func end() {
        guard let own, let log else { return }
        self.own = nil
        // Another process may have begun since the lock was released.
        guard let last = log.attempts().last, last.processID == own.processID, last.startedAt == own.startedAt else {
            return
        }
        log.clear()
    }

    /// The attempt in progress in another process, or in another thread of this one.
    var holder: UpgradeAttempt? { log?.holder() }
}
