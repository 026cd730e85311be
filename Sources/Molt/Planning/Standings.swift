/// What a store has been through of a migration, as its histories tell before anything is planned.
enum Standing {
    /// It works on records alone, and the store has none.
    case withoutRecords
    /// It counts as applied because of the registry's baseline; the ledger may have a row that says so.
    case belowBaseline(isRecorded: Bool)
    /// The store has been through it, or through another one that replaces it.
    case applied(by: MigrationID?)
    /// A shortcut that the store has taken or will take replaces it.
    case skipped(for: MigrationID, isTaken: Bool)
    /// It is a shortcut that the store does not take: it goes through the migrations that this one replaces, and then
    /// counts this one as applied.
    case bypassed(isComplete: Bool)
    /// The store has been through all that it replaces.
    case replaced
    /// The store has been through some of what it replaces.
    case partlyReplaced(applied: [String], missing: [String])
    /// The store counts it as applied, and records go through it when they are read.
    case onRead
    /// A suite has no row of it, and one of a later migration, before which it stood in the registry that added the
    /// row.
    case past
    /// The store has not been through it.
    case open
    /// The store has not been through it, and has passed its version.
    case late

    var isApplied: Bool { status.isApplied }

    var status: MigrationPlan.Status {
        switch self {
        case .withoutRecords: .recordsOnly
        case .belowBaseline(isRecorded: false): .baseline
        case .belowBaseline(isRecorded: true), .applied, .past, .skipped(_, isTaken: true): .applied
        case .skipped(_, isTaken: false): .notNeeded
        case .bypassed(isComplete: true), .replaced: .replaced
        case .bypassed(isComplete: false), .partlyReplaced, .open: .pending
        case .onRead: .onRead
        case .late: .late
        }
    }

    /// The migration because of which the store counts it as applied.
    var replacement: MigrationID? {
        switch self {
        case .applied(let replacement): replacement
        case .skipped(let shortcut, _): shortcut
        case .withoutRecords, .belowBaseline, .bypassed, .replaced, .partlyReplaced, .onRead, .past, .open, .late: nil
        }
    }
}

/// What a store has been through of each migration of a registry.
///
/// A shortcut is a migration that replaces others which are still in the registry. A store that has been through none
/// of them takes the shortcut; any other store goes through those that it lacks.
struct Standings {
    private let registry: MigrationRegistry
    private let histories: Histories
    /// The names of all migrations that each migration replaces.
    private let replaced: [String: [String]]
    /// The names of all migrations that each shortcut replaces; see ``MigrationRegistry/replacedByShortcuts``.
    private let replacedByShortcuts: [String: Set<String>]
    /// The shortcuts that the store has taken or will take, by the names of the migrations that they replace.
    private var replacements: [String: MigrationID] = [:]
    /// The names of the shortcuts that the store does not take.
    private var bypassed: Set<String> = []
    /// The names of the shortcuts that the store has taken.
    private var taken: Set<String> = []
    /// The names of the replaced migrations of taken shortcuts, by the suites that have been through some of them.
    private var partlyThrough: [String: Set<String>] = [:]

    init(of registry: MigrationRegistry, _ histories: Histories) {
        self.registry = registry
        self.histories = histories
        let all = registry.allReplaced
        replaced = registry.migrations.reduce(into: [:]) { $0[$1.name] = registry.replaced(by: $1, all) }
        replacedByShortcuts = registry.shortcuts(among: all)
        if !replacedByShortcuts.isEmpty { chooseShortcuts() }
    }

    private mutating func chooseShortcuts() {
        let rows = histories.store.applied
        let belowBaseline = Set(registry.migrations.filter(histories.isBelowBaseline).map(\.name))
        let hasApplied = { [store = histories.store] name in belowBaseline.contains(name) || store.has(name) }
        // The row of a shortcut that was not taken says nothing that those of the replaced migrations do not.
        taken = Set(replacedByShortcuts.keys.filter { rows[$0].map { $0.outcome != .replaced } ?? false })
        // First those that the store has taken, then those that replace most, then in the order of the registry.
        func rank(_ shortcut: Migration) -> Int {
            taken.contains(shortcut.name) ? .max : replacedByShortcuts[shortcut.name]?.count ?? 0
        }
        let ordered = registry.migrations.filter { replacedByShortcuts[$0.name] != nil }.enumerated()
            .ordered { (rank($1.element), $0.offset) < (rank($0.element), $1.offset) }
            .map(\.element)
        for shortcut in ordered where replacements[shortcut.name] == nil {
            let replacedNames = replacedByShortcuts[shortcut.name] ?? []
            let partly = histories.suites.keys.filter {
                histories.isPartly($0, through: shortcut, replacedNames, registry)
            }
            if taken.contains(shortcut.name) {
                for name in partly { partlyThrough[name, default: []].formUnion(replacedNames) }
            } else if hasApplied(shortcut.name) {
                continue
            } else if !partly.isEmpty || replacedNames.contains(where: { hasApplied($0) || replacements[$0] != nil }) {
                bypassed.insert(shortcut.name)
                continue
            }
            for name in replacedNames where rows[name] == nil && !belowBaseline.contains(name) {
                replacements[name] = shortcut.id
            }
        }
    }

