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

/// The histories of a store's targets, each of which may have been through other migrations.
struct Histories {
    /// That of the store itself; for a suite that is upgraded without a cache, that of all the registry's suites.
    let store: History
    /// Those of suites by name.
    let suites: [String: History]

    /// How far a suite is through what a migration replaces.
    ///
    /// The registry need not have the replaced migrations any more: that one of them did not work on the suite follows
    /// from the rows of other targets.
    func progress(of suite: String, through migration: Migration) -> History.Progress {
        suites[suite]?.progress(through: migration) { isPast($0, on: suite) } ?? .none
    }

    /// Whether a suite has been through a migration, through all that it replaces, or through one that replaces it.
    ///
    /// - Parameter way: The names of all migrations that it replaces, if it is a shortcut, which a suite that has been
    ///   through any of them does not take.
    func hasSettled(_ suite: String, _ migration: Migration, way: Set<String>?) -> Bool {
        guard let history = suites[suite] else { return false }
        if history.hasApplied(migration) { return true }
        return way.map { $0.contains(where: history.has) } ?? (progress(of: suite, through: migration) == .all)
    }

    /// Whether nothing of a migration that the registry may not have is left to do for a suite.
    func isPast(_ name: String, on suite: String) -> Bool {
        if suites[suite]?.isPast(name) == true { return true }
        let rows = ([store] + suites.values).compactMap { $0.applied[name] }
        return !rows.isEmpty && rows.allSatisfy { $0.attachedCounts[suite] == nil }
    }
}
