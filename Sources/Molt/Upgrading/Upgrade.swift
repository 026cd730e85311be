import Foundation

/// One upgrade of a store, from its plan to its report: completely or not at all.
///
/// What happens when a `transform` or a block throws:
///
/// 1. `RecordChanger.runChain` or `StepRunner.run(_:of:)` catches the error. `MoltError(_:in:)` adds the migration, the
///    step and the record.
/// 2. If the policy allows it, `RecordPass.removeFailed` quarantines or drops the record, and the upgrade goes on.
/// 3. Otherwise, `UpgradeTransaction` adds the outcome `rolledBack`, and the transaction is rolled back. A failure
///    after the commit gets the outcome `committed`.
/// 4. `run()` removes the useless backup and tells the monitor. `CodableCache.init` throws the error.
final class Upgrade {
    private let migrator: Migrator
    private let store: StoreFile
    private let startedAt = Date()
    private let start = Instant.now
    private let backup: UpgradeBackup
    private let attempts: UpgradeAttempts
    private let locks: SuiteLocks
    private let opening: OpeningSummary
    /// The move of the store's file that it has made.
    private var move: MadeMove?

    /// - Parameter opening: The opening that the upgrade belongs to.
    init(_ migrator: Migrator, _ store: StoreFile, _ opening: OpeningSummary) {
        self.migrator = migrator
        self.store = store
        self.opening = opening
        backup = UpgradeBackup(of: store, migrator.configuration, migrator.mode)
        attempts = UpgradeAttempts(at: store, migrator.configuration, migrator.mode)
        locks = SuiteLocks(of: migrator, for: store)
    }

    private var registry: MigrationRegistry { migrator.registry }
    private var configuration: MoltConfiguration { migrator.configuration }

    /// Upgrades the store, and tells the monitor how the opening ended.
    func run() throws -> MigrationReport {
        defer { locks.release() }
        let ending = Result { try runPhases() }
        attempts.end()
        opening.interruptions = attempts.interruptions
        do {
            let result: UpgradeTransaction.Result
            switch try ending.get() {
            case .upgraded(let upgraded): result = upgraded
            case .left(let report):
                opening.end(with: report)
                return report
            }
            opening.stage = .committed
            var report = report(of: result)
            backup.removeExcess()
            try doWork(after: result.plan, &report)
            remember(result.plan.forgottenSuites)
            try applySeeds(of: result.plan, &report)
            report.warnOfNames()
            opening.end(with: report)
            return report
        } catch {
            let error = moveBack(after: backup.finish(after: error))
            if var failure = error as? MoltError {
                failure.store = failure.store ?? store.storeName
                if failure.isStop { failure.outcome = failure.outcome ?? opening.stage.outcomeOfStop }
                opening.end(with: failure)
                throw failure
            }
            opening.end(with: error)
            throw error
        }
    }

    /// Does what follows the commit and the changes to settings: other stores with the same suites need not wait for
    /// it.
    private func doWork(after plan: MigrationPlan, _ report: inout MigrationReport) throws {
        var needsErasure = plan.needsErasure
        if let delivery = HandoverDelivery(plan, of: migrator, store) {
            locks.release()
            report.work = delivery.run()
            needsErasure = needsErasure || delivery.hasRemoved
        }
        if needsErasure, migrator.mayChangeStores, !store.isInMemory {
            locks.release()
            report.erasure = try migrator.erase(store)
            // The file of a suite is removed once nothing waits.
            if store.primary != nil {
                try? locks.lock()
                locks.release()
            }
        }
        if let work = WorkAfterCommit(plan, of: migrator, store) {
            locks.release()
            report.work += work.run((try? migrator.knownStores(of: store)) ?? migrator.stores(of: store))
        }
    }

    /// Remembers the ledgers of suites for which an earlier upgrade could not do so, as on a full disk.
    ///
    /// A suite that another process upgrades now, and one for which it fails again, is left to the next opening.
    private func remember(_ names: [String]) {
        guard !names.isEmpty, migrator.mayChangeStores else { return }
        locks.release()
        struct IsHeld: Error {}
        let stores = migrator.stores(of: store)
        for suite in stores.availableSuites where names.contains(suite.attachedName) {
            guard let locks = try? SuiteLock.all(of: [suite], waiting: { _ in throw IsHeld() }) else { continue }
            withExtendedLifetime(locks) {
                guard let snapshot = try? stores.currentSnapshot(of: suite), snapshot.isForgotten else { return }
                SuiteMemory(of: suite).remember(snapshot.values[Suite.ledgerKey])
            }
        }
    }

