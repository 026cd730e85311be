/// Decides what opening a store does about each migration of a registry.
struct PlanBuilder {
    private let registry: MigrationRegistry
    private var histories: Histories
    /// The states of the registry's suites, by name; none if the plan is made without them.
    private var suites: [String: AttachedStores.SuiteState] = [:]
    private var plan: MigrationPlan
    /// Whether a migration before the one in question may bring records into a new store.
    private var mayHaveRecords = false

    /// - Parameters:
    ///   - registry: A valid one.
    ///   - finished: The rows of migrations on read that left the registry and that all records have been through.
    init(_ histories: Histories, of storeName: String, _ registry: MigrationRegistry, finished: [LedgerEntry]) {
        self.histories = histories
        self.registry = registry
        plan = MigrationPlan(of: storeName, histories, registry)
        plan.completedOnRead = finished.map(\.name)
        plan.addEdits(histories.store, registry)
    }

    /// Computes the plan without looking at suites and directories.
    func build(_ mode: RunMode) -> MigrationPlan {
        var builder = self
        builder.decide(mode)
        return builder.plan
    }

    /// Computes the plan with the suites and directories that migrations work on.
    ///
    /// They are not read if the store cannot be upgraded, or has a journal, because what suites hold is known only once
    /// the changes in it are made.
    ///
    /// - Throws: The error of one of them.
    func build(_ mode: RunMode, _ stores: AttachedStores) throws -> MigrationPlan {
        let own = build(mode)
        guard own.canBeCarriedOut, !stores.isEmpty else { return own }
        var builder = self
        try builder.read(stores)
        builder.decide(mode)
        if builder.plan.canBeCarriedOut { try builder.checkSuites(stores) }
        return builder.plan
    }

    private mutating func decide(_ mode: RunMode) {
        checkVersions()
        checkUnknown()
        addEntries()
        checkUnregisteredOnRead()
        plan.planOnRead(mode, registry.failurePolicy)
    }

    // MARK: The store's ledger

    private mutating func checkVersions() {
        guard !histories.isFresh || histories.baseline != nil else { return }
        if plan.from > plan.to {
            plan.faults.append(.newer(histories, registry))
        } else if plan.from < registry.oldestSupportedVersion {
            plan.faults.append(.tooOld(histories, registry))
        }
    }

    /// Finds ledger rows without a migration in the registry.
    private mutating func checkUnknown() {
        guard plan.from <= plan.to else { return }
        let unknown = registry.unknown(in: histories.store.rows)
        if !unknown.isEmpty { plan.faults.append(.unknown(unknown, of: histories.store, registry)) }
    }

    /// Finds a migration on read that left the registry although records still have to go through it.
    private mutating func checkUnregisteredOnRead() {
        let lost = MigrationPlan.unregisteredOnRead(in: histories, registry)
        let first = lost.filter { !plan.completedOnRead.contains($0.name) }.min { $0.version < $1.version }
        if let first { plan.faults.append(.missingOnRead(first, registry)) }
    }

    // MARK: Suites

    /// Reads the registry's suites, and finds the rows that a newer release, or one with other migrations, has written.
    private mutating func read(_ stores: AttachedStores) throws {
        suites = try stores.suiteStates()
        histories.suites = suites.compactMapValues { $0.ledger?.history }
        plan.suiteFindings = suites.sortedByKey.compactMap { $1.finding?.mustRestore == true ? $1.finding : nil }
        plan.lostLedgers = plan.suiteFindings.map(\.suite)
        plan.forgottenSuites = suites.sortedByKey.compactMap { $1.content?.isForgotten == true ? $0 : nil }
        plan.handoverNotes = stores.handoverNotes()
        for (name, suite) in suites.sortedByKey {
            guard let ledger = suite.ledger else { continue }
            let unknown = registry.unknown(in: History(of: [ledger], in: registry).rows)
            if let last = unknown.max(by: { $0.version < $1.version }) {
                plan.faults.append(.unknown(last, in: name, registry))
            }
            plan.addEdits(ledger.history, registry, ofSuite: true)
        }
    }

