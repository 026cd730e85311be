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
        onlyRecordsOnRead: Bool = true
    ) {
        var histories = Histories(state, hasRecords: isCache)
        histories.baseline = baseline
        self.init(
            histories,
            storeName: storeName,
            migrations: migrations,
            onlyRecordsOnRead: onlyRecordsOnRead,
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
        onlyRecordsOnRead: Bool,
        hasRecords: (_ before: Int) throws -> Bool
    ) rethrows {
        try self.init(
            histories,
            storeName: storeName,
            migrations: migrations,
            onlyRecordsOnRead: onlyRecordsOnRead,
            finished: Self.finishedOnRead(in: histories, migrations, hasRecords)
        ) { [:] }
    }

    /// Computes the plan, including deferrals.
    ///
    /// - Parameters:
    ///   - onlyRecordsOnRead: Whether opening the store only records migrations on read, as a cache does.
    ///   - hasRecords: Returns whether the store has records from before a version; asked only if a migration on read
    ///     was removed from the registry.
    /// - Throws: The error of `hasRecords`, or that of an attached store whose availability is checked.
    init(
        _ histories: Histories,
        storeName: String,
        migrations registry: MigrationRegistry,
        _ stores: AttachedStores,
        onlyRecordsOnRead: Bool,
        hasRecords: (_ before: Int) throws -> Bool
    ) throws {
        var suites: [String: AttachedStores.SuiteState] = [:]
        try self.init(
            histories,
            storeName: storeName,
            migrations: registry,
            onlyRecordsOnRead: onlyRecordsOnRead,
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
        onlyRecordsOnRead: Bool,
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
        planOnRead(onlyRecordsOnRead: onlyRecordsOnRead)
    }

    /// Decides whether migrations on read are only recorded, or run with the backfill of earlier ones.
    ///
    /// They are recorded if no other migration works on records, and if the version of a record tells whether it went
    /// through them.
    private mutating func planOnRead(onlyRecordsOnRead: Bool) {
        guard !isFresh else { return }
        let isOrdered = { [from] (migration: Migration) in migration.isOnRead && migration.version > from }
        let runs = entries.contains { entry in
            !isOrdered(entry.declaration)
                && entry.declaration.steps.contains { entry.actions.runs($0) && $0.usesRecords }
        }
        for index in entries.indices {
            if onlyRecordsOnRead, !runs {
                if entries[index].willRun, isOrdered(entries[index].declaration) {
                    entries[index].actions = Actions(.recordOnRead)
                }
            } else if entries[index].status == .onRead {
                entries[index].actions = Actions(.backfill)
            }
        }
    }

    /// The migrations on read that the registry has lost although records may still have to go through them.
    private static func lostOnRead(in histories: Histories, _ registry: MigrationRegistry) -> [LedgerEntry] {
        guard histories.version <= registry.version(for: histories.store.rows) else { return [] }
        let known = Dictionary(registry.migrations.map { ($0.name, $0) }) { first, _ in first }
        return histories.store.rows.filter { row in
            guard row.outcome == .onRead else { return false }
            // A replacement with the name of one of its parts does more than the part.
            guard let migration = known[row.name], !migration.replaces.contains(row.name) else { return true }
            // Without its declaration it still has to be the same migration.
            return !migration.isOnRead && row.fingerprint != migration.fingerprint
        }
    }

    /// The rows of migrations on read that left the registry and that all records have been through.
    ///
    /// If a migration of the registry has the name, the records from before its own version would go through it.
    private static func finishedOnRead(
        in histories: Histories,
        _ registry: MigrationRegistry,
        _ hasRecords: (_ before: Int) throws -> Bool
    ) rethrows -> [LedgerEntry] {
        let names = Set(registry.migrations.map(\.name))
        let lost = lostOnRead(in: histories, registry).filter { !names.contains($0.name) }
        // Each question reads the table, and mostly the first one answers the others.
        guard let last = lost.map(\.version).max(), try hasRecords(last) else { return lost }
        return try lost.filter { try $0.version < last && !hasRecords($0.version) }
    }

    private mutating func checkOnRead(_ waiting: [LedgerEntry], _ registry: MigrationRegistry) {
        guard let first = waiting.min(by: { $0.version < $1.version }) else { return }
        let id = MigrationID(name: first.name, version: first.version)
        let advice: String
        if let replacement = registry.migrations.first(where: { $0.replaces.contains(first.name) }) {
            advice =
                "Keep the migrations that \(replacement.id) replaces in the registry instead of it, until no store has "
                + "records from before them."
        } else if registry.migrations.contains(where: { $0.name == first.name }) {
            advice = "It is in the registry with other steps: undo that change."
        } else {
            advice = "Keep it in the registry, with or without `onRead()`, until no store has records from before it."
        }
        problems.append(
            Problem(
                code: .migrationMissing,
                problem: "Records of the store still have to go through migration \(id), which upgrades them when they "
                    + "are read.",
                advice: advice,
                migration: id
            )
        )
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
                problems.append(
                    Problem(
                        code: .deferred,
                        problem: "The store gets version \(from) from `baseline`, but the settings in \(name), which "
                            + "migration \(entry.migration) works on, cannot be used now.",
                        advice: "Open the store again later, in the app.",
                        migration: entry.migration
                    )
                )
            }
        }
    }

    /// Finds the rows of a suite that a newer release, or one with other migrations, has written.
    private mutating func checkUnknown(in ledger: SuiteLedger, of suite: String, _ registry: MigrationRegistry) {
        let unknown = registry.unknown(in: History(of: [ledger], in: registry).rows)
        guard let last = unknown.max(by: { $0.version < $1.version }) else { return }
        let id = MigrationID(name: last.name, version: last.version)
        let isNewer = last.version > registry.version
        problems.append(
            Problem(
                code: isNewer ? .superseded : .migrationMissing,
                problem: "The settings in \(suite) have been through migration \(id), which "
                    + (isNewer
                        ? "only a newer release of the app has; this one knows versions up to \(registry.version)."
                        : "this app does not have. It was renamed or removed here, or a build of another branch applied "
                            + "it."),
                advice: (isNewer ? "Update the app. " : "")
                    + "If another registry of the app has applied it, register it in this one, too.",
                migration: id
            )
        )
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
            if migration.steps.contains(where: \.usesRecords) { addDeferred(migration, reason) }
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

    private mutating func addDeferred(_ migration: Migration, _ reason: String) {
        problems.append(
            Problem(
                code: .deferred,
                problem: "Migration \(migration.id) must wait: \(reason) The others cannot run without it, because it "
                    + "may also change records.",
                advice: "Open the store again later.",
                migration: migration.id
            )
        )
    }

    private mutating func checkVersions(_ histories: Histories, _ registry: MigrationRegistry) {
        guard !isFresh || baseline != nil else { return }
        if from > to {
            let problem =
                baseline == from
                ? "The store gets version \(from) from `baseline`"
                : "The store is at version \(from), which a newer release of the app wrote"
            problems.append(
                Problem(
                    code: .superseded,
                    problem: "\(problem); this release knows versions up to \(registry.version).",
                    advice: (registry.migrations.isEmpty
                        ? "Pass the app's migrations, or update the app. " : "Update the app. ")
                        + MoltError.recoveryAdvice(holdsRecords: histories.hasRecords)
                )
            )
        } else if from < registry.oldestSupportedVersion {
            problems.append(
                Problem(
                    code: .tooOld,
                    problem: "The store is at version \(from); the oldest version that this app can upgrade "
                        + "is \(registry.oldestSupportedVersion).",
                    advice: histories.hasRecords
                        ? "Open it first with a release that still has the migrations in between, or call "
                            + "`CodableCache.startAfresh(at:)`, which sets this cache aside and starts with an empty one."
                        : "Upgrade the settings first with a release that still has the migrations in between.",
                    registryVersion: registry.oldestSupportedVersion
                )
            )
        }
    }

    /// Finds ledger rows without a migration in the registry.
    private mutating func checkUnknown(_ histories: Histories, _ registry: MigrationRegistry) {
        guard from <= to else { return }
        let unknown = registry.unknown(in: histories.store.rows)
        guard !unknown.isEmpty else { return }
        let names = DisplayText.list(unknown.map(\.name))
        let applied = Set(histories.store.rows.map(\.name))
        // Two builds may have given one number to different migrations, such as a beta release and the one that
        // shipped.
        let twin = unknown.lazy.compactMap { row in
            registry.migrations.first { $0.version == row.version && !applied.contains($0.name) }.map { (row, $0) }
        }.first
        problems.append(
            Problem(
                code: .migrationMissing,
                problem: "The store has migrations that this app does not have: \(names). They were renamed or removed "
                    + "here, or a build of another branch applied them."
                    + (twin.map { row, migration in
                        " Version \(row.version) is \"\(row.name)\" there and \"\(migration.name)\" here."
                    } ?? ""),
                advice:
                    "A migration that has shipped keeps its name; retire it with `oldestSupportedVersion`, or replace "
                    + "it with another one."
                    + (twin.map { row, migration in
                        " If two builds gave version \(row.version) to different migrations, replace both with one "
                            + "migration to a later version, whose block completes either of them: `replacing: "
                            + "[\"\(row.name)\", \"\(migration.name)\"]` and `completesReplaced()`."
                    } ?? ""),
                migration: MigrationID(name: unknown[0].name, version: unknown[0].version)
            )
        )
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
            if !histories.hasRecords, migration.work != nil, entry.willRun { addWorkWithoutCache(migration) }
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
                addPartlyReplaced(migration, "The store has", applied, missing)
                return (.pending, .none)
            }
        }
        if !isDeferred(migration, history, shortcuts), max(from, history.version) > migration.version {
            if registry.allowsLateMigrations { return (.late, .run) }
            addLate(migration)
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
            addPartlyReplaced(migration, "The settings in \(suite) have", applied, missing)
        }
    }

    private mutating func addPartlyReplaced(
        _ migration: Migration,
        _ subject: String,
        _ applied: [String],
        _ missing: [String]
    ) {
        let completes =
            migration.attached.contains { $0.suite != nil }
            ? "" : ", or make it a block that completes what is missing, with `completesReplaced()`"
        problems.append(
            Problem(
                code: .partlyReplaced,
                problem: "\(subject) been through some of the migrations that \(migration.id) replaces "
                    + "(\(DisplayText.list(applied))) but not all (missing: \(DisplayText.list(missing))).",
                advice: "Keep the replaced migrations in the registry beside it\(completes), or open the store first "
                    + "with a release that has them. A missing one that is itself a replacement of the others need not "
                    + "be in the list."
                    + (migration.attached.contains { $0.suite != nil }
                        ? " Without the cache file, only the replaced migrations tell what settings have been through."
                        : ""),
                migration: migration.id
            )
        )
    }

    private mutating func addWorkWithoutCache(_ migration: Migration) {
        problems.append(
            Problem(
                code: .unsupported,
                problem: "Migration \(migration.id) has work after the commit, and a suite that is upgraded without a "
                    + "cache cannot keep it until it succeeds.",
                advice: "Open the app's cache, or leave out `afterCommit` and do the work after the upgrade.",
                migration: migration.id
            )
        )
    }

    private mutating func addLate(_ migration: Migration) {
        problems.append(
            Problem(
                code: .lateMigration,
                problem: "Migration \(migration.id) was never applied, but the store is at version \(from) "
                    + "already.",
                advice: "Give it a version above every one that has shipped, or set `allowsLateMigrations` if it is "
                    + "also correct for records of a later version. If this store does not need it, call "
                    + "`correctLedger(.markApplied(…))`.",
                migration: migration.id
            )
        )
    }
}
