internal import Foundation

/// How a store is opened that this process does not upgrade.
struct StoreReading {
    let report: MigrationReport
    /// Whether it may only be read; false for a newer one after which older releases may also write.
    var isReadOnly: Bool { report.isReadOnly }
    /// Sends older records through the migrations that they lack; nil if no record lacks any.
    let upgrader: RecordUpgrader?
}

/// Checks whether a store can be read without an upgrade.
struct ReadingCheck {
    private let registry: MigrationRegistry
    private let configuration: MoltConfiguration

    init(_ registry: MigrationRegistry, _ configuration: MoltConfiguration) {
        self.registry = registry
        self.configuration = configuration
    }

    /// Checks a store that may be newer than the registry, and sends the events of an opening if it is.
    ///
    /// - Returns: Nil when the store is neither newer than the registry nor written by a later release of Molt.
    /// - Throws: ``MoltError`` with the code `superseded` and the reason why the store cannot be read.
    func checkNewer(_ store: StoreFile, _ opening: OpeningSummary? = nil) throws -> StoreReading? {
        try check(store, opening, isOnlyRead: false) { state, plan in
            plan.isSuperseded || state.laterLayout != nil ? plan : nil
        }
    }

    /// Checks a store of any version that is to be read, and sends the events of an opening.
    ///
    /// - Throws: ``MoltError`` with the code `fileMissing`, that of a problem of the plan, or `needsMigration` if a
    ///   pending migration cannot be applied to single records in memory.
    func check(_ store: StoreFile) throws -> StoreReading {
        let reading = try check(store, nil, isOnlyRead: true) { state, plan in
            guard !state.isFresh else { throw store.missing }
            return plan
        }
        guard let reading else { throw store.missing }
        return reading
    }

    private func check(
        _ store: StoreFile,
        _ opening: OpeningSummary?,
        isOnlyRead: Bool,
        where isRead: (StoreState, MigrationPlan) throws -> MigrationPlan?
    ) throws -> StoreReading? {
        let startedAt = Date()
        var opening = opening ?? configuration.opening(of: store)
        do {
            try registry.validate()
            let state = try store.state()
            let plan = MigrationPlan(state: state, storeName: store.storeName, migrations: registry)
            guard let plan = try isRead(state, plan) else { return nil }
            opening.plan = plan
            configuration.monitor?.send(.planned(plan))
            let isNewer = plan.isSuperseded || state.laterLayout != nil
            if isNewer { try checkReadable(state, plan) } else { try plan.checkProblems() }
            let upgrader = try isNewer ? nil : upgrader(for: state, store)
            var report = report(plan, startedAt)
            report.isReadOnly = isOnlyRead || !isWritable(state)
            if let upgrader { report.onRead = upgrader.migrations.map(\.id) }
            opening.end(with: report)
            return StoreReading(report: report, upgrader: upgrader)
        } catch {
            opening.end(with: error)
            throw error
        }
    }

    private func report(_ plan: MigrationPlan, _ startedAt: Date) -> MigrationReport {
        var report = MigrationReport(
            store: plan.store,
            from: plan.from,
            to: plan.from,
            isFresh: false,
            startedAt: startedAt,
            duration: 0,
            entries: [],
            deferred: [],
            isDryRun: configuration.isDryRun
        )
        report.onRead = plan.onRead
        return report
    }

    // MARK: Older stores

    /// The upgrader for the records of a store that is not newer than the registry; nil if none lacks a migration.
    private func upgrader(for state: StoreState, _ store: StoreFile) throws -> RecordUpgrader? {
        let plan = MigrationPlan(
            state: state,
            storeName: store.storeName,
            migrations: registry,
            onlyRecordsOnRead: false
        )
        for (migration, entry) in zip(registry.migrations, plan.entries) where entry.action.runsSteps {
            for step in migration.steps where entry.action.runs(step) && step.usesRecords && !step.isOnSingleRecords {
                throw MoltError.needsMigration(plan, of: migration, step)
            }
        }
        let schedule = UpgradeSchedule(of: plan, registry) { $0.usesRecords }
        let steps = schedule.groups.flatMap { group -> [ScheduledStep] in
            if case .pass(let steps) = group.work { steps } else { [] }
        }
        guard !steps.isEmpty else { return nil }
        var names: Set<String> = []
        return RecordUpgrader(
            steps,
            of: steps.map(\.migration).filter { names.insert($0.name).inserted },
            storeName: store.storeName,
            configuration: configuration,
            onFailure: registry.failurePolicy,
            changesOnlyContent: true
        )
    }

    // MARK: Newer stores

    private func checkReadable(_ state: StoreState, _ plan: MigrationPlan) throws {
        let newer = registry.unknown(in: state.ledger)
        if let first = newer.first(where: { !$0.isReadableByOlderReleases && $0.outcome != .deferred }) {
            throw superseded(
                plan,
                "It cannot be opened for reading either: migration \"\(first.name)\" does not declare "
                    + "`readableByOlderReleases()`."
            )
        }
        // A version without a ledger row may not be readable by this release.
        guard newer.contains(where: { $0.version == state.version }) || state.version <= registry.version else {
            throw superseded(
                plan,
                "Its ledger has no migration to that version, so this release may be unable to read it."
            )
        }
        // A pending migration means that records are not in the app's form; a deferred one is not about records.
        let waiting = Set(state.ledger.filter { $0.outcome == .deferred }.map(\.name))
        let missing = plan.entries.first { entry in
            // An eager migration that finishes one on read has records to change.
            !entry.isApplied && !waiting.contains(entry.migration.name) || entry.status == .onRead && entry.willRun
        }
        if let first = missing {
            throw superseded(
                plan,
                "It cannot be opened for reading either: migration \(first.migration) was not applied to it."
            )
        }
    }

    /// Whether this release may write to a newer store that it can read.
    private func isWritable(_ state: StoreState) -> Bool {
        state.laterLayout == nil
            && registry.unknown(in: state.ledger).allSatisfy { $0.isWritableByOlderReleases || $0.outcome == .deferred }
    }

    private func superseded(_ plan: MigrationPlan, _ sentence: String) -> MoltError {
        if var error = plan.firstError {
            error.problem += " " + sentence
            return error
        }
        return MoltError(
            .superseded,
            "A later release of Molt wrote the store in a layout that this release can only read. \(sentence)",
            store: plan.store,
            storeVersion: plan.from,
            registryVersion: plan.to
        )
    }
}

extension MigrationStep {
    /// Whether each record, and the name of each type, can be sent through the step by itself.
    fileprivate var isOnSingleRecords: Bool {
        switch action {
        case .edit: changesOnlyContent
        case .renameType, .deleteType: true
        case .run: false
        }
    }
}
