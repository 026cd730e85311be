import Foundation

/// Runs what a plan says on a store: whole or not at all.
///
/// `CodableCache` runs a migrator when it is opened; use one directly for a store of your own.
public struct Migrator: Sendable {
    private let registry: MigrationRegistry
    private let options: MigrationOptions

    /// Creates a migrator.
    public init(_ registry: MigrationRegistry, options: MigrationOptions = MigrationOptions()) {
        self.registry = registry
        self.options = options
    }

    /// What would run on a store now; writes nothing.
    ///
    /// - Throws: ``MigrationError`` with the code `invalidRegistry`, or what the store throws.
    public func plan(for store: any MigrationStore) throws -> MigrationPlan {
        try MigrationPlan(for: store, migrations: registry, role: options.role)
    }

    /// Upgrades a store to the registry's version; an up-to-date store is not written to, nor locked.
    ///
    /// - Throws: ``MigrationError``: `invalidRegistry`, `superseded`, `tooOld`, `lateMigration`, `partlyReplaced` or, when
    ///   the options say so, `migrationEdited` before anything is written; `busy` when another process holds the store
    ///   for too long; `cancelled`; the code of the step that failed; or what the store throws. The store is then as it
    ///   was. Only `attachedStoreFailed` may come when the upgrade is committed, and `journalPending` after an earlier
    ///   one: the store then keeps the changes that could not be made outside it, and makes them when it is next opened.
    public func migrate(_ store: any MigrationStore) throws -> MigrationReport {
        let backup = UpgradeBackup(of: store, options)
        do {
            let report = try run(store, backup)
            backup.upgradeDidEnd()
            options.monitor?.send(.finished(report))
            return report
        } catch {
            let error = name(store, in: backup.upgradeDidFail(with: error) { try applyJournal(of: store) })
            options.monitor?.send(.failed(error))
            throw error
        }
    }

    private func run(_ store: any MigrationStore, _ backup: UpgradeBackup) throws -> MigrationReport {
        let startedAt = Date()
        let clock = ContinuousClock()
        let start = clock.now
        var plan = try plan(for: store)
        if try Downgrade(registry, options).run(on: store, plan) { plan = try self.plan(for: store) }
        options.monitor?.send(.planned(plan))
        var entries: [MigrationReport.Entry] = []
        if !plan.journal.isEmpty, !plan.isSuperseded, !options.isDryRun {
            try applyJournal(of: store)
            plan = try self.plan(for: store)
            options.monitor?.send(.planned(plan))
        }
        try plan.checkProblems()
        try checkEdits(plan)
        if plan.needsRun {
            (plan, entries) = try upgrade(store, plan, backup)
            // Nothing can be rolled back any more: who cancels now comes too late.
            if !plan.journal.isEmpty, !options.isDryRun { try applyJournal(of: store, isCancellable: false) }
        }
        return MigrationReport(
            store: store.storeName,
            from: plan.from,
            to: max(plan.from, plan.to),
            isFresh: plan.isFresh,
            startedAt: startedAt,
            duration: start.duration(to: clock.now).seconds,
            entries: entries,
            deferred: plan.deferred,
            isDryRun: options.isDryRun
        )
    }

    /// Runs what is pending in one transaction.
    ///
    /// - Returns: The plan that was run, its journal with what is to be done now, and what each migration did.
    private func upgrade(
        _ store: any MigrationStore,
        _ planned: MigrationPlan,
        _ backup: UpgradeBackup
    ) throws -> (MigrationPlan, [MigrationReport.Entry]) {
        var plan = planned
        var lock = LockWait(options: options)
        var entries: [MigrationReport.Entry] = []
        let attachments = Attachments(store.attachments, registry, role: options.role)
        let migrations = Dictionary(uniqueKeysWithValues: registry.migrations.map { ($0.name, $0) })
        var isRun = false
        defer { attachments.abandon() }
        try store.upgrade { transaction in
            let transaction = observed(transaction)
            // Between the plan and the lock another process may have upgraded the store: plan again. What it has not
            // applied yet to attached stores is applied here, before anything looks at them.
            if !options.isDryRun { try applyJournal(of: store, transaction, attachments) }
            let current = try MigrationPlan(
                transaction.state(),
                storeName: store.storeName,
                migrations: registry,
                attachments
            )
            if current != plan {
                plan = current
                options.monitor?.send(.planned(plan))
            }
            try plan.checkProblems()
            if plan.edits != planned.edits { try checkEdits(plan) }
            guard plan.needsRun else { return }
            isRun = true
            try options.checkCancellation()
            try backup.make(for: plan, transaction.state()) {
                try attachments.changesBackToNow(store.attachments, plan, registry)
            }
            attachments.prepare(plan, registry)
            let scope = UpgradeScope(
                transaction: transaction,
                store: store,
                attachments: attachments,
                options: options
            )
            entries = try UpgradeRun(plan: plan, registry: registry, scope: scope).run()
            try transaction.record(
                entries.map { ledgerEntry(for: $0, migrations) },
                version: max(plan.from, plan.to)
            )
            try transaction.addToJournal(attachments.finish())
            plan.journal = try transaction.journal().map(\.store)
            try options.checkCancellation()
            try options.reach(.beforeCommit, "of the upgrade")
        } waiting: {
            try lock.wait()
        }
        if isRun { try options.reach(.afterCommit, "of the upgrade") }
        return (plan, entries)
    }