    /// Applies the files that the app ships and that the store has not had, or not last.
    ///
    /// What the store remembers of the others goes through the migrations of the upgrade.
    private func applySeeds(of plan: MigrationPlan, _ report: inout MigrationReport) throws {
        let isUpgraded = plan.needsRun && !plan.isFresh && migrator.mode.appliesSeeds(to: store, configuration)
        for seed in registry.seeds where isUpgraded || plan.seeds.contains(seed.name) {
            locks.release()
            do {
                let result = try seed.apply(store, report, registry, configuration)
                report.seeds += [result].compactMap(\.self)
            } catch var error as MoltError where !error.mayBeCommitted {
                let hasWritten = plan.needsRun || move != nil || opening.hasFinishedEarlier || !report.seeds.isEmpty
                error.outcome = hasWritten ? .committed : .unchanged
                throw error
            }
        }
    }

    // MARK: The phases

    /// Indirect, because plans and reports are large.
    private indirect enum Ending {
        case upgraded(UpgradeTransaction.Result)
        /// The store is newer, and stays as it is.
        case left(MigrationReport)
    }

    private func runPhases() throws -> Ending {
        var plan = try makePlan()
        while true {
            if let report = try migrator.leaving(store, plan) { return .left(report) }
            plan = try moveFile(plan)
            opening.plan = plan
            if let result = try carryOut(plan) { return .upgraded(result) }
            try configuration.checkCancellation()
            plan = try planAgain()
        }
    }

    /// Carries out a plan of the store at its place.
    ///
    /// - Returns: Nil if it may not hold any more, because another process has changed the store or a suite, or this
    ///   one has finished what upgrades of this and other stores have left.
    private func carryOut(_ plan: MigrationPlan) throws -> UpgradeTransaction.Result? {
        guard try !lockSuites(plan), try !finishEarlier(plan) else { return nil }
        try plan.checkProblems()
        try migrator.checkEdits(plan)
        guard plan.needsRun else {
            try migrator.setProtection(of: store)
            return UpgradeTransaction.Result(plan: plan)
        }
        let transaction = UpgradeTransaction(of: migrator, store, backup, attempts, locks)
        guard var result = try transaction.run(plan, opening) else { return nil }
        if !result.plan.journal.isEmpty, !migrator.mode.isOnCopy {
            _ = try applyJournal(.thisUpgrade)
            result.plan.journal = []
        }
        return result
    }

    /// Plans without writing or locking, and waits if other processes must upgrade the store.
    private func makePlan() throws -> MigrationPlan {
        // Not if another process upgrades the store, or the last upgrade is undone first: the file may then be
        // replaced. The upgrade of a copy must leave nothing beside it.
        if migrator.mayChangeStores, !configuration.redoesLastUpgrade {
            store.options.opensUpTo = registry.version
        }
        var plan = try migrator.plan(for: store)
        opening.plan = plan
        if try migrator.undoUnshipped(plan, of: store) {
            let current = try migrator.plan(for: store)
            if !current.isSameUpgrade(as: plan) { opening.stage = .changedBefore }
            plan = current
        }
        configuration.monitor?.send(.planned(plan))
        if !migrator.mode.isOnCopy { try leaveToOthers(&plan) }
        return plan
    }

    /// Waits until another process has upgraded the store, if the configuration leaves it to others.
    private func leaveToOthers(_ plan: inout MigrationPlan) throws {
        guard case .helper(let time) = configuration.process else { return }
        let patience = Patience(time, checking: configuration.checkCancellation)
        var isWaiting = false
        try poll(every: .milliseconds(20)) {
            if isWaiting { plan = try migrator.plan(for: store) }
            // What this process cannot see, the other one may.
            guard plan.needsSteps || !plan.journal.isEmpty, plan.problems.allSatisfy({ $0.code == .deferred }) else {
                return true
            }
            try patience.wait(orThrow: MoltError.needsMigration(plan, waited: time))
            if !isWaiting { configuration.monitor?.send(.waiting) }
            isWaiting = true
            return nil
        }
        leaveLedgers(&plan)
        if isWaiting { configuration.monitor?.send(.planned(plan)) }
    }

