/// The note, beside a store, that this upgrade has begun: made under the store's write lock, removed at the end.
final class AttemptNote {
    private let log: AttemptLog?
    private let options: MigrationOptions
    private var own: UpgradeAttempt?

    init(_ store: any MigrationStore, _ options: MigrationOptions) {
        log = options.isDryRun ? nil : store.attemptsURL.map(AttemptLog.init)
        self.options = options
    }

    /// Notes that an upgrade begins.
    ///
    /// - Throws: ``MigrationError`` with the code `attemptsFailed` when it was cut off too often.
    func begin(_ plan: MigrationPlan) throws {
        guard let log, own == nil else { return }
        let attempt = UpgradeAttempt(plan, appVersion: options.appVersion)
        // One whose process is there was not cut off: it may be at its end.
        let earlier = log.attempts().filter { $0.isRepeated(by: attempt) && $0.isAlive != true }
        if let limit = options.attemptLimit, !earlier.isEmpty, earlier.count >= limit {
            throw MigrationError.attemptsFailed(earlier)
        }
        // Those of another release, or of another version of the store, say nothing any more.
        if earlier.isEmpty { log.clear() }
        log.begin(attempt)
        own = attempt
    }

    /// Forgets all attempts: this one has ended, with an error or without.
    func end() {
        guard let own, let log else { return }
        self.own = nil
        // Another process may have begun since the lock was given up.
        guard let last = log.attempts().last, last.processID == own.processID, last.startedAt == own.startedAt else {
            return
        }
        log.clear()
    }

    /// The attempt that is under way in another process, or in another thread of this one.
    var holder: UpgradeAttempt? { log?.holder() }
}
