/// Plans and runs the upgrades of a registry.
package struct Migrator: Sendable {
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
        try registry.plan(for: store, configuration, mode: mode)
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
        let opening = opening ?? configuration.opening(of: store, mode)
        return try Upgrade(self, store).run(opening)
    }
}

extension Migrator {
    /// How a store is opened that a newer release has upgraded; nil if none has, or if it is put back.
    ///
    /// - Throws: ``MoltError`` with the code `superseded` if this release may not read the store.
    func readNewer(_ store: StoreFile) throws -> StoreReading? {
        guard configuration.opensNewerStores else { return nil }
        try Upgrade(self, store).undoUnshipped()
        return try ReadingCheck(registry, configuration, mode).checkNewer(store)
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
