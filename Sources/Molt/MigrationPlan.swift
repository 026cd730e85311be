/// The migrations that would run on a store now: a printable value, computed without writing.
///
/// ```swift
/// let plan = try CacheFile(at: url).plan(migrations)
/// print(plan)
/// ```
///
/// The JSON of a plan, which the app's tool prints for `plan --json`, has these members, without those that are nil:
///
/// ```json
/// {"store": "/tmp/people.molt", "from": 1, "to": 2, "isFresh": false, "entries": [
///    {"migration": {"name": "split", "version": 2}, "action": "run", "steps": ["split Person.name into …"],
///     "losses": [], "requirements": [], "isWorkPending": false}],
///  "problems": [], "edits": [], "notes": [], "journal": [], "otherStores": [], "needsErasure": false,
///  "handovers": [], "seeds": []}
/// ```
///
/// `action` is the name of the ``Action``. An entry also has, if there is one, the `outcome`, the `suites`, the
/// `reason` or the `replacement` of the action, and `neededBy`, a later migration because of which it runs now although
/// it is one on read. A problem or an edit has its `code`, `problem`, `advice` and `migration`. `journal` lists the
/// suites with committed changes that are not applied yet, `baseline` is the version that the store gets from the
/// registry's baseline, and `movesFrom` is the path from which the file is moved first.
public struct MigrationPlan: Sendable, Encodable {
    /// What opening the store does about a migration.
    public enum Action: Equatable, Sendable {
        /// Runs its steps; on a new store only those that import data, and blocks on suites that are not new, until one
        /// has imported records.
        case run
        /// The store is new: runs it if an earlier migration imports records.
        case runIfRecordsArrive
        /// The store counts it as applied, and these suites lack it: runs it there.
        case runOnSuites([String])
        /// Adds it to the ledger; records go through it when they are read. See ``Migration/onRead()``.
        case startOnRead
        /// An earlier opening has added it to the ledger: upgrades the records that have not been through it yet.
        case continueOnRead
        /// Adds it to the ledger with this outcome: it counts as applied from now on.
        case record(LedgerEntry.Outcome)
        /// Nothing: it counts as applied, for this reason.
        case applied(LedgerEntry.Outcome)
        /// Leaves it to a later opening, for the reason in this sentence.
        case wait(String)
        /// Nothing: another migration replaces it and runs instead.
        case notNeeded(by: MigrationID?)
        /// Nothing: it works on records alone, and the store is a suite that is upgraded without a cache.
        case leftToCache
        /// Nothing: the store has passed its version without it, which is a problem of the plan.
        case late
        /// Nothing: the store has been through some of the migrations that it replaces, but not through all, which is a
        /// problem of the plan.
        case partlyReplaced
    }

    /// A migration in the plan.
    public struct Entry: Equatable, Sendable {
        /// The migration.
        public let migration: MigrationID
        /// The migration as the registry declares it.
        @NotCompared package var declaration: Migration
        /// The descriptions of its steps.
        public let steps: [String]
        /// What the store has been through of it.
        package var status: Status
        /// What opening the store does about it, by target.
        package var actions: Actions
        /// Why the ledger counts it as applied; nil if it has no row of its own that does.
        @NotCompared package var recordedOutcome: LedgerEntry.Outcome? = nil
        /// The migration that runs or has run instead of it; nil if none does.
        package var replacement: MigrationID?
        /// The migration for which it runs now, although it is one on read; nil for any other.
        ///
        /// It works on records of a type that this one changes, or gives records keys that one of those may have. If
        /// the failure policy lets the upgrade go on, a record that cannot be converted leaves its key.
        package var neededBy: MigrationID?
        /// The data that its steps remove by their declarations; closures may drop more.
        public let losses: [MigrationReport.DataLoss]
        /// What opening the store says if a condition for running it does not hold; see
        /// ``Migration/requirement(orElse:_:)``.
        public let requirements: [String]
        /// The work that it does after the commit, nil if it does none; see ``Migration/afterCommit(_:_:)``.
        public let work: String?
        /// Whether an earlier opening has left that work undone, so that this one tries again.
        public package(set) var isWorkPending: Bool
        /// The names of the migrations that it replaces.
        @NotCompared package var replaces: [String] = []

        /// Whether opening the store runs it, or adds it to the ledger so that records go through it on read.
        package var willRun: Bool { actions.areUpgrade }

        /// What opening the store does about it.
        public var action: Action {
            if actions.runsAgain { return .runOnSuites(actions.suites(with: .run).sorted()) }
            return switch actions.store {
            case .run: .run
            case .runIfRecordsArrive: .runIfRecordsArrive
            case .startOnRead: .startOnRead
            case .continueOnRead: .continueOnRead
            case .record(let outcome): .record(outcome)
            case .wait(let reason): .wait(reason)
            case .none:
                switch status {
                case .applied: .applied(recordedOutcome ?? .replaced)
                case .onRead: .applied(.onRead)
                case .replaced: .applied(.replaced)
                case .baseline: .applied(.baseline)
                case .notNeeded: .notNeeded(by: replacement)
                case .recordsOnly: .leftToCache
                case .late: .late
                case .pending: .partlyReplaced
                }
            }
        }

