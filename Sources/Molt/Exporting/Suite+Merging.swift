internal import Foundation

extension Suite {
    /// Upgrades settings that come in an older form, and merges them into the suite.
    ///
    /// ```swift
    /// let message = try JSONDecoder().decode(Message.self, from: received)  // from another device, or a file
    /// try Suite.standard.merge(message.settings, from: message.version, with: migrations, onConflict: .replace)
    /// ```
    ///
    /// The settings go through all migrations of later versions that work on them, in memory, and then into the suite.
    /// Those that a migration moves to another suite go into that one. The suites must be up to date, so upgrade them
    /// first, and open the cache if one works on them.
    ///
    /// Settings that a step hands over are handed over at once, before anything is set; see
    /// ``MigrationStep/handOverSettings(_:in:to:_:)``. Requirements, checks, and work after the commit are not run.
    /// If the process is killed while settings go into several suites, a part may be set: merge them again.
    ///
    /// - Parameters:
    ///   - values: The settings, as the suite of a release at that version had them. Keys of Molt's own are left out.
    ///   - version: The version of the registry of the release that wrote them; 0 if it had none. With one that is too
    ///     high, migrations are skipped without an error.
    ///   - migrations: The app's registry.
    ///   - policy: The policy for a key with another value in the suite; by default the suite's value stays.
    ///   - configuration: The suites that blocks use but steps do not name.
    /// - Returns: The outcomes of the settings that were merged, by suite and key: changed, replaced, kept, or already
    ///   current.
    /// - Throws: ``MoltError`` with the code `superseded` or `tooOld` for a version that the registry does not have;
    ///   `needsMigration` if a suite is not up to date; `unsupported` if a migration moves settings into records;
    ///   `keyExists` for a conflict, by the policy; or that of a step or a suite. Nothing is set then.
    @discardableResult
    public func merge(
        _ values: [String: PropertyListValue],
        from version: Int,
        with migrations: MigrationRegistry,
        onConflict policy: ConflictPolicy<PropertyListValue> = .keep,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> [MigrationReport.KeyOutcome] {
        try migrations.validate()
        return try SettingsMerge(into: self, migrations, configuration).run(values, from: version, policy)
    }

    /// What merging values changes, and what becomes of each.
    fileprivate func changes(
        merging values: [String: PropertyListValue],
        _ policy: ConflictPolicy<PropertyListValue>
    ) throws -> (set: [String: PropertyListValue], outcomes: [MigrationReport.KeyOutcome]) {
        let current = try self.values()
        var changes: [String: PropertyListValue] = [:]
        let outcomes = try values.sortedByKey.map { key, value in
            try checkForm(of: key, among: current)
            var outcome = MigrationReport.KeyOutcome(store: attachedName, key: key, outcome: .changed)
            guard let other = current[key] else {
                changes[key] = value
                return outcome
            }
            guard other != value else {
                outcome.outcome = .alreadyCurrent
                return outcome
            }
            switch try policy.choose(between: other, and: value) {
            case .existing: outcome.outcome = .kept
            case .new: (changes[key], outcome.outcome) = (value, .replaced)
            case .merged(let merged): changes[key] = merged.asStored()
            case .undecided:
                throw MoltError(
                    .keyExists,
                    "The settings in \(attachedName) have another value under the key \"\(key)\".",
                    advice: "Pass `onConflict:` to say which one stays.",
                    outcome: .unchanged,
                    suite: attachedName,
                    key: key
                )
            }
            return outcome
        }
        try check(current, with: changes.mapValues { .some($0) })
        return (changes, outcomes)
    }
}

/// Upgrades settings that are in no suite, and merges them into suites.
private final class SettingsMerge {
    private let own: Suite
    private let migrations: MigrationRegistry
    private let configuration: MoltConfiguration

    init(into suite: Suite, _ migrations: MigrationRegistry, _ configuration: MoltConfiguration) {
        own = suite
        // Blocks on records have nothing to do here.
        self.migrations = migrations.only { step in step.attached.contains { $0.suite != nil } }
        self.configuration = configuration
    }

    /// The suites that the upgrade may use, by their names as attached stores.
    private var suites: [String: Suite] {
        let all = [own] + configuration.suites + migrations.migrations.flatMap(\.attached).compactMap(\.suite)
        return Dictionary(firstOf: all.map { ($0.attachedName, $0) })
    }

    func run(
        _ values: [String: PropertyListValue],
        from version: Int,
        _ policy: ConflictPolicy<PropertyListValue>
    ) throws -> [MigrationReport.KeyOutcome] {
        let upgraded = try upgrade(values, from: version)
        let suites = suites
        let migrator = Migrator(
            migrations,
            configuration: configuration.unfollowed(stoppedBy: configuration.isCancelled)
        )
        let file = try StoreFile(upgrading: own, attaching: configuration.suites)
        return try migrator.lockingSuites(of: file) {
            try check(Set(upgraded.values.keys))
            let merged = try upgraded.values.sortedByKey.map { name, values in
                guard let suite = suites[name] else {
                    throw MoltError(
                        .suiteNotNamed,
                        "A migration brings settings into \(name), which the configuration does not name.",
                        advice: "Add it to `MoltConfiguration.suites`.",
                        suite: name
                    )
                }
                return (suite, try suite.changes(merging: values, policy))
            }
            // All that can be refused was, so that nothing is stored elsewhere or set before.
            for (item, receiver) in upgraded.handovers { try receiver.receive(item) }
            for (suite, changes) in merged where !changes.set.isEmpty { try suite.update(set: changes.set) }
            return merged.flatMap(\.1.outcomes)
        }
    }

