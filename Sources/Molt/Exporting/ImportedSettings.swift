internal import Foundation

/// The settings of an import: upgraded in stand-ins of their suites, and then merged into the suites.
final class ImportedSettings {
    private let path: String
    private let suites: TransferredSuites
    /// The suites of the export that are imported, by their names as attached stores.
    private let exported: [String: ExportedSuite]
    /// The upgraded settings, by their suites' names as attached stores.
    private var upgraded: [String: [String: PropertyListValue]] = [:]
    /// A stand-in of each suite that the upgrade may use; one that is not imported is empty.
    let standIns: [Suite]

    init(_ exported: [String: ExportedSuite], of suites: TransferredSuites, path: String) throws {
        self.path = path
        self.suites = suites
        let names = Set(suites.suites.map(\.attachedName))
        self.exported = exported.filter { names.contains($0.key) }
        standIns = try suites.attached.map { [exported = self.exported] suite in
            guard let found = exported[suite.attachedName] else { return suite.standIn(with: [:]) }
            var content = found.values
            let rows = found.migrations.map(\.row)
            if !rows.isEmpty {
                let version = rows.map(\.version).max() ?? 0
                let suiteLedger = SuiteLedger(version: version, rows: rows.map { SuiteLedger.Row($0) })
                content[Suite.ledgerKey] = try suiteLedger.stored()
            }
            return suite.standIn(with: content)
        }
    }

    // MARK: Upgrading

    /// Computes what the upgrade of the temporary store has made of the settings.
    ///
    /// - Parameter journal: The changes to the stand-ins, in the journal of the temporary store.
    func upgrade(by journal: [JournalEntry]) throws {
        var patches = Dictionary(try journal.map { ($0.store, try SuitePatch($0.changes)) }) { $1 }
        for suite in suites.suites {
            let name = suite.attachedName
            let patch = patches.removeValue(forKey: name)
            guard exported[name] != nil || patch?.arrived.isEmpty == false else {
                throw error(
                    .recordMissing,
                    "The file at \(path) has no settings of \(name).",
                    advice: "Import it without that suite.",
                    name
                )
            }
            var values = patch?.snapshot ?? exported[name]?.values.mapValues { $0.asStored() } ?? [:]
            if let patch {
                // The memory of the suite says nothing about the settings of the import.
                let standIn = standIns.first { $0.attachedName == name } ?? suite.standIn(with: [:])
                for (key, value) in try patch.changes(to: patch.snapshot, of: standIn) { values[key] = value }
            }
            upgraded[name] = values.withoutReservedKeys
        }
        guard let other = patches.filter({ !$1.arrived.isEmpty }).keys.min() else { return }
        throw error(
            .unsupported,
            "A migration brings settings from another suite into \(other), which is not imported.",
            advice: "Import that suite, too.",
            other
        )
    }

    // MARK: Merging

    /// Adds the changes to the suites to the journal of the open store, in a write transaction.
    func merge(into session: CacheSession, _ policy: ConflictPolicy<CodableCache>, _ summary: inout ImportSummary)
        throws
    {
        let entries: [JournalEntry]
        do {
            entries = try suites.read(session.connection).compactMap { suite, content in
                try entry(suite, content, policy, &summary)
            }
        } catch let error as SQLiteError {
            throw error
        } catch {
            throw error as? MoltError ?? MoltError(.suiteFailed, "The settings cannot be imported.", underlying: error)
        }
        try JournalTable.add(entries, to: session.connection)
    }

    /// The changes to a suite; nil if there are none.
    private func entry(
        _ suite: Suite,
        _ content: SuiteSnapshot,
        _ policy: ConflictPolicy<CodableCache>,
        _ summary: inout ImportSummary
    ) throws -> JournalEntry? {
        let name = suite.attachedName
        var patch = SuitePatch(snapshot: content.values.mapValues { $0.asStored() })
        patch.importID = UUID().uuidString
        for (key, value) in (upgraded[name] ?? [:]).sortedByKey {
            if let current = patch.snapshot[key] {
                guard current != value else { continue }
                switch policy.rule {
                case .fail, .merge, .newest, .newestSuite: throw conflict(key, name, "Pass `onConflict:`")
                case .mergeImported(_, nil): throw conflict(key, name, "Pass `settings:` to `merge`")
                case .mergeImported(_, let merge?):
                    summary.mergedSettings += 1
                    let merged = try self.merged(value, into: current, key, name, by: merge)
                    guard merged != current else { continue }
                    try suite.checkForm(of: key, among: patch.snapshot)
                    patch.set[key] = merged
                    continue
                case .keep, .newestValue:
                    summary.keptSettings += 1
                    continue
                case .replace: break
                }
            }
            summary.settings += 1
            try suite.checkForm(of: key, among: patch.snapshot)
            patch.set[key] = value
        }
        guard !patch.set.isEmpty else { return nil }
        try content.ledger?.checkWritable(in: suite)
        try suite.checkWritable()
        try suite.check(patch.snapshot, with: patch.set.mapValues { .some($0) })
        // An empty suite counts as through all migrations without a ledger, and one with settings does not.
        if content.ledger == nil { patch.rows = suites.rows(of: name) }
        return JournalEntry(store: name, changes: try patch.encoded())
    }

    /// - Returns: What the closure of a policy makes of an imported value and that of the suite.
    private func merged(
        _ value: PropertyListValue,
        into current: PropertyListValue,
        _ key: String,
        _ name: String,
        by merge: (inout PropertyListValue, PropertyListValue) throws -> Void
    ) throws -> PropertyListValue {
        do {
            var merged = current
            try merge(&merged, value)
            return merged.asStored()
        } catch {
            throw MoltError(inMerge: error, of: path, suite: name, key: key)
        }
    }

    private func conflict(_ key: String, _ name: String, _ remedy: String) -> MoltError {
        var error = error(
            .keyExists,
            "\(name) and the import have different values under the key \"\(key)\".",
            advice: "\(remedy) to say which one stays.",
            name
        )
        error.key = key
        return error
    }

    private func error(_ code: MoltError.Code, _ problem: String, advice: String? = nil, _ name: String) -> MoltError {
        MoltError(code, problem, advice: advice, outcome: .unchanged, store: path, suite: name)
    }
}
