internal import Foundation

/// Runs the pending migrations of a plan in one transaction, with the rows for the ledgers and the journal.
final class UpgradeTransaction {
    /// What a transaction has committed.
    struct Result {
        /// The plan that was carried out, with the journal of what is still to be changed in suites.
        var plan: MigrationPlan
        var entries: [MigrationReport.Entry] = []
        var expiredCount = 0
        /// The disk space that the transaction has needed; nil if that is next to none.
        var space: DiskSpace?
        /// What was found out about checks in the registry.
        var notesOnChecks: [String] = []
    }

    let migrator: Migrator
    /// The time of the app's clock, which may use the store: it is read before the lock is taken.
    let startedAt: Date
    let attachedWork: AttachedWork
    private let store: StoreFile
    private let backup: UpgradeBackup
    private let attempts: UpgradeAttempts
    private let locks: SuiteLocks
    private let stores: AttachedStores

    init(
        of migrator: Migrator,
        _ store: StoreFile,
        _ backup: UpgradeBackup,
        _ attempts: UpgradeAttempts,
        _ locks: SuiteLocks
    ) {
        self.migrator = migrator
        startedAt = migrator.configuration.now()
        self.store = store
        self.backup = backup
        self.attempts = attempts
        self.locks = locks
        stores = migrator.stores(of: store)
        attachedWork = AttachedWork(stores)
    }

    private var registry: MigrationRegistry { migrator.registry }
    private var configuration: MoltConfiguration { migrator.configuration }
    private var mode: RunMode { migrator.mode }

    /// Runs the pending migrations, and commits.
    ///
    /// The commit of a plan that only adds rows to the ledger and renames types does not wait for the disk. Its attempt
    /// is not noted either, because no step can crash, unless it merges types or an earlier attempt was interrupted.
    ///
    /// - Returns: Nil if the upgrade has to begin again: another process has changed the store since the plan, or a
    ///   suite has become available.
    func run(_ planned: MigrationPlan, _ opening: OpeningSummary) throws -> Result? {
        if backup.isWanted { try mirrorLedger() }
        defer { attachedWork.end() }
        let patience = Patience(configuration)
        // Another process may have replaced the file since the plan, which is about the file before.
        if store.connection?.hasMoved == true {
            store.close()
            return nil
        }
        let isUnsynced = isLight(planned)
        var size: Int64 = 0
        var result: Result?
        try store.withWriteTransaction(until: configuration.lastInstant, isSynced: !isUnsynced) { transaction in
            size = isUnsynced ? 0 : store.byteCount ?? 0
            result = try run(planned, transaction, isUnsynced: isUnsynced, opening)
            return result != nil
        } waiting: {
            try patience.wait(for: store)
        }
        guard result?.plan.needsRun == true else { return result }
        if !isUnsynced { result?.space = spaceUsed(since: size) }
        try configuration.reach(.afterCommit, "of the upgrade")
        return result
    }

    /// The disk space that the upgrade has needed: SQLite copies its log into the file at the commit, and keeps it.
    ///
    /// - Parameter size: The size of the file and its log before.
    private func spaceUsed(since size: Int64) -> DiskSpace? {
        guard let now = store.byteCount, let after = try? store.connection?.byteCount else { return nil }
        let copied = backup.byteCount ?? (mode.isDryRun && configuration.effectiveBackup != nil ? size : 0)
        return DiskSpace(peak: max(0, now - size) + copied, after: after)
    }

