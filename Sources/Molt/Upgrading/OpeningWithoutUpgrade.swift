internal import Foundation

/// How a store is opened that this process does not upgrade.
struct StoreReading {
    let report: MigrationReport
    /// Sends older records through the migrations that they lack; nil if no record lacks any.
    let upgrader: RecordUpgrader?
}

/// Checks whether a store can be opened without an upgrade: to read an older or a newer one, or to write a newer one.
final class OpeningWithoutUpgrade {
    private let registry: MigrationRegistry
    private let configuration: MoltConfiguration
    private let mode: RunMode

    init(_ registry: MigrationRegistry, _ configuration: MoltConfiguration, _ mode: RunMode) {
        self.registry = registry
        self.configuration = configuration
        self.mode = mode
    }

    /// The report of opening a store that a newer release has upgraded, and that this one may write.
    ///
    /// - Parameter plan: Its plan, which has problems.
    /// - Returns: Nil if the store is not newer.
    /// - Throws: ``MoltError`` with the problem, and the reason why this release may not write the store.
    func writing(_ store: StoreFile, _ plan: MigrationPlan) throws -> MigrationReport? {
        let histories = try AttachedStores(store, registry, configuration).histories(store.state())
        guard isNewer(histories) else { return nil }
        return try reading(newer: histories, plan, to: .write).report
    }

    /// Checks a store of any version that is to be read, and sends the events of an opening.
    ///
    /// - Throws: ``MoltError`` with the code `fileMissing`, that of a problem of the plan, or `needsMigration` if a
    ///   pending migration cannot be applied to single records in memory.
    func check(_ store: StoreFile) throws -> StoreReading {
        let found = try check(store) { histories in
            if let move = try OldFiles(of: store, isFresh: histories.isFresh, registry).move, !move.copyIsComplete {
                throw MoltError.needsMigration(try registry.plan(for: store), moving: move)
            }
            guard !histories.isFresh else { return nil }
            let plan = try plan(for: store, histories)
            return (
                plan,
                { [self] in
                    try isNewer(histories) ? reading(newer: histories, plan, to: .read) : reading(older: plan)
                }
            )
        }
        guard let found else { throw store.missing }
        return found
    }

    /// - Parameter choose: Returns the plan, and how the store is read; nil if it is not.
    private func check(
        _ store: StoreFile,
        choosing choose: (Histories) throws -> (MigrationPlan, () throws -> StoreReading)?
    ) throws -> StoreReading? {
        let opening = OpeningSummary(of: store, configuration, mode)
        do {
            try registry.validate()
            let stores = AttachedStores(store, registry, configuration)
            let stored = try stores.histories(store.state())
            let histories =
                try stored.isFresh ? stored : stores.addingBaseline(to: stored, configuration, reading: store.read)
            guard let (plan, read) = try choose(histories) else { return nil }
            opening.plan = plan
            configuration.monitor?.send(.planned(plan))
            let reading = try read()
            opening.end(with: reading.report)
            return reading
        } catch {
            opening.end(with: error)
            throw error
        }
    }

    private func plan(for store: StoreFile, _ histories: Histories) throws -> MigrationPlan {
        let plan = try registry.plan(
            for: histories,
            of: store.storeName,
            mode: isNewer(histories) ? .opening : mode,
            hasRecords: store.hasRecords(before:)
        )
        try plan.checkLedger(of: store)
        return plan
    }

    /// Whether a newer release, or one with other migrations, has upgraded the store.
    private func isNewer(_ histories: Histories) -> Bool {
        let rows = histories.store.rows
        return !histories.isFresh
            && (histories.version > registry.version(for: rows) || histories.laterLayout != nil
                || !registry.unknown(in: rows).isEmpty)
    }

    private func report(_ plan: MigrationPlan) -> MigrationReport {
        var report = MigrationReport(
            store: plan.store,
            from: plan.from,
            to: plan.from,
            isFresh: false,
            startedAt: Date()
        )
        report.isDryRun = mode.isDryRun
        return report
    }

    // MARK: Older stores

