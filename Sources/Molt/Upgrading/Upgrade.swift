import Foundation

/// One upgrade of a store, from its plan to its report: completely or not at all.
///
/// What happens when a `transform` or a block throws:
///
/// 1. `RecordChanger.runChain` or `StepRunner.run(_:of:)` catches the error. `MoltError(_:in:)` adds the migration, the
///    step and the record.
/// 2. If the policy allows it, `RecordPass.removeFailed` quarantines or drops the record, and the upgrade goes on.
/// 3. Otherwise, `runInTransaction` adds the outcome `rolledBack`, and the transaction is rolled back. A failure after
///    the commit gets the outcome `committed`.
/// 4. `run(_:)` removes the useless backup and tells the monitor. `CodableCache.init` throws the error.
final class Upgrade {
    private let migrator: Migrator
    private let registry: MigrationRegistry
    private let configuration: MoltConfiguration
    private let mode: RunMode
    private let store: StoreFile
    private let startedAt = Date()
    private let start = Instant.now
    private let backup: UpgradeBackup
    /// Nil for a copy, whose upgrade is not noted.
    private let attempts: AttemptLog?
    /// The attempt that is noted for this upgrade.
    private var attempt: UpgradeAttempt?
    /// See ``MigrationSummary/interruptions``.
    private var interruptions = 0
    /// The locks on the registry's suites that are available; nil until they are taken.
    private var suiteLocks: [SuiteLock]?
    /// Whether it has claimed the locked suites for the store, now or before it was killed.
    private var hasClaims = false
    /// The plan; once the steps run, from under the lock.
    private var plan: MigrationPlan?
    private var entries: [MigrationReport.Entry] = []
    private var expiredCount = 0
    /// The move of the store's file that it has made.
    private var move: MigrationReport.Move?
    /// That move, and whether it was a rename, which can be undone.
    private var moved: (pending: PendingMove, isRenamed: Bool)?
    /// Whether the file has bytes of deleted records that this opening erases.
    private var mustErase = false
    /// Whether it has applied the journal of an earlier upgrade.
    private var hasFinishedEarlier = false
    /// Whether it has applied the journal of another store.
    private var hasFinishedOthers = false
    /// What a stop at this point does to the store; nil if something was changed, but not by the upgrade.
    private var outcomeOfStop: MoltError.Outcome? = .unchanged

    init(_ migrator: Migrator, _ store: StoreFile) {
        self.migrator = migrator
        self.store = store
        registry = migrator.registry
        configuration = migrator.configuration
        mode = migrator.mode
        backup = UpgradeBackup(of: store, configuration, mode)
        attempts = mode.isOnCopy ? nil : store.attempts
    }

    /// Upgrades the store, and tells the monitor how the opening ended.
    func run(_ opening: OpeningSummary) throws -> MigrationReport {
        var opening = opening
        defer { releaseSuites() }
        let result = Result { try runPhases(&opening) }
        endAttempt()
        opening.plan = plan
        opening.interruptions = interruptions
        opening.hasFinishedEarlier = hasFinishedEarlier
        do {
            var report = try result.get()
            backup.removeExcess()
            if mustErase { report.erasure = try erase() }
            report.work = doWork()
            report.warnOfNames()
            opening.end(with: report)
            return report
        } catch {
            let error = moveBack(after: backup.settle(after: error))
            if var failure = error as? MoltError {
                failure.store = failure.store ?? store.storeName
                if failure.isStop { failure.outcome = failure.outcome ?? outcomeOfStop }
                opening.end(with: failure)
                throw failure
            }
            opening.end(with: error)
            throw error
        }
    }

    /// Does the work of migrations outside the store that is due after the commit.
    private func doWork() -> [MigrationReport.Work] {
        guard let plan, let work = WorkAfterCommit(plan, registry, store, configuration, mode) else { return [] }
        // Other stores with the same suites need not wait for it.
        releaseSuites()
        return work.run(readStores())
    }

    /// Whether this process may change the store and what it is attached to.
    private var ownsStore: Bool { configuration.owner == .thisProcess && !mode.isOnCopy }

    // MARK: The phases

