internal import Foundation

/// The attempt that is noted for an upgrade, so that one which crashes again and again ends as an error.
final class UpgradeAttempts {
    /// Nil for a copy, whose upgrade is not noted.
    private let log: AttemptLog?
    private let store: StoreFile
    private let configuration: MoltConfiguration
    private var own: UpgradeAttempt?
    /// See ``MigrationSummary/interruptions``.
    private(set) var interruptions = 0

    init(at store: StoreFile, _ configuration: MoltConfiguration, _ mode: RunMode) {
        log = mode.isOnCopy ? nil : store.attempts
        self.store = store
        self.configuration = configuration
    }

    /// Whether an upgrade has begun and not ended.
    var hasUnfinished: Bool { log?.exists == true }

    /// Notes that the upgrade begins; called under the store's write lock.
    ///
    /// - Throws: ``MoltError`` with the code `attemptsFailed` if it was interrupted too often.
    func begin(_ plan: MigrationPlan) throws {
        guard let log, own == nil else { return }
        let new = UpgradeAttempt(from: plan.from, to: plan.to, configuration)
        // The lock is free for this attempt, so an earlier one at the same upgrade was interrupted. In rare cases it
        // has just failed, and its process is about to clear the log.
        let all = log.attempts()
        // An attempt at the store's own version was interrupted only if its journal is left.
        interruptions = all.count { $0.to > plan.from || $0.to == plan.from && !plan.journal.isEmpty }
        let earlier = all.filter { $0.isRepeated(by: new) }
        // A developer stops the app in the debugger again and again.
        let retries = configuration.retriesInterruptedUpgrades || configuration.redoesLastUpgrade
        if !retries, earlier.count >= configuration.hooks.attemptLimit {
            throw MoltError.attemptsFailed(earlier, of: store.primary == nil ? .cache : .suite)
        }
        log.begin(new)
        own = new
    }

    /// Clears the log at the end of the upgrade, with or without an error.
    func end() {
        guard let own, let log else { return }
        self.own = nil
        // Another process may have begun since the lock was released.
        guard let last = log.attempts().last, last.processID == own.processID, last.startedAt == own.startedAt
        else { return }
        log.clear()
    }
}

extension UpgradeAttempt {
    /// Creates an attempt of this process, which begins now.
    ///
    /// - Parameter work: The migration whose work after the commit it does; nil for an upgrade.
    init(from: Int, to: Int, work: String? = nil, _ configuration: MoltConfiguration) {
        let build = configuration.hooks.build ?? AppBuild.current
        self.init(from: from, to: to, appVersion: configuration.appVersion, build: build)
        self.work = work
    }
}
