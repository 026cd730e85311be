/// The attached stores that an upgrade can use, and its sessions on them.
final class Attachments {
    private let stores: [String: any AttachedStore]
    private let role: MigrationOptions.Role
    /// The sessions in the order in which they began.
    private var sessions: [(name: String, session: any AttachedSession)] = []
    /// The stores of deferred migrations, with the reasons.
    private var deferred: [String: String] = [:]
    /// The stores with unapplied changes of an earlier upgrade.
    private var unsettled: Set<String> = []

    /// Collects the stores that were attached when the primary store was opened, and those that steps name.
    ///
    /// - Parameter attached: These take precedence over the registry's stores of the same name.
    init(_ attached: [any AttachedStore], _ registry: MigrationRegistry, role: MigrationOptions.Role) {
        let declared = registry.migrations.flatMap(\.attached)
        stores = Dictionary((attached + declared).map { ($0.attachedName, $0) }) { first, _ in first }
        self.role = role
    }

    /// Takes the deferrals and the journal from a plan.
    func prepare(_ plan: MigrationPlan, _ registry: MigrationRegistry) {
        unsettled = Set(plan.journal)
        for (migration, entry) in zip(registry.migrations, plan.entries) {
            guard let reason = entry.deferral else { continue }
            for store in migration.attached { deferred[store.attachedName] = reason }
        }
    }

    // MARK: Checking

    /// Returns the reason why a migration cannot run now, or nil.
    func deferral(of migration: Migration, _ ledger: [LedgerEntry]) throws -> String? {
        for declared in migration.attached {
            let name = declared.attachedName
            let last = Self.lastRow(of: name, in: ledger)
            let circumstances = AttachedCircumstances(role: role, lastCount: last?.attachedCounts[name])
            let store = try store(name)
            let reason = try asAttached(name) { try store.unavailability(circumstances) }
            if let reason { return reason }
        }
        return nil
    }

    /// The ledger row of the last migration that worked on a store.
    private static func lastRow(of name: String, in ledger: [LedgerEntry]) -> LedgerEntry? {
        // Compare times: a deferred migration keeps its position in the ledger. Of rows without a time, as in fixtures,
        // the last one counts.
        ledger.reversed().filter { $0.attachedCounts[name] != nil }.max { $0.appliedAt < $1.appliedAt }
    }

    // MARK: Backing up

    /// Changes that restore the current state of the stores that a plan's migrations may change.
    func changesRestoringCurrentState(
        _ attached: [any AttachedStore],
        _ plan: MigrationPlan,
        _ registry: MigrationRegistry
    ) throws -> [JournalEntry] {
        let running = Set(plan.pending)
        let declared = registry.migrations.filter { running.contains($0.id) }.flatMap(\.attached)
        var entries: [JournalEntry] = []
        for name in (attached + declared).map(\.attachedName) where !entries.contains(where: { $0.store == name }) {
            let store = try store(name)
            let changes = try asAttached(name) {
                // A migration cannot change a store that is unavailable now.
                let reason = try store.unavailability(AttachedCircumstances(role: role))
                return try reason == nil ? store.changesRestoringCurrentState() : nil
            }
            if let changes { entries.append(JournalEntry(store: name, changes: changes)) }
        }
        return entries
    }

    // MARK: Sessions

    /// Returns the session on a store; the first call begins it.
    ///
    /// - Parameter isDeclared: Whether the calling step names the store.
    func session<Store: AttachedStore>(_ store: Store, isDeclared: Bool) throws -> Store.Session {
        let name = store.attachedName
        if let begun = sessions.first(where: { $0.name == name })?.session as? Store.Session { return begun }
        guard stores[name] != nil || isDeclared else {
            throw MoltError(
                .notAttached,
                "The step works on \(name), which is not attached. Pass it in the step's `attaching`, or attach it where "
                    + "the store is opened.",
                attachedStore: name
            )
        }
        guard let attached = try self.store(name) as? Store else {
            throw MoltError(
                .notAttached,
                "Another kind of store is attached under the name \(name). Give each attached store a unique name."
            )
        }
        let circumstances = AttachedCircumstances(role: role)
        if let reason = try deferred[name] ?? asAttached(name, { try attached.unavailability(circumstances) }) {
            throw MoltError(
                .deferred,
                "The step needs \(name), which is unavailable: \(reason) "
                    + (isDeclared
                        ? "Open the store again later."
                        : "Name it in the step's `attaching`, so that the migration can be deferred."),
                attachedStore: name
            )
        }
        guard !unsettled.contains(name) else {
            throw MoltError(
                .journalPending,
                "Changes to \(name) from an earlier upgrade are still to be applied. Open the store, and try again.",
                attachedStore: name
            )
        }
        let session = try asAttached(name) { try attached.begin() }
        sessions.append((name, session))
        return session
    }