    private func runPhases(_ opening: inout OpeningSummary) throws -> MigrationReport {
        var plan = try makePlan()
        while let move = plan.move, configuration.owner == .thisProcess {
            try plan.checkProblems()
            try checkEdits(plan)
            // Settings have their form only once the changes in the journal are made, which is after the move.
            if plan.journal.isEmpty {
                try move.source.read { records in
                    if let records { try checkRequirements(plan, records, readStores()) }
                }
            }
            opening.storeSize = move.source.byteCount
            try make(move)
            plan = try migrator.plan(for: store)
            configuration.monitor?.send(.planned(plan))
        }
        while true {
            self.plan = plan
            let isNewlyLocked = try lockSuites(plan)
            // When this one planned, another process may have changed one suite, and not yet the next.
            let isUncertain = isNewlyLocked && (!plan.problems.isEmpty || hasFinishedOthers)
            if try isUncertain || applyEarlierJournal(plan) {
                plan = try migrator.plan(for: store)
                configuration.monitor?.send(.planned(plan))
                continue
            }
            try plan.checkProblems()
            try checkEdits(plan)
            guard plan.needsRun else { return finish(plan) }
            if backup.isWanted { try mirrorLedger() }
            if let committed = try runInTransaction(plan) {
                if !committed.journal.isEmpty, !mode.isOnCopy { try applyJournal(.ofThisUpgrade) }
                return finish(committed)
            }
            try configuration.checkCancellation()
            plan = try migrator.plan(for: store)
        }
    }

    /// Plans without writing or locking, and waits if other processes must upgrade the store.
    private func makePlan() throws -> MigrationPlan {
        // Not if another process upgrades the store, or the last upgrade is undone first: the file may then be
        // replaced. The upgrade of a copy must leave nothing beside it.
        if ownsStore, !configuration.redoesLastUpgrade {
            store.opensUpTo = registry.version
        }
        var plan = try migrator.plan(for: store)
        self.plan = plan
        if try undoUnshipped(plan) {
            let current = try migrator.plan(for: store)
            if !current.isSameUpgrade(as: plan) { outcomeOfStop = nil }
            plan = current
        }
        configuration.monitor?.send(.planned(plan))
        if !mode.isOnCopy { try leaveToOthers(&plan) }
        return plan
    }

    /// Puts the store back if its last migrations have changed and have not shipped.
    ///
    /// - Returns: False if nobody asked for that.
    private func undoUnshipped(_ plan: MigrationPlan) throws -> Bool {
        guard configuration.redoesLastUpgrade, ownsStore, !store.isInMemory, plan.move == nil else { return false }
        try UnshippedUpgrade(store: store, registry: registry, configuration: configuration)
            .undo(plan, waiting: makeWait())
        return true
    }

    /// Puts a newer store back before it is opened as one.
    func undoUnshipped() throws {
        guard configuration.redoesLastUpgrade else { return }
        plan = try migrator.plan(for: store)
        if let plan, plan.isSuperseded { _ = try undoUnshipped(plan) }
    }

    /// Moves the store's file to its place.
    private func make(_ move: PendingMove) throws {
        try configuration.checkCancellation()
        // An empty file at the new place makes room.
        store.close()
        var mover = StoreMove(from: move.path, to: move.newPath)
        // A cache that has the file open keeps it, so waiting long is of no use.
        var openPath = move.path
        let giveUp = givingUp(after: configuration.accessTimeout) {
            MoltError(
                .busy,
                "The file at \(openPath) is open in another process, or in another cache of this one, so the store cannot "
                    + "be moved.",
                advice: "Close it there, and open the store again."
            )
        }
        let timeout = configuration.upgradeTimeout
        let giveUpLock = givingUp(after: timeout) {
            MoltError(
                .busy,
                "Another process has been moving a store into the directory of \(move.newPath) for more than \(timeout).",
                advice: "Try again, or set a longer timeout."
            )
        }
        mover.checking = configuration.checkCancellation
        mover.reach = { [configuration] in try configuration.reach(.moveStore, $0) }
        mover.waiting = { [configuration] path in
            openPath = path
            try configuration.checkCancellation()
            try giveUp()
        }
        mover.locking = { [configuration] in
            try configuration.checkCancellation()
            try giveUpLock()
        }
        let isRenamed = try mover.run()
        // What follows may fail while the file is in its new place.
        outcomeOfStop = nil
        self.move = MigrationReport.Move(pending: move)
        moved = (move, isRenamed)
    }

