/// The migrations that would run on a store now: a printable value, computed without writing.
///
/// ```swift
/// let plan = try CacheFile(at: url).plan(migrations)
/// print(plan)
/// ```
public struct MigrationPlan: Equatable, Sendable, Encodable {
    /// The status of a migration in a store, by its ledger.
    public enum Status: String, Hashable, Sendable, Encodable {
        /// It is not in the ledger.
        case pending
        /// It is in the ledger as applied.
        case applied
        /// It counts as applied, and records that were not upgraded yet go through it when they are read.
        case onRead
        /// All migrations that it replaces were applied, so it counts as applied.
        case replaced
        /// It is not later than the version that the store gets from the registry's baseline, so it counts as applied.
        case baseline
        /// Another migration replaces it and runs instead; see ``MigrationPlan/Entry/replacement``.
        case notNeeded
        /// It is not in the ledger although the store has passed its version.
        case late
        /// It only works on records, and the store is a suite that is upgraded without a cache.
        case recordsOnly

        /// Whether the store counts it as applied.
        var isApplied: Bool {
            switch self {
            case .applied, .onRead, .baseline, .replaced, .recordsOnly: true
            case .pending, .notNeeded, .late: false
            }
        }
    }

    /// A migration in the plan.
    public struct Entry: Equatable, Sendable, Encodable {
        /// The migration.
        public var migration: MigrationID
        /// The migration as the registry declares it; not part of the JSON.
        @NotCompared package var declaration: Migration
        /// The descriptions of its steps.
        public var steps: [String]
        /// Its status in the store.
        public var status: Status
        /// What opening the store does about it, by target.
        public var actions: Actions
        /// The migration that runs or has run instead of it; nil if none does.
        public var replacement: MigrationID?
        /// The migration for which it runs now, although it is one on read; nil for any other.
        ///
        /// It works on records of a type that this one changes, or gives records keys that one of those may have. If
        /// the failure policy lets the upgrade go on, a record that cannot be converted leaves its key.
        public var neededBy: MigrationID?
        /// The data that its steps remove by their declarations; closures may drop more.
        public var losses: [MigrationReport.DataLoss]
        /// What opening the store says if a condition for running it does not hold; see
        /// ``Migration/requiring(orElse:_:)``.
        public var requirements: [String]
        /// The work that it does after the commit, nil if it does none; see ``Migration/afterCommit(_:_:)``.
        public var work: String?
        /// Whether an earlier opening has left that work undone, so that this one tries again.
        public var isWorkPending: Bool
        /// The names of the migrations that it replaces; not part of the JSON.
        @NotCompared package var replaces: [String] = []

        private enum CodingKeys: CodingKey {
            case migration, steps, status, actions, replacement, neededBy, losses, requirements, work, isWorkPending
        }

        /// Whether opening the store runs it, or adds it to the ledger so that records go through it on read.
        public var willRun: Bool { actions.areUpgrade }

        /// What opening the store does about it with the records, and on all suites without an action of their own.
        ///
        /// See ``MigrationPlan/Actions/suites``.
        public var action: Action { actions.store }

        /// The reason why it is deferred, in a sentence; nil if it is not.
        public var deferral: String? {
            if case .wait(let reason) = action { reason } else { nil }
        }

        package var isApplied: Bool { status.isApplied && deferral == nil }
    }

    /// Why the store cannot be upgraded.
    public struct Problem: Equatable, Sendable, Encodable {
        /// The code of the error that opening the store throws.
        public var code: MoltError.Code
        /// The problem, in full sentences.
        public var problem: String
        /// The remedy, in full sentences.
        public var advice: String
        /// The migration that the problem is about, if any.
        public var migration: MigrationID?
        /// The version that the registry brings a store to; for a store that is too old, the oldest one that the
        /// registry supports.
        public var registryVersion: Int?

        /// The problem and the remedy.
        public var message: String { "\(problem) \(advice)" }
    }

