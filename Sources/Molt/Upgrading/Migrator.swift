/// Plans and runs the upgrades of a registry.
package final class Migrator: Sendable {
    let registry: MigrationRegistry
    let configuration: MoltConfiguration
    let mode: RunMode

    package init(
        _ registry: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration(),
        mode: RunMode = .atOnce
    ) {
        self.registry = registry
        self.configuration = configuration
        self.mode = mode
    }

    /// Plans an upgrade of a store; writes nothing.
    ///
    /// - Throws: ``MoltError`` with the code `invalidRegistry`, or the store's error.
    func plan(for store: StoreFile) throws -> MigrationPlan {
        // An opening that nobody follows reads no settings of suites that are up to date.
        try registry.plan(
            for: store,
            configuration,
            mode: mode,
            readsUnchangedSettings: mode.isDryRun || configuration.monitor != nil
        )
    }

    /// Plans an upgrade inside a transaction.
    func plan(
        for histories: Histories,
        of store: StoreFile,
        _ stores: AttachedStores,
        _ transaction: StoreTransaction
    ) throws -> MigrationPlan {
        try registry.plan(for: histories, of: store.storeName, stores, mode: mode) {
            try transaction.hasRecords(before: $0)
        }
    }

    /// Upgrades a store to the registry's version; an up-to-date store is neither written to nor locked.
    ///
    /// - Parameter opening: The opening that the upgrade belongs to; a new one by default.
    /// - Throws: ``MoltError``: `invalidRegistry`, `superseded`, `tooOld`, `lateMigration`, `partlyReplaced`,
    ///   `needsMigration`, `attemptsFailed` or, by its configuration, `migrationEdited` before anything is written;
    ///   `busy` when another process holds the store for too long; `cancelled`; `deadlinePassed`; the code of the step
    ///   that failed; or the store's error. In all these cases the store is as it was, unless ``MoltError/outcome`` is
    ///   `committed`: the store keeps the changes that could not be made outside it, and applies them when it is next
    ///   opened.
    package func migrate(_ store: StoreFile, _ opening: OpeningSummary? = nil) throws -> MigrationReport {
        // It begins before the upgrade, whose duration is a part of its own.
        let opening = opening ?? OpeningSummary(of: store, configuration, mode)
        return try Upgrade(self, store, opening).run()
    }
}

extension Migrator {
    var mayChangeStores: Bool { configuration.process.upgrades && !mode.isOnCopy }

    /// The same without a monitor, for work on another store.
    var silent: Migrator {
        var configuration = configuration
        configuration.monitor = nil
        return Migrator(registry, configuration: configuration, mode: mode)
    }

    /// The suites and directories that the registry works on, as they are from now on.
    func stores(of store: StoreFile) -> AttachedStores { AttachedStores(store, registry, configuration) }

    /// The same with what the store's file says about them.
    func knownStores(of store: StoreFile) throws -> AttachedStores {
        let stores = stores(of: store)
        stores.learn(from: try store.state())
        return stores
    }

    /// Handles migrations that were edited after a store had counted them as applied.
    ///
    /// - Throws: ``MoltError`` with the code `migrationEdited`, by the configuration.
    func checkEdits(_ plan: MigrationPlan) throws {
        guard mode.checksEdits, !plan.editedMigrations.isEmpty else { return }
        switch configuration.mismatches {
        case .ignore: break
        case .report: configuration.monitor?.send(.edited(plan.edits))
        case .fail: throw MoltError.edited(plan.editedMigrations)
        }
    }

    /// Gives a store's file the protection class that is declared for it, if it has another one.
    func setProtection(of store: StoreFile) throws {
        guard mayChangeStores, !store.isInMemory, store.primary == nil, let type = registry.protection(at: store.path)
        else { return }
        try FileProtection.set(type, of: store.files.path, suffixes: StoreFiles.suffixes)
    }

    /// Puts a store back if its last migrations have changed and have not shipped.
    ///
    /// - Returns: False if nobody asked for that.
    func undoUnshipped(_ plan: MigrationPlan, of store: StoreFile) throws -> Bool {
        guard configuration.redoesLastUpgrade, mayChangeStores, !store.isInMemory, plan.move == nil else {
            return false
        }
        let patience = Patience(configuration)
        try UnshippedUpgrade(store: store, registry: registry, configuration: configuration)
            .undo(plan) { try patience.wait(for: store) }
        return true
    }
}

extension Migrator {
    /// How a store is opened that is only read; nil if it is to be upgraded.
    ///
    /// It takes no lock, and is opened for writing only to remove an empty log at the end.
    func reading(of store: StoreFile) throws -> StoreReading? {
        guard case .reading = mode else { return nil }
        return try OpeningWithoutUpgrade(registry, configuration, mode).check(store)
    }

    /// The report of a store that a newer release has upgraded and that stays as it is; nil if it is to be upgraded.
    ///
    /// - Throws: ``MoltError`` with the code `superseded` if this release may not write the store.
    func leaving(_ store: StoreFile, _ plan: MigrationPlan) throws -> MigrationReport? {
        guard !plan.problems.isEmpty, mode.mayLeaveNewer else { return nil }
        return try OpeningWithoutUpgrade(registry, configuration, mode).writing(store, plan)
    }

    /// The upgrader for migrations that records go through when they are read; nil if there are none.
    func upgrader(for onRead: [MigrationID], of storeName: String) -> RecordUpgrader? {
        let migrations = registry.migrations.filter { migration in onRead.contains { $0.name == migration.name } }
        guard !migrations.isEmpty else { return nil }
        var configuration = configuration
        // The opening that could be cancelled is over.
        configuration.isCancelled = { false }
        configuration.fetched = [:]
        return RecordUpgrader(
            migrations,
            storeName: storeName,
            configuration: configuration,
            onFailure: registry.failurePolicy
        )
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