    /// Moves the store's file back if the upgrade has failed, for an earlier release that looks for it there.
    ///
    /// - Returns: The error to throw; it says where the file is if it cannot be moved back.
    private func moveBack(after error: any Error) -> any Error {
        // A row in the ledger means that the upgrade, by whichever process, was committed.
        guard let (pending, isRenamed) = moved, (error as? MoltError)?.outcome != .committed,
            let history = (try? store.state()).map({ History($0.ledger) }),
            !history.hasMade(pending), history.row(named: pending.migration.name) == nil
        else { return error }
        store.close()
        var mover = StoreMove(from: pending.newPath, to: pending.path)
        let giveUp = givingUp(after: configuration.accessTimeout) { SQLiteError.busy }
        mover.waiting = { _ in try giveUp() }
        mover.locking = giveUp
        if isRenamed, (try? mover.run()) == true {
            outcomeOfStop = .unchanged
            return error
        }
        guard var failure = error as? MoltError else { return error }
        failure.problem +=
            " The store was not upgraded, but its file was moved from \(pending.path) to \(pending.newPath)."
        failure.outcome = nil
        return failure
    }

    /// Waits until another process has upgraded the store, if the configuration leaves it to others.
    private func leaveToOthers(_ plan: inout MigrationPlan) throws {
        guard case .anotherProcess(let time) = configuration.owner else { return }
        let end = Instant.now + time
        var isWaiting = false
        // What this process cannot see, the other one may.
        while plan.needsSteps || !plan.journal.isEmpty, plan.problems.allSatisfy({ $0.code == .deferred }) {
            try configuration.checkCancellation()
            guard Instant.now < end else { throw MoltError.needsMigration(plan, waited: time) }
            if !isWaiting { configuration.monitor?.send(.waiting) }
            isWaiting = true
            Thread.sleep(forTimeInterval: 0.02)
            plan = try migrator.plan(for: store)
        }
        // The next process that may upgrade the store completes the ledger.
        plan.finishedOnRead = []
        if isWaiting { configuration.monitor?.send(.planned(plan)) }
    }

    /// Handles migrations that were edited after this store had counted them as applied.
    private func checkEdits(_ plan: MigrationPlan) throws {
        guard mode.checksEdits, let first = plan.edits.first else { return }
        switch configuration.mismatches {
        case .ignore: break
        case .report: configuration.monitor?.send(.edited(plan.edits))
        case .fail: throw MoltError.edited(first, all: plan.edits)
        }
    }

    private func finish(_ plan: MigrationPlan) -> MigrationReport {
        mustErase = plan.needsErasure && ownsStore && !store.isInMemory
        return report(of: plan)
    }

    /// Erases what this upgrade or an earlier one has deleted; if that is not possible, the store is upgraded all the
    /// same.
    private func erase() throws -> MigrationReport.Erasure {
        // Other stores with the same suites need not wait for it.
        releaseSuites()
        var erasure = MigrationReport.Erasure(isComplete: false, copies: [])
        // A dry run or an import that was killed has left records in the temporary directory.
        if let path = CopyDirectory.removeLeftovers(of: CopyDirectory.Purpose.allCases).first {
            erasure.reason = "The temporary copy at \(path) cannot be removed."
        }
        do throws(MoltError) {
            // Backups stay where the file was when they were made.
            for place in [store.path] + registry.oldPlaces(of: store.path) {
                StoreFiles(place).removeLeftovers()
                erasure.copies += try StoreFiles(place).copies()
            }
        } catch {
            erasure.reason = error.problem
        }
        do {
            try FileCompaction(of: store.path).erase(until: configuration.lastInstant) {
                try configuration.reach(.erase)
            }
            erasure.isComplete = true
        } catch let error as MoltError {
            erasure.reason = error.problem
        }
        return erasure
    }

    private func report(of plan: MigrationPlan) -> MigrationReport {
        var report = MigrationReport(
            store: store.storeName,
            from: plan.from,
            to: max(plan.from, plan.to),
            isFresh: plan.isFresh,
            startedAt: startedAt,
            duration: start.duration(to: .now).seconds,
            entries: entries,
            expiredCount: expiredCount,
            deferred: plan.deferred,
            isDryRun: mode.isDryRun
        )
        report.onRead = plan.onRead
        report.move = move
        report.otherStores = plan.otherStores
        return report
    }

