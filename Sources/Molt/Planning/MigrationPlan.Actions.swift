extension MigrationPlan {
    /// What opening a store does about a migration on one of its targets.
    public enum Action: Equatable, Sendable, Encodable {
        /// Nothing.
        case none
        /// Runs its steps; on a fresh store only those that import data, and blocks on suites that are not new, until
        /// one has imported records.
        case run
        /// The store is new: it runs if an earlier migration imports records.
        case runIfRecordsAppear
        /// Adds it to the ledger; records go through it when they are read.
        case recordOnRead
        /// An earlier opening has added it to the ledger: upgrades the records that have not been through it yet.
        case backfill
        /// Adds it to the ledger with an outcome.
        case recordOnly(LedgerEntry.Outcome)
        /// Leaves it to a later opening, for a reason.
        case wait(String)

        /// Whether it is one of the actions for which a store is opened for writing.
        fileprivate var isUpgrade: Bool {
            switch self {
            case .run, .recordOnRead, .backfill: true
            case .none, .runIfRecordsAppear, .recordOnly, .wait: false
            }
        }

        /// Whether steps may run.
        fileprivate var runsSteps: Bool {
            switch self {
            case .run, .runIfRecordsAppear, .backfill: true
            case .none, .recordOnRead, .recordOnly, .wait: false
            }
        }
    }

    /// What opening a store does about a migration on each of its targets.
    ///
    /// In the JSON of a plan, an entry has them as
    /// `"actions": {"store": {"run": {}}, "suites": {"group.example": {"none": {}}}}`.
    public struct Actions: Equatable, Sendable, Encodable {
        /// What it does with the records, in blocks, and on the suites that ``suites`` does not have.
        public var store: Action
        /// What it does on suites, by their names, where that is something else.
        ///
        /// It does nothing on a suite that has been through the migration with another store, and what blocks change
        /// there is not kept. It runs on a suite that lacks the migration, although the store counts it as applied.
        public var suites: [String: Action] = [:]

        /// - Parameter done: The names of the suites on which nothing is left to do.
        init(_ store: Action, exceptOn done: Set<String> = []) {
            self.store = store
            for name in done { suites[name] = Action.none }
        }

        /// Creates the actions of a migration that the store counts as applied.
        ///
        /// - Parameter suiteNames: The names of the suites that lack it.
        init(runningAgainOn suiteNames: Set<String>) {
            store = .none
            for name in suiteNames { suites[name] = .run }
        }

        /// The action on a suite; without one, that with the records and in blocks.
        subscript(suite: String?) -> Action { suite.flatMap { suites[$0] } ?? store }

        /// The suites on which something else is done than in the store, by what that is.
        func suites(with action: Action) -> Set<String> { Set(suites.filter { $1 == action }.keys) }

        /// Whether it runs only on suites that lack it, because the store counts it as applied.
        var runsAgain: Bool { !suites(with: .run).isEmpty }

        /// Whether a store is opened for writing because of one of them.
        var areUpgrade: Bool { store.isUpgrade || suites.values.contains(where: \.isUpgrade) }

        /// Whether steps may run.
        var runSteps: Bool { store.runsSteps || suites.values.contains(where: \.runsSteps) }

        /// Whether a step of the migration runs, if the migration does.
        func runs(_ step: MigrationStep) -> Bool {
            let action = self[step.settings?.attachedName]
            // The store counts what it backfills as applied, so it is no longer checked.
            return action.runsSteps && !(action == .backfill && step.isCheck)
        }
    }
}
