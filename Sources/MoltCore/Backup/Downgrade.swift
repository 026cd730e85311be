internal import Foundation

/// Goes on with a store that a newer app has upgraded, as the options say.
package struct Downgrade {
    private let registry: MigrationRegistry
    private let options: MigrationOptions

    /// Looks at nothing yet.
    package init(_ registry: MigrationRegistry, _ options: MigrationOptions) {
        self.registry = registry
        self.options = options
    }

    // MARK: Changing the store

    /// Changes a store that a newer app has upgraded, where the options say so and the app confirms it.
    ///
    /// - Returns: Whether the store is another one now, so that a plan is to be made anew.
    /// - Throws: ``MigrationError`` with the code `superseded`, which says why what was wanted could not be done.
    func run(on store: any MigrationStore, _ plan: MigrationPlan) throws -> Bool {
        guard plan.isSuperseded, !options.isDryRun else { return false }
        // Who must not upgrade the store must not do this to it either.
        if case .others = options.duty { return false }
        switch options.downgrade {
        case .refuse:
            return false
        case .openReadOnly:
            throw superseded(plan, "It can be opened for reading only as a cache.")
        case .restoreBackup(let confirm):
            guard let store = store as? any BackedUpStore else {
                throw superseded(plan, "There are no backups of a store of this kind.")
            }
            try restore(store, plan, confirm)
        case .startAfresh(let confirm):
            guard let store = store as? any BackedUpStore, store.canStartAfresh else {
                throw superseded(plan, "Only a cache in a file can be started afresh.")
            }
            try startAfresh(store, plan, confirm)
        }
        return true
    }

    private func restore(
        _ store: any BackedUpStore,
        _ plan: MigrationPlan,
        _ confirm: (DowngradeLoss) -> Bool
    ) throws {
        let (usable, missing) = try newestUsable(of: store)
        guard let usable else {
            guard !missing.isEmpty else { throw superseded(plan, "There is no backup that this app could open.") }
            let names = missing.joined(separator: " and ")
            throw superseded(
                plan,
                "The backup that there is has \(names) as well, which nothing attaches here. Attach \(names) where the "
                    + "store is opened (in the configuration's `attached`), so that all of it can be put back."
            )
        }
        let state = try store.state()
        let (more, left) = try changedSince(usable, of: store, state)
        var loss = try loss(of: store, state, plan)
        loss.backup = usable.backup
        loss.attachedStores = usable.journal + more.map(\.store)
        loss.storesLeft = left
        // Whoever is asked may take minutes: no lock is held meanwhile.
        guard confirm(loss) else { throw superseded(plan, "The backup was not put back.") }
        var lock = LockWait(options: options, attempt: AttemptNote(store, options))
        var request = RestoreRequest()
        request.more = more
        var keeping = BackupRequest(
            .replaced,
            version: state.version,
            policy: options.backup ?? BackupPolicy()
        ) {
            try options.checkCancellation()
        }
        // A policy has no choice to keep none.
        let kind = store.canStartAfresh ? "CodableCache" : "Suite"
        keeping.otherwise = "put the backup back with \(kind).restore and keepsReplaced: false"
        request.keeping = keeping
        request.keep(attachedStores(named: loss.attachedStores, of: store))
        try store.restore(usable.backup, request, checking: isAsConfirmed(state, plan)) { try lock.wait() }
        options.monitor?.send(.restored(usable.backup))
    }

    private func startAfresh(
        _ store: any BackedUpStore,
        _ plan: MigrationPlan,
        _ confirm: (DowngradeLoss) -> Bool
    ) throws {
        let state = try store.state()
        guard confirm(try loss(of: store, state, plan)) else { throw superseded(plan, "It was not started afresh.") }
        var lock = LockWait(options: options, attempt: AttemptNote(store, options))
        let request = BackupRequest(.aside, version: state.version, policy: options.backup ?? BackupPolicy()) {
            try options.checkCancellation()
        }
        let aside = try store.startAfresh(request, checking: isAsConfirmed(state, plan)) { try lock.wait() }
        options.monitor?.send(.startedAfresh(keptAside: aside))
    }

    /// A backup that can be put back.
    private struct Usable {
        var backup: StoreBackup
        /// The attached stores that come back with it.
        var journal: [String]
    }

    /// The newest backup that is whole and that the registry can upgrade, or need not.
    ///
    /// One that has an attached store that is not at hand is none: what it has of that could not be put back, and the store
    /// not be opened before it is.
    ///
    /// - Returns: The backup, if there is one; otherwise the attached stores for want of which the newest one is none.
    private func newestUsable(of store: any BackedUpStore) throws -> (Usable?, missing: [String]) {
        let attached = Set(attachedStores(of: store).map(\.attachedName))
        var missing: [String] = []
        for backup in try store.backups() {
            // One that cannot be read, or is damaged, is of no use; an older one may be.
            guard let state = try? store.storeState(in: backup) else { continue }
            let plan = MigrationPlan(state: state, storeName: store.storeName, migrations: registry)
            guard state.unfinished == nil, plan.problems.isEmpty, (try? store.verify(backup)) != nil else { continue }
            let unknown = state.journal.filter { !attached.contains($0) }
            if unknown.isEmpty { return (Usable(backup: backup, journal: state.journal), []) }
            if missing.isEmpty { missing = unknown }
        }
        return (nil, missing)
    }

    /// The stores that are attached where the store is opened, or named by the registry.
    private func attachedStores(of store: any BackedUpStore) -> [any AttachedStore] {
        store.attachments + registry.migrations.flatMap(\.attached)
    }

    /// What brings back the attached stores of which a backup has nothing, and on which upgrades since it have worked.
    ///
    /// Each is in the first backup after it that was made for such an upgrade. One that was made later has what an upgrade
    /// left.
    ///
    /// - Returns: What brings them back, and the names of those that nothing at hand does.
    private func changedSince(
        _ usable: Usable,
        of store: any BackedUpStore,
        _ state: StoreState
    ) throws -> ([JournalEntry], left: [String]) {
        func changed(_ found: StoreState) throws -> Set<String> {
            let applied = Set(try store.storeState(in: usable.backup).ledger.map(\.name))
            return Set(found.ledger.filter { !applied.contains($0.name) }.flatMap(\.attachedCounts.keys))
        }
        var wanted = try changed(state).subtracting(usable.journal + [store.storeName])
        let attached = Set(attachedStores(of: store).map(\.attachedName))
        var entries: [JournalEntry] = []
        for backup in try store.backups().filter({ $0 > usable.backup }).sorted() where !wanted.isEmpty {
            guard !wanted.intersection(attached).isDisjoint(with: backup.attachedStores),
                (usable.backup.schemaVersion..<state.version).contains(backup.schemaVersion),
                let found = try? store.storeState(in: backup), (try? store.verify(backup)) != nil,
                let journal = try? store.journal(in: backup)
            else { continue }
            let earlier = try changed(found)
            for entry in journal where attached.contains(entry.store) && !earlier.contains(entry.store) {
                if wanted.remove(entry.store) != nil { entries.append(entry) }
            }
        }
        return (entries, wanted.sorted())
    }

    /// Those of the attached stores that have the names.
    private func attachedStores(named names: [String], of store: any BackedUpStore) -> [any AttachedStore] {
        let known = Dictionary(attachedStores(of: store).map { ($0.attachedName, $0) }) { first, _ in first }
        return names.compactMap { known[$0] }
    }

    private func loss(of store: any BackedUpStore, _ state: StoreState, _ plan: MigrationPlan) throws -> DowngradeLoss {
        DowngradeLoss(
            store: store.storeName,
            storeVersion: state.version,
            registryVersion: registry.version,
            unknownMigrations: unknown(in: state).map { MigrationID(name: $0.name, version: $0.version) },
            unfinishedMigration: state.unfinished?.migration,
            recordCount: try store.recordCount(),
            backup: nil,
            attachedStores: []
        )
    }

    /// Refuses to go on when another process has changed the store's version since somebody was asked about it.
    private func isAsConfirmed(_ state: StoreState, _ plan: MigrationPlan) -> (StoreState?) throws -> Void {
        { found in
            guard let found, found.version == state.version, found.ledger == state.ledger else {
                throw superseded(plan, "Another process changed it meanwhile. Open it again.")
            }
        }
    }

    // MARK: Reading

    /// Decides whether a store that a newer app has upgraded may be read as it is.
    ///
    /// - Returns: What the opening did, which is nothing; nil when the store is no newer than the registry.
    /// - Throws: ``MigrationError`` with the code `superseded`, which says what stands in the way.
    package func reading(_ store: any MigrationStore) throws -> MigrationReport? {
        let startedAt = Date()
        try registry.validate()
        let state = try store.state()
        let plan = MigrationPlan(state: state, storeName: store.storeName, migrations: registry)
        guard plan.isSuperseded else { return nil }
        options.monitor?.send(.planned(plan))
        do {
            try checkReadable(state, plan)
        } catch {
            options.monitor?.send(.failed(error))
            throw error
        }
        var report = MigrationReport(
            store: store.storeName,
            from: state.version,
            to: state.version,
            isFresh: false,
            startedAt: startedAt,
            duration: 0,
            entries: [],
            deferred: [],
            isDryRun: options.isDryRun
        )
        report.isForReading = true
        options.monitor?.send(.finished(report))
        return report
    }

    private func checkReadable(_ state: StoreState, _ plan: MigrationPlan) throws {
        if let unfinished = state.unfinished {
            throw superseded(plan, "It cannot be opened for reading either: \(unfinished.migration) is half done.")
        }
        let newer = unknown(in: state)
        if let first = newer.first(where: { !$0.isReadableByOlderReleases && $0.outcome != .deferred }) {
            throw superseded(
                plan,
                "It cannot be opened for reading either: migration \"\(first.name)\" has not declared that older "
                    + "releases may read what it left."
            )
        }
        // A version that no row of the ledger explains says nothing about who may read it.
        guard newer.contains(where: { $0.version == state.version }) || state.version <= registry.version else {
            throw superseded(plan, "Its ledger does not say what brought it to that version.")
        }
        // Otherwise the records are not as this app knows them. What waits is about other things than records.
        let waiting = Set(state.ledger.filter { $0.outcome == .deferred }.map(\.name))
        let missing = plan.entries.first { entry in
            entry.status != .applied && entry.status != .replaced && !waiting.contains(entry.migration.name)
        }
        if let first = missing {
            throw superseded(
                plan,
                "It cannot be opened for reading either: migration \(first.migration) was not applied to it."
            )
        }
    }

    /// The rows of the ledger that the registry does not know.
    private func unknown(in state: StoreState) -> [LedgerEntry] {
        let known = Set(registry.migrations.flatMap { [$0.name] + $0.replaces })
        return state.ledger.filter { $0.version > registry.oldestSupportedVersion && !known.contains($0.name) }
    }

    private func superseded(_ plan: MigrationPlan, _ sentence: String) -> MigrationError {
        do {
            try plan.checkProblems()
        } catch var error as MigrationError {
            error.problem += " " + sentence
            return error
        } catch {}
        return MigrationError(.superseded, sentence)
    }
}