    /// The suites and directories that the registry works on, as they are from now on.
    private func readStores() -> AttachedStores {
        AttachedStores(store, registry, configuration)
    }

    // MARK: Locks

    /// Keeps other stores from changing the registry's suites until this upgrade ends, if it works on any.
    ///
    /// A suite belongs to several stores, so the lock of a file does not protect it. It is locked before the file, so
    /// that two upgrades never wait for each other.
    ///
    /// - Returns: Whether it has locked suites.
    private func lockSuites(_ plan: MigrationPlan) throws -> Bool {
        let mayBeChanging = !plan.problems.isEmpty && !plan.isSuperseded
        guard plan.needsUpgrade || mayBeChanging, needsLocks(plan) else { return false }
        // Another process that has the lock may wait until it is alone with the cache's file. One that gets the lock in
        // between may remove the file of a suite.
        if !store.isInMemory, store.primary == nil || suiteLocks != nil { store.close() }
        try lockSuites()
        return true
    }

    private func lockSuites() throws {
        suiteLocks = nil
        var suite: Suite?
        let wait = makeWait(for: suite.map { "\($0)" })
        suiteLocks = try SuiteLock.all(of: readStores().availableSuites) {
            suite = $0
            return wait
        }
        for lock in suiteLocks ?? [] { try finishClaim(on: lock) }
    }

    private func releaseSuites() {
        guard suiteLocks != nil else { return }
        store.removeIfSettled()
        if hasClaims, (try? store.state().journal.isEmpty) == true {
            for lock in suiteLocks ?? [] { lock.endClaim() }
        }
        suiteLocks = nil
    }

    // MARK: Claims

    /// Claims the locked suites for changes that the store is about to commit.
    ///
    /// Settings that become records belong to the first store that commits them, and imported settings must be in the
    /// suite before a newer release upgrades it. Of other changes it does not matter which store makes them.
    private func claimSuites() throws {
        guard !store.isInMemory, store.primary == nil else { return }
        for lock in suiteLocks ?? [] {
            try lock.claim(for: store.path)
            hasClaims = true
        }
    }

    /// Makes the changes to a suite that another store has committed before its process was killed.
    private func finishClaim(on lock: SuiteLock) throws {
        guard let path = try lock.claimant else { return }
        guard path != store.path else {
            hasClaims = true
            return
        }
        let name = lock.suite.attachedName
        let other = StoreFile(at: URL(fileURLWithPath: path), createsFile: false, attaching: store.attached)
        let isPending: Bool
        do {
            // It may have been killed before its commit, or removed since.
            if try other.state().journal.contains(name), configuration.owner == .thisProcess {
                try finishJournal(of: other)
                (hasFinishedOthers, outcomeOfStop) = (true, nil)
            }
            isPending = try other.state().journal.contains(name)
        } catch var error as MoltError where error.isStop || error.code == .busy {
            error.outcome = .unchanged
            throw error
        } catch {
            throw MoltError.claimed(lock.suite, by: path, underlying: error)
        }
        guard !isPending else { throw MoltError.claimed(lock.suite, by: path) }
        lock.endClaim()
    }

    /// Makes the changes that another store has committed, under the locks of this upgrade.
    private func finishJournal(of other: StoreFile) throws {
        var configuration = configuration
        configuration.monitor = nil
        let upgrade = Upgrade(Migrator(registry, configuration: configuration, mode: mode), other)
        upgrade.suiteLocks = suiteLocks
        defer { upgrade.endAttempt() }
        try upgrade.applyJournal(.ofEarlierUpgrade)
    }

    /// Whether an upgrade works on suites of which one is not locked; it may have become available just now.
    private func needsLocks(_ plan: MigrationPlan) -> Bool {
        guard !mode.isOnCopy, worksOnSuites(plan) else { return false }
        guard let suiteLocks else { return true }
        return !readStores().availableSuites.allSatisfy { suite in
            suiteLocks.contains { $0.suite.domainName == suite.domainName }
        }
    }

