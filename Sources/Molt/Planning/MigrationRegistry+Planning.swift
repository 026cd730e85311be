extension MigrationRegistry {
    /// Computes the plan for a store, and for the suites that pending migrations work on; writes nothing.
    ///
    /// - Parameters:
    ///   - configuration: How the store would be opened; an app extension may not see everything that the app sees.
    ///   - readsUnchangedSettings: Whether the plan names large settings also if nothing is to run.
    /// - Throws: ``MoltError`` with the code `invalidRegistry`, or the store's error.
    package func plan(
        for store: StoreFile,
        _ configuration: MoltConfiguration = MoltConfiguration(),
        mode: RunMode = .opening,
        readsUnchangedSettings: Bool = true
    ) throws -> MigrationPlan {
        try validate()
        let stores = AttachedStores(store, self, configuration, readsUnchangedSettings: readsUnchangedSettings)
        let own = try stores.histories(store.state())
        let oldFiles = try OldFiles(of: store, isFresh: own.isFresh, self)
        let current = oldFiles.move?.source ?? store
        var plan = try plan(
            for: stores.addingBaseline(
                to: oldFiles.move.map { try stores.histories($0.state) } ?? own,
                configuration,
                reading: current.read
            ),
            of: store.storeName,
            stores,
            mode: mode,
            hasRecords: current.hasRecords(before:)
        )
        plan.move = oldFiles.move
        plan.otherStores = oldFiles.others
        plan.movesFrom = oldFiles.move?.copyIsComplete == false ? oldFiles.move?.path : nil
        try plan.checkLedger(of: current)
        if plan.isFresh, mayNotSeeStore(store, configuration) { plan.faults.append(.invisible(store.path)) }
        if plan.faults.isEmpty, mode.appliesSeeds(to: store, configuration) {
            plan.seeds = try seedsToApply(to: current)
        }
        return plan
    }

    /// Computes the plan for a store from its history; the registry must be valid.
    ///
    /// - Parameters:
    ///   - stores: The suites and directories that migrations work on; nil to plan without looking at them.
    ///   - hasRecords: Returns whether the store has records from before a version; asked only if a migration on read
    ///     was removed from the registry.
    /// - Throws: The error of `hasRecords`, or that of an attached store.
    func plan(
        for histories: Histories,
        of storeName: String,
        _ stores: AttachedStores? = nil,
        mode: RunMode,
        hasRecords: (_ before: Int) throws -> Bool
    ) throws -> MigrationPlan {
        let finished = try MigrationPlan.completedOnRead(in: histories, self, hasRecords)
        let builder = PlanBuilder(histories, of: storeName, self, finished: finished)
        return try stores.map { try builder.build(mode, $0) } ?? builder.build(mode)
    }

    /// Computes the plan from a store's state, without looking at attached stores; the registry must be valid.
    ///
    /// - Parameter baseline: The version at which the app says that the store enters.
    package func plan(
        for state: StoreState,
        of storeName: String,
        baseline: Int? = nil,
        kind: StoreKind = .cache,
        mode: RunMode = .opening
    ) -> MigrationPlan {
        var histories = Histories(state, of: kind)
        histories.baseline = baseline
        return PlanBuilder(histories, of: storeName, self, finished: []).build(mode)
    }

    /// Whether this process is an extension that would begin anew beside a store that it may not see.
    private func mayNotSeeStore(_ store: StoreFile, _ configuration: MoltConfiguration) -> Bool {
        configuration.process == .tool && !store.isInMemory
            && store.primary == nil && !oldPaths(of: store.path).isEmpty
    }
}
