extension MoltError {
    static func attemptsFailed(_ attempts: [UpgradeAttempt]) -> MoltError {
        let last = attempts.last.map { " The last one: \($0)." } ?? ""
        var error = MoltError(
            .attemptsFailed,
            "The upgrade began \(attempts.count) times and was interrupted each time, for example by a crash or a kill.\(last) It was not "
                + "tried again, and the store is as it was. Look for the reason; to try once more, open the store with "
                + "`retriesInterruptedUpgrades = true`. \(recoveryAdvice)"
        )
        error.attempts = attempts
        return error
    }

    /// The error for a store that another process must upgrade first.
    static func needsMigration(_ plan: MigrationPlan, waited time: Duration) -> MoltError {
        let what =
            if plan.isFresh {
                "The store does not exist yet; another process must create it."
            } else if plan.needsRun {
                "The store is at version \(plan.from) and must be upgraded to \(plan.to) by another process."
            } else {
                "An upgrade is committed, but another process must still apply its changes outside the store."
            }
        let waited = time > .zero ? " None did so within \(time)." : ""
        var error = MoltError(.needsMigration, "\(what)\(waited) Open the app once, then try again.")
        error.store = plan.store
        error.storeVersion = plan.from
        error.registryVersion = plan.to
        return error
    }
}