    /// Whether an upgrade reads or changes settings.
    private func worksOnSuites(_ plan: MigrationPlan) -> Bool {
        if store.primary != nil || !plan.journal.isEmpty { return true }
        let hasSuites = store.attached.contains { $0.suite != nil }
        return plan.entries.contains { entry in
            guard entry.actions.runSteps || entry.status == .baseline else { return false }
            // A block may use the suites that were attached when the store was opened.
            return entry.declaration.attached.contains { $0.suite != nil }
                || hasSuites && entry.declaration.steps.contains(where: \.isBlock)
        }
    }

    /// Returns a closure that is called repeatedly while another process holds the store or a suite.
    ///
    /// It throws ``MoltError`` with the code `busy` after the timeout, `deadlinePassed` or `cancelled`.
    ///
    /// - Parameters:
    ///   - suite: The description of the suite; nil for the store.
    ///   - isCancellable: Whether cancellation ends the wait, and not only the deadline.
    private func makeWait(
        for suite: @escaping @autoclosure () -> String? = nil,
        isCancellable: Bool = true
    ) -> () throws -> Void {
        let timeout = configuration.upgradeTimeout
        var end: Instant?
        return { [configuration, attempts] in
            if isCancellable { try configuration.checkCancellation() } else { try configuration.checkDeadline() }
            guard let end else {
                end = .now + timeout
                configuration.monitor?.send(.waiting)
                return
            }
            guard .now >= end else { return }
            let suite = suite()
            // Another store may be upgrading the suite.
            let holder = suite == nil ? attempts?.holder() : nil
            let use = holder.map { ". It is being upgraded by \($0)" } ?? " and may be upgrading it"
            throw MoltError(
                .busy,
                "Another process or thread has held \(suite ?? "the store") for more than \(timeout)\(use).",
                advice: "Try again, or set a longer timeout.",
                holder: holder
            )
        }
    }

    // MARK: Attempts

    /// Notes that the upgrade begins; called under the store's write lock.
    ///
    /// - Throws: ``MoltError`` with the code `attemptsFailed` if it was interrupted too often.
    private func beginAttempt(_ plan: MigrationPlan) throws {
        guard let attempts, attempt == nil else { return }
        let process = ProcessInfo.processInfo
        let new = UpgradeAttempt(
            startedAt: Date(),
            from: plan.from,
            to: plan.to,
            appVersion: configuration.appVersion,
            build: configuration.hooks.build ?? AppBuild.current,
            processName: process.processName,
            processID: process.processIdentifier
        )
        // The lock is free for this attempt, so an earlier one at the same upgrade was interrupted. In rare cases it
        // has just failed, and its process is about to clear the log.
        let all = attempts.attempts()
        // An attempt at the store's own version was interrupted only if its journal is left.
        interruptions = all.count { $0.to > plan.from || $0.to == plan.from && !plan.journal.isEmpty }
        let earlier = all.filter { $0.isRepeated(by: new) }
        // A developer stops the app in the debugger again and again.
        let retries = configuration.retriesInterruptedUpgrades || configuration.redoesLastUpgrade
        if !retries, earlier.count >= configuration.hooks.attemptLimit {
            throw MoltError.attemptsFailed(earlier, holdsRecords: store.primary == nil)
        }
        attempts.begin(new)
        attempt = new
    }

    /// Clears the log of attempts at the end of the upgrade, with or without an error.
    private func endAttempt() {
        guard let own = attempt, let attempts else { return }
        attempt = nil
        // Another process may have begun since the lock was released.
        guard let last = attempts.attempts().last, last.processID == own.processID, last.startedAt == own.startedAt
        else { return }
        attempts.clear()
    }

    // MARK: The transaction

    /// Copies the ledger of a suite that is upgraded without a cache into its file, of which the backup is made.
    private func mirrorLedger() throws {
        guard store.primary != nil else { return }
        let stores = readStores()
        let histories = try stores.histories(store.state())
        if try !histories.isFresh || stores.haveSettings() { try store.mirror(histories.contents, waiting: makeWait()) }
    }

