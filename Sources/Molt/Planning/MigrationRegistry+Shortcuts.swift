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

    func shortcuts(among ways: [String: Set<String>]) -> [String: Set<String>] {
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
    func replaced(by migration: Migration, _ ways: [String: Set<String>]) -> [String] {
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