    /// A migration that was edited after the store had counted it as applied.
    public struct Edit: Equatable, Sendable, Encodable {
        /// The migration as the registry has it.
        public var migration: MigrationID
        /// The ``Migration/fingerprint`` in the ledger.
        public var recorded: String
        /// The migration's current fingerprint.
        public var current: String
        /// The version that the migration brought the store to when it was applied.
        public var recordedVersion: Int
        /// Whether its steps or the coders of its closures differ from those that were applied, and not only its
        /// version.
        public var hasOtherSteps: Bool
    }

    /// The path of the store's file, or the name of its suite.
    public var store: String
    /// The store's current version; for a store without a ledger, the one that it gets from the baseline.
    public var from: Int
    /// The store's version after the upgrade.
    public var to: Int
    /// Whether the store does not exist yet.
    public var isFresh: Bool
    /// The version that the store gets from the baseline; nil if it has a ledger, or there is no baseline for it.
    ///
    /// See ``MigrationRegistry/baseline(from:)``.
    public var baseline: Int?
    /// The registry's migrations, in the order in which they run.
    public var entries: [Entry] = []
    /// Why the store cannot be upgraded; empty when it can.
    public var problems: [Problem] = []
    /// The attached stores with committed changes that are not applied yet; those are applied first.
    public var journal: [String]
    /// The migrations that were edited after the store had counted them as applied; an edit alone is not a problem.
    public var edits: [Edit] = []
    /// Settings that need the developer's attention, as they are before the upgrade; notes do not prevent an upgrade.
    ///
    /// They are about the suites that the registry's migrations work on and that can be read now. A migration that has
    /// not run yet may still move, rename or remove such a setting. There are none if the plan has problems, or if
    /// changes from an earlier upgrade have not been applied yet.
    public var settingNotes: [SettingNote] = []
    /// The migrations on read in the ledger that left the registry and that all records have been through.
    ///
    /// It is not part of the JSON.
    @NotCompared var completedOnRead: [String] = []
    /// The blocks that a new store runs all the same, because a suite that they work on is not new.
    ///
    /// It is not part of the JSON.
    @NotCompared var blocksOnSuites: Set<ScheduledStep.ID> = []
    /// Whether the app says at which version the store enters, and its file has another one; not part of the JSON.
    @NotCompared var recordsBaseline = false

    /// Whether an earlier upgrade has left bytes of deleted records, which opening the store erases.
    ///
    /// See ``MigrationStep/deleteType(_:erasing:)``.
    public var needsErasure: Bool {
        get { needsErasureOrNil == true }
        set { needsErasureOrNil = newValue ? true : nil }
    }
    /// Nil for false: plans of earlier releases have no such member.
    private var needsErasureOrNil: Bool?
    /// The path from which the store's file is moved before it is upgraded; nil if it stays in its place.
    ///
    /// See ``MigrationRegistry/storeMove(from:to:protection:)``.
    public var movesFrom: String?
    /// The paths of stores at the old places of this one, which was moved from there; see
    /// ``MigrationReport/otherStores``.
    public var otherStores: [String] {
        get { otherStoresOrNil ?? [] }
        set { otherStoresOrNil = newValue.isEmpty ? nil : newValue }
    }
    /// Nil for none, for the same reason.
    private var otherStoresOrNil: [String]?
    /// The move; nil if there is none.
    ///
    /// It is not part of the JSON.
    @NotCompared var move: PendingMove? = nil

    private enum CodingKeys: String, CodingKey {
        case store, from, to, isFresh, baseline, entries, problems, journal, edits, settingNotes, movesFrom
        case needsErasureOrNil = "needsErasure"
        case otherStoresOrNil = "otherStores"
    }

    /// The migrations that would run, in order, without those that run only if others import records.
    public var pending: [MigrationID] {
        entries.filter(\.willRun).map(\.migration)
    }

    /// The migrations that the store counts as applied, in the registry's order.
    public var applied: [MigrationID] {
        entries.filter(\.isApplied).map(\.migration)
    }