    /// Throws errors of a step on some stores that could not be thrown at once.
    func check(_ names: Set<String>) throws {
        for (name, session) in sessions where names.contains(name) {
            do {
                try session.check()
            } catch {
                throw attachedFailure(
                    error,
                    name,
                    "The step's changes to \(name) failed.",
                    code: .stepFailed
                )
            }
        }
    }

    /// The number of entries in each of some stores, including the changes of its session.
    func counts(of names: Set<String>) -> [String: Int] {
        let known = sessions.filter { names.contains($0.name) }
        return Dictionary(uniqueKeysWithValues: known.map { ($0.name, $0.session.count) })
    }

    /// The entries of some stores that a step has changed.
    func samples(of names: Set<String>, limit: Int) -> [RecordSample] {
        sessions.filter { names.contains($0.name) }.flatMap { $0.session.samples(limit: limit) }
    }

    /// Ends all sessions, and returns the changes to apply after the commit.
    func finish() throws -> [JournalEntry] {
        var journal: [JournalEntry] = []
        // A session may ask another one where data that was moved between them is.
        let begun = sessions
        defer { withExtendedLifetime(begun) {} }
        while !sessions.isEmpty {
            let (name, session) = sessions.removeFirst()
            let changes = try asAttached(name) { try session.finish() }
            if let changes { journal.append(JournalEntry(store: name, changes: changes)) }
        }
        return journal
    }

    /// Ends the remaining sessions of an upgrade that is rolled back.
    func abandon() {
        // Their changes are discarded, so errors do not matter.
        for (_, session) in sessions { _ = try? session.finish() }
        sessions = []
    }

    func apply(_ journal: [JournalEntry], _ options: MigrationOptions) throws {
        for entry in journal { try afterCommit(entry.store, checkAvailable) }
        if journal.count == 1 {
            // No data moves between stores, so the order of additions and removals does not matter.
            try apply(journal[0], "all", options) { try $0.apply($1) }
        } else {
            for phase in AttachedPhase.allCases {
                for entry in journal { try apply(entry, "\(phase)", options) { try $0.apply($1, phase) } }
            }
        }
        try options.reach(.afterApplies)
    }

    private func apply(
        _ entry: JournalEntry,
        _ phase: String,
        _ options: MigrationOptions,
        _ body: (any AttachedStore, [UInt8]) throws -> Void
    ) throws {
        // The next opening starts again from the beginning.
        try options.checkDeadline(isCommitted: true)
        try afterCommit(entry.store) { store in
            try options.reach(.beforeApply, "\(entry.store) (\(phase))")
            try body(store, entry.changes)
            try options.reach(.afterApply, "\(entry.store) (\(phase))")
        }
    }

    /// Refuses to apply changes in the wrong process: an extension has its own standard settings.
    private func checkAvailable(_ store: any AttachedStore) throws {
        guard let reason = try store.unavailability(AttachedCircumstances(role: role)) else { return }
        throw MoltError(
            .journalPending,
            "Committed changes to \(store.attachedName) cannot be applied yet: "
                + reason,
            attachedStore: store.attachedName
        )
    }

    private func afterCommit(_ name: String, _ body: (any AttachedStore) throws -> Void) throws {
        do {
            try body(store(name))
        } catch {
            let failure = attachedFailure(error, name, "The changes to \(name) could not be made.")
            throw failure.with(.committed)
        }
    }

    private func store(_ name: String) throws -> any AttachedStore {
        if let store = stores[name] { return store }
        throw MoltError(
            .notAttached,
            "The store has changes for \(name), which is not attached. Attach it where the store is opened.",
            attachedStore: name
        )
    }

    /// Wraps errors that occur before the commit.
    private func asAttached<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw attachedFailure(error, name, "\(name) cannot be read or changed; nothing was changed.")
        }
    }

    private func attachedFailure(
        _ error: any Error,
        _ name: String,
        _ message: String,
        code: MoltError.Code = .attachedStoreFailed
    ) -> MoltError {
        // A suite's own error has its name, or is about what the journal has of it.
        if var error = error as? MoltError, error.store == nil, error.code != .unreadable {
            error.attachedStore = error.attachedStore ?? name
            return error
        }
        return MoltError(code, message, attachedStore: name, underlying: error)
    }
}

extension MoltError {
    fileprivate init(_ code: Code, _ message: String, attachedStore: String, underlying: (any Error)? = nil) {
        self.init(code, message, underlying: underlying)
        self.attachedStore = attachedStore
    }
}