    /// Makes the plan again if it may not hold any more, and carries it out.
    private func run(
        _ planned: MigrationPlan,
        _ transaction: StoreTransaction,
        isUnsynced: Bool,
        _ opening: OpeningSummary
    ) throws -> Result? {
        // Another process may have changed the store between the plan and the lock. A suite may change at any time.
        // The plan is then made again.
        let stored = try transaction.state()
        let histories = try stores.addingBaseline(to: stores.histories(stored), configuration) { try $0(transaction) }
        var plan = planned
        if !transaction.stateIsCurrent || !stores.isEmpty || planned.move != nil {
            plan = try migrator.plan(for: histories, of: store, stores, transaction)
            (plan.otherStores, plan.seeds) = (planned.otherStores, planned.seeds)
        }
        opening.plan = plan
        // Another process may have moved the file back to its old place.
        if plan.isFresh, !planned.isFresh { return nil }
        // A journal comes first: the plan reads attached stores.
        guard plan.journal.isEmpty || plan.isSuperseded || mode.isOnCopy else { return nil }
        if !plan.isSameUpgrade(as: planned) {
            configuration.monitor?.send(.planned(plan))
            if plan.editedMigrations != planned.editedMigrations { try migrator.checkEdits(plan) }
        }
        // While this process waited, a newer release may have upgraded the store, and may let this one write it.
        guard !plan.isSuperseded || !mode.mayLeaveNewer else { return nil }
        try plan.checkProblems()
        guard plan.needsRun else { return Result(plan: plan) }
        guard locks.cover(plan, of: store), !isUnsynced || isLight(plan) else { return nil }
        try configuration.checkCancellation()
        try migrator.checkRequirements(of: plan, stores, transaction)
        // A copy has made sure of its room.
        if !mode.isOnCopy { try plan.checkSpace(of: store, configuration, transaction) }
        if try !isUnsynced || attempts.hasUnfinished || plan.mergesTypes(transaction) { try attempts.begin(plan) }
        // A suite that does not exist yet may take over the settings of another one.
        if try !plan.isFresh || store.primary != nil && stores.haveSettings() {
            try backup.make(for: plan, stored) { try stores.changesRestoringCurrentState(store.attached, plan) }
        }
        do {
            // A suite that is upgraded without a cache has its ledger in its own settings; the file gets a copy of it.
            if store.primary != nil { try transaction.replaceLedger(by: histories.contents) }
            opening.stage = .inTransaction
            return try runSteps(of: plan, histories.store.rows, transaction)
        } catch {
            // The lock is still held, so the next process does not count this attempt as interrupted.
            attempts.end()
            throw error.with(.rolledBack)
        }
    }

    /// Copies the ledger of a suite that is upgraded without a cache into its file, of which the backup is made.
    private func mirrorLedger() throws {
        guard store.primary != nil else { return }
        let stores = migrator.stores(of: store)
        let histories = try stores.histories(store.state())
        guard try !histories.isFresh || stores.haveSettings() else { return }
        let patience = Patience(configuration)
        try store.mirror(histories.contents) { try patience.wait(for: store) }
    }

    /// Whether an upgrade only adds rows to the ledger and renames types.
    ///
    /// Work outside the store must not begin before its migration is on disk.
    private func isLight(_ plan: MigrationPlan) -> Bool {
        let hasWork = plan.entries.contains { $0.willRun && $0.work != nil }
        return !hasWork && !backup.isWanted && !plan.isFresh && plan.journal.isEmpty && plan.onlyRenamesTypes
    }

    /// Runs the pending steps, and adds the ledger's rows and the journal.
    private func runSteps(
        of plan: MigrationPlan,
        _ ledger: [LedgerEntry],
        _ transaction: StoreTransaction
    ) throws -> Result {
        var result = Result(plan: plan)
        attachedWork.prepare(plan)
        // Expired records can no longer be read, so no step has to convert them.
        let isOnlyRecorded =
            plan.entries.contains { $0.action == .startOnRead } && !plan.runningSteps.contains(where: \.usesRecords)
        // An opening that reads no record need not search for them. Beside migrations on read they are removed, because
        // they would count as records that are not upgraded yet.
        let leavesExpired = plan.onlyRenamesTypes && !ledger.contains { $0.outcome == .onRead }
        if !plan.isFresh, !isOnlyRecorded, !leavesExpired {
            result.expiredCount = try transaction.deleteExpired(now: startedAt.timeIntervalSince1970)
        }
        let lifetime = configuration.droppedKeyLifetime
        if lifetime != nil { try transaction.recordDroppedKeys() }
        let runner = StepRunner(plan, ledger, transaction, of: self)
        result.entries = try runner.run()
        try transaction.keepDroppedKeys(for: lifetime, at: startedAt)
        result.notesOnChecks = try runner.notesOnChecks()
        try configuration.reach(.writeLedger)
        let rows = plan.ledgerRows(of: result.entries, registry, configuration) + plan.finishedRows(of: ledger)
        try transaction.addToLedger(rows, version: max(plan.from, plan.to))
        let suiteRows = suiteRows(rows, runner)
        if let suite = suiteRows.keys.compactMap({ try? stores.store($0).suite }).first(where: \.isOwn) {
            try transaction.remember(standardDomain: suite.domainName)
        }
        // A suite may have its ledger from another store.
        let upgraded = try stores.suiteStates().filter { !$1.hasNoLedger }.keys
        try transaction.rememberLedgers(of: Set(suiteRows.keys).union(upgraded))
        let journal = try attachedWork.finish(adding: suiteRows, restoringLedgersOf: plan.lostLedgers)
        if !journal.isEmpty {
            if plan.takesSettings { try locks.claim() }
            try configuration.reach(.writeJournal)
        }
        try transaction.addToJournal(journal)
        result.plan.journal += journal.map(\.store)
        result.plan.needsErasure = plan.needsErasure || transaction.needsErasure
        result.plan.hasHandovers = plan.hasHandovers || transaction.hasHandovers
        try configuration.checkCancellation()
        // Last, because a rollback keeps the class; after a kill before the commit, the next opening sets it.
        try migrator.setProtection(of: store)
        try configuration.reach(.beforeCommit, "of the upgrade")
        return result
    }

