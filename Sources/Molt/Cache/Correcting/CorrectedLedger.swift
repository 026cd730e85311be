internal import Foundation

/// The rows that a correction by hand puts into the ledgers of a store and of suites.
struct CorrectedLedger {
    /// The corrected row of the store's own ledger or, if that has none, of a suite's.
    let row: LedgerEntry
    /// Whether the store's own ledger gets the row.
    let changesStore: Bool
    /// The store's version afterwards.
    let version: Int
    private(set) var suites: [String: LedgerEntry] = [:]

    /// Computes the rows.
    ///
    /// - Throws: ``MoltError`` with the code `unknownMigration` or `notCorrected`.
    init(_ corrector: LedgerCorrector, _ histories: Histories, _ plan: MigrationPlan) throws {
        let (change, registry, isComplete) = (corrector.change, corrector.registry, corrector.isComplete)
        let name = change.migration
        guard let entry = plan.entries.first(where: { $0.migration.name == name }) else {
            throw Self.unknown(name, registry, plan.store)
        }
        let migration = entry.declaration
        let old = histories.store.row(named: name)
        var changed = try Self.suites(changedBy: change, of: entry, histories, plan, registry)
        // The ledger of a suite that is upgraded without a cache is in its settings.
        if let primary = corrector.store.primary?.attachedName, change.kind != .acceptedEdit, !changed.contains(primary)
        {
            changed.append(primary)
        }
        version = isComplete ? Self.version(after: change, histories.store, plan) : plan.from
        var correction = corrector.correction
        if version > plan.from { correction.versionBefore = plan.from }
        func corrected(_ old: LedgerEntry?, upTo version: Int) -> LedgerEntry {
            var row =
                old
                ?? LedgerEntry(
                    of: migration,
                    in: registry,
                    outcome: .unmarked,
                    appliedAt: correction.date,
                    appVersion: correction.appVersion
                )
            row.correct(correction, isComplete ? migration : nil, registry, upTo: version)
            return row
        }
        // An edit may concern a suite that another store has brought through the migration.
        changesStore = change.kind != .acceptedEdit || old?.outcome.isApplied == true
        // Each store counts the versions of a suite's rows for itself.
        for suite in changed { suites[suite] = corrected(histories.suites[suite]?.row(named: name), upTo: .max) }
        let own = corrected(old, upTo: version)
        row = changesStore ? own : suites.min { $0.key < $1.key }?.value ?? own
    }

    /// The names of the suites whose rows a change corrects.
    ///
    /// - Throws: ``MoltError`` with the code `notCorrected` if the migration does not allow the change.
    private static func suites(
        changedBy change: LedgerChange,
        of entry: MigrationPlan.Entry,
        _ histories: Histories,
        _ plan: MigrationPlan,
        _ registry: MigrationRegistry
    ) throws -> [String] {
        let migration = entry.declaration
        let refusal = Refusal(migration: migration.id, store: plan.store)
        let old = histories.store.row(named: migration.name)
        if entry.status == .recordsOnly {
            throw refusal("works only on records, and a suite has none.", advice: "Correct the ledger of the cache.")
        }
        let applied = histories.suites.filter { $1.applied[migration.name] != nil }.map(\.key)
        switch change {
        case .markApplied:
            if entry.actions.runsAgain { return entry.actions.suites(with: .run).sorted() }
            if entry.isApplied { throw refusal("already counts as applied.") }
            let replacedNames = registry.replacedByShortcuts[migration.name]
            return Set(migration.attached.compactMap { $0.suite?.attachedName })
                .filter { !histories.hasCompleted($0, migration, replacing: replacedNames) }
        case .markPending:
            for history in [histories.store] + migration.attached.compactMap({ histories.suites[$0.name] }) {
                try checkRepeatable(migration, history, refusal)
            }
            guard old?.outcome.isApplied == true || !applied.isEmpty else { throw refusal("is not applied.") }
        case .acceptEdit:
            guard plan.editedMigrations.contains(where: { $0.migration == migration.id }) else {
                throw refusal("is not applied, or is the same as when it was applied. There is no edit to accept.")
            }
            if old?.outcome == .onRead { throw refusal.isOnRead }
        }
        return applied
    }

