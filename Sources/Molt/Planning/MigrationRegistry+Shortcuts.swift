extension MigrationRegistry {
    /// The names of all migrations that each one replaces, directly or through others.
    package var allReplaced: [String: Set<String>] {
        var allReplaced: [String: Set<String>] = [:]
        // A migration replaces earlier ones.
        for migration in migrations where !migration.replaces.isEmpty {
            allReplaced[migration.name] = migration.replaces.reduce(into: []) { replaced, name in
                replaced.insert(name)
                if name != migration.name { replaced.formUnion(allReplaced[name] ?? []) }
            }
        }
        return allReplaced
    }

    /// The ``allReplaced`` of the shortcuts.
    package var replacedByShortcuts: [String: Set<String>] { shortcuts(among: allReplaced) }

    func shortcuts(among allReplaced: [String: Set<String>]) -> [String: Set<String>] {
        guard !allReplaced.isEmpty else { return [:] }
        let names = Set(names)
        return allReplaced.filter { name, _ in
            migrations.contains { $0.name == name && $0.isShortcut(among: names, allReplaced) }
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
                : part.olderReleases == .write
                    ? .writable : part.olderReleases == .read ? .readable : .migration
        }
    }

    package func replaced(by migration: Migration) -> [String] {
        migration.replaces.isEmpty ? [] : replaced(by: migration, allReplaced)
    }

    /// - Parameter allReplaced: Those of the registry.
    func replaced(by migration: Migration, _ allReplaced: [String: Set<String>]) -> [String] {
        guard let names = allReplaced[migration.name], names != Set(migration.replaces) else {
            return migration.replaces
        }
        return names.sorted()
    }
}

extension Migration {
    /// Whether the migrations that it replaces are in the registry, too, or replaced by one that is.
    ///
    /// - Parameters:
    ///   - names: The names of the registry's migrations.
    ///   - allReplaced: Those of the registry.
    func isShortcut(among names: Set<String>, _ allReplaced: [String: Set<String>]) -> Bool {
        let kept = replaces.filter(names.contains)
        guard !kept.isEmpty, !replaces.contains(name) else { return false }
        let others = kept.reduce(into: Set<String>()) { $0.formUnion(allReplaced[$1] ?? []) }
        return replaces.allSatisfy { names.contains($0) || others.contains($0) }
    }
}
