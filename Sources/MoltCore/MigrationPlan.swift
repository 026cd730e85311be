/// What would run on a store now: a printable value, computed without writing.
///
/// ```swift
/// let plan = try MigrationPlan(forFileAt: url, migrations: migrations)
/// print(plan)
/// ```
public struct MigrationPlan: Hashable, Sendable, Codable {
    /// How a migration stands to a store.
    public enum Status: String, Hashable, Sendable, Codable {
        /// It is in the registry and not in the ledger.
        case pending
        /// The ledger says that it was applied.
        case applied
        /// The migrations that it replaces have all been applied, so it counts as applied.
        case replaced
        /// It is not in the ledger, though the store has passed its version.
        case late
        /// The store is new: it is born at the registry's version.
        case skippedFresh
        /// The store is new, but an earlier migration may bring records in, and then this one runs on those.
        case afterImport
        /// It must wait, and a later opening tries again.
        case deferred
    }

    /// A migration in the plan.
    public struct Entry: Hashable, Sendable, Codable {
        /// The migration.
        public var migration: MigrationID
        /// Its steps, in words.
        public var steps: [String]
        /// How it stands to the store.
        public var status: Status
        /// Whether it would run: all its steps, or on a fresh store those that bring data in.
        public var willRun: Bool
        /// What it waits for, in a sentence, when it is deferred.
        public var deferral: String?
        /// Whether the ledger has a row for it, be it one that says that it was deferred.
        var isRecorded = false
    }

    /// Why the store cannot be upgraded.
    public struct Problem: Hashable, Sendable, Codable {
        /// The code of the error that opening the store throws.
        public var code: MigrationError.Code
        /// What is wrong and what to do.
        public var message: String
        /// The migration that it is about, when it is about one.
        public var migration: MigrationID?
        /// The registry's side of a problem of versions: the version that it brings a store to, or, for a store that
        /// is too old, the oldest one that it supports.
        public var registryVersion: Int?
    }

    /// A migration that was edited after the store had counted it as applied.
    public struct Edit: Hashable, Sendable, Codable {
        /// The migration as the registry has it.
        public var migration: MigrationID
        /// The ``Migration/fingerprint`` that the ledger has.
        public var recorded: String
        /// The one that the migration has now.
        public var current: String
        /// The version that it brought the store to when it was applied.
        public var recordedVersion: Int
        /// Whether its steps are others than those that were applied, and not its version alone.
        public var hasOtherSteps: Bool
    }

    /// The store, by its file's path or by the name of its suite.
    public var store: String
    /// The version that the store carries.
    public var from: Int
    /// The version that it would carry afterwards.
    public var to: Int
    /// Whether there is no store yet.
    public var isFresh: Bool
    /// The registry's migrations, in the order in which they run.
    public var entries: [Entry]
    /// Why the store cannot be upgraded; empty when it can.
    public var problems: [Problem]
    /// The attached stores to which the changes of a committed upgrade have not been applied yet: that comes first.
    public var journal: [String]
    /// The migrations that were edited after the store had counted them as applied; that is no problem by itself.
    public var edits: [Edit]

    /// The migrations that would run, in their order; not those of which it depends on what others bring in.
    public var pending: [MigrationID] {
        entries.filter(\.willRun).map(\.migration)
    }

    /// The migrations that the store counts as applied, in the registry's order.
    public var applied: [MigrationID] {
        entries.filter { $0.status == .applied || $0.status == .replaced }.map(\.migration)
    }

    /// The migrations that the store counts as applied, up to the first one that it does not.
    public var completed: [MigrationID] {
        entries.prefix { $0.status == .applied || $0.status == .replaced }.map(\.migration)
    }

    /// Whether opening the store would write to it.
    public var needsUpgrade: Bool {
        needsRun || !journal.isEmpty
    }

    /// Whether there is something to write into the ledger.
    var needsRun: Bool {
        isFresh || from != to || entries.contains { $0.willRun }
    }

    /// The migrations that must wait, with the reasons.
    public var deferred: [MigrationReport.Deferral] {
        entries.compactMap { entry in
            entry.deferral.map { MigrationReport.Deferral(migration: entry.migration, reason: $0) }
        }
    }

    /// Whether a newer app has upgraded the store, or one that has other migrations.
    public var isSuperseded: Bool {
        problems.contains { $0.code == .superseded || $0.code == .migrationMissing }
    }

    /// Computes the plan for a store; reads the store's state and nothing else.
    ///
    /// Settings and other things outside the store that a pending migration works on are looked at, too.
    ///
    /// - Parameter role: Who would open it; an app extension cannot see all that the app sees.
    /// - Throws: ``MigrationError`` with the code `invalidRegistry`, or what the store throws.
    package init(
        for store: any MigrationStore,
        migrations: MigrationRegistry,
        role: MigrationRole = .current
    ) throws {
        try migrations.validate()
        let attachments = Attachments(store.attachments, migrations, role: role)
        try self.init(store.state(), storeName: store.storeName, migrations: migrations, attachments)
    }

    /// Throws what is in the way of an upgrade, when something is.
    ///
    /// - Throws: ``MigrationError`` with the code of the first problem.
    public func checkProblems() throws {
        guard let problem = problems.first else { return }
        var error = MigrationError(problem.code, problem.message)
        error.store = store
        error.migration = problem.migration
        error.storeVersion = from
        error.registryVersion = problem.registryVersion ?? to
        throw error
    }
}

extension MigrationPlan.Edit: CustomStringConvertible {
    /// The migration, and what is not as it was.
    public var description: String {
        let version = recordedVersion == migration.version ? nil : "applied as version \(recordedVersion)"
        let steps = hasOtherSteps ? "with other steps than before" : nil
        return ([migration.description] + [version, steps].compactMap(\.self)).joined(separator: ", ")
    }
}

extension MigrationPlan: CustomStringConvertible {
    /// The plan as a few lines of text.
    public var description: String {
        var lines = [headline]
        if !journal.isEmpty {
            lines.append(
                "  > changes of a committed upgrade are still to be made to: \(journal.joined(separator: ", "))"
            )
        }
        for problem in problems {
            lines.append("  cannot be upgraded: \(problem.message)")
        }
        for edit in edits {
            lines.append("  edited after it was applied: \(edit)")
        }
        for entry in entries {
            lines.append(
                "  \(mark(of: entry)) \(entry.migration.version)  \(entry.migration.name)  (\(words(for: entry)))"
            )
            if let deferral = entry.deferral { lines.append("       \(deferral)") }
            for step in entry.steps where entry.willRun {
                lines.append("       - \(step)")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// What would be done, in a few words.
    var headline: String {
        if isFresh { return "\(store): new, would be created at version \(to)" }
        if !problems.isEmpty { return "\(store): version \(from)" }
        if !needsRun, !journal.isEmpty { return "\(store): version \(to), with changes that are still to be made" }
        if !needsUpgrade { return "\(store): up to date at version \(to)" }
        return "\(store): version \(from) to \(to), \(pending.count) of \(entries.count) migrations to run"
    }

    private func mark(of entry: Entry) -> String {
        entry.willRun ? ">" : "·"
    }

    private func words(for entry: Entry) -> String {
        switch entry.status {
        case .pending: "pending"
        case .applied: "applied"
        case .replaced: "applied, as the migrations that it replaces"
        case .late: entry.willRun ? "late, will run" : "late"
        case .skippedFresh: entry.willRun ? "new store, only brings data in" : "new store, skipped"
        case .afterImport: "new store, runs if records were brought in"
        case .deferred: "must wait"
        }
    }
}