    /// Runs all pending migrations in one transaction, and commits it.
    ///
    /// The commit of a plan that only adds rows to the ledger and renames types does not wait for the disk. Its attempt
    /// is not noted either, because no step can crash, unless it merges types or an earlier attempt was interrupted.
    ///
    /// - Returns: The plan that was committed, with the journal that it left; nil if the upgrade has to begin again:
    ///   another process has changed the store since the plan, or a suite has become available.
    private func runInTransaction(_ planned: MigrationPlan) throws -> MigrationPlan? {
        let stores = readStores()
        let attachedWork = AttachedWork(stores)
        defer { attachedWork.end() }
        // The clock belongs to the app and may use the store, so the lock must not be held.
        let now = configuration.now()
        let isUnsynced = isLight(planned)
        let wait = makeWait()
        // Another process may have replaced the file since the plan, which is about the file before.
        if store.connection?.hasMoved == true {
            store.close()
            return nil
        }
        var committed: MigrationPlan?
        var hasRun = false
        try store.withWriteTransaction(until: configuration.lastInstant, isSynced: !isUnsynced) { transaction in
            // Another process may have changed the store between the plan and the lock. A suite may change at any time.
            // The plan is then made again.
            let stored = try transaction.state()
            let histories = try stores.entering(stores.histories(stored), configuration) { try $0(transaction) }
            var plan = planned
            if !transaction.isAsLastRead || !stores.isEmpty || planned.move != nil {
                plan = try registry.plan(for: histories, of: store.storeName, stores, mode: mode) {
                    try transaction.hasRecords(before: $0)
                }
            }
            self.plan = plan
            // Another process may have moved the file back to its old place.
            if plan.isFresh, !planned.isFresh { return false }
            // A journal comes first: the plan reads attached stores.
            guard plan.journal.isEmpty || plan.isSuperseded || mode.isOnCopy else { return false }
            if !plan.isSameUpgrade(as: planned) {
                configuration.monitor?.send(.planned(plan))
                if plan.edits != planned.edits { try checkEdits(plan) }
            }
            try plan.checkProblems()
            guard plan.needsRun else {
                committed = plan
                return true
            }
            guard !needsLocks(plan), !isUnsynced || isLight(plan) else { return false }
            hasRun = true
            try configuration.checkCancellation()
            try checkRequirements(plan, transaction, stores)
            if try !isUnsynced || attempts?.exists == true || mergesTypes(plan, transaction) { try beginAttempt(plan) }
            // A suite that does not exist yet may take over the settings of another one.
            if try !plan.isFresh || store.primary != nil && stores.haveSettings() {
                try backup.make(for: plan, stored) {
                    try stores.changesRestoringCurrentState(store.attached, plan)
                }
            }
            do {
                // A suite that is upgraded without a cache has its ledger in its own settings; the file gets a copy of
                // it.
                if store.primary != nil { try transaction.replaceLedger(by: histories.contents) }
                outcomeOfStop = .rolledBack
                try run(&plan, histories.store.rows, transaction, attachedWork, now)
            } catch {
                // The lock is still held, so the next process does not count this attempt as interrupted.
                endAttempt()
                throw error.with(.rolledBack)
            }
            committed = plan
            return true
        } waiting: {
            try wait()
        }
        if hasRun { try configuration.reach(.afterCommit, "of the upgrade") }
        return committed
    }

    /// Throws if the store does not meet the conditions of the migrations that are about to run.
    private func checkRequirements(
        _ plan: MigrationPlan,
        _ transaction: StoreTransaction,
        _ stores: AttachedStores
    ) throws {
        guard !plan.isFresh, registry.migrations.contains(where: { !$0.requirements.isEmpty }) else { return }
        let attachedWork = AttachedWork(stores)
        attachedWork.prepare(plan)
        defer { attachedWork.end() }
        var unmet: [(migration: MigrationID, reason: String, error: (any Error)?)] = []
        for entry in plan.entries where entry.willRun && !entry.isApplied {
            let migration = entry.declaration
            for requirement in migration.requirements {
                let view = StoreView(
                    at: plan.from,
                    StoreView.reading(transaction),
                    attachedWork,
                    of: migration,
                    configuration
                )
                defer { view.expire() }
                do {
                    guard try !requirement.isMet(view) else { continue }
                    unmet.append((migration.id, requirement.reason, nil))
                } catch var error as MoltError where error.isOfOpening(store.storeName) {
                    error.migration = error.migration ?? migration.id
                    throw error.with(.unchanged)
                } catch {
                    unmet.append((migration.id, requirement.reason, error))
                }
            }
        }
        guard let first = unmet.first else { return }
        var reasons: [String] = []
        for reason in unmet.map(\.reason) where !reasons.contains(reason) { reasons.append(reason) }
        throw MoltError(
            .requirementUnmet,
            reasons.joined(separator: " "),
            outcome: .unchanged,
            migration: first.migration,
            storeVersion: plan.from,
            registryVersion: plan.to,
            underlying: unmet.lazy.compactMap(\.error).first
        )
    }

