extension MoltError {
    static func attemptsFailed(_ attempts: [UpgradeAttempt], of kind: StoreKind) -> MoltError {
        let last = attempts.last.map { " The last one: \($0)." } ?? ""
        return MoltError(
            .attemptsFailed,
            "The upgrade was interrupted \(attempts.count) times, for example by a crash.\(last) This build does not try it "
                + "again.",
            advice:
                "Find the reason; another build of the app tries again. To try once more with this one, \(kind == .cache ? "open the store" : "call `upgrade(with:)`") with "
                + "`retriesInterruptedUpgrades = true`. " + recoveryAdvice(kind),
            outcome: .unchanged,
            attempts: attempts
        )
    }

    /// The error for a store that another process must upgrade first.
    static func needsMigration(_ plan: MigrationPlan, waited time: Duration) -> MoltError {
        let what =
            if let path = plan.movesFrom, plan.from == plan.to {
                "The store is still at \(path) and must be moved to its place by another process."
            } else if plan.isFresh {
                "The store does not exist yet; another process must create it."
            } else if plan.needsRun {
                "The store is at version \(plan.from) and must be upgraded to \(plan.to) by another process."
            } else {
                "An upgrade is committed, but another process must still apply its changes outside the store."
            }
        let waited = time > .zero ? " None did so within \(time)." : ""
        return MoltError(
            .needsMigration,
            "\(what)\(waited)",
            advice: "Open the app once, then try again.",
            store: plan.store,
            storeVersion: plan.from,
            registryVersion: plan.to
        )
    }

    /// The error for a store that is only read, and of which a step needs more than single records.
    static func needsMigration(_ plan: MigrationPlan, of migration: Migration, _ step: MigrationStep) -> MoltError {
        MoltError(
            .needsMigration,
            "The store is at version \(plan.from) and cannot be read in the form of version \(plan.to) without an "
                + "upgrade: migration \(migration.id) has a step that changes more than the content of single records "
                + "(\(step)).",
            advice: "Open it with `init(at:)` in a process that may upgrade it, or wait there for another one: "
                + "`process = .helper(waiting:)`.",
            store: plan.store,
            migration: migration.id,
            storeVersion: plan.from,
            registryVersion: plan.to
        )
    }

    /// The error for a store that is only read, and whose file is still at its old place.
    static func needsMigration(_ plan: MigrationPlan, moving move: PendingMove) -> MoltError {
        MoltError(
            .needsMigration,
            "The store is still at \(move.path), from where the registry's `storeMove` has to move it.",
            advice: "Open it with `init(at:)` in a process that may upgrade it.",
            store: plan.store,
            storeVersion: plan.from,
            registryVersion: plan.to
        )
    }

    /// The error for a suite with changes that another store has committed and that cannot be made here.
    static func claimed(_ suite: Suite, by store: String, underlying: (any Error)? = nil) -> MoltError {
        MoltError(
            .journalPending,
            "The store at \(store) has committed changes to \(suite) that have not been applied yet, and they cannot be "
                + "applied here. What follows on the suite must wait for them.",
            advice: "Open that store first.",
            outcome: .unchanged,
            suite: suite.attachedName,
            underlying: underlying
        )
    }

    static func edited(_ edits: [MigrationPlan.Edit]) -> MoltError {
        let names = edits.map(\.description).joined(separator: "; ")
        let subject =
            edits.count == 1
            ? "A migration was edited after it was applied"
            : "\(edits.count) migrations were edited after they were applied"
        return MoltError(
            .migrationEdited,
            "\(subject) to the store: \(names).",
            advice: "A migration never changes once it has shipped: undo the edit, and add a new migration. If it "
                + "has not shipped yet, set `redoesUnshippedMigrations = true` in debug builds, which upgrades the "
                + "store again. If what was applied needs no change, accept the edit for this store with `accept-edit` "
                + "of the app's tool.",
            migration: edits.first?.migration
        )
    }
}