    /// Makes sure that suites can be used now, defers the migrations whose suites cannot, and adds notes on settings.
    private mutating func checkSuites(_ stores: AttachedStores) throws {
        try checkSuitesOfBaseline()
        for entry in plan.entries where entry.willRun {
            let used = entry.declaration.steps.filter(entry.actions.runs).flatMap(\.attached)
            for store in used {
                guard let suite = suites[store.name] else { continue }
                if let fault = suite.fault { throw fault }
                _ = try stores.reporting(store.name) { try suite.content?.values() }
            }
        }
        let rows = suites.sortedByKey.flatMap { name, suite in
            (suite.ledger?.rows ?? []).map { row in
                var entry = row.entry
                // What another suite has may still be in a journal.
                entry.attachedCounts = entry.attachedCounts.filter { $0.key == name || $0.value == 0 }
                return entry
            }
        }
        try plan.deferEntries(histories.store.rows + rows, registry, stores)
        plan.settingNotes = plan.notes(on: suites, stores)
    }

    /// Makes sure that the suites of migrations that count as applied by what the app says can get their rows now.
    ///
    /// Without them, another store would run those migrations on the suite.
    private mutating func checkSuitesOfBaseline() throws {
        for entry in plan.entries where entry.status == .baseline {
            for name in entry.declaration.attached.compactMap({ $0.suite?.attachedName }) {
                if let fault = suites[name]?.fault { throw fault }
                guard suites[name] == nil else { continue }
                plan.faults.append(.suiteOfBaselineUnavailable(at: plan.from, name, entry.migration))
            }
        }
    }

    // MARK: Migrations

    private mutating func addEntries() {
        let standings = Standings(of: registry, histories)
        for migration in registry.migrations {
            let entry = entry(of: migration, standings)
            if !histories.hasRecords, migration.work != nil, entry.willRun {
                plan.faults.append(.workWithoutCache(migration))
            }
            mayHaveRecords = mayHaveRecords || migration.mayBringRecords && entry.willRun
            plan.entries.append(entry)
        }
    }

    private mutating func entry(of migration: Migration, _ standings: Standings) -> MigrationPlan.Entry {
        let standing = standing(of: migration, standings)
        var entry = MigrationPlan.Entry(of: migration, standing, replacing: standings.replaced(by: migration))
        entry.actions = actions(of: migration, standing, standings)
        if entry.status != .baseline { checkPartlyReplaced(migration, standings) }
        entry.recordedOutcome = histories.store.row(of: migration)?.outcome
        entry.isWorkPending = migration.work != nil && histories.store.applied[migration.name]?.isWorkPending == true
        return entry
    }

    /// What the store has been through of a migration, with what suites have.
    private func standing(of migration: Migration, _ standings: Standings) -> Standing {
        guard case .past = standings[migration] else { return standings[migration] }
        // Steps run again on a suite that needs them. A block does not, so that it must not count as applied.
        let isNeeded = migration.steps.contains { step in
            guard case .block(let block, _) = step.work else { return false }
            return block.suites.contains { suite in
                suites[suite.attachedName]?.isFilled == true && !standings.isDone(migration, on: suite.attachedName)
            }
        }
        return isNeeded ? .late : .past
    }