    /// Leaves ledgers that only have to be completed to the next process that may upgrade the store.
    private func leaveLedgers(_ plan: inout MigrationPlan) {
        guard !configuration.process.upgrades else { return }
        plan.completedOnRead = []
        plan.lostLedgers = []
    }

    /// Moves the store's file to its place if it is still elsewhere.
    ///
    /// - Returns: The plan of the store at its place.
    private func moveFile(_ plan: MigrationPlan) throws -> MigrationPlan {
        var plan = plan
        while let move = plan.move, configuration.process.upgrades {
            try plan.checkProblems()
            try migrator.checkEdits(plan)
            // Settings have their form only once the changes in the journal are made, which is after the move.
            if plan.journal.isEmpty {
                try move.source.read { records in
                    guard let records else { return }
                    try migrator.checkRequirements(of: plan, migrator.knownStores(of: store), records)
                }
            }
            opening.storeSize = move.source.byteCount
            try make(move)
            plan = try planAgain()
        }
        return plan
    }

    /// Plans again after something has changed.
    private func planAgain() throws -> MigrationPlan {
        var plan = try migrator.plan(for: store)
        leaveLedgers(&plan)
        opening.plan = plan
        configuration.monitor?.send(.planned(plan))
        return plan
    }

    /// Locks the suites that a plan works on.
    ///
    /// - Returns: Whether the plan is uncertain: when it was made, another process may have changed one suite, and not
    ///   yet the next.
    private func lockSuites(_ plan: MigrationPlan) throws -> Bool {
        defer { if locks.hasFinishedOthers { opening.stage = .changedBefore } }
        return try locks.lock(for: plan) && (!plan.problems.isEmpty || locks.hasFinishedOthers)
    }

    /// Makes the changes to suites that an earlier upgrade committed, unless that is up to another process.
    ///
    /// - Returns: Whether there may have been any.
    private func finishEarlier(_ plan: MigrationPlan) throws -> Bool {
        guard !plan.journal.isEmpty, !plan.isSuperseded, migrator.mayChangeStores else { return false }
        if try applyJournal(.earlierUpgrade) {
            opening.hasFinishedEarlier = true
            opening.stage = .changedBefore
        }
        return true
    }

    private func applyJournal(_ origin: JournalApplication.Origin) throws -> Bool {
        try JournalApplication(migrator, store, attempts, locks).run(origin)
    }

    private func report(of result: UpgradeTransaction.Result) -> MigrationReport {
        let plan = result.plan
        var report = MigrationReport(
            store: store.storeName,
            from: plan.from,
            to: max(plan.from, plan.to),
            isFresh: plan.isFresh,
            startedAt: startedAt
        )
        report.duration = start.duration(to: .now).seconds
        report.entries = result.entries
        report.expiredCount = result.expiredCount
        report.space = result.space
        report.deferred = plan.deferred
        report.isDryRun = migrator.mode.isDryRun
        report.onRead = plan.onRead
        if let move { report.add(move.pending) }
        report.otherStores = plan.otherStores
        report.notesOnChecks = result.notesOnChecks
        report.notes = plan.suiteNotes + result.notesOnChecks
        return report
    }

    // MARK: The place of the file

    /// Moves the store's file to its place.
    private func make(_ pending: PendingMove) throws {
        try configuration.checkCancellation()
        // An empty file at the new place makes room.
        store.close()
        let made = try MadeMove(pending, configuration)
        // Removing what an earlier move has left behind does not replace the move of the data.
        if move == nil || !pending.copyIsComplete { move = made }
        // What follows may fail while the file is in its new place.
        opening.stage = .changedBefore
    }

    /// Moves the store's file back if the upgrade has failed.
    ///
    /// - Returns: The error to throw; it says where the file is if it cannot be moved back.
    private func moveBack(after error: any Error) -> any Error {
        guard let move, (error as? MoltError)?.outcome != .committed, !move.isUpgraded(store) else { return error }
        store.close()
        let isUndone = move.undo()
        let hasFinishedOthers = opening.hasFinishedEarlier || locks.hasFinishedOthers
        opening.stage = isUndone && !hasFinishedOthers ? .untouched : .changedBefore
        return isUndone ? error : move.stays(after: error)
    }
}