    /// Makes sure that suites are available and up to date.
    private func check(_ names: Set<String>) throws {
        let plan = try own.plan(migrations, configuration: configuration)
        let viewpoint = Viewpoint(
            isExtension: configuration.process != .app,
            formerDomains: configuration.formerDomains
        )
        if plan.isSuperseded { try plan.checkProblems() }
        for name in names.sorted() {
            if let reason = try suites[name]?.unavailability(from: viewpoint) {
                throw MoltError(
                    .deferred,
                    reason,
                    advice: "Try again later.",
                    outcome: .unchanged,
                    suite: name
                )
            }
            let open = plan.entries.first { $0.isOpen(on: name) && $0.actions.runSteps }
            guard open == nil, plan.journal.isEmpty else {
                throw MoltError(
                    .needsMigration,
                    "The settings of \(name) are not up to date, so none can be merged into them.",
                    advice: "Upgrade them first, or open the cache that works on them.",
                    outcome: .unchanged,
                    migration: open?.migration,
                    suite: name
                )
            }
        }
    }

    /// Upgraded settings.
    private struct Upgraded {
        /// By suite, without those that migrations removed.
        var values: [String: [String: PropertyListValue]]
        /// What steps have taken out of them.
        var handovers: [(HandoverTable.Item, MigrationRegistry.HandoverReceiver)] = []
    }

    /// Upgrades settings of a version.
    private func upgrade(_ values: [String: PropertyListValue], from version: Int) throws -> Upgraded {
        try check(version)
        var content = values.withoutReservedKeys.mapValues { $0.asStored() }
        let name = own.attachedName
        let origin = SuiteLedger.Origin(migrations)
        let rows = migrations.withoutShortcuts.migrations.filter { $0.version <= version }.map { migration in
            let row = LedgerEntry(of: migration, in: migrations, outcome: .ran, appliedAt: Date(), appVersion: "")
            return SuiteLedger.Row(row, of: origin)
        }
        let original = content
        if !rows.isEmpty { content[Suite.ledgerKey] = try SuiteLedger(version: version, rows: rows).stored() }
        let standIns = suites.map { $0.value.standIn(with: $0.key == name ? content : [:]) }
        let ownStandIn = own.standIn(with: content)
        let store = StoreFile(inMemoryWith: configuration.attachedStores(standIns), upgrading: ownStandIn)
        defer { store.close() }
        var registry = migrations.importing(includesSettings: true)
        // The version was checked, and a ledger without rows does not say it.
        registry = registry.oldestVersion(0)
        let migrator = Migrator(
            registry,
            configuration: configuration.unfollowed(stoppedBy: configuration.isCancelled),
            mode: .importing(includesSettings: true)
        )
        let report = try migrator.migrate(store)
        if let waiting = report.deferred.first { throw unsupported(waiting) }
        var upgraded = Upgraded(values: [name: original])
        // Where nothing had to run, there is no store.
        guard try !store.state().isFresh else { return upgraded }
        try store.withSnapshot { transaction in
            for entry in try transaction.journal() {
                let patch = try SuitePatch(entry.changes)
                var values = upgraded.values[entry.store] ?? [:]
                // The memory of the suite says nothing about these settings.
                for (key, value) in try patch.changes(to: patch.snapshot, of: ownStandIn) { values[key] = value }
                upgraded.values[entry.store] = values.withoutReservedKeys
            }
            for handover in try transaction.state().handovers {
                guard configuration.process == .app else { throw notTheApp(handover.source) }
                for id in try transaction.handoverIDs(of: handover.source) {
                    guard let item = try transaction.handover(id),
                        let receiver = migrations.receiver(of: item, from: handover.source)
                    else { continue }
                    upgraded.handovers.append((item, receiver))
                }
            }
        }
        return upgraded
    }

    private func check(_ version: Int) throws {
        let oldest = migrations.oldestSupportedVersion
        guard version < oldest || version > migrations.version else { return }
        let isNewer = version > migrations.version
        throw MoltError(
            isNewer ? .superseded : .tooOld,
            "The settings have version \(version), and the registry "
                + (isNewer ? "knows versions up to \(migrations.version)." : "supports versions from \(oldest) on."),
            advice: isNewer ? "Update the app." : "Upgrade them with an earlier release.",
            outcome: .unchanged,
            suite: own.attachedName,
            storeVersion: version,
            registryVersion: isNewer ? migrations.version : oldest
        )
    }

    private func notTheApp(_ source: HandoverSource) -> MoltError {
        MoltError(
            .unsupported,
            "A step hands over some of the settings, which only the app does (\(source.step)).",
            advice: "Merge them in the app.",
            outcome: .unchanged,
            migration: source.migration,
            suite: own.attachedName
        )
    }

    private func unsupported(_ waiting: MigrationReport.Deferral) -> MoltError {
        MoltError(
            .unsupported,
            "The settings cannot go through migration \(waiting.migration): \(waiting.reason)",
            advice: "Import them with a cache.",
            outcome: .unchanged,
            migration: waiting.migration,
            suite: own.attachedName
        )
    }
}
