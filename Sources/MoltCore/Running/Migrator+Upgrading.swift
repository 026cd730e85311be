import Foundation

/// The transactions of an upgrade: one for all that is pending, and more where a migration commits in batches.
extension Migrator {
    /// Commits what is pending: all of it at once, or portion by portion.
    func commit(
        on store: any MigrationStore,
        _ upgrade: inout Upgrade,
        _ attempt: AttemptNote,
        _ backup: UpgradeBackup
    ) throws {
        // A batch may need the room that the log of those before it takes.
        if upgrade.plan.unfinished != nil { emptyLog(of: store) }
        repeat {
            try commitPortion(of: store, &upgrade, attempt, backup)
            guard upgrade.hasMore else { return }
            if !upgrade.plan.journal.isEmpty, !options.isDryRun {
                // In a transaction of its own: what follows may be rolled back, and must not have it made twice.
                do {
                    try applyJournal(of: store, attempt)
                } catch {
                    throw error.with(.partlyCommitted(unfinished: upgrade.unfinished))
                }
                upgrade.plan.journal = []
            }
            emptyLog(of: store)
        } while true
    }

    private func emptyLog(of store: any MigrationStore) {
        if !options.isDryRun { store.emptyLog(until: options.deadline) }
    }

    /// Runs, in one transaction, all that may be committed together.
    private func commitPortion(
        of store: any MigrationStore,
        _ upgrade: inout Upgrade,
        _ attempt: AttemptNote,
        _ backup: UpgradeBackup
    ) throws {
        var lock = LockWait(options: options, attempt: attempt)
        let attachments = Attachments(store.attachments, registry, role: options.role)
        var state = upgrade
        var isRun = false
        var unfinished = upgrade.unfinished
        defer { attachments.abandon() }
        // The clock is the app's, which may use the store: the lock must not be held.
        let now = options.now?()
        do {
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
                unfinished = plan.unfinished
                if state.hasCommitted {
                    state.plan.journal = plan.journal
                } else if plan != state.plan {
                    let edits = state.plan.edits
                    state.plan = plan
                    options.monitor?.send(.planned(plan))
                    if plan.edits != edits { try checkEdits(plan) }
                }
                try plan.checkProblems()
                state.hasMore = false
                guard plan.needsRun else { return }
                isRun = true
                try options.checkCancellation()
                if state.hasCommitted { attempt.renew(plan) } else { try attempt.begin(plan) }
                try backup.make(for: plan, transaction.state()) {
                    try attachments.changesBackToNow(store.attachments, plan, registry)
                }
                attachments.prepare(plan, registry)
                let scope = UpgradeScope(
                    transaction: transaction,
                    store: store,
                    attachments: attachments,
                    options: options,
                    meter: state.meter
                )
                // Nobody can read them any more, so no step has to convert them. Batches count the records once.
                if let now, !plan.isFresh, !state.hasCommitted, plan.unfinished == nil {
                    state.expiredCount = try scope.records.deleteExpired(now: now.timeIntervalSince1970)
                }
                try run(plan, scope, commitsInBatches: store.commitsInBatches, &state)
                try transaction.addToJournal(attachments.finish())
                state.plan.journal = try transaction.journal().map(\.store)
                try backup.portionWillCommit(hasMore: state.hasMore)
                try options.checkCancellation()
                try options.reach(.beforeCommit, state.hasMore ? UpgradePoint.afterBatch.subject : "of the upgrade")
            } waiting: {
                try lock.wait()
            }
        } catch {
            guard upgrade.hasCommitted || unfinished != nil else { throw error }
            throw error.with(.partlyCommitted(unfinished: unfinished))
        }
        upgrade = state
        if isRun {
            upgrade.hasCommitted = true
            try options.reach(.afterCommit, upgrade.hasMore ? UpgradePoint.afterBatch.subject : "of the upgrade")
        }
    }

    /// Runs a portion of what is pending: a batch of a migration that commits in batches, or all up to the next such one.
    private func run(
        _ plan: MigrationPlan,
        _ scope: UpgradeScope,
        commitsInBatches: Bool,
        _ upgrade: inout Upgrade
    ) throws {
        let transaction = scope.transaction
        let portion = UpgradePortion(of: plan, registry, commitsInBatches: commitsInBatches)
        if portion.batched == nil || portion.batched?.name != upgrade.batched {
            scope.meter.expect(try WorkEstimate.of(portion.groupsToCome, scope.records))
        }
        upgrade.batched = nil
        if let migration = portion.batched {
            let unfinished = plan.unfinished.flatMap { $0.migration.name == migration.name ? $0 : nil }
            var run = BatchedRun(migration, from: plan.from, registry: registry, unfinished: unfinished, scope: scope)
            let version = max(plan.from, migration.version)
            if let unfinished = try run.run() {
                try transaction.setUnfinished(unfinished, version: version)
                upgrade.batched = migration.name
                upgrade.unfinished = unfinished
                upgrade.hasMore = true
                return
            }
            try transaction.setUnfinished(nil, version: version)
            upgrade.unfinished = nil
            try transaction.record([ledgerEntry(for: run.entry, migration)], version: version)
            upgrade.entries.append(run.entry)
        } else {
            let entries = try UpgradeRun(plan: portion.plan, registry: registry, scope: scope).run()
            let migrations = Dictionary(uniqueKeysWithValues: registry.migrations.map { ($0.name, $0) })
            try transaction.record(
                entries.map { ledgerEntry(for: $0, migrations[$0.migration.name]) },
                version: max(portion.plan.from, portion.plan.to)
            )
            upgrade.entries += entries
        }
        upgrade.hasMore = portion.hasMore
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