    private func reading(older plan: MigrationPlan) throws -> StoreReading {
        try plan.checkProblems()
        for entry in plan.entries where entry.actions.runSteps {
            for step in entry.declaration.steps
            where entry.actions.runs(step) && mode.use(of: step) == .impossible {
                throw MoltError.needsMigration(plan, of: entry.declaration, step)
            }
        }
        let upgrader = upgrader(plan)
        var report = report(plan)
        report.isReadOnly = true
        report.onRead = upgrader?.migrations.map(\.id) ?? []
        return StoreReading(report: report, upgrader: upgrader)
    }

    /// Sends records through the migrations of a plan; nil if none of them changes records.
    private func upgrader(_ plan: MigrationPlan) -> RecordUpgrader? {
        let schedule = UpgradeSchedule(of: plan, registry) { mode.use(of: $0) == .runs }
        let steps = schedule.groups.flatMap { group -> [ScheduledStep] in
            if case .pass(let steps) = group.work { steps } else { [] }
        }
        guard !steps.isEmpty else { return nil }
        var names: Set<String> = []
        return RecordUpgrader(
            steps,
            of: steps.map(\.migration).filter { names.insert($0.name).inserted },
            storeName: plan.store,
            configuration: configuration,
            for: .reading
        )
    }

    // MARK: Newer stores

    /// - Parameter access: What this release wants to do with the store.
    private func reading(
        newer histories: Histories,
        _ plan: MigrationPlan,
        to access: Migration.Access
    ) throws -> StoreReading {
        let newer = registry.unknown(in: histories.store.rows)
        try checkReadable(histories, plan, newer)
        if access == .write, let first = newer.first(where: { $0.olderReleases < .write && $0.outcome.isApplied }) {
            throw superseded(
                plan,
                "It can only be opened for reading, because migration \"\(first.name)\" does not declare "
                    + "`olderReleases(may: .write)`: use `CodableCache(reading:)`."
            )
        }
        var report = report(plan)
        report.isNewer = true
        report.isReadOnly = access < .write
        report.onRead = plan.onRead
        return StoreReading(report: report, upgrader: nil)
    }

    private func checkReadable(_ histories: Histories, _ plan: MigrationPlan, _ newer: [LedgerEntry]) throws {
        // Records still have to go through a migration on read that this release has lost.
        let lost = plan.problems.first { problem in
            problem.code == .migrationMissing && !newer.contains { $0.name == problem.migration?.name }
        }
        if let lost { throw lost }
        if let first = newer.first(where: { $0.olderReleases == .nothing && $0.outcome.isApplied }) {
            throw superseded(
                plan,
                "It cannot be opened for reading either: migration \"\(first.name)\" does not declare "
                    + "`olderReleases(may: .read)`."
            )
        }
        // A version without a ledger row may not be readable by this release.
        guard newer.contains(where: { $0.version == histories.version }) || histories.version <= plan.to else {
            throw superseded(
                plan,
                "Its ledger has no migration to that version, so this release may not be able to read it."
            )
        }
        // A newer release that has retired migrations creates stores without a row for them.
        if registry.migrations.isEmpty, let first = newer.min(by: { $0.version < $1.version }),
            first.version > 1, first.outcome == .createdAtVersion
        {
            throw superseded(
                plan,
                "It was created at that version, so this release cannot know which migrations came before it."
            )
        }
        // A pending migration means that records are not in the app's form; a deferred one is not about records.
        let waiting = Set(histories.store.rows.filter { $0.outcome == .deferred }.map(\.name))
        let missing = plan.entries.first { entry in
            // An eager migration that finishes one on read has records to change.
            // What another migration replaces is missing only if that one is.
            !entry.isApplied && entry.status != .notNeeded && !waiting.contains(entry.migration.name)
                || entry.status == .onRead && entry.willRun
        }
        if let first = missing {
            throw superseded(
                plan,
                "It cannot be opened for reading either: migration \(first.migration) was not applied to it."
            )
        }
    }

    private func superseded(_ plan: MigrationPlan, _ sentence: String) -> MoltError {
        if var error = plan.problems.first {
            error.problem += " " + sentence
            return error
        }
        return MoltError(
            .superseded,
            "A later release of Molt wrote the store in a layout that this release can only read. \(sentence)",
            advice: "Update the app.",
            store: plan.store,
            storeVersion: plan.from,
            registryVersion: plan.to
        )
    }
}
