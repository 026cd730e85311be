/// The work of migrations outside the store that an opening does once the store is upgraded.
///
/// The ledger says what is still to be done. One process at a time does it, under a lock that neither readers nor
/// writers of the store need.
final class WorkAfterCommit {
    /// The migrations whose work may be pending.
    private let migrations: [Migration]
    private let plan: MigrationPlan
    private let migrator: Migrator
    private let store: StoreFile

    /// - Parameter plan: The plan that was carried out.
    /// - Returns: Nil if no work can be pending, or if it is not up to this run.
    init?(_ plan: MigrationPlan, of migrator: Migrator, _ store: StoreFile) {
        guard migrator.configuration.hooks.doesWork, migrator.mode.concernsWork else { return nil }
        migrations = plan.entries.filter { entry in
            entry.isWorkPending || entry.work != nil && entry.actions.runSteps
        }.map(\.declaration)
        guard !migrations.isEmpty else { return nil }
        self.plan = plan
        self.migrator = migrator
        self.store = store
    }

    private var configuration: MoltConfiguration { migrator.configuration }

    /// Does the work, and notes its success in the ledger.
    ///
    /// - Parameter stores: The suites that the work may read.
    /// - Returns: What was done, and what still has to be done.
    func run(_ stores: AttachedStores) -> [MigrationReport.Work] {
        do {
            let state = try store.withSnapshot { try $0.state() }
            let pending = waiting(in: state)
            let kept = keepingSource(in: state).map { Self.entry(of: $0, Self.isNotWhole) }
            guard !pending.isEmpty else { return kept }
            if let obstacle = migrator.obstacleToWork { return kept + pending.map { Self.entry(of: $0, obstacle) } }
            guard let turn = try WorkTurn(at: store, configuration) else {
                return kept + pending.map { Self.entry(of: $0, WorkTurn.isTaken) }
            }
            return kept + pending.compactMap { done($0, turn, stores) }
        } catch {
            return migrations.map { failed($0, error) }
        }
    }

    private func waiting(in state: StoreState) -> [Migration] {
        // A newer release that has upgraded the store since does the work.
        guard state.version <= migrator.registry.version(for: state.ledger), state.laterLayout == nil else { return [] }
        let names = Set(state.ledger.filter(\.isWorkPending).map(\.name))
        return migrations.filter { names.contains($0.name) }
    }

    private static let isNotWhole = "it stays, because not all that it has is in the store"

    /// The migrations that have run, and whose sources are not to be removed.
    private func keepingSource(in state: StoreState) -> [Migration] {
        let ran = Set(plan.entries.filter { $0.actions.runSteps && !$0.isWorkPending }.map(\.migration.name))
        let kept = Set(state.ledger.filter { $0.outcome == .ran && !$0.isWorkPending }.map(\.name))
        return migrations.filter { migration in
            migration.work?.removesSource == true && ran.contains(migration.name) && kept.contains(migration.name)
        }
    }

    /// - Returns: Nil if the previous holder of the lock has done it.
    private func done(_ migration: Migration, _ turn: borrowing WorkTurn, _ stores: AttachedStores) -> MigrationReport
        .Work?
    {
        var isNoted = false
        do {
            try configuration.checkCancellation()
            try configuration.reach(.beforeWork, "of \(migration.name)")
            let state = try store.withSnapshot { try $0.state() }
            guard waiting(in: state).contains(where: { $0.name == migration.name }) else { return nil }
            if let reason = turn.begin(migration.name, at: migration.version) { return failed(migration, reason) }
            defer { turn.end(migration.name) }
            // Settings are read anew for each piece of work.
            let suites = AttachedWork(stores)
            suites.prepare(plan)
            defer { suites.end() }
            if migration.work?.removesSource == true {
                // The call could not tell whether an earlier one was made.
                guard try noteSuccess(of: migration) else { throw storeChanged }
                isNoted = true
            }
            let snapshot = StoreSnapshot(at: state.version, read, suites, of: migration, configuration)
            defer { snapshot.expire() }
            try migration.work?.run(snapshot)
        } catch {
            return failed(migration, error, isLast: isNoted)
        }
        do {
            try configuration.reach(.afterWork, "of \(migration.name)")
            guard try isNoted || noteSuccess(of: migration) else { throw storeChanged }
            return Self.entry(of: migration, nil)
        } catch {
            return failed(migration, error, isDone: true)
        }
    }

    /// Runs a closure that reads the store as this opening has left it.
    ///
    /// Between its calls, a closure holds no read transaction, so that others can empty the log while the work runs.
    private func read(_ body: (StoreTransaction) throws -> Void) throws {
        try store.withSnapshot { records in
            guard try records.generation() == store.generation else { throw storeChanged }
            try body(records)
        }
    }

    private var storeChanged: MoltError {
        MoltError(.storeChanged, "The store was upgraded or replaced during the work.", store: store.storeName)
    }

    /// - Returns: False if the store was upgraded or replaced meanwhile: it may need the work again.
    private func noteSuccess(of migration: Migration) throws -> Bool {
        let patience = Patience(configuration.upgradeTimeout)
        return try store.withWriteTransactionOfSameStore(until: configuration.lastInstant) { transaction in
            try transaction.endWork(of: migration.name)
            try configuration.reach(.beforeCommit, "of the work")
        } waiting: {
            let problem = "Another process or thread has held the store for too long."
            try patience.wait(orThrow: MoltError(.busy, problem))
        }
    }

    /// - Parameters:
    ///   - isDone: Whether the work was done, and only its success could not be noted.
    ///   - isLast: Whether no later opening tries again.
    private func failed(
        _ migration: Migration,
        _ error: any Error,
        isDone: Bool = false,
        isLast: Bool = false
    ) -> MigrationReport.Work {
        let reason = ErrorSummary.line(of: error)
        let problem =
            isDone ? "it was done, but could not be recorded; the next opening does it again (\(reason))" : reason
        let entry = Self.entry(of: migration, problem)
        let failure = MoltError(
            .workFailed,
            "The work after the commit \(isDone ? "was done, but could not be recorded" : "failed") "
                + "(\(entry.summary)); see the underlying error.",
            advice: isDone
                ? "The next opening does it again."
                : isLast ? "It is not tried again: remove what is left yourself." : "The next opening tries again.",
            store: store.storeName,
            migration: migration.id,
            underlying: error
        )
        configuration.monitor?.send(.workFailed(failure))
        return entry
    }

    /// - Parameter reason: Why the work was not tried.
    private func failed(_ migration: Migration, _ reason: String) -> MigrationReport.Work {
        let entry = Self.entry(of: migration, reason)
        let failure = MoltError(
            .workFailed,
            "The work after the commit was not tried (\(entry.summary)): \(reason).",
            advice: "Find the reason; another build of the app tries again. To try once more with this one, open the "
                + "store with `retriesInterruptedUpgrades = true`.",
            store: store.storeName,
            migration: migration.id
        )
        configuration.monitor?.send(.workFailed(failure))
        return entry
    }

    private static func entry(of migration: Migration, _ problem: String?) -> MigrationReport.Work {
        MigrationReport.Work(migration: migration.id, summary: migration.work?.summary ?? "", problem: problem)
    }
}

extension Migrator {
    /// Why the run does no work outside the store after the commit; nil if it does.
    var obstacleToWork: String? {
        if mode.isDryRun { return "a dry run does not do it" }
        return configuration.process.upgrades ? nil : "it is up to the process that upgrades the store"
    }
}

extension WorkTurn {
    /// Why work is not done while another process has the turn.
    static let isTaken = "another process is doing it"
}
