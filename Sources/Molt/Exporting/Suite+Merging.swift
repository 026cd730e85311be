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
    /// Settings that a step hands over are handed over at once, before anything is merged; see
    /// ``MigrationStep/handOverSettings(_:in:to:_:)``. Requirements, checks, and work after the commit are not run.
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
    ///   `keyExists` for a conflict, by the policy; or that of a step or a suite. Nothing is merged then.
    @discardableResult
    public func merge(
        _ values: [String: PropertyListValue],
        from version: Int,
        with migrations: MigrationRegistry,
        onConflict policy: ConflictPolicy<PropertyListValue> = .keep,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> [MigrationReport.KeyOutcome] {
        try migrations.validate()
        let upgrade = SettingsUpgrade(of: self, migrations, configuration)
        let upgraded = try upgrade.run(values, from: version)
        return try upgrade.locking {
            try upgraded.sortedByKey.flatMap { name, values in
                try upgrade.suite(name).merge(values, policy)
            }
        }
    }

    /// Sets values, and returns what became of each.
    private func merge(
        _ values: [String: PropertyListValue],
        _ policy: ConflictPolicy<PropertyListValue>
    ) throws -> [MigrationReport.KeyOutcome] {
        var outcomes: [MigrationReport.KeyOutcome] = []
        try change { current in
            outcomes = []
            var changes: [String: PropertyListValue?] = [:]
            for (key, value) in values.sortedByKey {
                try checkForm(of: key, among: current)
                var outcome = MigrationReport.KeyOutcome(store: attachedName, key: key, outcome: .changed)
                defer { outcomes.append(outcome) }
                guard let other = current[key] else {
                    changes[key] = value
                    continue
                }
                guard other != value else {
                    outcome.outcome = .alreadyCurrent
                    continue
                }
                switch try policy.choose(between: other, and: value) {
                case .existing: outcome.outcome = .kept
                case .new: (changes[key], outcome.outcome) = (value, .replaced)
                case .merged(let merged): changes[key] = merged.asStored()
                case .undecided:
                    throw MoltError(
                        .keyExists,
                        "The suite has another value under the key.",
                        advice: "Pass `onConflict:` to say which one stays.",
                        outcome: .unchanged,
                        suite: attachedName,
                        key: key
                    )
                }
            }
            return changes
        }
        return outcomes
    }
}

/// An upgrade of settings that are in no suite.
private struct SettingsUpgrade {
    private let own: Suite
    private let migrations: MigrationRegistry
    private let configuration: MoltConfiguration

    init(of suite: Suite, _ migrations: MigrationRegistry, _ configuration: MoltConfiguration) {
        own = suite
        self.migrations = migrations
        self.configuration = configuration
    }

    /// The suites that the upgrade may use, by their names as attached stores.
    private var suites: [String: Suite] {
        let all = [own] + configuration.suites + migrations.migrations.flatMap(\.attached).compactMap(\.suite)
        return Dictionary(all.map { ($0.attachedName, $0) }) { first, _ in first }
    }

    func suite(_ name: String) throws -> Suite {
        guard let suite = suites[name] else {
            throw MoltError(.suiteNotNamed, "A migration brings settings into \(name).", suite: name)
        }
        return suite
    }

    /// Runs a closure while no upgrade changes the suites, which must be up to date.
    func locking<Value>(_ body: () throws -> Value) throws -> Value {
        let migrator = Migrator(
            migrations,
            configuration: configuration.unfollowed(stoppedBy: configuration.isCancelled)
        )
        return try migrator.lockingSuites(of: StoreFile(upgrading: own, attaching: configuration.suites)) {
            let plan = try own.plan(migrations, configuration: configuration)
            try plan.checkProblems()
            guard !plan.needsRun, plan.journal.isEmpty else {
                throw MoltError(
                    .needsMigration,
                    "The suite is not up to date, so settings cannot be merged into it.",
                    advice: "Upgrade it first, or open the cache that works on it.",
                    outcome: .unchanged,
                    migration: plan.pending.first,
                    suite: own.attachedName
                )
            }
            return try body()
        }
    }

    /// Upgrades settings of a version, and hands over what steps take out of them.
    ///
    /// - Returns: The upgraded settings by suite, without those that migrations removed.
    func run(_ values: [String: PropertyListValue], from version: Int) throws -> [String: [String: PropertyListValue]] {
        try check(version)
        var content = values.filter { !Suite.reservedKeys.contains($0.key) }.mapValues { $0.asStored() }
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
        let migrator = Migrator(
            migrations.importing(includesSettings: true),
            configuration: configuration.unfollowed(stoppedBy: configuration.isCancelled),
            mode: .importing(includesSettings: true)
        )
        let report = try migrator.migrate(store)
        if let waiting = report.deferred.first { throw unsupported(waiting) }
        var upgraded = [name: original]
        // Where nothing had to run, there is no store.
        guard try !store.state().isFresh else { return upgraded }
        try store.withSnapshot { transaction in
            for entry in try transaction.journal() {
                let patch = try SuitePatch(entry.changes)
                var values = upgraded[entry.store] ?? [:]
                // What is remembered of the suite itself says nothing about these settings.
                for (key, value) in try patch.changes(to: patch.snapshot, of: ownStandIn) { values[key] = value }
                upgraded[entry.store] = values.filter { !Suite.reservedKeys.contains($0.key) }
            }
            for handover in try transaction.state().handovers { try handover.passAll(in: transaction, to: migrations) }
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
