import Foundation

/// Runs a plan on a store, completely or not at all.
package struct Migrator: Sendable {
    let registry: MigrationRegistry
    let configuration: MoltConfiguration
    /// Whether migrations on read are only recorded in the ledger; otherwise they run like others.
    let onlyRecordsOnRead: Bool

    package init(
        _ registry: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration(),
        onlyRecordsOnRead: Bool = false
    ) {
        self.registry = registry
        self.configuration = configuration
        self.onlyRecordsOnRead = onlyRecordsOnRead
    }

    /// Plans an upgrade of a store; writes nothing.
    ///
    /// - Throws: ``MoltError`` with the code `invalidRegistry`, or the store's error.
    package func plan(for store: StoreFile) throws -> MigrationPlan {
        try MigrationPlan(
            for: store,
            migrations: registry,
            role: configuration.role,
            onlyRecordsOnRead: onlyRecordsOnRead
        )
    }

    /// Upgrades a store to the registry's version; an up-to-date store is neither written to nor locked.
    ///
    /// - Throws: ``MoltError``: `invalidRegistry`, `superseded`, `tooOld`, `lateMigration`, `partlyReplaced`,
    ///   `needsMigration`, `attemptsFailed` or, by its configuration, `migrationEdited` before anything is written;
    ///   `busy` when another process holds the store for too long; `cancelled`; `deadlinePassed`; the code of the step
    ///   that failed; or the store's error. In all these cases the store is unchanged. Only `attachedStoreFailed` after
    ///   the commit, `journalPending` after that of an earlier upgrade, and `deadlinePassed` between commit and journal
    ///   mean that the store was upgraded: it keeps the changes that could not be made outside it, and applies them
    ///   when it is next opened.
    ///
    /// - Parameter opening: The opening that the upgrade belongs to; a new one by default.
    package func migrate(_ store: StoreFile, _ opening: Opening? = nil) throws -> MigrationReport {
        let backup = UpgradeBackup(of: store, configuration)
        let attempt = AttemptNote(store, configuration)
        let locks = SuiteLocks()
        var opening = opening ?? configuration.opening(of: store)
        defer { withExtendedLifetime(locks) { if locks.areHeld { store.removeIfSettled() } } }
        do {
            let report = try runPhases(on: store, &opening, attempt, backup, locks)
            backup.upgradeDidEnd()
            report.warnOfNames()
            opening.end(with: report)
            return report
        } catch {
            let error = addStoreName(of: store, to: backup.upgradeDidFail(with: error))
            opening.end(with: error)
            throw error
        }
    }

    // MARK: The phases

    private func runPhases(
        on store: StoreFile,
        _ opening: inout Opening,
        _ attempt: AttemptNote,
        _ backup: UpgradeBackup,
        _ locks: SuiteLocks
    ) throws -> MigrationReport {
        defer {
            attempt.end()
            opening.interruptions = attempt.interruptions
        }
        var upgrade = try makePlan(for: store, attempt)
        opening.plan = upgrade.plan
        try lockSuites(of: store, upgrade.plan, attempt, locks)
        try finishEarlierJournal(of: store, &upgrade, attempt)
        try runPending(on: store, &upgrade, attempt, backup, locks)
        opening.hasFinishedEarlier = upgrade.hasFinishedEarlier
        try finishJournal(of: store, upgrade, attempt)
        return makeReport(on: store, upgrade)
    }

    /// Plans without writing or locking, and waits if other processes must upgrade the store.
    private func makePlan(for store: StoreFile, _ attempt: AttemptNote) throws -> Upgrade {
        var upgrade = Upgrade(plan: try plan(for: store))
        if configuration.redoesLastUpgrade, configuration.owner == .thisProcess, !configuration.isDryRun,
            !store.isInMemory
        {
            var lock = LockWait(configuration: configuration, attempt: attempt)
            let unshipped = UnshippedUpgrade(store: store, registry: registry, configuration: configuration)
            try unshipped.undo(upgrade.plan) { try lock.wait() }
            upgrade.plan = try plan(for: store)
        }
        configuration.monitor?.send(.planned(upgrade.plan))
        if !configuration.isDryRun { try leaveToOthers(store, &upgrade.plan) }
        return upgrade
    }

    /// Applies the changes to attached stores that an earlier upgrade committed, and plans again.
    private func finishEarlierJournal(
        of store: StoreFile,
        _ upgrade: inout Upgrade,
        _ attempt: AttemptNote
    ) throws {
        guard !upgrade.plan.journal.isEmpty, !upgrade.plan.isSuperseded, !configuration.isDryRun else { return }
        upgrade.hasFinishedEarlier = try applyJournal(of: store, attempt)
        upgrade.plan = try plan(for: store)
        configuration.monitor?.send(.planned(upgrade.plan))
    }

    private func runPending(
        on store: StoreFile,
        _ upgrade: inout Upgrade,
        _ attempt: AttemptNote,
        _ backup: UpgradeBackup,
        _ locks: SuiteLocks
    ) throws {
        while true {
            try upgrade.plan.checkProblems()
            try checkEdits(upgrade.plan)
            guard upgrade.plan.needsRun else { return }
            try lockSuites(of: store, upgrade.plan, attempt, locks)
            if backup.isWanted { try mirrorLedger(of: store, attempt) }
            if try runInTransaction(on: store, &upgrade, attempt, backup, locks) { break }
            upgrade.plan = try plan(for: store)
        }
        upgrade.isCommitted = true
    }

    /// Writes the ledger of a suite into its file, which the backup is a copy of.
    private func mirrorLedger(of store: StoreFile, _ attempt: AttemptNote) throws {
        guard store.primary != nil else { return }
        var wait = LockWait(configuration: configuration, attempt: attempt)
        let state = try AttachedStores(store, registry, role: configuration.role).state(store.state())
        if !state.isFresh { try store.mirror(state) { try wait.wait() } }
    }

    /// Keeps other stores from changing the registry's suites until this upgrade ends, if it works on any.
    ///
    /// Before the lock of the file, so that two upgrades never wait for each other.
    private func lockSuites(
        of store: StoreFile,
        _ plan: MigrationPlan,
        _ attempt: AttemptNote,
        _ locks: SuiteLocks
    ) throws {
        guard !configuration.isDryRun, !locks.areHeld, plan.needsUpgrade, worksOnSuites(plan, of: store) else { return }
        var wait = LockWait(configuration: configuration, attempt: attempt)
        locks.held = try AttachedStores(store, registry, role: configuration.role).lockSuites { try wait.wait() }
    }

    /// Whether an upgrade reads or changes settings.
    func worksOnSuites(_ plan: MigrationPlan, of store: StoreFile) -> Bool {
        if store.primary != nil || !plan.journal.isEmpty { return true }
        let running = Set(plan.entries.filter(\.runsSteps).map(\.migration.name))
        return registry.migrations.contains { migration in
            running.contains(migration.name) && migration.attached.contains { $0.suite != nil }
        }
    }

    /// Applies this upgrade's changes to attached stores; past the commit, cancellation has no effect.
    private func finishJournal(of store: StoreFile, _ upgrade: Upgrade, _ attempt: AttemptNote) throws {
        guard upgrade.isCommitted, !upgrade.plan.journal.isEmpty, !configuration.isDryRun else { return }
        do {
            _ = try applyJournal(of: store, attempt, isCancellable: false)
        } catch {
            throw error.with(.committed)
        }
    }

    private func makeReport(on store: StoreFile, _ upgrade: Upgrade) -> MigrationReport {
        var report = MigrationReport(
            store: store.storeName,
            from: upgrade.plan.from,
            to: max(upgrade.plan.from, upgrade.plan.to),
            isFresh: upgrade.plan.isFresh,
            startedAt: upgrade.startedAt,
            duration: upgrade.start.duration(to: .now).seconds,
            entries: upgrade.entries,
            expiredCount: upgrade.expiredCount,
            deferred: upgrade.plan.deferred,
            isDryRun: configuration.isDryRun
        )
        report.onRead = upgrade.plan.onRead
        return report
    }

    // MARK: Before the upgrade

    /// Waits until another process has upgraded the store, if the configuration leaves it to others.
    private func leaveToOthers(_ store: StoreFile, _ plan: inout MigrationPlan) throws {
        guard case .anotherProcess(let time) = configuration.owner else { return }
        let end = ContinuousClock.now + time
        var isWaiting = false
        while plan.needsSteps || !plan.journal.isEmpty, plan.problems.isEmpty {
            try configuration.checkCancellation()
            guard ContinuousClock.now < end else { throw MoltError.needsMigration(plan, waited: time) }
            if !isWaiting { configuration.monitor?.send(.waiting) }
            isWaiting = true
            Thread.sleep(forTimeInterval: 0.02)
            plan = try self.plan(for: store)
        }
        // The next process that may upgrade the store completes the ledger.
        plan.finishedOnRead = []
        if isWaiting { configuration.monitor?.send(.planned(plan)) }
    }

    /// Handles migrations that were edited after this store had counted them as applied.
    func checkEdits(_ plan: MigrationPlan) throws {
        guard let first = plan.edits.first else { return }
        switch configuration.mismatches {
        case .ignore: break
        case .report: configuration.monitor?.send(.edited(plan.edits))
        case .fail: throw MoltError.edited(first, all: plan.edits)
        }
    }

    private func addStoreName(of store: StoreFile, to error: any Error) -> any Error {
        guard var migrationError = error as? MoltError else { return error }
        migrationError.store = migrationError.store ?? store.storeName
        return migrationError
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

/// The state of one run of a migrator, passed between its phases.
struct Upgrade {
    let startedAt = Date()
    let start = ContinuousClock.now
    /// The plan from before the upgrade, with the current journal.
    var plan: MigrationPlan
    var entries: [MigrationReport.Entry] = []
    var expiredCount = 0
    var isCommitted = false
    /// Whether it has applied the journal of an earlier upgrade.
    var hasFinishedEarlier = false

    init(plan: MigrationPlan) {
        self.plan = plan
    }
}

extension MoltError {
    static func edited(_ edit: MigrationPlan.Edit, all edits: [MigrationPlan.Edit]) -> MoltError {
        let names = edits.map(\.description).joined(separator: "; ")
        var error = MoltError(
            .migrationEdited,
            "Edited after it was applied to the store: \(names). A migration never changes once it has shipped: "
                + "undo the edit, and add a new migration. If it has not shipped yet, set `redoesUnshippedMigrations = "
                + "true` in debug builds, which upgrades the store again."
        )
        error.migration = edit.migration
        return error
    }
}

/// The locks of an upgrade on suites.
final class SuiteLocks {
    /// Nil until they are taken.
    var held: [SuiteLock]?

    var areHeld: Bool { held != nil }
}