    /// Whether an upgrade only adds rows to the ledger and renames types.
    ///
    /// Work outside the store must not begin before its migration is on disk.
    private func isLight(_ plan: MigrationPlan) -> Bool {
        let hasWork = plan.entries.contains { $0.willRun && $0.work != nil }
        guard !hasWork, !backup.isWanted, !plan.isFresh, plan.journal.isEmpty else { return false }
        return onlyRenamesTypes(plan)
    }

    private func onlyRenamesTypes(_ plan: MigrationPlan) -> Bool {
        steps(of: plan).allSatisfy { step in
            if case .records(.renameType) = step.work { true } else { false }
        }
    }

    /// Whether a step can make records of the settings that it takes from a suite.
    private func takesSettings(_ plan: MigrationPlan) -> Bool {
        steps(of: plan).contains { step in step.usesRecords && step.attached.contains { $0.suite != nil } }
    }

    /// Whether a type gets the name of another, with or without records, which changes all records of the type.
    private func mergesTypes(_ plan: MigrationPlan, _ transaction: StoreTransaction) throws -> Bool {
        let newNames = steps(of: plan).compactMap { step -> String? in
            if case .records(.renameType(_, let newName)) = step.work { newName } else { nil }
        }
        return try newNames.contains(where: transaction.hasType)
    }

    private func steps(of plan: MigrationPlan) -> some Sequence<MigrationStep> {
        plan.entries.lazy.filter(\.actions.runSteps).flatMap(\.declaration.steps)
    }

    /// Runs the pending steps, and adds the ledger's rows and the journal.
    private func run(
        _ plan: inout MigrationPlan,
        _ ledger: [LedgerEntry],
        _ transaction: StoreTransaction,
        _ attachedWork: AttachedWork,
        _ now: Date
    ) throws {
        attachedWork.prepare(plan)
        // Expired records can no longer be read, so no step has to convert them.
        let isOnlyRecorded =
            plan.entries.contains { $0.action == .recordOnRead } && !steps(of: plan).contains(where: \.usesRecords)
        // An opening that reads no record need not search for them. Beside migrations on read they are removed, because
        // they would count as records that are not upgraded yet.
        let leavesExpired = onlyRenamesTypes(plan) && !ledger.contains { $0.outcome == .onRead }
        if !plan.isFresh, !isOnlyRecorded, !leavesExpired {
            expiredCount = try transaction.deleteExpired(now: now.timeIntervalSince1970)
        }
        let runner = StepRunner(plan, ledger, transaction, registry, attachedWork, configuration, mode, now: now)
        entries = try runner.run()
        try configuration.reach(.writeLedger)
        let rows = ledgerRows() + finishedRows(plan, ledger)
        try transaction.addToLedger(rows, version: max(plan.from, plan.to))
        let journal = try attachedWork.finish(adding: suiteRows(rows, runner))
        if !journal.isEmpty {
            if takesSettings(plan) { try claimSuites() }
            try configuration.reach(.writeJournal)
        }
        try transaction.addToJournal(journal)
        plan.journal += journal.map(\.store)
        plan.needsErasure = plan.needsErasure || transaction.needsErasure
        try configuration.checkCancellation()
        try setProtection(plan)
        try configuration.reach(.beforeCommit, "of the upgrade")
    }

    /// Gives the store's file the protection class of the moves that are about to be committed.
    ///
    /// It comes last, because a rollback keeps the class; a kill before the commit means that the next opening sets it.
    private func setProtection(_ plan: MigrationPlan) throws {
        guard !mode.isOnCopy, !store.isInMemory, store.primary == nil else { return }
        for step in steps(of: plan) {
            guard case .moveStore(let move) = step.work, let type = move.protection,
                registry.isOnWay(move.newPath, to: store.path)
            else { continue }
            try FileProtection.set(type, of: store.files.path, suffixes: StoreFiles.suffixes)
        }
    }

    // MARK: The ledger