    private mutating func actions(
        of migration: Migration,
        _ standing: Standing,
        _ standings: Standings
    ) -> MigrationPlan.Actions {
        var done = migration.suiteNames
        // Most migrations work on no suite, and a closure has a copy of the standings.
        if !done.isEmpty { done = done.filter { standings.isDone(migration, on: $0) } }
        let notDone = Set(migration.steps.compactMap { $0.settings?.attachedName }).subtracting(done)
        switch standing {
        case .withoutRecords, .belowBaseline(isRecorded: true): return .init(.none)
        case .belowBaseline(isRecorded: false): return .init(.record(.baseline))
        case .applied, .past: return .init(runningAgainOn: filled(notDone))
        case .skipped(_, let isTaken):
            return .init(runningAgainOn: notDone.filter { isTaken && standings.isDue(migration, on: $0) })
        case .bypassed: return .init(.record(.replaced))
        case .replaced:
            let filled = filled(notDone)
            return filled.isEmpty ? .init(.record(.replaced)) : .init(runningAgainOn: filled)
        case .partlyReplaced(let applied, let missing):
            plan.faults.append(.partlyReplaced(migration, "The store has", applied, missing))
            return .init(.none)
        // Without its declaration, the migration upgrades the records that still have to go through it.
        case .onRead: return .init(migration.isOnRead ? .none : .continueOnRead)
        case .late where !registry.allowsLateMigrations:
            plan.faults.append(.late(migration, at: plan.from))
            return .init(.none)
        case .open where histories.isFresh: return freshActions(migration, done)
        case .late, .open: return .init(.run, exceptOn: done)
        }
    }

    /// Finds suites that have been through some of the migrations which a migration replaces.
    private mutating func checkPartlyReplaced(_ migration: Migration, _ standings: Standings) {
        for suite in migration.suiteNames.sorted() {
            guard let (applied, missing) = standings.progress(of: suite, through: migration) else { continue }
            plan.faults.append(.partlyReplaced(migration, "The settings in \(suite) have", applied, missing))
        }
    }

    private func filled(_ names: Set<String>) -> Set<String> {
        names.isEmpty ? [] : names.filter { suites[$0]?.isFilled == true }
    }

    /// What creating a store does about a migration: steps that bring data in from elsewhere run.
    ///
    /// - Parameter done: The suites on which nothing is left to do.
    private mutating func freshActions(_ migration: Migration, _ done: Set<String>) -> MigrationPlan.Actions {
        let actions = MigrationPlan.Actions(.run, exceptOn: done)
        let runsBlock = addBlocks(of: migration, done)
        if runsBlock || migration.steps.contains(where: { $0.runsOnFreshStore && actions.runs($0) }) { return actions }
        return mayHaveRecords ? .init(.runIfRecordsArrive, exceptOn: done) : .init(.record(.createdAtVersion))
    }

    /// Adds the blocks of a migration that work on a suite which is not new and has not been through the migration.
    ///
    /// A suite that cannot be read now may be one, so the store waits for it.
    ///
    /// - Returns: Whether there are any.
    private mutating func addBlocks(of migration: Migration, _ done: Set<String>) -> Bool {
        let old = migration.attached.compactMap { $0.suite?.attachedName }.filter { name in
            !done.contains(name) && suites[name].map { $0.fault != nil || $0.isFilled } ?? true
        }
        let blocks = migration.steps.indices.filter { index in
            guard case .block(let block, _) = migration.steps[index].work else { return false }
            return block.suites.contains { old.contains($0.attachedName) }
        }
        for index in blocks { plan.blocksOnSuites.insert(ScheduledStep.ID(migration: migration.name, number: index)) }
        return !blocks.isEmpty
    }
}

extension MigrationPlan {
    /// Whether nothing prevents it, and what suites hold is known.
    fileprivate var canBeCarriedOut: Bool { faults.isEmpty && journal.isEmpty }
}

extension Migration {
    fileprivate var suiteNames: Set<String> { Set(attached.compactMap { $0.suite?.attachedName }) }
}

extension MigrationPlan.Entry {
    /// Creates the entry of a migration about which nothing is done.
    ///
    /// - Parameter names: The names of all migrations that it replaces.
    fileprivate init(of migration: Migration, _ standing: Standing, replacing names: [String]) {
        self.init(
            migration: migration.id,
            declaration: migration,
            steps: migration.steps.map(\.description),
            status: standing.status,
            actions: MigrationPlan.Actions(.none),
            losses: migration.steps.flatMap(\.declaration.losses),
            requirements: migration.requirements.map(\.reason),
            work: migration.work?.summary,
            isWorkPending: false,
            replaces: names
        )
        replacement = standing.replacement
    }
}
