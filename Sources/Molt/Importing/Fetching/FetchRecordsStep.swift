package import Foundation

extension MigrationStep {
    /// Imports records that an asynchronous closure reads, such as from a server, before the upgrade begins.
    ///
    /// ```swift
    /// Migration(to: 1, "from-server", .fetchRecords("from the server", as: "Note") { records in
    ///     for try await note in server.notes() { try records.add(note, forKey: note.id) }
    /// })
    /// ```
    ///
    /// The records wait in a temporary database, so that no transaction waits for the source. The upgrade then adds
    /// them, and the rest is as for ``importRecords(_:as:revision:onConflict:_:)``.
    ///
    /// An opening calls the closure if it has to run the migration, and calls it again if an earlier upgrade has
    /// failed. It must be one that can wait: ``CodableCache/open(at:migrations:configuration:)``,
    /// ``CacheFile/upgradeAll(in:migrations:subdirectories:configuration:atMost:progress:)`` or an asynchronous dry
    /// run. Any other one fails with the code `unsupported`; so does a cache in memory.
    ///
    /// At the configuration's deadline, or when the task of the opening is cancelled, the task of the closure is
    /// cancelled. The database is in the temporary directory, without the protection class of the store.
    ///
    /// - Parameters:
    ///   - summary: Where the records come from, for plans and reports, such as "from the server".
    ///   - type: The type name of the records.
    ///   - revision: The revision of the closure's code, 1 by default; see ``transform(_:revision:_:)``.
    ///   - policy: The policy for two different records with the same key; by default the upgrade fails with the code
    ///     `keyExists`. A record of another type always makes it fail.
    ///   - body: Adds the records. An error that it throws ends the opening; the store is as it was.
    public static func fetchRecords(
        _ summary: String,
        as type: String,
        revision: Int = 1,
        onConflict policy: ConflictPolicy<Record> = .fail,
        _ body: @escaping @Sendable (FetchedRecords) async throws -> Void
    ) -> MigrationStep {
        let declaration = ImportRecordsStep(
            summary: summary,
            type: type,
            kind: ["fetchRecords", String(revision)],
            policy: policy
        )
        let fetch = { @Sendable (coding: RecordCoding) in
            let records = try FetchedRecords(type, coding)
            try await body(records)
            return try records.finish()
        }
        let work = BringWork(type: type, encodes: true, fetch: fetch) { migration in
            let id = migration.step.id
            guard let fetched = migration.configuration.fetched[id.migration]?[id.number] else {
                throw MoltError(
                    .unsupported,
                    "The records of the step must be fetched before the upgrade, and were not.",
                    advice: "Open the store with `await CodableCache.open`; a cache in memory cannot fetch. If it was "
                        + "opened so, open it again: another process has changed it meanwhile."
                )
            }
            let records = ImportedRecords(type, policy, migration)
            try records.add(fetched)
            try records.finish()
        }
        return MigrationStep(declaration, .bring(work))
    }
}

extension MoltConfiguration {
    /// The configuration with the records of the steps that an opening of a store would run.
    ///
    /// It plans and fetches on no actor of the caller.
    ///
    /// - Throws: ``MoltError``: that of the plan, or the error of a source, with its step.
    @concurrent package func fetchingRecords(of migrations: MigrationRegistry, for url: URL) async throws -> Self {
        guard process.upgrades, migrations.fetchesRecords else { return self }
        var configuration = self
        do {
            let store = StoreFile(at: url, attaching: attachedStores)
            let plan = try migrations.plan(for: store, self)
            guard plan.problems.isEmpty else { return self }
            // The opening may undo the last upgrade first.
            let isUndone = redoesLastUpgrade && !plan.editedMigrations.isEmpty
            for entry in plan.entries {
                let actions = isUndone ? nil : entry.actions
                try await configuration.fetchRecords(of: entry.declaration, for: plan.store, actions)
            }
        } catch {
            monitor?.openingFailed(with: error)
            throw error
        }
        return configuration
    }

    /// The configuration with the records of all steps, for upgrades of several copies of a store.
    ///
    /// - Throws: ``MoltError``: the error of a source, with its step.
    @concurrent package func fetchingRecords(of migrations: MigrationRegistry) async throws -> Self {
        guard migrations.fetchesRecords else { return self }
        var configuration = self
        for migration in migrations.migrations {
            try await configuration.fetchRecords(of: migration, for: nil)
        }
        return configuration
    }

    /// - Parameter actions: What the opening does with the migration; nil if it may run all steps.
    @concurrent private mutating func fetchRecords(
        of migration: Migration,
        for store: String?,
        _ actions: MigrationPlan.Actions? = nil
    ) async throws {
        for (number, step) in migration.steps.enumerated() where actions?.runs(step) != false {
            guard let fetch = step.fetch, fetched[migration.name]?[number] == nil else { continue }
            do {
                try checkCancellation()
                fetched[migration.name, default: [:]][number] = try await untilDeadline { [coding = migration.coding] in
                    try await fetch(coding)
                }
            } catch {
                let scheduled = ScheduledStep(step, number, of: PendingMigration(backfilling: migration))
                var failure =
                    error is CancellationError
                    ? MoltError(
                        .cancelled,
                        "The opening was cancelled while records were fetched.",
                        advice: "Open the store again to upgrade it."
                    )
                    : MoltError(error, in: scheduled, store: store)
                (failure.store, failure.outcome) = (store, .unchanged)
                throw failure
            }
        }
    }

    /// Runs a closure, and cancels it at the deadline.
    private func untilDeadline<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let deadline else { return try await body() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(until: deadline, clock: .continuous)
                return nil
            }
            defer { group.cancelAll() }
            if let value = try await group.next() ?? nil { return value }
            try checkCancellation()
            throw CancellationError()
        }
    }
}

extension MigrationRegistry {
    fileprivate var fetchesRecords: Bool {
        migrations.contains { $0.steps.contains { $0.fetch != nil } }
    }
}
