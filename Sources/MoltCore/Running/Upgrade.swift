import Foundation

/// One run of a migrator, between its phases and transactions.
struct Upgrade {
    let startedAt = Date()
    let start = ContinuousClock.now
    /// The plan as it was when the upgrade began, its journal as it is now.
    var plan: MigrationPlan
    /// What each migration did.
    var entries: [MigrationReport.Entry] = []
    /// How many records had expired and were removed.
    var expiredCount = 0
    /// Whether all that was pending is committed.
    var isCommitted = false
    /// Whether another transaction has to follow.
    var hasMore = false
    /// Whether a transaction was committed.
    var hasCommitted = false
    /// The migration that is half done in the store.
    var unfinished: UnfinishedMigration?
    /// The migration of which the last transaction was a batch, when it was not the last one of it.
    var batched: String?
    /// Counts the work of all transactions.
    let meter: ProgressMeter

    init(plan: MigrationPlan, meter: ProgressMeter) {
        self.plan = plan
        self.meter = meter
    }
}