    /// Makes the changes to attached stores that were committed, and forgets them when they are on disk.
    ///
    /// The store's write lock keeps other processes from doing the same at the same time.
    private func applyJournal(of store: any MigrationStore, isCancellable: Bool = true) throws {
        let attachments = Attachments(store.attachments, registry, role: options.role)
        var lock = LockWait(options: options, isCancellable: isCancellable)
        var isApplied = false
        try store.upgrade { transaction in
            isApplied = try applyJournal(of: store, observed(transaction), attachments)
            if isApplied { try options.reach(.beforeCommit, "that ends the journal") }
        } waiting: {
            try lock.wait()
        }
        if isApplied { try options.reach(.afterCommit, "that ends the journal") }
    }

    /// - Returns: Whether there was something to make.
    @discardableResult
    private func applyJournal(
        of store: any MigrationStore,
        _ transaction: any MigrationTransaction,
        _ attachments: Attachments
    ) throws -> Bool {
        // A newer app may have upgraded the store while nobody held the lock: what it has left is not ours to make.
        let plan = try MigrationPlan(state: transaction.state(), storeName: store.storeName, migrations: registry)
        if plan.isSuperseded { try plan.checkProblems() }
        let journal = try transaction.journal()
        guard !journal.isEmpty else { return false }
        try attachments.apply(journal, options)
        try transaction.clearJournal()
        return true
    }

    /// The transaction, or one that tells what is done with it.
    private func observed(_ transaction: any MigrationTransaction) -> any MigrationTransaction {
        options.atPoint.map { ObservedTransaction(transaction, $0) } ?? transaction
    }

    /// Tells of migrations that were edited after this store had counted them as applied.
    private func checkEdits(_ plan: MigrationPlan) throws {
        guard let first = plan.edits.first else { return }
        switch options.editedMigrations {
        case .ignore: break
        case .report: options.monitor?.send(.edited(plan.edits))
        case .fail: throw MigrationError.edited(first, all: plan.edits)
        }
    }

    private func ledgerEntry(for entry: MigrationReport.Entry, _ migrations: [String: Migration]) -> LedgerEntry {
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
            fingerprint: entry.outcome == .replaced ? nil : migrations[entry.migration.name]?.fingerprint,
            isReadableByOlderReleases: migrations[entry.migration.name]?.isReadableByOlderReleases ?? false
        )
    }

    private func name(_ store: any MigrationStore, in error: any Error) -> any Error {
        guard var migrationError = error as? MigrationError else { return error }
        migrationError.store = migrationError.store ?? store.storeName
        return migrationError
    }
}

/// Waits for the write lock of a store, for a bounded time.
struct LockWait {
    let options: MigrationOptions
    let isCancellable: Bool
    private var deadline: ContinuousClock.Instant?

    init(options: MigrationOptions, isCancellable: Bool = true) {
        self.options = options
        self.isCancellable = isCancellable
    }

    mutating func wait() throws {
        if isCancellable { try options.checkCancellation() }
        let now = ContinuousClock.now
        guard let deadline else {
            deadline = now + options.lockTimeout
            options.monitor?.send(.waiting)
            return
        }
        guard now >= deadline else { return }
        throw MigrationError(
            .busy,
            "Another process held the store for more than \(options.lockTimeout). It may be upgrading it: try again, "
                + "or allow a longer lockTimeout."
        )
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