    /// The applied migrations up to the first one that is not applied.
    public var completed: [MigrationID] {
        entries.prefix(while: \.isApplied).map(\.migration)
    }

    /// The migrations that records go through when they are read after the store is opened; see ``Migration/onRead()``.
    public var onRead: [MigrationID] {
        entries.filter { $0.action == .recordOnRead || $0.status == .onRead && $0.action == .none }.map(\.migration)
    }

    /// The data that the pending migrations remove by their declarations; closures may drop more.
    public var losses: [MigrationReport.DataLoss] {
        isFresh ? [] : entries.filter(\.willRun).flatMap(\.losses)
    }

    /// The migrations whose work after the commit an earlier opening has left undone.
    public var pendingWork: [MigrationID] {
        entries.filter(\.isWorkPending).map(\.migration)
    }

    /// Whether opening the store would write to it, at least if ``pendingWork`` succeeds.
    public var needsUpgrade: Bool {
        needsRun || !journal.isEmpty || !pendingWork.isEmpty || needsErasure
    }

    /// Whether the version would change, or a migration would be added to the ledger.
    var needsSteps: Bool {
        isFresh || from != to || recordsBaseline || entries.contains { $0.status == .baseline } || movesFrom != nil
            || entries.contains { $0.willRun }
    }

    /// Whether the ledger or the version would change.
    var needsRun: Bool {
        needsSteps || !completedOnRead.isEmpty
    }

    /// The deferred migrations, with the reasons.
    public var deferred: [MigrationReport.Deferral] {
        entries.compactMap { entry in
            entry.deferral.map { MigrationReport.Deferral(migration: entry.migration, reason: $0) }
        }
    }

    /// Whether the store was upgraded by a newer release, or by one with other migrations.
    public var isSuperseded: Bool {
        problems.contains { $0.code == .superseded || $0.code == .migrationMissing }
    }

    /// Creates the plan of a store about which nothing is decided yet.
    init(of store: String, _ histories: Histories, _ registry: MigrationRegistry) {
        self.store = store
        from = histories.version
        to = registry.version(for: histories.store.rows)
        isFresh = histories.isFresh
        baseline = histories.baseline
        journal = histories.journal
        recordsBaseline = histories.baseline != nil && histories.storedVersion != registry.version
        needsErasure = histories.needsErasure
    }

    /// Makes sure that the ledger has lost no row before the plan that is made of it has consequences.
    ///
    /// An up-to-date store is opened without this check.
    ///
    /// - Throws: ``MoltError`` for damage.
    func checkLedger(of store: StoreFile) throws {
        guard !isFresh, !problems.isEmpty || needsRun else { return }
        try store.checkLedger()
    }

    /// Throws the first problem that prevents an upgrade, if any.
    ///
    /// - Throws: ``MoltError`` with the code of that problem.
    public func checkProblems() throws {
        if let firstError { throw firstError }
    }

    /// The error for the first problem, if any.
    var firstError: MoltError? { problems.first.map(error) }

    func error(for problem: Problem) -> MoltError {
        MoltError(
            problem.code,
            problem.problem,
            advice: problem.advice,
            store: movesFrom ?? store,
            migration: problem.migration,
            storeVersion: from,
            registryVersion: problem.registryVersion ?? to
        )
    }
}

extension MigrationPlan.Entry: CustomStringConvertible {
    /// The migration and its status, in one line.
    public var description: String {
        "\(migration.version)  \(migration.name)  (\(statusText)\(neededBy.map { ", now because of \($0)" } ?? ""))"
    }

