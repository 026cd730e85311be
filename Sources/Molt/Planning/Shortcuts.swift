/// Which migrations of a registry a store does not need, because another one replaces them.
///
/// A shortcut is a migration that replaces others which are still in the registry. A store that has been through none
/// of them takes the shortcut; any other store goes through those that it lacks.
struct Shortcuts {
    /// The names of all migrations that each shortcut replaces; see ``MigrationRegistry/shortcutWays``.
    let ways: [String: Set<String>]
    /// The names of all migrations that each migration replaces.
    let replaced: [String: [String]]
    /// The shortcuts that the store has taken or will take, by the names of the migrations that they replace.
    private(set) var replacements: [String: MigrationID] = [:]
    /// The names of the shortcuts that the store does not take, and counts as applied after the replaced migrations.
    private(set) var notTaken: Set<String> = []
    /// The names of the shortcuts that the store has taken.
    private var taken: Set<String> = []
    /// The names of the replaced migrations of taken shortcuts, by the suites that have been through some of them.
    private(set) var partlyThrough: [String: Set<String>] = [:]

    /// - Parameters:
    ///   - entered: The names of the migrations that count as applied because the app says so.
    init(
        _ registry: MigrationRegistry,
        _ histories: Histories,
        entered: Set<String>
    ) {
        let all = registry.ways
        replaced = registry.migrations.reduce(into: [:]) { $0[$1.name] = registry.replaced(by: $1, all) }
        ways = registry.shortcuts(among: all)
        guard !ways.isEmpty else { return }
        let rows = histories.store.applied
        let hasApplied = { name in entered.contains(name) || histories.store.has(name) }
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
            let partly = histories.suites.keys.filter { histories.isPartly($0, through: shortcut, way, registry) }
            if taken.contains(shortcut.name) {
                for name in partly { partlyThrough[name, default: []].formUnion(way) }
            } else if hasApplied(shortcut.name) {
                continue
            } else if !partly.isEmpty || way.contains(where: { hasApplied($0) || replacements[$0] != nil }) {
                notTaken.insert(shortcut.name)
                continue
            }
            for name in way where rows[name] == nil && !entered.contains(name) { replacements[name] = shortcut.id }
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

extension Histories {
    /// Whether a suite has been through some of the migrations that a shortcut replaces, but not through all that work
    /// on it.
    ///
    /// - Parameter way: The names of those that the shortcut replaces.
    fileprivate func isPartly(
        _ suite: String,
        through shortcut: Migration,
        _ way: Set<String>,
        _ registry: MigrationRegistry
    ) -> Bool {
        guard let history = suites[suite], !history.hasApplied(shortcut) else { return false }
        let parts = registry.migrations.filter { way.contains($0.name) }
        let onSuite = parts.filter { part in part.attached.contains { $0.name == suite } }.map(\.name)
        let retired = way.subtracting(parts.map(\.name))
        guard onSuite.contains(where: history.has) || retired.contains(where: history.has) else { return false }
        return !onSuite.allSatisfy(history.has) || !retired.allSatisfy { isPast($0, on: suite) }
    }
}

extension MigrationRegistry {
    /// The names of all migrations that each one replaces, directly or by way of others.
    package var ways: [String: Set<String>] {
        var ways: [String: Set<String>] = [:]
        // A migration replaces earlier ones.
        for migration in migrations where !migration.replaces.isEmpty {
            ways[migration.name] = migration.replaces.reduce(into: []) { way, name in
                way.insert(name)
                if name != migration.name { way.formUnion(ways[name] ?? []) }
            }
        }
        return ways
    }

    /// The ``ways`` of the shortcuts.
    package var shortcutWays: [String: Set<String>] { shortcuts(among: ways) }

    fileprivate func shortcuts(among ways: [String: Set<String>]) -> [String: Set<String>] {
        guard !ways.isEmpty else { return [:] }
        let names = Set(names)
        return ways.filter { name, _ in
            migrations.contains { $0.name == name && $0.isShortcut(among: names, ways) }
        }
    }

    /// What rows of a migration say about those that it replaces.
    package func replacedKinds(by migration: Migration) -> [String: LedgerEntry.Replaced] {
        guard !migration.replaces.isEmpty else { return [:] }
        let names = Set(replaced(by: migration)).subtracting([migration.name])
        return migrations.reduce(into: [:]) { kinds, part in
            guard names.contains(part.name) else { return }
            kinds[part.name] =
                !part.replaces.isEmpty
                ? .replacement
                : part.isWritableByOlderReleases
                    ? .writable : part.isReadableByOlderReleases ? .readable : .migration
        }
    }

    /// The names of all migrations that a migration replaces.
    package func replaced(by migration: Migration) -> [String] {
        migration.replaces.isEmpty ? [] : replaced(by: migration, ways)
    }

    /// - Parameter ways: Those of the registry.
    fileprivate func replaced(by migration: Migration, _ ways: [String: Set<String>]) -> [String] {
        guard let way = ways[migration.name], way != Set(migration.replaces) else { return migration.replaces }
        return way.sorted()
    }
}

extension Migration {
    /// Whether the migrations that it replaces are in the registry, too, or replaced by one that is.
    ///
    /// - Parameters:
    ///   - names: The names of the registry's migrations.
    ///   - ways: Those of the registry.
    func isShortcut(among names: Set<String>, _ ways: [String: Set<String>]) -> Bool {
        let kept = replaces.filter(names.contains)
        guard !kept.isEmpty, !replaces.contains(name) else { return false }
        let others = kept.reduce(into: Set<String>()) { $0.formUnion(ways[$1] ?? []) }
        return replaces.allSatisfy { names.contains($0) || others.contains($0) }
    }
}