        /// The reason why it is deferred, in a sentence; nil if it is not.
        package var deferral: String? {
            if case .wait(let reason) = actions.store { reason } else { nil }
        }

        package var isApplied: Bool { status.isApplied && deferral == nil }
    }

    /// What a store has been through of a migration, by its ledger.
    package enum Status: Equatable, Sendable {
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
        /// Another migration replaces it and runs instead; see `Entry.replacement`.
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

    /// A migration that was edited after the store had counted it as applied.
    package struct Edit: Equatable, Sendable {
        package var migration: MigrationID
        /// The fingerprint in the ledger.
        package var recorded: String
        /// The migration's current fingerprint.
        package var current: String
        /// The version that the migration brought the store to when it was applied.
        package var recordedVersion: Int
        /// Whether its steps or the coders of its closures differ from those that were applied, and not only its
        /// version.
        package var hasOtherSteps: Bool
    }

    /// The path of the store's file, or the name of its suite.
    public package(set) var store: String
    /// The store's current version; for a store without a ledger, the one that it gets from the baseline.
    public let from: Int
    /// The store's version after the upgrade.
    public let to: Int
    /// Whether the store does not exist yet.
    public let isFresh: Bool
    /// The version that the store gets from the baseline; nil if it has a ledger, or there is no baseline for it.
    package let baseline: Int?
    /// The registry's migrations, in the order in which they run.
    public package(set) var entries: [Entry] = []
    /// The disk space that the upgrade will need, by a sample of the records; nil if it needs next to none, or if it is
    /// unknown.
    ///
    /// It assumes that closures change all records of their types, that no record gets much larger, and that records of
    /// an imported table are as large as its file. Not counted are records that a closure imports, and settings. Only
    /// ``CacheFile/plan(_:configuration:)`` estimates it, for a file that is in its place. A dry run measures it; see
    /// ``MigrationReport/space``.
    public internal(set) var space: DiskSpace?
    /// The problems, without the store and its versions.
    package var faults: [MoltError] = []
    /// The suites with committed changes that are not applied yet; those are applied first.
    package var journal: [String]
    /// The migrations that were edited after the store had counted them as applied.
    package var editedMigrations: [Edit] = []
    /// Settings that need the developer's attention, as they are before the upgrade.
    package var settingNotes: [SettingNote] = []
    /// Notes on settings that wait in files of suites.
    var handoverNotes: [String] = []
    /// The suites whose own ledgers do not count.
    package var suiteFindings: [SuiteFinding] = []
    /// Those of them that have settings, and get back the ledgers that count.
    var lostLedgers: [String] = []
    /// The suites whose ledgers are not remembered as they are.
    var forgottenSuites: [String] = []
    /// The migrations on read in the ledger that left the registry and that all records have been through.
    var completedOnRead: [String] = []
    /// The blocks that a new store runs all the same, because a suite that they work on is not new.
    var blocksOnSuites: Set<ScheduledStep.ID> = []
    /// Whether the app says at which version the store enters, and its file has another one.
    private let recordsBaseline: Bool
    /// Whether an earlier upgrade has left bytes of deleted records, which opening the store erases.
    package var needsErasure: Bool
    /// What steps have taken out of the store before, and is still to be handed over.
    package var waiting: [Handover]
    /// Whether something is to be handed over, also what the upgrade has taken out itself.
    var hasHandovers: Bool
    /// The path from which the store's file is moved before it is upgraded; nil if it stays in its place.
    package var movesFrom: String?
    /// The paths of stores at the old places of this one, which was moved from there; see
    /// ``MigrationReport/otherStores``.
    package var otherStores: [String] = []
    var move: PendingMove?
    /// The names of the seeds that opening the store would apply, in order, because it has not had their files, or not
    /// last; see ``MigrationRegistry/seed(_:from:removingOthers:)``.
    ///
    /// The plan compares the bytes of the files, and does not read what they have. Before another problem is solved, no
    /// seed would be applied.
    public package(set) var seeds: [String] = []

    /// Why the store cannot be upgraded: the errors of which opening it throws the first; empty when it can.
    public var problems: [MoltError] {
        faults.map { fault in
            var problem = fault
            problem.store = movesFrom ?? store
            problem.storeVersion = from
            problem.registryVersion = fault.registryVersion ?? to
            return problem
        }
    }

    /// The migrations that were edited after the store had counted them as applied, each as the error that says so.
    ///
    /// An edit alone is not a problem.
    public var edits: [MoltError] {
        editedMigrations.map { MoltError.edited([$0]) }
    }

    /// Settings that need the developer's attention, as they are before the upgrade; notes do not prevent an upgrade.
    ///
    /// They name suites that have lost their ledgers, or that have those of others: see ``MigrationReport/notes``. They
    /// name large settings, and those that probably have an old form that no migration converts. They are about
    /// the suites that the registry's migrations work on and that can be read now. A migration that has not run yet may
    /// still move, rename or remove such a setting. There are none if the plan has problems, or if changes from an
    /// earlier upgrade have not been applied yet.
    public var notes: [String] { suiteNotes + settingNotes.map(\.description) }

    /// The notes on suites, which a report has, too.
    var suiteNotes: [String] { suiteFindings.map(\.description) + handoverNotes }

    /// The migrations that would run, in order, without those that run only if others import records.
    public var pending: [MigrationID] {
        entries.filter(\.willRun).map(\.migration)
    }

    /// The migrations that records go through when they are read after the store is opened; see ``Migration/onRead()``.
    package var onRead: [MigrationID] {
        entries.filter { $0.actions.store == .startOnRead || $0.status == .onRead && $0.actions.store == .none }
            .map(\.migration)
    }

    /// The data that the pending migrations remove by their declarations; closures may drop more.
    public var losses: [MigrationReport.DataLoss] {
        isFresh ? [] : entries.filter(\.willRun).flatMap(\.losses)
    }

    /// The migrations whose work after the commit an earlier opening has left undone.
    package var pendingWork: [MigrationID] {
        entries.filter(\.isWorkPending).map(\.migration)
    }

    /// What steps have taken out of the store in earlier openings and is still to be handed over, a line for each step.
    ///
    /// A line names the migration, the step, and the number of records or settings that wait. See
    /// ``MigrationStep/handOverRecords(_:to:_:)``.
    public var handovers: [String] { waiting.map(\.description) }

    /// Whether opening the store would write to it, at least if all work after the commit succeeds.
    public var needsUpgrade: Bool { needsUpgradeByTool || !waiting.isEmpty }

    /// The same for a tool, which hands nothing over.
    package var needsUpgradeByTool: Bool {
        needsRun || !journal.isEmpty || !pendingWork.isEmpty || needsErasure || !seeds.isEmpty
    }

    /// Whether the version would change, or a migration would be added to the ledger.
    var needsSteps: Bool {
        isFresh || from != to || recordsBaseline || entries.contains { $0.status == .baseline } || movesFrom != nil
            || entries.contains { $0.willRun }
    }

    /// Whether the ledger or the version would change.
    var needsRun: Bool {
        needsSteps || !completedOnRead.isEmpty || !lostLedgers.isEmpty
    }

    /// The deferred migrations, with the reasons.
    public var deferred: [MigrationReport.Deferral] {
        entries.compactMap { entry in
            entry.deferral.map { MigrationReport.Deferral(migration: entry.migration, reason: $0) }
        }
    }

    /// Whether the store was upgraded by a newer release, or by one with other migrations.
    package var isSuperseded: Bool {
        faults.contains { $0.code == .superseded || $0.code == .migrationMissing }
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
        waiting = histories.handovers
        hasHandovers = !waiting.isEmpty
    }

    /// Makes sure that the ledger has lost no row before the plan that is made of it has consequences.
    ///
    /// An up-to-date store is opened without this check.
    ///
    /// - Throws: ``MoltError`` for damage.
    func checkLedger(of store: StoreFile) throws {
        guard !isFresh, !faults.isEmpty || needsRun else { return }
        try store.checkLedger()
    }

    /// Throws the first problem that prevents an upgrade, if any.
    ///
    /// - Throws: ``MoltError`` with the code of that problem.
    package func checkProblems() throws {
        if let first = problems.first { throw first }
    }

    /// Whether opening a store does the same by both plans; the app may change settings, and so the notes, at any time.
    func isSameUpgrade(as other: MigrationPlan) -> Bool {
        (from, to, baseline) == (other.from, other.to, other.baseline) && isFresh == other.isFresh
            && entries == other.entries && problems.map(\.message) == other.problems.map(\.message)
            && editedMigrations == other.editedMigrations && journal == other.journal && movesFrom == other.movesFrom
            && otherStores == other.otherStores && lostLedgers == other.lostLedgers
            && needsErasure == other.needsErasure && waiting == other.waiting
    }
}

extension MigrationPlan.Entry: CustomStringConvertible {
    /// The migration and its status, in one line.
    public var description: String {
        "\(migration.version)  \(migration.name)  (\(statusText)\(neededBy.map { ", now because of \($0)" } ?? ""))"
    }

