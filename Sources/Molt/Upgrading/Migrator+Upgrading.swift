import Foundation

/// The transaction of an upgrade.
extension Migrator {
    /// Runs all pending migrations in one transaction, and commits it.
    ///
    /// The commit of a plan that only adds rows to the ledger and renames types does not wait for the disk. Its attempt
    /// is not noted either, because no step can crash, unless it merges types or an earlier attempt was interrupted.
    ///
    /// - Returns: Whether it committed; false if another process has changed the store since the plan, so that the
    ///   upgrade needs a synced commit or the locks of suites.
    func runInTransaction(
        on store: StoreFile,
        _ upgrade: inout Upgrade,
        _ attempt: AttemptNote,
        _ backup: UpgradeBackup,
        _ locks: SuiteLocks
    ) throws -> Bool {
        var lock = LockWait(configuration: configuration, attempt: attempt)
        let stores = AttachedStores(store, registry, role: configuration.role)
        let attachments = Attachments(stores)
        var state = upgrade
        var isRun = false
        var isReady = true
        defer { attachments.abandon() }
        // The clock belongs to the app and may use the store, so the lock must not be held.
        let now = configuration.now()
        let isLight = isLight(upgrade.plan)
        try store.withWriteTransaction(until: configuration.deadline, isSynced: !isLight) { transaction in
            // Another process may have upgraded the store between the plan and the lock, so plan again. First apply its
            // outstanding journal, because the plan reads attached stores.
            if !configuration.isDryRun, try applyJournal(of: store, transaction, attachments, attempt) {
                state.hasFinishedEarlier = true
            }
            let current = try stores.state(transaction.state())
            let plan = try MigrationPlan(
                current,
                storeName: store.storeName,
                migrations: registry,
                stores,
                onlyRecordsOnRead: onlyRecordsOnRead
            ) { try transaction.hasRecords(before: $0) }
            if plan != state.plan {
                let edits = state.plan.edits
                state.plan = plan
                configuration.monitor?.send(.planned(plan))
                if plan.edits != edits { try checkEdits(plan) }
            }
            try plan.checkProblems()
            guard plan.needsRun else { return true }
            isReady =
                (!isLight || self.isLight(plan))
                && (locks.areHeld || configuration.isDryRun || !worksOnSuites(plan, of: store))
            guard isReady else { return false }
            isRun = true
            try configuration.checkCancellation()
            if try !isLight || attempt.hasEarlier || mergesTypes(plan, transaction) { try attempt.begin(plan) }
            try backup.make(for: plan, transaction.state()) {
                try stores.changesRestoringCurrentState(store.attachments, plan)
            }
            do {
                // The ledger of a suite is in the suite; its file has a copy while there is one.
                if store.primary != nil { try transaction.replaceLedger(by: current) }
                try run(plan, on: store, transaction, attachments, now, &state)
            } catch {
                // The lock is still held, so the next process does not count this attempt as interrupted.
                attempt.end()
                throw error.with(.rolledBack)
            }
            return true
        } waiting: {
            try lock.wait()
        }
        guard isReady else { return false }
        upgrade = state
        if isRun { try configuration.reach(.afterCommit, "of the upgrade") }
        return true
    }

    /// Whether an upgrade only adds rows to the ledger and renames types.
    private func isLight(_ plan: MigrationPlan) -> Bool {
        guard configuration.backup == nil, !plan.isFresh, plan.journal.isEmpty else { return false }
        return steps(of: plan).allSatisfy { step in
            if case .renameType = step.action { true } else { false }
        }
    }

    /// Whether a type gets the name of one that has records, which changes all records of the type.
    private func mergesTypes(_ plan: MigrationPlan, _ transaction: StoreTransaction) throws -> Bool {
        let newNames = steps(of: plan).compactMap { step -> String? in
            if case .renameType(_, let newName) = step.action { newName } else { nil }
        }
        guard !newNames.isEmpty else { return false }
        let types = try transaction.typeNames()
        return newNames.contains { name in types.contains { ExactName.isSame($0, name) } }
    }

    private func steps(of plan: MigrationPlan) -> [MigrationStep] {
        let running = Set(plan.entries.filter(\.runsSteps).map(\.migration.name))
        return registry.migrations.filter { running.contains($0.name) }.flatMap(\.steps)
    }

    /// Runs the pending steps, and adds the ledger's rows and the journal.
    private func run(
        _ plan: MigrationPlan,
        on store: StoreFile,
        _ transaction: StoreTransaction,
        _ attachments: Attachments,
        _ now: Date,
        _ upgrade: inout Upgrade
    ) throws {
        attachments.prepare(plan)
        let scope = UpgradeScope(
            transaction: transaction,
            registry: registry,
            attachments: attachments,
            configuration: configuration,
            now: now,
            meter: ProgressMeter(monitor: configuration.monitor)
        )
        // Expired records can no longer be read, so no step has to convert them.
        if !configuration.hooks.keepsExpired, !plan.isFresh, !plan.entries.contains(where: \.isPutOff) {
            upgrade.expiredCount = try scope.records.deleteExpired(now: now.timeIntervalSince1970)
        }
        let upgradeRun = UpgradeRun(plan: plan, registry: registry, scope: scope)
        upgrade.entries = try upgradeRun.run()
        try configuration.reach(.writeLedger)
        let rows = try ledgerEntries(for: upgrade.entries) + finishedRows(plan, transaction)
        try transaction.record(rows, version: max(plan.from, plan.to))
        let journal = try attachments.finish(adding: suiteRows(rows, upgradeRun.changedSuites, store))
        if !journal.isEmpty { try configuration.reach(.writeJournal) }
        try transaction.addToJournal(journal)
        upgrade.plan.journal = try transaction.journal().map(\.store)
        try configuration.checkCancellation()
        try configuration.reach(.beforeCommit, "of the upgrade")
    }