    private func ledgerRows() -> [LedgerEntry] {
        let migrations = Dictionary(registry.migrations.map { ($0.name, $0) }) { first, _ in first }
        return entries.compactMap { entry in
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
            row.isWorkPending = entry.outcome == .ran && migration.work != nil
            // Other migrations, or the app itself, did the work.
            if [.replaced, .baseline].contains(entry.outcome) { row.fingerprint = nil }
            return row
        }
    }

    /// The rows of migrations on read that left the registry and that all records have been through.
    private func finishedRows(_ plan: MigrationPlan, _ ledger: [LedgerEntry]) -> [LedgerEntry] {
        ledger.filter { plan.finishedOnRead.contains($0.name) }.map { row in
            var row = row
            row.outcome = .ran
            // They are added to those of the row.
            row.counts = MigrationReport.Counts()
            return row
        }
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
            let entered = row.outcome == .baseline ? availableSuites(of: row.name) : []
            for name in runner.suites(of: row.name).union(primary).union(entered) {
                found[name, default: []].append(SuiteLedger.Row(row, of: origin))
            }
        }
        return found
    }

    /// The names of the suites that a migration works on and that can be changed now.
    private func availableSuites(of migration: String) -> [String] {
        let attached = Set(registry.migrations.filter { $0.name == migration }.flatMap(\.attached).map(\.name))
        return readStores().availableSuites.map(\.attachedName).filter(attached.contains)
    }

    // MARK: Beside an open cache

    /// Runs a closure while no upgrade changes the registry's suites.
    func lockingSuites<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            try lockSuites()
        } catch {
            guard var failure = error as? MoltError else { throw error }
            failure.store = failure.store ?? store.storeName
            throw failure
        }
        defer { releaseSuites() }
        return try body()
    }

    /// Makes the changes to suites that a closure commits in the store's journal.
    func changingSuites<Value>(_ commit: () throws -> Value) throws -> Value {
        try lockingSuites {
            try claimSuites()
            let value = try commit()
            defer { endAttempt() }
            try applyJournal(.ofThisUpgrade)
            return value
        }
    }

    // MARK: The journal

    private enum JournalOwner {
        case ofEarlierUpgrade, ofThisUpgrade
    }

    /// Makes the changes to attached stores that an earlier upgrade committed, unless that is up to another process.
    ///
    /// - Returns: Whether there may have been any.
    private func applyEarlierJournal(_ plan: MigrationPlan) throws -> Bool {
        guard !plan.journal.isEmpty, !plan.isSuperseded, ownsStore else { return false }
        try applyJournal(.ofEarlierUpgrade)
        return true
    }

    /// Applies the committed changes to attached stores, and clears the journal once they are on disk.
    ///
    /// The store's write lock keeps other processes from doing so at the same time. Past this upgrade's commit,
    /// cancellation has no effect.
    private func applyJournal(_ owner: JournalOwner) throws {
        let wait = makeWait(isCancellable: owner == .ofEarlierUpgrade)
        var isApplied = false
        var newer: MigrationPlan?
        do {
            try configuration.checkDeadline()
            try store.withWriteTransaction(until: configuration.lastInstant) { transaction in
                let histories = try Histories(transaction.state())
                let plan = try registry.plan(for: histories, of: store.storeName, readStores(), mode: mode) {
                    try transaction.hasRecords(before: $0)
                }
                // A newer release may have upgraded the store while the lock was free. Its journal is not applied here.
                if plan.isSuperseded {
                    newer = plan
                    return false
                }
                let journal = try transaction.journal()
                // Another process was perhaps faster.
                guard !journal.isEmpty else { return true }
                if owner == .ofEarlierUpgrade, needsLocks(plan) { return false }
                try beginAttempt(plan)
                try AttachedWork(readStores()).apply(journal, configuration)
                try configuration.reach(.clearJournal)
                try transaction.clearJournal()
                isApplied = true
                try configuration.reach(.beforeCommit, "that ends the journal")
                return true
            } waiting: {
                try wait()
            }
            if isApplied { try configuration.reach(.afterCommit, "that ends the journal") }
        } catch {
            throw error.with(.committed)
        }
        try newer?.checkProblems()
        guard isApplied, owner == .ofEarlierUpgrade else { return }
        hasFinishedEarlier = true
        outcomeOfStop = nil
    }
}