    /// The store's version, or the highest one up to which all migrations are applied, if that is higher.
    ///
    /// A migration that is marked as applied before earlier ones ran does not raise it: these still have to run. One
    /// that was marked as applied, and is marked as pending, takes back by how much it raised it, as far as no later
    /// one has run since.
    private static func version(after change: LedgerChange, _ history: History, _ plan: MigrationPlan) -> Int {
        let name = change.migration
        let lowest: Int
        switch change.kind {
        case .markedApplied: lowest = plan.from
        case .markedPending:
            guard let row = history.row(named: name), row.outcome == .marked,
                let mark = row.corrections.last(where: { $0.kind == .markedApplied }), let before = mark.versionBefore
            else { return plan.from }
            let others = history.applied.values.filter { $0.name != name && $0.outcome != .marked }
            lowest = others.map(\.version).reduce(before, max)
        case .acceptedEdit: return plan.from
        }
        let isApplied = { (entry: MigrationPlan.Entry) in
            entry.migration.name == name || entry.replacement?.name == name
                ? change.kind == .markedApplied : entry.isApplied
        }
        let pending = plan.entries.first { !isApplied($0) }?.migration.version ?? .max
        let highest = plan.entries.map(\.migration.version).filter { $0 < pending }.reduce(lowest, max)
        return change.kind == .markedApplied ? highest : min(highest, plan.from)
    }

    // MARK: Refusals

    /// Throws if a migration cannot run again.
    private static func checkRepeatable(_ migration: Migration, _ history: History, _ refusal: Refusal) throws {
        let old = history.row(named: migration.name)
        if old?.outcome == .onRead { throw refusal.isOnRead }
        let parts = Set(migration.replaces + (old?.replaces ?? [])).subtracting([migration.name])
        if let part = history.rows.first(where: { $0.outcome.isApplied && parts.contains($0.name) }) {
            throw refusal("replaces migrations that the store has applied one by one, such as \"\(part.name)\".")
        }
        if let whole = history.replacement(of: migration.name) {
            throw refusal("was replaced by \"\(whole.name)\", which the store counts as applied.")
        }
    }

    private static func unknown(_ name: String, _ registry: MigrationRegistry, _ store: String) -> MoltError {
        if let whole = registry.migrations.first(where: { $0.replaces.contains(name) }) {
            return Refusal(migration: MigrationID(name: name, version: whole.version), store: store)(
                "was replaced by \(whole.id).",
                advice: "Correct that one."
            )
        }
        return MoltError(
            .unknownMigration,
            "No migration is named \"\(name)\". There are: \(registry.names.joined(separator: ", ")).",
            outcome: .unchanged,
            store: store
        )
    }

    /// Makes the errors of corrections that a migration does not allow.
    private struct Refusal {
        let migration: MigrationID
        let store: String

        func callAsFunction(_ reason: String, advice: String? = nil) -> MoltError {
            MoltError(
                .notCorrected,
                "Migration \(migration) \(reason)",
                advice: advice,
                outcome: .unchanged,
                store: store,
                migration: migration
            )
        }

        var isOnRead: MoltError {
            self(
                "still has to upgrade records, when they are read.",
                advice: "Open the store, and wait for `finishBackfill()`."
            )
        }
    }
}

extension LedgerEntry {
    /// Makes a correction, and adds it to the row.
    ///
    /// - Parameters:
    ///   - migration: The migration as the app declares it; nil if only the row is known.
    ///   - registry: The registry that has it.
    ///   - version: The highest version that the row may get.
    fileprivate mutating func correct(
        _ correction: LedgerCorrection,
        _ migration: Migration?,
        _ registry: MigrationRegistry,
        upTo version: Int
    ) {
        // A replacement may have the name of one of its parts, whose row this is.
        let isPart = migration.map { self.version < $0.version && registry.replaced(by: $0).contains(name) } ?? false
        switch correction.kind {
        case .markedApplied where !outcome.isApplied || isPart:
            forgetRun()
            outcome = .marked
            appliedAt = correction.date
            attachedCounts = [:]
            appVersion = correction.appVersion
            moltVersion = MoltRelease.version
            if let migration { take(from: migration, in: registry) }
        case .markedApplied: break
        case .markedPending:
            // The time stays: what the suites held then is compared with what they hold when it runs again.
            forgetRun()
            outcome = .unmarked
        case .acceptedEdit:
            guard let migration else { break }
            replacedKinds = registry.replacedKinds(by: migration)
            fingerprint = migration.fingerprint
            // A row above the store's version would make pending migrations late.
            if migration.version <= version { self.version = migration.version }
        }
        corrections.append(correction)
    }

    /// Removes what an earlier run has counted in records.
    private mutating func forgetRun() {
        duration = 0
        counts = MigrationReport.Counts()
        isWorkPending = false
    }
}
