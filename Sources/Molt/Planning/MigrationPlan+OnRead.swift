extension MigrationPlan {
    /// A migration that runs now, as far as the records of migrations on read must be upgraded before it.
    private struct Running {
        let migration: MigrationID
        /// It needs the records of migrations up to this version.
        let version: Int
        let types: RecordTypes
        /// Whether it may need the key of a record of any type.
        let mayGiveKeys: Bool

        /// - Parameters:
        ///   - from: The store's version.
        ///   - runs: Whether a step of the migration runs.
        init(_ entry: Entry, from: Int, runs: (MigrationStep) -> Bool) {
            let steps = entry.declaration.steps.filter(runs)
            let types = RecordTypes(of: steps)
            // What a late migration brings in goes through later steps, which may give it any type, and is compared
            // with records of any version.
            let isLate = entry.actions.store != .continueOnRead && entry.declaration.version <= from
            migration = entry.migration
            version = isLate ? from : entry.declaration.version
            self.types = isLate && types.intersects(.any) ? .any : types
            // What runs on read must not change a key.
            mayGiveKeys = !entry.declaration.isOnRead && steps.contains(where: \.work.mayGiveKey)
        }

        /// Whether it needs the records that a migration on read changes.
        ///
        /// - Parameter policy: That of the registry for records that cannot be converted.
        func needs(_ migration: Migration, _ policy: FailurePolicy) -> Bool {
            guard version >= migration.version else { return false }
            // A record that cannot be converted leaves its key to others.
            let freesKeys = migration.steps.contains { ($0.failurePolicy ?? policy) != .stop }
            return types.intersects(RecordTypes(of: migration.steps)) || mayGiveKeys && freesKeys
        }
    }

    /// Decides which migrations on read are only recorded, and which run now, with the backfill of earlier ones.
    ///
    /// One is recorded if the version of a record tells whether it went through it, and if no later migration that runs
    /// now needs its records.
    ///
    /// - Parameter policy: That of the registry for records that cannot be converted.
    mutating func planOnRead(_ mode: RunMode, _ policy: FailurePolicy) {
        guard !isFresh else { return }
        guard mode.leavesOnRead else {
            for index in entries.indices where entries[index].status == .onRead {
                entries[index].actions = Actions(.continueOnRead)
            }
            return
        }
        var running: [Running] = []
        var recorded: [Int] = []
        for (index, entry) in entries.enumerated() {
            let isOrdered = entry.declaration.isOnRead && entry.declaration.version > from
            // One that has lost its declaration is backfilled.
            if entry.actions.store != .continueOnRead, entry.status == .onRead || entry.willRun && isOrdered {
                recorded.append(index)
            } else {
                running.append(Running(entry, from: from, runs: entry.actions.runs))
            }
        }
        var isComplete = false
        while !isComplete {
            isComplete = true
            for index in recorded where entries[index].neededBy == nil {
                guard let other = running.first(where: { $0.needs(entries[index].declaration, policy) }) else {
                    continue
                }
                entries[index].neededBy = other.migration
                entries[index].actions = Actions(entries[index].status == .onRead ? .continueOnRead : .run)
                running.append(Running(entries[index], from: from) { _ in true })
                isComplete = false
            }
        }
        for index in recorded where entries[index].status != .onRead && entries[index].neededBy == nil {
            entries[index].actions = Actions(.startOnRead)
        }
    }

    /// The migrations on read that the registry has lost although records may still have to go through them.
    static func unregisteredOnRead(in histories: Histories, _ registry: MigrationRegistry) -> [LedgerEntry] {
        guard histories.version <= registry.version(for: histories.store.rows) else { return [] }
        let migrations = Dictionary(firstOf: registry.migrations.map { ($0.name, $0) })
        return histories.store.rows.filter { row in
            guard row.outcome == .onRead else { return false }
            // A replacement with the name of one of its parts does more than the part.
            guard let migration = migrations[row.name], !migration.replaces.contains(row.name) else { return true }
            // Without its declaration it still has to be the same migration.
            return !migration.isOnRead && row.fingerprint != migration.fingerprint
        }
    }

    /// The rows of migrations on read that left the registry and that all records have been through.
    ///
    /// If a migration of the registry has the name, the records from before its own version would go through it.
    static func completedOnRead(
        in histories: Histories,
        _ registry: MigrationRegistry,
        _ hasRecords: (_ before: Int) throws -> Bool
    ) rethrows -> [LedgerEntry] {
        let lost = lostOnRead(in: histories, registry)
        // Each question reads the table, and mostly the first one answers the others.
        guard let last = lost.map(\.version).max(), try hasRecords(last) else { return lost }
        return try lost.filter { try $0.version < last && !hasRecords($0.version) }
    }

    /// The rows of migrations on read that left the registry, names included.
    @inline(never)
    private static func lostOnRead(in histories: Histories, _ registry: MigrationRegistry) -> [LedgerEntry] {
        let names = Set(registry.migrations.map(\.name))
        return unregisteredOnRead(in: histories, registry).filter { !names.contains($0.name) }
    }
}