    private var statusText: String {
        switch action {
        case .run: status == .late ? "late, will run" : "pending"
        case .runIfRecordsArrive: "new store, runs if records are imported"
        case .runOnSuites(let names): "applied, but not to \(names.joined(separator: ", "))"
        case .startOnRead: "pending, on read"
        case .continueOnRead: "on read, backfilled" + (neededBy == nil ? " now" : "")
        case .record(.createdAtVersion): "new store, skipped"
        case .record(.replaced) where status == .pending:
            "counts as applied once the migrations that it replaces have run"
        case .record(.baseline): "counts as applied, by `baseline`"
        case .record: "counts as applied, because all that it replaces are"
        case .applied(.onRead): "applied, on read"
        case .applied: "applied" + (replacement.map { ", as \($0) replaces it" } ?? "")
        case .wait: "must wait"
        case .notNeeded(let other): "not needed: \(other?.description ?? "another migration") replaces it"
        case .leftToCache: steps.isEmpty ? "nothing to do" : "needs a cache"
        case .late: "late"
        case .partlyReplaced: "pending"
        }
    }
}

extension MigrationPlan.Edit: CustomStringConvertible {
    /// The migration and the differences.
    package var description: String {
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
        for edit in editedMigrations {
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
        lines += handovers.map { "  > to be handed over: \($0)" } + suiteNotes.map { "  \($0)" }
        for name in completedOnRead { lines.append("  > \(name)  (on read, all records have been through it)") }
        lines += seeds.map { ErrorSummary.oneLine("  > the seed \"\($0)\" is applied") }
        if needsErasure { lines.append("  > records that were deleted before will be erased from the file") }
        lines += losses.summaries(removing: "removes:", replacing: "replaces by a conversion:").map { "  \($0)" }
        lines += noteLines
        if let space, space.isNotable { lines.append("  disk space: about \(space)") }
        return lines.joined(separator: "\n")
    }

    var headline: String {
        if isFresh { return "\(store): new, would be created at version \(to)" }
        if !faults.isEmpty { return "\(store): version \(from)" }
        if !needsRun, !journal.isEmpty { return "\(store): version \(to), with changes that have not been applied yet" }
        if !needsRun, !pendingWork.isEmpty || !waiting.isEmpty {
            return "\(store): up to date at version \(to), with work after the commit to do"
        }
        if !needsRun { return "\(store): up to date at version \(to)" + (seeds.isEmpty ? "" : ", with seeds to apply") }
        if !needsSteps { return "\(store): up to date at version \(to), except that the ledger has to be completed" }
        let entry = baseline.map { "gets version \($0) from `baseline`, " } ?? ""
        let versions = entry + (from == to ? "version \(to)" : "version \(from) to \(to)")
        return "\(store): \(versions), \(pending.count) of \(entries.count) migrations to run"
    }
}

// MARK: JSON

extension MigrationPlan {
    /// Writes the plan's JSON.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "store": store, "from": from, "to": to, "isFresh": isFresh, "baseline": baseline,
            "entries": entries.map(\.members), "problems": problems.map(\.members), "edits": edits.map(\.members),
            "notes": notes, "journal": journal, "movesFrom": movesFrom, "otherStores": otherStores,
            "needsErasure": needsErasure, "handovers": handovers, "seeds": seeds, "space": space,
        ])
    }
}