    private var statusText: String {
        switch (action, status) {
        case (.wait, _): "must wait"
        case _ where actions.runsAgain:
            "applied, but not to \(actions.suites(with: .run).sorted().joined(separator: ", "))"
        case (.runIfRecordsAppear, _): "new store, runs if records are imported"
        case (.recordOnly(.createdAtVersion), _): "new store, skipped"
        case (.recordOnRead, _): "pending, on read"
        case (.backfill, _): "on read, backfilled" + (neededBy == nil ? " now" : "")
        case (.recordOnly(.replaced), .pending): "counts as applied once the migrations that it replaces have run"
        case (_, .pending): "pending"
        case (_, .applied): "applied" + (replacement.map { ", as \($0) replaces it" } ?? "")
        case (_, .onRead): "applied, on read"
        case (_, .baseline): "counts as applied, by `baseline`"
        case (_, .replaced): "counts as applied, because all that it replaces are"
        case (_, .notNeeded): "not needed: \(replacement.map(\.description) ?? "another migration") replaces it"
        case (_, .late): willRun ? "late, will run" : "late"
        case (_, .recordsOnly): steps.isEmpty ? "nothing to do" : "needs a cache"
        }
    }
}

extension MigrationPlan.Problem: CustomStringConvertible {
    /// The code, the problem and the remedy.
    public var description: String { "\(code): \(message)" }
}

extension MigrationPlan.Edit: CustomStringConvertible {
    /// The migration and the differences.
    public var description: String {
        let version = recordedVersion == migration.version ? nil : "applied as version \(recordedVersion)"
        let steps = hasOtherSteps ? "with other steps or coders than before" : nil
        return ([migration.description] + [version, steps].compactMap(\.self)).joined(separator: ", ")
    }
}

extension MigrationPlan: CustomStringConvertible {
    /// The plan in a few lines.
    public var description: String {
        var lines = [headline]
        if let movesFrom { lines.append("  > opening first moves the file from \(movesFrom)") }
        lines += otherStores.map { "  > \(MigrationReport.note(onOtherStore: $0))" }
        if !journal.isEmpty {
            lines.append(
                "  > changes to \(journal.joined(separator: ", ")) from an earlier upgrade have not been applied yet"
            )
        }
        for problem in problems {
            lines.append("  cannot be upgraded: \(problem.message)")
        }
        for edit in edits {
            lines.append("  edited after it was applied: \(edit)")
            lines.append(
                "       undo the edit, or accept it with `accept-edit \"\(edit.migration.name)\"` of the app's tool"
            )
        }
        for entry in entries {
            lines.append("  \(entry.willRun || entry.isWorkPending ? ">" : "·") \(entry)")
            if let deferral = entry.deferral { lines.append("       \(deferral)") }
            if entry.willRun {
                lines += entry.requirements.map { "       - requires a condition; otherwise: \($0)" }
                lines += entry.steps.filter { $0 != entry.migration.name }.map { "       - \($0)" }
            }
            if let work = entry.work, entry.willRun || entry.isWorkPending {
                lines.append("       - after the commit\(entry.isWorkPending ? ", still to be done" : ""): \(work)")
            }
        }
        for name in completedOnRead { lines.append("  > \(name)  (on read, all records have been through it)") }
        if needsErasure { lines.append("  > records that were deleted before will be erased from the file") }
        lines += losses.summaries(removing: "removes:", replacing: "replaces by a conversion:").map { "  \($0)" }
        lines += noteLines
        return lines.joined(separator: "\n")
    }

    var headline: String {
        if isFresh { return "\(store): new, would be created at version \(to)" }
        if !problems.isEmpty { return "\(store): version \(from)" }
        if !needsRun, !journal.isEmpty { return "\(store): version \(to), with changes that have not been applied yet" }
        if !needsRun, !pendingWork.isEmpty {
            return "\(store): up to date at version \(to), with work after the commit to do"
        }
        if !needsRun { return "\(store): up to date at version \(to)" }
        if !needsSteps { return "\(store): up to date at version \(to), except that the ledger has to be completed" }
        let entry = baseline.map { "gets version \($0) from `baseline`, " } ?? ""
        let versions = entry + (from == to ? "version \(to)" : "version \(from) to \(to)")
        return "\(store): \(versions), \(pending.count) of \(entries.count) migrations to run"
    }
}
