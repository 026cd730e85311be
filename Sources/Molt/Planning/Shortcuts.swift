/// Which migrations of a registry a store does not need, because another one replaces them.
///
/// A shortcut is a migration that replaces others which are still in the registry. A store that has been through none
/// of them takes the shortcut; any other store goes through those that it lacks.
struct Shortcuts {
    /// The names of all migrations that each shortcut replaces; see ``MigrationRegistry/shortcutWays``.
    let ways: [String: Set<String>]
    /// The shortcuts that the store has taken or will take, by the names of the migrations that they replace.
    private(set) var replacements: [String: MigrationID] = [:]
    /// The names of the shortcuts that the store does not take, and counts as applied after the replaced migrations.
    private(set) var notTaken: Set<String> = []
    /// The names of the shortcuts that the store has taken.
    private var taken: Set<String> = []
    /// The names of the replaced migrations of taken shortcuts, by the suites that have been through some of them.
    private(set) var partlyThrough: [String: Set<String>] = [:]

    /// - Parameters:
    ///   - rows: The store's rows of applied migrations by name.
    ///   - entered: The names of the migrations that count as applied because the app says so.
    init(
        _ registry: MigrationRegistry,
        _ rows: [String: LedgerEntry],
        entered: Set<String>,
        _ suites: [String: AttachedStores.SuiteState]
    ) {
        ways = registry.shortcutWays
        guard !ways.isEmpty else { return }
        let applied = entered.union(rows.keys)
        // The row of a shortcut that was not taken says nothing that those of the replaced migrations do not.
        taken = Set(ways.keys.filter { rows[$0].map { $0.outcome != .replaced } ?? false })
        let shortcuts = registry.migrations.filter { ways[$0.name] != nil }
        // First those that the store has taken, then those that replace most, then in the order of the registry.
        func rank(_ shortcut: Migration) -> Int {
            taken.contains(shortcut.name) ? .max : ways[shortcut.name]?.count ?? 0
        }
        let ordered = shortcuts.enumerated()
            .ordered { (rank($1.element), $0.offset) < (rank($0.element), $1.offset) }
            .map(\.element)
        for shortcut in ordered where replacements[shortcut.name] == nil {
            let way = ways[shortcut.name] ?? []
            let partly = suites.filter { name, state in
                state.ledger?.isPartlyThrough(shortcut, way: registry.migrations(way, on: name)) == true
            }
            if taken.contains(shortcut.name) {
                for name in partly.keys { partlyThrough[name, default: []].formUnion(way) }
            } else if applied.contains(shortcut.name) {
                continue
            } else if !partly.isEmpty || way.contains(where: { applied.contains($0) || replacements[$0] != nil }) {
                notTaken.insert(shortcut.name)
                continue
            }
            for name in way where !applied.contains(name) { replacements[name] = shortcut.id }
        }
    }

    /// What the store does about a migration that is replaced, or a shortcut that it does not take; nil for any other.
    ///
    /// - Parameter entries: Those of the migrations before it.
    func statusAndAction(
        of migration: Migration,
        after entries: [MigrationPlan.Entry]
    ) -> (MigrationPlan.Status, MigrationPlan.Action)? {
        if let replacement = replacements[migration.name] {
            return (taken.contains(replacement.name) ? .applied : .notNeeded, .none)
        }
        guard notTaken.contains(migration.name) else { return nil }
        let way = ways[migration.name] ?? []
        let isApplied = entries.allSatisfy { $0.isApplied || !way.contains($0.migration.name) }
        return (isApplied ? .replaced : .pending, .recordOnly(.replaced))
    }
}

extension MigrationRegistry {
    /// The names of all migrations that each shortcut replaces, directly or by way of other shortcuts.
    package var shortcutWays: [String: Set<String>] {
        let names = Set(names)
        var ways: [String: Set<String>] = [:]
        for migration in migrations where migration.isShortcut(among: names) {
            ways[migration.name] = migration.replaces.reduce(into: []) { way, name in
                way.insert(name)
                way.formUnion(ways[name] ?? [])
            }
        }
        return ways
    }

    /// The names of all migrations that a migration replaces.
    func replaced(by migration: Migration) -> [String] {
        shortcutWays[migration.name]?.sorted() ?? migration.replaces
    }

    /// The names of those of some migrations that work on a suite.
    fileprivate func migrations(_ names: Set<String>, on suite: String) -> Set<String> {
        Set(
            migrations.filter { migration in
                names.contains(migration.name) && migration.attached.contains { $0.name == suite }
            }.map(\.name)
        )
    }
}

extension Migration {
    /// Whether the migrations that it replaces are in the registry, too.
    ///
    /// - Parameter names: The names of the registry's migrations.
    func isShortcut(among names: Set<String>) -> Bool {
        !replaces.isEmpty && replaces.allSatisfy { $0 != name && names.contains($0) }
    }
}

extension SuiteLedger {
    /// Whether the suite has been through some of the migrations that a shortcut replaces, but not through all that
    /// work on it.
    fileprivate func isPartlyThrough(_ shortcut: Migration, way: Set<String>) -> Bool {
        guard !hasRow(of: shortcut) else { return false }
        let applied = Set(rows.filter { $0.entry.outcome.isApplied }.map(\.entry.name))
        return !way.isDisjoint(with: applied) && !way.isSubset(of: applied)
    }
}