extension MoltError {
    /// An error that the plan names.
    fileprivate var members: EncodedMembers {
        ["code": code, "problem": problem, "advice": advice, "migration": migration]
    }
}

extension MigrationPlan.Entry {
    /// An entry, with the parts of its action beside it.
    fileprivate var members: EncodedMembers {
        var members: EncodedMembers = [
            "migration": migration, "action": action.name, "steps": steps, "losses": losses,
            "requirements": requirements, "work": work, "isWorkPending": isWorkPending, "neededBy": neededBy,
        ]
        members += action.parts
        return members
    }
}

extension MigrationPlan.Action {
    fileprivate var name: String {
        switch self {
        case .run: "run"
        case .runIfRecordsArrive: "runIfRecordsArrive"
        case .runOnSuites: "runOnSuites"
        case .startOnRead: "startOnRead"
        case .continueOnRead: "continueOnRead"
        case .record: "record"
        case .applied: "applied"
        case .wait: "wait"
        case .notNeeded: "notNeeded"
        case .leftToCache: "leftToCache"
        case .late: "late"
        case .partlyReplaced: "partlyReplaced"
        }
    }

    fileprivate var parts: EncodedMembers {
        switch self {
        case .record(let outcome), .applied(let outcome): ["outcome": outcome]
        case .runOnSuites(let suites): ["suites": suites]
        case .wait(let reason): ["reason": reason]
        case .notNeeded(let replacement): ["replacement": replacement]
        case .run, .runIfRecordsArrive, .startOnRead, .continueOnRead, .leftToCache, .late, .partlyReplaced: [:]
        }
    }
}