    /// The rows for the ledgers of suites: each gets those of the migrations that have worked on it.
    ///
    /// The suite that is upgraded without a cache gets all.
    private func suiteRows(_ rows: [LedgerEntry], _ runner: StepRunner) -> [String: [SuiteLedger.Row]] {
        var found: [String: [SuiteLedger.Row]] = [:]
        let origin = SuiteLedger.Origin(registry)
        let primary = [store.primary?.attachedName].compactMap(\.self)
        for var row in rows {
            // The records are those of one of several stores, which also does the work after the commit.
            row.counts = MigrationReport.Counts()
            row.isWorkPending = false
            // A new suite counts as through what a new store has skipped, as a block, whichever store comes next.
            let countsAlone = [.baseline, .createdAtVersion].contains(row.outcome)
            let suites = countsAlone ? availableSuites(of: row.name) : []
            for name in runner.suites(of: row.name).union(primary).union(suites) {
                found[name, default: []].append(SuiteLedger.Row(row, of: origin))
            }
        }
        return found
    }

    /// The names of the suites that a migration works on and that can be changed now.
    private func availableSuites(of migration: String) -> [String] {
        let attached = Set(registry.migrations.filter { $0.name == migration }.flatMap(\.attached).map(\.name))
        return stores.availableSuites.map(\.attachedName).filter(attached.contains)
    }
}

extension MigrationPlan {
    fileprivate var runningSteps: some Sequence<MigrationStep> {
        entries.lazy.filter(\.actions.runSteps).flatMap(\.declaration.steps)
    }

    fileprivate var onlyRenamesTypes: Bool {
        runningSteps.allSatisfy { step in
            if case .records(.renameType) = step.work { true } else { false }
        }
    }

    /// Whether a step can take settings into the store's file.
    fileprivate var takesSettings: Bool {
        runningSteps.contains { step in
            if case .settings(let work) = step.work { return work.takesSettings }
            return step.usesRecords && step.attached.contains { $0.suite != nil }
        }
    }

    /// Whether a type gets the name of another, with or without records, which changes all records of the type.
    fileprivate func mergesTypes(_ transaction: StoreTransaction) throws -> Bool {
        let newNames = runningSteps.compactMap { step -> String? in
            if case .records(.renameType(_, let newName)) = step.work { newName } else { nil }
        }
        return try newNames.contains(where: transaction.hasType)
    }

    // MARK: The ledger

    /// The rows of the migrations that an upgrade has carried out or records.
    fileprivate func ledgerRows(
        of results: [MigrationReport.Entry],
        _ registry: MigrationRegistry,
        _ configuration: MoltConfiguration
    ) -> [LedgerEntry] {
        let migrations = Dictionary(firstOf: entries.map { ($0.migration.name, $0.declaration) })
        return results.compactMap { entry in
            guard let migration = migrations[entry.migration.name] else { return nil }
            var row = LedgerEntry(
                of: migration,
                in: registry,
                outcome: entry.outcome,
                appliedAt: Date(),
                appVersion: configuration.appVersion
            )
            row.duration = entry.duration
            row.counts = entry.counts
            row.attachedCounts = entry.attachedCounts
            row.isWorkPending = entry.outcome == .ran && migration.work.map { $0.isDue(after: entry) } == true
            // Other migrations, or the app itself, did the work.
            if [.replaced, .baseline].contains(entry.outcome) { row.fingerprint = nil }
            return row
        }
    }

    /// The rows of migrations on read that left the registry and that all records have been through.
    fileprivate func finishedRows(of ledger: [LedgerEntry]) -> [LedgerEntry] {
        ledger.filter { completedOnRead.contains($0.name) }.map { row in
            var row = row
            row.outcome = .ran
            // They are added to those of the row.
            row.counts = MigrationReport.Counts()
            return row
        }
    }
}
