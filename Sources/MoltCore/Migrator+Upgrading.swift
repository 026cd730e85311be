import Foundation

/// The transaction of an upgrade.
extension Migrator {
    /// Runs all that is pending in one transaction, and commits it.
    func commit(
        on store: any MigrationStore,
        _ upgrade: inout Upgrade,
        _ attempt: AttemptNote,
        _ backup: UpgradeBackup
    ) throws {
        var lock = LockWait(options: options, attempt: attempt)
        let attachments = Attachments(store.attachments, registry, role: options.role)
        var state = upgrade
        var isRun = false
        defer { attachments.abandon() }
        // The clock is the app's, which may use the store: the lock must not be held.
        let now = options.now?()
        try store.withWriteTransaction(until: deadline) { transaction in
            let transaction = observed(transaction)
            // Between the plan and the lock another process may have upgraded the store: plan again. What it has not
            // applied yet to attached stores is applied here, before anything looks at them.
            if !options.isDryRun { try applyJournal(of: store, transaction, attachments, attempt) }
            let plan = try MigrationPlan(
                transaction.state(),
                storeName: store.storeName,
                migrations: registry,
                attachments
            )
            if plan != state.plan {
                let edits = state.plan.edits
                state.plan = plan
                options.monitor?.send(.planned(plan))
                if plan.edits != edits { try checkEdits(plan) }
            }
            try plan.checkProblems()
            guard plan.needsRun else { return }
            isRun = true
            try options.checkCancellation()
            try attempt.begin(plan)
            try backup.make(for: plan, transaction.state()) {
                try attachments.changesBackToNow(store.attachments, plan, registry)
            }
            attachments.prepare(plan, registry)
            let scope = UpgradeScope(
                transaction: transaction,
                store: store,
                attachments: attachments,
                options: options,
                meter: ProgressMeter(monitor: options.monitor)
            )
            // Nobody can read them any more, so no step has to convert them.
            if let now, !plan.isFresh {
                state.expiredCount = try scope.records.deleteExpired(now: now.timeIntervalSince1970)
            }
            state.entries = try UpgradeRun(plan: plan, registry: registry, scope: scope).run()
            try transaction.record(ledgerEntries(for: state.entries), version: max(plan.from, plan.to))
            try transaction.addToJournal(attachments.finish())
            state.plan.journal = try transaction.journal().map(\.store)
            try options.checkCancellation()
            try options.reach(.beforeCommit, "of the upgrade")
        } waiting: {
            try lock.wait()
        }
        upgrade = state
        if isRun { try options.reach(.afterCommit, "of the upgrade") }
    }

    private func ledgerEntries(for entries: [MigrationReport.Entry]) -> [LedgerEntry] {
        let migrations = Dictionary(uniqueKeysWithValues: registry.migrations.map { ($0.name, $0) })
        return entries.map { ledgerEntry(for: $0, migrations[$0.migration.name]) }
    }

    private func ledgerEntry(for entry: MigrationReport.Entry, _ migration: Migration?) -> LedgerEntry {
        LedgerEntry(
            name: entry.migration.name,
            version: entry.migration.version,
            outcome: entry.outcome,
            appliedAt: Date(),
            duration: entry.duration,
            counts: entry.counts,
            attachedCounts: entry.attachedCounts,
            appVersion: options.appVersion,
            // What a replacement stands for was done by others.
            fingerprint: entry.outcome == .replaced ? nil : migration?.fingerprint,
            replaces: migration?.replaces ?? [],
            isReadableByOlderReleases: migration?.isReadableByOlderReleases ?? false
        )
    }

    /// The transaction, or one that tells what is done with it.
    private func observed(_ transaction: any MigrationTransaction) -> any MigrationTransaction {
        options.atPoint.map { ObservedTransaction(transaction, $0) } ?? transaction
    }

    // MARK: The journal

    /// Makes the changes to attached stores that were committed, and forgets them when they are on disk.
    ///
    /// The store's write lock keeps other processes from doing the same at the same time.
    func applyJournal(of store: any MigrationStore, _ attempt: AttemptNote, isCancellable: Bool = true) throws {
        let attachments = Attachments(store.attachments, registry, role: options.role)
        var lock = LockWait(options: options, attempt: attempt, isCancellable: isCancellable)
        var isApplied = false
        try options.checkDeadline(isCommitted: !isCancellable)
        do {
            try store.withWriteTransaction(until: deadline) { transaction in
                isApplied = try applyJournal(of: store, observed(transaction), attachments, attempt)
                if isApplied { try options.reach(.beforeCommit, "that ends the journal") }
            } waiting: {
                try options.checkDeadline(isCommitted: !isCancellable)
                try lock.wait()
            }
        } catch let error as MigrationError where error.code == .deadlinePassed {
            // What a statement says that was stopped is about an upgrade that is not committed.
            try options.checkDeadline(isCommitted: !isCancellable)
            throw error
        }
        if isApplied { try options.reach(.afterCommit, "that ends the journal") }
    }

    /// - Returns: Whether there was something to make.
    @discardableResult
    private func applyJournal(
        of store: any MigrationStore,
        _ transaction: any MigrationTransaction,
        _ attachments: Attachments,
        _ attempt: AttemptNote
    ) throws -> Bool {
        // A newer app may have upgraded the store while nobody held the lock: what it has left is not ours to make.
        let plan = try MigrationPlan(state: transaction.state(), storeName: store.storeName, migrations: registry)
        if plan.isSuperseded { try plan.checkProblems() }
        let journal = try transaction.journal()
        guard !journal.isEmpty else { return false }
        try attempt.begin(plan)
        try attachments.apply(journal, options)
        try transaction.clearJournal()
        return true
    }
}