    private func ledgerEntries(for entries: [MigrationReport.Entry]) -> [LedgerEntry] {
        let migrations = Dictionary(uniqueKeysWithValues: registry.migrations.map { ($0.name, $0) })
        return entries.map { ledgerEntry(for: $0, migrations[$0.migration.name]) }
    }

    /// The rows for the ledgers of suites: each gets those of the migrations that have worked on it.
    ///
    /// The suite that is upgraded without a cache gets all.
    private func suiteRows(
        _ rows: [LedgerEntry],
        _ changedSuites: [String: Set<String>],
        _ store: StoreFile
    ) -> [String: [SuiteLedger.Row]] {
        var found: [String: [SuiteLedger.Row]] = [:]
        for var row in rows {
            // The records are those of one of several stores.
            row.counts = RecordCounts()
            let suites = changedSuites[row.name] ?? []
            for name in suites.union([store.primary?.attachedName].compactMap(\.self)) {
                found[name, default: []].append(SuiteLedger.Row(row, in: registry))
            }
        }
        return found
    }

    /// The rows of migrations on read that no record waits for any more.
    private func finishedRows(
        _ plan: MigrationPlan,
        _ transaction: StoreTransaction
    ) throws -> [LedgerEntry] {
        guard !plan.finishedOnRead.isEmpty else { return [] }
        return try transaction.state().ledger.filter { plan.finishedOnRead.contains($0.name) }.map { row in
            var row = row
            row.outcome = .ran
            // They are added to those of the row.
            row.counts = RecordCounts()
            return row
        }
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
            appVersion: configuration.appVersion,
            // Other migrations did the work that a replacement stands for.
            fingerprint: entry.outcome == .replaced ? nil : migration?.fingerprint,
            replaces: migration?.replaces ?? [],
            isReadableByOlderReleases: migration?.isReadableByOlderReleases ?? false
        )
    }

    // MARK: The journal

    /// Applies the committed changes to attached stores, and clears the journal once they are on disk.
    ///
    /// The store's write lock keeps other processes from doing so at the same time.
    ///
    /// - Returns: Whether the journal had changes.
    func applyJournal(of store: StoreFile, _ attempt: AttemptNote, isCancellable: Bool = true) throws -> Bool {
        let attachments = Attachments(AttachedStores(store, registry, role: configuration.role))
        var lock = LockWait(configuration: configuration, attempt: attempt, isCancellable: isCancellable)
        var isApplied = false
        try configuration.checkDeadline(isCommitted: !isCancellable)
        do {
            try store.withWriteTransaction(until: configuration.deadline) { transaction in
                isApplied = try applyJournal(of: store, transaction, attachments, attempt)
                if isApplied {
                    try configuration.reach(.beforeCommit, "that ends the journal")
                } else {
                    // Another process was faster, perhaps that of a newer app.
                    _ = try planUnlessSuperseded(store, transaction)
                }
                return true
            } waiting: {
                try configuration.checkDeadline(isCommitted: !isCancellable)
                try lock.wait()
            }
        } catch let error as MoltError where [.deadlinePassed, .suspended].contains(error.code) {
            // The error of an interrupted statement describes an uncommitted upgrade.
            try configuration.checkDeadline(isCommitted: !isCancellable)
            throw error
        }
        if isApplied { try configuration.reach(.afterCommit, "that ends the journal") }
        return isApplied
    }

    /// Makes the changes in the journal of a store that is not opened, if there are any; the caller has the locks.
    func finishJournal(of store: StoreFile) throws {
        guard try !store.state().journal.isEmpty else { return }
        let attachments = Attachments(AttachedStores(store, registry, role: configuration.role))
        var lock = LockWait(configuration: configuration, attempt: AttemptNote(store, configuration))
        try store.withWriteTransaction(until: nil) { transaction in
            try attachments.apply(transaction.journal(), configuration)
            try transaction.clearJournal()
            return true
        } waiting: {
            try lock.wait()
        }
    }

    /// - Returns: Whether the journal had changes.
    private func applyJournal(
        of store: StoreFile,
        _ transaction: StoreTransaction,
        _ attachments: Attachments,
        _ attempt: AttemptNote
    ) throws -> Bool {
        let journal = try transaction.journal()
        guard !journal.isEmpty else { return false }
        // A newer app may have upgraded the store while the lock was free; its journal is not ours to apply.
        try attempt.begin(planUnlessSuperseded(store, transaction))
        try attachments.apply(journal, configuration)
        try configuration.reach(.clearJournal)
        try transaction.clearJournal()
        return true
    }

    private func planUnlessSuperseded(
        _ store: StoreFile,
        _ transaction: StoreTransaction
    ) throws -> MigrationPlan {
        let plan = try MigrationPlan(state: transaction.state(), storeName: store.storeName, migrations: registry)
        if plan.isSuperseded { try plan.checkProblems() }
        return plan
    }
}
