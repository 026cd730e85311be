extension MigrationPlan {
    /// Computes the plan from a store's state, without looking at attached stores; the registry must be valid.
    ///
    /// - Parameters:
    ///   - baseline: The version at which the app says that the store enters.
    ///   - isCache: Whether it has records; a suite that is upgraded without a cache has none.
    package init(
        state: StoreState,
        baseline: Int? = nil,
        isCache: Bool = true,
        storeName: String,
        migrations: MigrationRegistry,
        mode: RunMode = .opening
    ) {
        var histories = Histories(state, hasRecords: isCache)
        histories.baseline = baseline
        self.init(
            histories,
            storeName: storeName,
            migrations: migrations,
            mode: mode,
            hasRecords: { _ in true }
        )
    }

    /// Computes the plan from a store's history, without looking at attached stores; the registry must be valid.
    ///
    /// - Parameter hasRecords: Returns whether the store has records from before a version.
    init(
        _ histories: Histories,
        storeName: String,
        migrations: MigrationRegistry,
        mode: RunMode,
        hasRecords: (_ before: Int) throws -> Bool
    ) rethrows {
        try self.init(
            histories,
            storeName: storeName,
            migrations: migrations,
            mode: mode,
            finished: Self.finishedOnRead(in: histories, migrations, hasRecords)
        ) { [:] }
    }

    /// Computes the plan, including deferrals.
    ///
    /// - Parameters:
    ///   - hasRecords: Returns whether the store has records from before a version; asked only if a migration on read
    ///     was removed from the registry.
    /// - Throws: The error of `hasRecords`, or that of an attached store whose availability is checked.
    init(
        _ histories: Histories,
        storeName: String,
        migrations registry: MigrationRegistry,
        _ stores: AttachedStores,
        mode: RunMode,
        hasRecords: (_ before: Int) throws -> Bool
    ) throws {
        var suites: [String: AttachedStores.SuiteState] = [:]
        try self.init(
            histories,
            storeName: storeName,
            migrations: registry,
            mode: mode,
            finished: Self.finishedOnRead(in: histories, registry, hasRecords)
        ) {
            suites = try stores.suiteStates()
            return suites
        }
        guard problems.isEmpty, journal.isEmpty else { return }
        try checkEntering(suites)
        for entry in entries where entry.willRun {
            let names = entry.declaration.steps.filter(entry.actions.runs).flatMap(\.attached).map(\.name)
            if let fault = names.lazy.compactMap({ suites[$0]?.fault }).first { throw fault }
        }
        let rows = suites.sortedByKey.flatMap { name, suite in
            (suite.ledger?.rows ?? []).map { row in
                var entry = row.entry
                // What another suite has may still be in a journal.
                entry.attachedCounts = entry.attachedCounts.filter { $0.key == name || $0.value == 0 }
                return entry
            }
        }
        try deferEntries(histories.store.rows + rows, registry, stores)
        settingNotes = notes(on: suites, stores)
    }

    /// - Parameters:
    ///   - finished: The rows of ``lostOnRead(in:_:)`` that all records have been through.
    ///   - suites: The states of the registry's suites; not asked for if the store has a problem or a journal, because
    ///     what suites hold is known only once the changes in it are made.
    private init(
        _ known: Histories,
        storeName: String,
        migrations registry: MigrationRegistry,
        mode: RunMode,
        finished: [LedgerEntry],
        suites: () throws -> [String: AttachedStores.SuiteState]
    ) rethrows {
        store = storeName
        var histories = known
        from = histories.version
        to = registry.version(for: histories.store.rows)
        isFresh = histories.isFresh
        baseline = histories.baseline
        entries = []
        problems = []
        journal = histories.journal
        edits = Self.edits(histories.store, registry)
        settingNotes = []
        entersNow = histories.baseline != nil && histories.storedVersion != registry.version
        finishedOnRead = finished.map(\.name)
        needsErasure = histories.needsErasure
        checkVersions(histories, registry)
        checkUnknown(histories, registry)
        addEntries(registry, histories)
        checkOnRead(Self.lostOnRead(in: histories, registry).filter { !finished.contains($0) }, registry)
        if problems.isEmpty, journal.isEmpty {
            let suites = try suites()
            for (name, suite) in suites.sortedByKey {
                guard let ledger = suite.ledger else { continue }
                checkUnknown(in: ledger, of: name, registry)
                addEdits(in: ledger, registry)
            }
            histories.suites = suites.compactMapValues { $0.ledger?.history }
            if !suites.isEmpty { addEntries(registry, histories, suites) }
        }
        planOnRead(mode, registry.failurePolicy)
    }

    /// The migrations whose declaration differs from the ledger.
    private static func edits(_ history: History, _ registry: MigrationRegistry) -> [Edit] {
        let rows = history.rows.filter { $0.fingerprint != nil && $0.outcome.isApplied }
            .map { (id: MigrationID(name: $0.name, version: $0.version), fingerprint: $0.fingerprint) }
        guard !rows.isEmpty else { return [] }
        let recorded = Dictionary(rows.map { ($0.id.name, $0) }) { $1 }
        return registry.migrations.compactMap { migration in
            // If a replacement has the name of one of its parts, the row may be the part's.
            guard !migration.replaces.contains(migration.name), let row = recorded[migration.name],
                let fingerprint = row.fingerprint
            else {
                return nil
            }
            let current = migration.fingerprint
            guard fingerprint != current else { return nil }
            return Edit(
                migration: migration.id,
                recorded: fingerprint,
                current: current,
                recordedVersion: row.id.version,
                hasOtherSteps: migration.fingerprint(at: row.id.version) != fingerprint
            )
        }
    }

    // MARK: Settings

    /// Makes sure that the suites of migrations that count as applied by what the app says can get their rows now.
    ///
    /// Without them, another store would run those migrations on the suite.
    private mutating func checkEntering(_ suites: [String: AttachedStores.SuiteState]) throws {
        for entry in entries where entry.status == .baseline {
            for name in entry.declaration.attached.compactMap({ $0.suite?.attachedName }) {
                if let fault = suites[name]?.fault { throw fault }
                guard suites[name] == nil else { continue }
                problems.append(.cannotEnter(at: from, name, entry.migration))
            }
        }
    }

    /// Finds the rows of a suite that a newer release, or one with other migrations, has written.
    private mutating func checkUnknown(in ledger: SuiteLedger, of suite: String, _ registry: MigrationRegistry) {
        let unknown = registry.unknown(in: History(of: [ledger], in: registry).rows)
        guard let last = unknown.max(by: { $0.version < $1.version }) else { return }
        problems.append(.unknown(last, in: suite, registry))
    }

    /// Finds the migrations of a suite's ledger that have other steps now; each store may have its own versions.
    private mutating func addEdits(in ledger: SuiteLedger, _ registry: MigrationRegistry) {
        for row in ledger.rows.map(\.entry) where row.outcome.isApplied {
            guard let migration = registry.migrations.first(where: { $0.name == row.name }),
                !migration.replaces.contains(row.name), !edits.contains(where: { $0.migration == migration.id }),
                let recorded = row.fingerprint, recorded != migration.fingerprint(at: row.version)
            else { continue }
            edits.append(
                Edit(
                    migration: migration.id,
                    recorded: recorded,
                    current: migration.fingerprint,
                    recordedVersion: row.version,
                    hasOtherSteps: true
                )
            )
        }
    }

    /// Defers the migrations that cannot run now, and all others that work on the same attached stores.
    ///
    /// Earlier migrations wait too: a store that one migration cannot see is not safe for another, and each must find
    /// the results of the one before it.
    private mutating func deferEntries(
        _ ledger: [LedgerEntry],
        _ registry: MigrationRegistry,
        _ stores: AttachedStores
    ) throws {
        /// The first deferred migration for each attached store.
        var waiting: [String: MigrationID] = [:]
        /// The first one that waits for a cache. The store can be seen, so earlier migrations run.
        var waitingForCache: [String: MigrationID] = [:]
        let candidates = entries.indices.filter { entries[$0].willRun && !entries[$0].declaration.attached.isEmpty }
        /// The steps of the migrations that do not wait.
        var earlier: [MigrationStep] = []
        for index in candidates {
            let migration = entries[index].declaration
            let running = migration.steps.filter(entries[index].actions.runs)
            if let reason = try chainReason(migration, waiting) ?? stores.deferral(of: running, ledger) {
                deferEntry(index, reason, &waiting)
            } else if let reason = try chainReason(migration, waitingForCache)
                ?? stores.cacheReason(of: running, after: earlier)
            {
                deferEntry(index, reason, &waitingForCache)
            } else {
                earlier += running
            }
        }
        // Each round may add more stores, through a migration that works on several.
        var isComplete = false
        while !isComplete {
            isComplete = true
            for index in candidates where entries[index].willRun {
                guard let reason = chainReason(entries[index].declaration, waiting) else { continue }
                deferEntry(index, reason, &waiting)
                isComplete = false
            }
        }
        let (names, ways) = (Set(registry.names), registry.ways)
        for index in entries.indices where entries[index].action == .recordOnly(.replaced) {
            let migration = entries[index].declaration
            guard migration.isShortcut(among: names, ways),
                let part = entries.first(where: { migration.replaces.contains($0.migration.name) && $0.deferral != nil }
                )
            else { continue }
            entries[index].actions = Actions(.wait("It replaces migration \(part.migration), which must wait."))
        }
        // Records must go through the migrations in order.
        for index in candidates where stores.hasRecords {
            guard let reason = entries[index].deferral else { continue }
            let migration = entries[index].declaration
            if migration.steps.contains(where: \.usesRecords) {
                problems.append(.deferred(migration, reason))
            }
        }
    }

    /// The reason why a migration waits for another one on the same stores, or nil.
    private func chainReason(_ migration: Migration, _ waiting: [String: MigrationID]) -> String? {
        migration.attached.lazy.compactMap { waiting[$0.name] }.first
            .map { "It uses the same attached store as migration \($0), which must wait." }
    }

    private mutating func deferEntry(
        _ index: Int,
        _ reason: String,
        _ waiting: inout [String: MigrationID]
    ) {
        for store in entries[index].declaration.attached where waiting[store.name] == nil {
            waiting[store.name] = entries[index].migration
        }
        entries[index].actions = Actions(.wait(reason))
    }

    private mutating func checkVersions(_ histories: Histories, _ registry: MigrationRegistry) {
        guard !isFresh || baseline != nil else { return }
        if from > to {
            problems.append(.newer(at: from, isBaseline: baseline == from, registry, hasRecords: histories.hasRecords))
        } else if from < registry.oldestSupportedVersion {
            problems.append(.tooOld(from, registry, hasRecords: histories.hasRecords))
        }
    }

    /// Finds ledger rows without a migration in the registry.
    private mutating func checkUnknown(_ histories: Histories, _ registry: MigrationRegistry) {
        guard from <= to else { return }
        let unknown = registry.unknown(in: histories.store.rows)
        guard !unknown.isEmpty else { return }
        problems.append(.unknown(unknown, of: histories.store, registry))
    }

    /// Adds an entry for each migration, and the problems of the store's own ledger.
    private mutating func addEntries(
        _ registry: MigrationRegistry,
        _ histories: Histories,
        _ suites: [String: AttachedStores.SuiteState] = [:]
    ) {
        entries = []
        blocksOnSuites = []
        var mayHaveRecords = false
        let entered = registry.migrations.filter { baselineAction($0) != nil }.map(\.name)
        let shortcuts = Shortcuts(registry, histories, entered: Set(entered))
        for migration in registry.migrations {
            let entry = entry(
                for: migration,
                registry,
                histories,
                suites,
                shortcuts,
                mayHaveRecords: mayHaveRecords
            )
            if !histories.hasRecords, migration.work != nil, entry.willRun {
                problems.append(.workWithoutCache(migration))
            }
            mayHaveRecords = mayHaveRecords || migration.mayBringRecords && entry.willRun
            entries.append(entry)
        }
    }

    private mutating func entry(
        for migration: Migration,
        _ registry: MigrationRegistry,
        _ histories: Histories,
        _ suites: [String: AttachedStores.SuiteState],
        _ shortcuts: Shortcuts,
        mayHaveRecords: Bool
    ) -> Entry {
        let names = Set(migration.attached.compactMap { $0.suite?.attachedName })
        let way = shortcuts.ways[migration.name]
        let store = histories.store
        let settled = names.filter { histories.hasSettled($0, migration, way: way) }
        let isConcerned = histories.hasRecords || migration.worksOnSettings
        let (status, action) =
            (isConcerned
                ? baselineAction(migration) ?? shortcuts.statusAndAction(of: migration, after: entries) : nil)
            ?? (isFresh && isConcerned
                ? (
                    .pending,
                    freshAction(
                        migration,
                        settled,
                        runsBlock: addBlocks(of: migration, suites, settled),
                        mayHaveRecords: mayHaveRecords
                    )
                )
                : statusAndAction(of: migration, registry, histories, shortcuts))
        let lacking = Set(migration.steps.compactMap { $0.settings?.attachedName }).subtracting(settled)
        var actions = Actions(action)
        switch (status, action) {
        case (.applied, _) where shortcuts.replacements[migration.name] != nil:
            let partly = lacking.filter { shortcuts.partlyThrough[$0]?.contains(migration.name) == true }
            if !partly.isEmpty { actions = Actions(runningAgainOn: partly) }
        case (_, .recordOnly(.replaced)) where way != nil: break
        case (.applied, _) where store.applied[migration.name]?.outcome == .baseline: break
        case (.applied, _), (.replaced, _):
            // A suite may have been put back from a copy; an empty one has nothing to upgrade.
            let filled = lacking.filter { suites[$0].map { $0.ledger != nil || !$0.isEmpty } ?? false }
            if !filled.isEmpty { actions = Actions(runningAgainOn: filled) }
        case (_, .run), (_, .runIfRecordsAppear): actions = Actions(action, exceptOn: settled)
        default: break
        }
        if way == nil, status != .baseline { checkPartlyReplaced(migration, names.sorted(), histories) }
        return Entry(
            migration: migration.id,
            declaration: migration,
            steps: migration.steps.map(\.description),
            status: status,
            actions: actions,
            replacement: shortcuts.replacements[migration.name]
                ?? (status == .applied ? store.replacement(of: migration.name)?.id : nil),
            losses: migration.steps.flatMap(\.declaration.losses),
            requirements: migration.requirements.map(\.reason),
            work: migration.work?.summary,
            isWorkPending: migration.work != nil && store.applied[migration.name]?.isWorkPending == true,
            replaces: shortcuts.replaced[migration.name] ?? []
        )
    }

    /// What the plan says of a migration that a baseline covers; nil for any other.
    private func baselineAction(_ migration: Migration) -> (Status, Action)? {
        guard let baseline, migration.version <= baseline else { return nil }
        // A new store has no records from an earlier release, and still has to import those that are elsewhere.
        let imports = migration.steps.filter(\.runsOnFreshStore)
        let isNeeded = !isFresh || !imports.isEmpty && imports.allSatisfy { $0.settings != nil }
        return isNeeded ? (.baseline, .recordOnly(.baseline)) : nil
    }

    /// Adds the blocks of a migration that work on a suite which is not new and has not been through the migration.
    ///
    /// A suite that cannot be read now may be one, so the store waits for it.
    ///
    /// - Returns: Whether there are any.
    private mutating func addBlocks(
        of migration: Migration,
        _ suites: [String: AttachedStores.SuiteState],
        _ settled: Set<String>
    ) -> Bool {
        let old = migration.attached.compactMap { $0.suite?.attachedName }.filter { name in
            !settled.contains(name) && suites[name].map { $0.fault != nil || $0.ledger != nil || !$0.isEmpty } ?? true
        }
        let blocks = migration.steps.indices.filter { index in
            guard case .block(let block, _) = migration.steps[index].work else { return false }
            return block.suites.contains { old.contains($0.attachedName) }
        }
        for index in blocks { blocksOnSuites.insert(ScheduledStep.ID(migration: migration.name, number: index)) }
        return !blocks.isEmpty
    }

    /// What creating a store does about a migration: steps that bring data in from elsewhere run.
    private func freshAction(
        _ migration: Migration,
        _ settled: Set<String>,
        runsBlock: Bool,
        mayHaveRecords: Bool
    ) -> Action {
        if runsBlock { return .run }
        let actions = Actions(.run, exceptOn: settled)
        if migration.steps.contains(where: { $0.runsOnFreshStore && actions.runs($0) }) { return .run }
        return mayHaveRecords ? .runIfRecordsAppear : .recordOnly(.createdAtVersion)
    }

    private mutating func statusAndAction(
        of migration: Migration,
        _ registry: MigrationRegistry,
        _ histories: Histories,
        _ shortcuts: Shortcuts
    ) -> (Status, Action) {
        let history = histories.store
        if !histories.hasRecords, !migration.worksOnSettings { return (.recordsOnly, .none) }
        if let row = history.row(of: migration) {
            guard row.outcome == .onRead else { return (.applied, .none) }
            // Without its declaration, the migration upgrades the records that still have to go through it.
            return (.onRead, migration.isOnRead ? .none : .backfill)
        }
        // The registry need not have the replacement.
        if history.hasApplied(migration) { return (.applied, .none) }
        switch history.progress(through: migration) {
        case .none: break
        case .all: return (.replaced, .recordOnly(.replaced))
        case .some(let applied, let missing):
            guard migration.completesReplacedMigrations else {
                problems.append(.partlyReplaced(migration, "The store has", applied, missing))
                return (.pending, .none)
            }
        }
        if !isDeferred(migration, history, shortcuts), max(from, history.version) > migration.version {
            if registry.allowsLateMigrations { return (.late, .run) }
            problems.append(.late(migration, at: from))
            return (.late, .none)
        }
        return (.pending, .run)
    }

    /// Whether the store waits for a migration, which is then not late.
    ///
    /// A replacement of a deferred migration counts too, unless it uses records, which it may do only in order. So does
    /// a migration that a deferred shortcut replaces.
    private func isDeferred(_ migration: Migration, _ history: History, _ shortcuts: Shortcuts) -> Bool {
        let names = migration.steps.contains(where: \.usesRecords) ? [] : migration.replaces
        return history.waiting.contains(migration.name) || names.contains(where: history.waiting.contains)
            || shortcuts.ways.contains { $1.contains(migration.name) && history.waiting.contains($0) }
    }

    /// Finds suites that have been through some of the migrations which a migration replaces.
    ///
    /// - Parameter suites: The names of the suites that the migration works on.
    private mutating func checkPartlyReplaced(_ migration: Migration, _ suites: [String], _ histories: Histories) {
        for suite in suites where histories.suites[suite]?.hasApplied(migration) == false {
            guard case .some(let applied, let missing) = histories.progress(of: suite, through: migration) else {
                continue
            }
            problems.append(.partlyReplaced(migration, "The settings in \(suite) have", applied, missing))
        }
    }
}
