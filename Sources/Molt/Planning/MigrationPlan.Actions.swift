extension MigrationPlan {
    /// What opening a store does about a migration on one of its targets.
    package enum TargetAction: Equatable, Sendable {
        /// Nothing.
        case none
        /// Runs its steps; on a fresh store only those that import data, and blocks on suites that are not new, until
        /// one has imported records.
        case run
        /// The store is new: it runs if an earlier migration imports records.
        case runIfRecordsArrive
        /// Adds it to the ledger; records go through it when they are read.
        case startOnRead
        /// An earlier opening has added it to the ledger: upgrades the records that have not been through it yet.
        case continueOnRead
        /// Adds it to the ledger with an outcome.
        case record(LedgerEntry.Outcome)
        /// Leaves it to a later opening, for a reason.
        case wait(String)

        /// Whether it is one of the actions for which a store is opened for writing.
        fileprivate var isUpgrade: Bool {
            switch self {
            case .run, .startOnRead, .continueOnRead: true
            case .none, .runIfRecordsArrive, .record, .wait: false
            }
        }

        fileprivate var runsSteps: Bool {
            switch self {
            case .run, .runIfRecordsArrive, .continueOnRead: true
            case .none, .startOnRead, .record, .wait: false
            }
        }
    }

    /// What opening a store does about a migration on each of its targets.
    package struct Actions: Equatable, Sendable {
        /// What it does with the records, in blocks, and on the suites that `suites` does not have.
        package var store: TargetAction
        /// What it does on suites, by their names, where that is something else.
        ///
        /// It does nothing on a suite that has been through the migration with another store, and what blocks change
        /// there is not kept. It runs on a suite that lacks the migration, although the store counts it as applied.
        package var suites: [String: TargetAction] = [:]

        /// - Parameter done: The names of the suites on which nothing is left to do.
        init(_ store: TargetAction, exceptOn done: Set<String> = []) {
            self.store = store
            for name in done { suites[name] = TargetAction.none }
        }

        /// Creates the actions of a migration that the store counts as applied.
        ///
        /// - Parameter suiteNames: The names of the suites that lack it.
        init(runningAgainOn suiteNames: Set<String>) {
            store = .none
            for name in suiteNames { suites[name] = .run }
        }

        /// The action on a suite; without one, that with the records and in blocks.
        subscript(suite: String?) -> TargetAction { suite.flatMap { suites[$0] } ?? store }

        /// The suites on which something else is done than in the store, by what that is.
        func suites(with action: TargetAction) -> Set<String> { Set(suites.filter { $1 == action }.keys) }

        /// Whether it runs only on suites that lack it, because the store counts it as applied.
        var runsAgain: Bool { !suites(with: .run).isEmpty }

        /// Whether a store is opened for writing because of one of them.
        var areUpgrade: Bool { store.isUpgrade || suites.values.contains(where: \.isUpgrade) }

        var runSteps: Bool { store.runsSteps || suites.values.contains(where: \.runsSteps) }

        @inline(never)
        func runs(_ step: MigrationStep) -> Bool {
            let action = self[step.settings?.attachedName]
            // The store counts what it backfills as applied, so it is no longer checked.
            return action.runsSteps && !(action == .continueOnRead && step.isCheck)
        }
    }
}