    /// The names of all migrations that one replaces.
    func replaced(by migration: Migration) -> [String] { replaced[migration.name] ?? [] }

    /// What the store has been through of a migration.
    subscript(migration: Migration) -> Standing {
        let history = histories.store
        guard histories.hasRecords || migration.worksOnSettings else { return .withoutRecords }
        if histories.isBelowBaseline(migration) { return .belowBaseline(isRecorded: false) }
        if let shortcut = replacements[migration.name] {
            return .skipped(for: shortcut, isTaken: taken.contains(shortcut.name))
        }
        if bypassed.contains(migration.name) {
            let replacedNames = replacedByShortcuts[migration.name] ?? []
            // Another shortcut that the store does not take is complete once what it replaces is.
            let parts = registry.migrations.filter { replacedNames.contains($0.name) && !bypassed.contains($0.name) }
            return .bypassed(isComplete: parts.allSatisfy { self[$0].isApplied })
        }
        if histories.isFresh { return .open }
        if let row = history.row(of: migration) {
            switch row.outcome {
            case .onRead: return .onRead
            case .baseline: return .belowBaseline(isRecorded: true)
            case .ran, .createdAtVersion, .replaced, .marked, .unmarked, .deferred:
                return .applied(by: history.replacement(of: migration.name)?.id)
            }
        }
        // The registry need not have the replacement.
        if let replacement = history.replacement(of: migration.name) { return .applied(by: replacement.id) }
        switch history.progress(through: migration) {
        case .all: return .replaced
        case .some(let applied, let missing) where !migration.completesReplacedMigrations:
            return .partlyReplaced(applied: applied, missing: missing)
        case .none, .some: break
        }
        if histories.kind == .suite, history.earlier.contains(migration.name), !isDeferred(migration) { return .past }
        let isLate = max(histories.version, history.version) > migration.version && !isDeferred(migration)
        return isLate ? .late : .open
    }

    /// Whether the store waits for a migration, which is then not late.
    ///
    /// A replacement of a deferred migration counts too, unless it uses records, which it may do only in order. So does
    /// a migration that a deferred shortcut replaces.
    private func isDeferred(_ migration: Migration) -> Bool {
        let waiting = histories.store.waiting
        let names = migration.steps.contains(where: \.usesRecords) ? [] : migration.replaces
        return waiting.contains(migration.name) || names.contains(where: waiting.contains)
            || replacedByShortcuts.contains { $1.contains(migration.name) && waiting.contains($0) }
    }

    // MARK: Suites

    /// Whether nothing of a migration is left to do for a suite.
    ///
    /// A suite that has been through any migration that a shortcut replaces does not take the shortcut.
    func isDone(_ migration: Migration, on suite: String) -> Bool {
        histories.hasCompleted(suite, migration, replacing: replacedByShortcuts[migration.name])
    }

    /// Whether a suite has been through some of the migrations that a taken shortcut replaces, and this is another one.
    func isDue(_ migration: Migration, on suite: String) -> Bool {
        partlyThrough[suite]?.contains(migration.name) == true
    }

    /// How far a suite is through what a migration replaces that is no shortcut, if it is partly.
    func progress(of suite: String, through migration: Migration) -> (applied: [String], missing: [String])? {
        guard replacedByShortcuts[migration.name] == nil, histories.suites[suite]?.hasApplied(migration) == false,
            case .some(let applied, let missing) = histories.progress(of: suite, through: migration)
        else { return nil }
        return (applied, missing)
    }
}

extension Histories {
    /// Whether the store counts a migration as applied because of the version at which the app says that it enters.
    fileprivate func isBelowBaseline(_ migration: Migration) -> Bool {
        guard let baseline, migration.version <= baseline else { return false }
        // A new store has no records from an earlier release, and still has to import those that are elsewhere.
        let imports = migration.steps.filter(\.runsOnFreshStore)
        return !isFresh || !imports.isEmpty && imports.allSatisfy { $0.settings != nil }
    }

    /// Whether a suite has been through some of the migrations that a shortcut replaces, but not through all that work
    /// on it.
    ///
    /// - Parameter replacedNames: The names of those that the shortcut replaces.
    fileprivate func isPartly(
        _ suite: String,
        through shortcut: Migration,
        _ replacedNames: Set<String>,
        _ registry: MigrationRegistry
    ) -> Bool {
        guard let history = suites[suite], !history.hasApplied(shortcut) else { return false }
        let parts = registry.migrations.filter { replacedNames.contains($0.name) }
        let onSuite = parts.filter { part in part.attached.contains { $0.name == suite } }.map(\.name)
        let retired = replacedNames.subtracting(parts.map(\.name))
        guard onSuite.contains(where: history.has) || retired.contains(where: history.has) else { return false }
        return !onSuite.allSatisfy(history.has) || !retired.allSatisfy { isPast($0, on: suite) }
    }
}
