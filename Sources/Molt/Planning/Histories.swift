extension History {
    /// The row of a migration; nil if it is that of a part whose name a replacement has taken over.
    func row(of migration: Migration) -> LedgerEntry? {
        guard let row = applied[migration.name] else { return nil }
        guard migration.replaces.contains(migration.name), row.version < migration.version else { return row }
        return migration.replaces.allSatisfy(has) ? row : nil
    }

    /// Whether the target has been through a migration, or through one that replaces it.
    func hasApplied(_ migration: Migration) -> Bool {
        row(of: migration) != nil || replacement(of: migration.name) != nil
    }

    /// How far a target is through what a migration replaces.
    enum Progress: Equatable {
        case none
        /// - Parameters:
        ///   - applied: The names of those that it has been through.
        ///   - missing: The names of the others.
        case some(applied: [String], missing: [String])
        case all
    }

    /// How far the target is through what a migration replaces.
    ///
    /// - Parameter isPast: Returns whether nothing is left to do of a replaced migration that has no row.
    func progress(through migration: Migration, _ isPast: (String) -> Bool = { _ in false }) -> Progress {
        let applied = migration.replaces.filter(has)
        guard !applied.isEmpty else { return .none }
        let missing = migration.replaces.filter { !self.isPast($0) && !isPast($0) }
        return missing.isEmpty ? .all : .some(applied: applied, missing: missing)
    }
}

/// What a store has been through: its records, and each of its suites, which may have been through other migrations.
struct Histories {
    /// That of the store itself; for a suite that is upgraded without a cache, that of all the registry's suites.
    let store: History
    /// Those of suites by name, if the plan needs them.
    var suites: [String: History] = [:]
    let kind: StoreKind
    /// Whether the store does not exist yet: there is nothing that could have been through a migration.
    let isFresh: Bool
    /// The schema version that the store itself has.
    let storedVersion: Int
    /// The version at which the app says that the store enters, if it has no ledger.
    var baseline: Int?
    /// The attached stores with committed changes that are not applied yet.
    let journal: [String]
    /// Whether bytes of deleted records are still to be erased from the file.
    let needsErasure: Bool
    /// What steps have taken out of the store, and is still to be handed over.
    let handovers: [Handover]
    /// The number of the file's layout, if a later release of Molt wrote it and this one can read but not write it.
    let laterLayout: Int?

    /// The schema version from which the store is upgraded.
    var version: Int { baseline ?? storedVersion }

    var hasRecords: Bool { kind == .cache }

    /// The version and the rows as the file's own.
    var contents: StoreContents { StoreContents(version: version, ledger: store.rows) }

    /// Creates the history that a file has recorded.
    init(_ file: StoreState, of kind: StoreKind = .cache) {
        store = History(file.ledger)
        self.kind = kind
        isFresh = file.isFresh
        storedVersion = file.version
        journal = file.journal
        needsErasure = file.needsErasure
        handovers = file.handovers
        laterLayout = file.laterLayout
    }

    /// Creates that of a suite that is upgraded without a cache, of which no changes are pending.
    ///
    /// - Parameters:
    ///   - ledgers: Those of the registry's suites; its own is the first, if it has one.
    ///   - isEmpty: Whether the suite has neither settings nor a ledger.
    ///   - file: The state of the suite's file.
    init(ofSuites ledgers: [SuiteLedger], isEmpty: Bool, in registry: MigrationRegistry, _ file: StoreState = .fresh) {
        let all = History(of: ledgers, in: registry)
        let history = History(Self.merged(all.rows), earlier: all.earlier)
        let migrations = registry.migrations.filter(\.worksOnSettings)
        let versions = Dictionary(firstOf: migrations.map { ($0.name, $0.version) })
        // A migration that was marked as applied may have been so before earlier ones.
        let firstPending = migrations.filter { history.applied[$0.name] == nil }.map(\.version).min() ?? .max
        // Another registry may have applied the same migration at another version.
        let applied = history.applied.values.compactMap { row -> Int? in
            let version = versions[row.name] ?? row.version
            return row.outcome != .marked || version < firstPending ? version : nil
        }
        let isCurrent = migrations.allSatisfy { history.isPast($0.name) || history.waiting.contains($0.name) }
        store = history
        kind = .suite
        isFresh = history.rows.isEmpty && isEmpty && !migrations.isEmpty
        storedVersion = max(isCurrent ? registry.version : 0, applied.max() ?? 0)
        journal = []
        needsErasure = file.needsErasure
        handovers = file.handovers
        laterLayout = nil
    }

    /// The rows of several suites as one ledger: of each migration the first row, or the first of an applied one.
    private static func merged(_ rows: [LedgerEntry]) -> [LedgerEntry] {
        let applied = Set(rows.filter(\.outcome.isApplied).map(\.name))
        var names: Set<String> = []
        let kept = rows.filter { !applied.contains($0.name) || $0.outcome.isApplied }
        return kept.filter { names.insert($0.name).inserted }
    }

    /// How far a suite is through what a migration replaces.
    ///
    /// The registry need not have the replaced migrations any more: that one of them did not work on the suite follows
    /// from the rows of other targets.
    func progress(of suite: String, through migration: Migration) -> History.Progress {
        suites[suite]?.progress(through: migration) { isPast($0, on: suite) } ?? .none
    }

    /// Whether a suite has been through a migration, through all that it replaces, or through one that replaces it.
    ///
    /// - Parameter replacedNames: The names of all migrations that it replaces, if it is a shortcut, which a suite that
    ///   has been through any of them does not take.
    func hasCompleted(_ suite: String, _ migration: Migration, replacing replacedNames: Set<String>?) -> Bool {
        guard let history = suites[suite] else { return false }
        if history.hasApplied(migration) { return true }
        return replacedNames.map { $0.contains(where: history.has) }
            ?? (progress(of: suite, through: migration) == .all)
    }

    /// Whether nothing of a migration that the registry may not have is left to do for a suite.
    func isPast(_ name: String, on suite: String) -> Bool {
        if suites[suite]?.isPast(name) == true { return true }
        let rows = ([store] + suites.values).compactMap { $0.applied[name] }
        return !rows.isEmpty && rows.allSatisfy { $0.attachedCounts[suite] == nil }
    }
}
