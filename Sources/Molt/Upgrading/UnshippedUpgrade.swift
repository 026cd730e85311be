/// Puts a store back to its copy from before the last upgrade when that upgrade's migrations have changed since.
///
/// Used in debug builds only; see `MoltConfiguration.redoesUnshippedMigrations`.
struct UnshippedUpgrade {
    let store: StoreFile
    let registry: MigrationRegistry
    let configuration: MoltConfiguration

    /// Restores the copy from before the changed migrations; without one, replaces a cache with no attached suites
    /// with an empty one.
    ///
    /// It does nothing when an earlier migration has changed, too: the upgrade then fails with an error as usual.
    func undo(_ plan: MigrationPlan, waiting: () throws -> Void) throws {
        // A tool that opens the store without its migrations must not take them back.
        // A store without a ledger has been through none.
        guard !plan.isFresh, plan.journal.isEmpty, plan.baseline == nil, !registry.migrations.isEmpty else { return }
        let stores = AttachedStores(store, registry, configuration)
        let histories = try stores.histories(store.state())
        guard let (version, reason) = change(plan, histories.store) else { return }
        let outcome: String
        if let backup = try copy(of: histories.store, before: version) {
            try restore(backup, waiting)
            outcome = "put back to version \(backup.version)"
        } else if attachedSuites.isEmpty, try store.startAfresh(waiting: waiting) != nil {
            outcome = "started afresh, because there is no copy of its earlier state"
        } else {
            return
        }
        DebugWarning.print("\(store.storeName) was \(outcome): \(reason).")
    }

    private func restore(_ backup: StoreBackup, _ waiting: () throws -> Void) throws {
        let attached = attachedSuites
        if let suite = store.primary {
            try suite.restore(backup, suites: attached.filter { $0.attachedName != suite.attachedName })
            return
        }
        var request = RestoreRequest()
        request.keeping = BackupRequest(.replaced, version: 0)
        request.keep(attached)
        request.attached = Set(attached.map(\.attachedName))
        try store.restore(backup, request, waiting: waiting)
    }

    /// The suites of the store and of the registry, each once.
    private var attachedSuites: [Suite] {
        var names: Set<String> = []
        return (store.attached + registry.migrations.flatMap(\.attached)).compactMap(\.suite).filter {
            names.insert($0.attachedName).inserted
        }
    }

    /// The newest copy that an upgrade made of the store when it had only migrations below a version.
    private func copy(of history: History, before version: Int) throws -> StoreBackup? {
        let names = Set(history.rows.filter { $0.version < version }.map(\.name))
        return try store.backups().first { backup in
            // A copy that cannot be read is passed over.
            guard backup.isAutomatic, let path = try? store.files.path(of: backup),
                let copy = try? FileProbe.state(path)
            else { return false }
            return copy.version < version && copy.version >= registry.oldestSupportedVersion
                && names.isSuperset(of: copy.ledger.map(\.name))
        }
    }

    /// The version whose migrations have changed, which must be the store's last, and what has changed.
    private func change(_ plan: MigrationPlan, _ history: History) -> (version: Int, reason: String)? {
        if plan.from > plan.to {
            return (plan.to + 1, "it was at version \(plan.from), and the registry ends at \(plan.to)")
        }
        let missing = registry.unknown(in: history.rows)
        let edits = configuration.mismatches == .ignore ? [] : plan.editedMigrations
        let versions = missing.map(\.version) + edits.map(\.recordedVersion)
        guard versions.allSatisfy({ $0 == plan.from }) else { return nil }
        if let edit = edits.first { return (plan.from, "migration \(edit.migration) was edited") }
        return missing.first.map { (plan.from, "migration \"\($0.name)\" was renamed or removed") }
    }
}
