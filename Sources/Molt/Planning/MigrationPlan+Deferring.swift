extension MigrationPlan {
    /// Defers the migrations that cannot run now, and all others that work on the same attached stores.
    ///
    /// Earlier migrations wait too: a store that one migration cannot see is not safe for another, and each must find
    /// the results of the one before it.
    mutating func deferEntries(
        _ ledger: [LedgerEntry],
        _ registry: MigrationRegistry,
        _ stores: AttachedStores
    ) throws {
        let candidates = entries.indices.filter { entries[$0].willRun && !entries[$0].declaration.attached.isEmpty }
        var waiting = try deferUnready(candidates, ledger, stores)
        deferEarlier(candidates, &waiting)
        deferShortcuts(registry)
        // Records must go through the migrations in order.
        for index in candidates where stores.hasRecords {
            guard let reason = entries[index].deferral else { continue }
            let migration = entries[index].declaration
            if migration.steps.contains(where: \.usesRecords) {
                faults.append(.deferred(migration, reason))
            }
        }
    }

    /// Defers the migrations that cannot run now, and later ones that work on the same stores.
    ///
    /// - Returns: The first deferred migration for each attached store.
    private mutating func deferUnready(
        _ candidates: [Int],
        _ ledger: [LedgerEntry],
        _ stores: AttachedStores
    ) throws -> [String: MigrationID] {
        var waiting: [String: MigrationID] = [:]
        /// The first one that waits for a cache. The store can be seen, so earlier migrations run.
        var waitingForCache: [String: MigrationID] = [:]
        /// The steps of the migrations that do not wait.
        var earlier: [MigrationStep] = []
        for index in candidates {
            let migration = entries[index].declaration
            let running = migration.steps.filter(entries[index].actions.runs)
            let used = running.flatMap(\.attached).map(\.name)
            if let reason = try chainReason(migration, waiting) ?? stores.deferral(of: used, ledger) {
                deferEntry(index, reason, &waiting)
            } else if let reason = try chainReason(migration, waitingForCache)
                ?? stores.cacheReason(of: running, after: earlier)
            {
                deferEntry(index, reason, &waitingForCache)
            } else {
                earlier += running
            }
        }
        return waiting
    }

    private mutating func deferEarlier(_ candidates: [Int], _ waiting: inout [String: MigrationID]) {
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
    }

    /// Defers the shortcuts that are not taken, and replace a migration that must wait.
    private mutating func deferShortcuts(_ registry: MigrationRegistry) {
        let (names, allReplaced) = (Set(registry.names), registry.allReplaced)
        for index in entries.indices where entries[index].actions.store == .record(.replaced) {
            let migration = entries[index].declaration
            guard migration.isShortcut(among: names, allReplaced),
                let part = entries.first(where: { migration.replaces.contains($0.migration.name) && $0.deferral != nil }
                )
            else { continue }
            entries[index].actions = Actions(.wait("It replaces migration \(part.migration), which must wait."))
        }
    }

    /// The reason why a migration waits for another one that works on the same suite or file; nil for none.
    private func chainReason(_ migration: Migration, _ waiting: [String: MigrationID]) -> String? {
        migration.attached.lazy.compactMap { store in
            waiting[store.name].map { "It works on \(store.name), and so does migration \($0), which must wait." }
        }.first
    }

    private mutating func deferEntry(_ index: Int, _ reason: String, _ waiting: inout [String: MigrationID]) {
        for store in entries[index].declaration.attached where waiting[store.name] == nil {
            waiting[store.name] = entries[index].migration
        }
        entries[index].actions = Actions(.wait(reason))
    }
}
