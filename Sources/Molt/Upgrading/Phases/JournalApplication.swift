/// Makes the changes outside a store that its journal has, and clears the journal once they are on disk.
///
/// The store's write lock keeps other processes from doing so at the same time.
final class JournalApplication {
    private let migrator: Migrator
    private let store: StoreFile
    private let attempts: UpgradeAttempts
    private let locks: SuiteLocks

    init(_ migrator: Migrator, _ store: StoreFile, _ attempts: UpgradeAttempts, _ locks: SuiteLocks) {
        self.migrator = migrator
        self.store = store
        self.attempts = attempts
        self.locks = locks
    }

    /// What has committed the journal.
    enum Origin {
        case earlierUpgrade
        /// Past its commit, cancellation has no effect.
        case thisUpgrade
    }

    /// - Returns: Whether there was a journal whose changes it has made.
    func run(_ origin: Origin) throws -> Bool {
        let configuration = migrator.configuration
        let patience = Patience(configuration, isCancellable: origin == .earlierUpgrade)
        var isApplied = false
        var newer: MigrationPlan?
        do {
            try configuration.checkDeadline()
            try store.withWriteTransaction(until: configuration.lastInstant) { transaction in
                let stores = migrator.stores(of: store)
                let state = try transaction.state()
                stores.learn(from: state)
                let plan = try migrator.plan(for: Histories(state), of: store, stores, transaction)
                // A newer release may have upgraded the store while the lock was free. Its journal is not applied here.
                if plan.isSuperseded {
                    newer = plan
                    return false
                }
                let journal = try transaction.journal()
                // Another process was perhaps faster.
                guard !journal.isEmpty else { return true }
                if origin == .earlierUpgrade, !locks.cover(plan, of: store) { return false }
                try attempts.begin(plan)
                try AttachedWork(stores).apply(journal, configuration)
                try configuration.reach(.clearJournal)
                try transaction.clearJournal()
                isApplied = true
                try configuration.reach(.beforeCommit, "that ends the journal")
                return true
            } waiting: {
                try patience.wait(for: store)
            }
            if isApplied { try configuration.reach(.afterCommit, "that ends the journal") }
        } catch {
            throw error.with(.committed)
        }
        // It may let this release write the store all the same, which the next plan decides.
        if origin == .thisUpgrade || !migrator.mode.mayLeaveNewer { try newer?.checkProblems() }
        return isApplied
    }
}
