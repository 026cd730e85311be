package import Foundation

/// Puts a store back to its copy from before the last upgrade when that upgrade's migrations have changed since.
///
/// Used in debug builds only; see `MigrationOptions.redoesUnshippedMigrations`.
struct UnshippedUpgrade {
    let store: any BackedUpStore
    let registry: MigrationRegistry
    let options: MigrationOptions

    /// Restores the newest copy from before the changed migrations, or starts afresh if there is none.
    ///
    /// It does nothing when an earlier migration has changed, too: the upgrade then fails with an error as usual.
    func undo(_ plan: MigrationPlan, waiting: () throws -> Void) throws {
        let mark = RedoMark(of: store)
        guard !plan.isFresh, let (version, reason) = try change(plan, mark) else { return }
        // A copy that cannot be read is passed over.
        let backup = try store.backups().first { backup in
            (try? store.storeState(in: backup)).map { $0.version < version } ?? false
        }
        let outcome: String
        if let backup {
            var request = RestoreRequest()
            request.keeping = BackupRequest(.replaced, version: 0)
            let attached = store.attachments + registry.migrations.flatMap(\.attached)
            request.attached = Set(attached.map(\.attachedName) + [store.storeName])
            try store.restore(backup, request, waiting: waiting)
            outcome = "put back to version \(backup.schemaVersion)"
        } else if try store.startAfresh(waiting: waiting) != nil {
            outcome = "started afresh, because there is no copy from before that"
        } else {
            return
        }
        mark?.clear()
        DebugWarning.print("\(store.storeName) was \(outcome): \(reason).")
    }

    /// The version whose migrations have changed, which must be the store's last, and what has changed.
    private func change(_ plan: MigrationPlan, _ mark: RedoMark?) throws -> (version: Int, reason: String)? {
        if plan.from > plan.to {
            return (plan.to + 1, "it was at version \(plan.from), and the registry ends at \(plan.to)")
        }
        let state = try store.state()
        let known = Set(registry.migrations.flatMap { [$0.name] + $0.replaces })
        let missing = state.ledger.filter { $0.version > registry.oldestSupportedVersion && !known.contains($0.name) }
        let edits = options.editedMigrations == .ignore ? [] : plan.edits
        let versions = missing.map(\.version) + edits.map(\.recordedVersion)
        guard versions.allSatisfy({ $0 == plan.from }) else { return nil }
        if let edit = edits.first { return (plan.from, "migration \(edit.migration) was edited") }
        if let row = missing.first { return (plan.from, "migration \"\(row.name)\" was renamed or removed") }
        return mark?.isSet == true ? (plan.from, "the shape of a type changed") : nil
    }
}

/// An empty file beside a store: a value had another shape than those in the store, so the last upgrade is redone.
package struct RedoMark: Sendable {
    private let url: URL

    /// - Parameter attempts: The store's file of attempts.
    package init(beside attempts: URL) {
        url = URL(fileURLWithPath: attempts.path + "-redo")
    }

    init?(of store: any MigrationStore) {
        guard let attempts = store.attemptsURL else { return nil }
        self.init(beside: attempts)
    }

    var isSet: Bool { FileManager.default.fileExists(atPath: url.path) }

    /// Without the mark, the error that the caller throws still says what to do.
    package func set() {
        try? Data().write(to: url)
    }

    /// If the mark stays, the upgrade is redone once more.
    func clear() {
        try? FileManager.default.removeItem(at: url)
    }
}
