extension History {
    /// Creates the part of a suite's history that is a registry's own: its migrations, and those of a newer or an older
    /// release of it.
    ///
    /// Another registry, such as that of a library or of another cache, may have migrated other keys of the suite. Its
    /// rows differ in what came before them: a row continues this registry's history if all of this registry came
    /// before it, and it is from another build of this registry if all that came before it is known here.
    init(of ledgers: [SuiteLedger], in registry: MigrationRegistry) {
        let names = registry.knownNames
        let oldest = registry.oldestSupportedVersion
        var positions: [ObjectIdentifier: RegistryPositions] = [:]
        self.init(
            ledgers.flatMap(\.rows).filter { row in
                if names.contains(row.entry.name) || row.entry.version <= oldest { return true }
                guard let predecessors = row.predecessors else { return true }
                let order = predecessors.order
                let own = positions[ObjectIdentifier(order)] ?? RegistryPositions(of: registry, names, in: order)
                positions[ObjectIdentifier(order)] = own
                return own.isBeforeOrAfter(predecessors.count, unsupported: row.oldestSupportedVersion ?? 0)
            }
        )
    }
}

extension SuiteLedger {
    /// The registry that adds rows.
    struct Origin {
        private let order: MigrationOrder
        private var counts: [String: Int] = [:]
        /// Nil for 0.
        let oldestSupportedVersion: Int?

        init(_ registry: MigrationRegistry) {
            var names: [String] = []
            var seen: Set<String> = []
            for migration in registry.migrations {
                names += migration.replaces.filter { seen.insert($0).inserted }
                counts[migration.name] = names.count
                if seen.insert(migration.name).inserted { names.append(migration.name) }
            }
            order = MigrationOrder(names)
            let oldest = registry.oldestSupportedVersion
            oldestSupportedVersion = oldest > 0 ? oldest : nil
        }

        func predecessors(of name: String) -> Predecessors {
            Predecessors(order: order, count: counts[name] ?? order.names.count)
        }
    }
}

/// The positions of a registry's migrations in the order of another one.
private struct RegistryPositions {
    /// The number of names at the beginning of the order that the registry knows.
    private let knownCount: Int
    private let migrations: [(version: Int, position: Int)]
    private let first: Int
    private let last: Int

    init(of registry: MigrationRegistry, _ known: Set<String>, in order: MigrationOrder) {
        let positions = Dictionary(firstOf: order.names.enumerated().map { ($1, $0) })
        knownCount = order.names.prefix(while: known.contains).count
        migrations = registry.migrations.map { ($0.version, positions[$0.name] ?? .max) }
        first = migrations.map(\.position).min() ?? .max
        last = migrations.map(\.position).max() ?? -1
    }

    /// Whether a row is from another build of the registry, as all that came before it is known, or continues it.
    ///
    /// - Parameters:
    ///   - count: The number of migrations before the row's.
    ///   - unsupported: The version up to which these may have been removed.
    func isBeforeOrAfter(_ count: Int, unsupported: Int) -> Bool {
        if 0 < count, count <= knownCount { return true }
        let continues =
            last < count
            || unsupported > 0 && migrations.allSatisfy { $0.position < count || $0.version <= unsupported }
        return continues && first < count
    }
}
