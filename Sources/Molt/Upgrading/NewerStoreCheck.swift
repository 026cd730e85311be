internal import Foundation

/// Checks whether a store that a newer app has upgraded can be read.
struct NewerStoreCheck {
    private let registry: MigrationRegistry
    private let configuration: MoltConfiguration

    init(_ registry: MigrationRegistry, _ configuration: MoltConfiguration) {
        self.registry = registry
        self.configuration = configuration
    }

    /// Checks a store, and sends the events of an opening if it is newer.
    ///
    /// - Returns: The report of an opening that changes nothing; nil when the store is neither newer than the registry
    ///   nor written by a later release of Molt.
    /// - Throws: ``MoltError`` with the code `superseded` and the reason why the store cannot be read.
    func check(_ store: StoreFile, _ opening: OpeningSummary? = nil) throws -> MigrationReport? {
        let startedAt = Date()
        var opening = opening ?? configuration.opening(of: store)
        do {
            try registry.validate()
            let state = try store.state()
            let plan = MigrationPlan(state: state, storeName: store.storeName, migrations: registry)
            guard plan.isSuperseded || state.laterLayout != nil else { return nil }
            opening.plan = plan
            configuration.monitor?.send(.planned(plan))
            try checkReadable(state, plan)
            let report = self.report(plan, startedAt)
            opening.end(with: report)
            return report
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
        report.isReadOnly = true
        report.onRead = plan.onRead
        return report
    }

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
