/// The suites and directories that an upgrade can use, and its work on them.
final class Attachments {
    private let stores: [String: AttachedStore]
    private let registry: MigrationRegistry
    private let role: MigrationOptions.Role
    /// The suite that is upgraded without a cache; nil for a cache.
    private let primary: Suite?
    /// The work on suites and directories, in the order in which it began.
    private var editors: [(name: String, editor: SuiteEditor)] = []
    private var directories: [(name: String, session: AttachedDirectory.Session)] = []
    /// The stores of deferred migrations, with the reasons.
    private var deferred: [String: String] = [:]
    /// The stores with unapplied changes of an earlier upgrade.
    private var unsettled: Set<String> = []

    /// Collects the stores that were attached when the file was opened, and those that steps name.
    ///
    /// - Parameter store: Its attached stores take precedence over the registry's stores of the same name.
    init(_ store: CacheStore, _ registry: MigrationRegistry, role: MigrationOptions.Role) {
        let declared = registry.migrations.flatMap(\.attached)
        stores = Dictionary((store.attachments + declared).map { ($0.name, $0) }) { first, _ in first }
        self.registry = registry
        self.role = role
        primary = store.primary
    }

    /// Takes the deferrals and the journal from a plan.
    func prepare(_ plan: MigrationPlan) {
        unsettled = Set(plan.journal)
        for (migration, entry) in zip(registry.migrations, plan.entries) {
            guard let reason = entry.deferral else { continue }
            for store in migration.attached { deferred[store.name] = reason }
        }
    }

    // MARK: Ledgers of suites

    /// A suite as a plan sees it.
    struct SuiteState {
        /// Its ledger; nil if no migration has changed it.
        var ledger: SuiteLedger?
        /// Whether it has no settings.
        var isEmpty: Bool
    }

    /// The states of the registry's suites by name, without those that cannot be read now.
    func suiteStates() throws -> [String: SuiteState] {
        var states: [String: SuiteState] = [:]
        let names = registry.migrations.flatMap(\.attached).compactMap { $0.suite?.attachedName }
        for name in Set(names + [primary?.attachedName].compactMap(\.self)).sorted() {
            guard let suite = stores[name]?.suite else { continue }
            states[name] = try asAttached(name) {
                guard try suite.unavailability(in: role, lastCount: nil) == nil else { return nil }
                let values = try SuiteDomain(suite).read()
                let ledger = try SuiteLedger(in: values, of: suite)
                return SuiteState(ledger: ledger, isEmpty: values.keys.allSatisfy(Suite.ownKeys.contains))
            }
        }
        return states
    }

    /// The state of a store: for a suite that is upgraded without a cache, that of the registry's suites.
    ///
    /// A journal comes first: what suites hold is known only once the changes in it are made.
    func state(_ file: StoreState) throws -> StoreState {
        guard let primary else { return file }
        var file = file
        file.holdsRecords = false
        guard file.journal.isEmpty else { return file }
        if let reason = try primary.closedReason() {
            var error = MoltError(.deferred, "\(reason) Try again later.")
            error.store = primary.attachedName
            throw error
        }
        let states = try suiteStates()
        guard let own = states[primary.attachedName] else { return file }
        let others = states.sorted { $0.key < $1.key }.map(\.value)
        let migrations = registry.migrations.filter(\.worksOnSettings)
        let versions = Dictionary(migrations.map { ($0.name, $0.version) }) { first, _ in first }
        var ledger: [LedgerEntry] = []
        for row in ([own] + others).flatMap({ $0.ledger?.rows(of: registry) ?? [] }).map(\.entry)
        where !ledger.contains(where: { $0.name == row.name && ($0.outcome != .deferred || row.outcome == .deferred) }) {
            ledger.removeAll { $0.name == row.name }
            ledger.append(row)
        }
        // Another registry may have applied the same migration at another version.
        let applied = ledger.filter { $0.outcome != .deferred }.map { versions[$0.name] ?? $0.version }
        let isCurrent = migrations.allSatisfy { migration in ledger.contains { $0.name == migration.name } }
        var state = StoreState(
            version: max(isCurrent ? registry.version : 0, applied.max() ?? 0),
            isFresh: ledger.isEmpty && own.ledger == nil && own.isEmpty && !migrations.isEmpty,
            ledger: ledger
        )
        state.holdsRecords = false
        return state
    }

    // MARK: Checking

    /// Returns the reason why a migration cannot run now, or nil.
    func deferral(of migration: Migration, _ ledger: [LedgerEntry]) throws -> String? {
        for name in migration.attached.map(\.name) {
            let last = Self.lastRow(of: name, in: ledger)
            let store = try store(name)
            let reason = try asAttached(name) {
                try store.unavailability(in: role, lastCount: last?.attachedCounts[name])
            }
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

    // MARK: Locking

    /// Waits until no other store works on the registry's suites.
    ///
    /// A suite belongs to several stores, so the lock of a file does not protect it.
    func lockSuites(waiting: () throws -> Void) throws -> [SuiteLock] {
        let suites = Dictionary(stores.values.compactMap(\.suite).map { ($0.domainName, $0) }) { first, _ in first }
        // In one order everywhere, so that two upgrades never wait for each other.
        return try suites.sorted { $0.key < $1.key }.map(\.value)
            .filter { try $0.unavailability(in: role, lastCount: nil) == nil }
            .map { try SuiteLock($0, waiting: waiting) }
    }

    // MARK: Backing up

    /// Changes that restore the current state of the suites that a plan's migrations may change.
    func changesRestoringCurrentState(_ attached: [AttachedStore], _ plan: MigrationPlan) throws -> [JournalEntry] {
        let running = Set(plan.pending)
        let declared = registry.migrations.filter { running.contains($0.id) }.flatMap(\.attached)
        var entries: [JournalEntry] = []
        for name in (attached + declared).map(\.name) where !entries.contains(where: { $0.store == name }) {
            guard let suite = try store(name).suite else { continue }
            let entry = try asAttached(name) {
                // A migration cannot change a suite that is unavailable now.
                try suite.unavailability(in: role, lastCount: nil) == nil ? suite.patchRestoringCurrentState() : nil
            }
            if let entry { entries.append(entry) }
        }
        return entries
    }

    // MARK: Working

    /// Returns the editor of a suite; the first call begins the work.
    ///
    /// - Parameter isDeclared: Whether the calling step names the suite.
    func editor(of suite: Suite, isDeclared: Bool) throws -> SuiteEditor {
        let name = suite.attachedName
        if let begun = editors.first(where: { $0.name == name })?.editor { return begun }
        guard let suite = try available(name, isDeclared).suite else { throw notAttached(name) }
        let editor = try asAttached(name) {
            try suite.validate()
            return try SuiteEditor(suite)
        }
        editors.append((name, editor))
        return editor
    }

    /// Returns the work on a directory; the first call begins it.
    func session(_ directory: AttachedDirectory) throws -> AttachedDirectory.Session {
        let name = directory.name
        if let begun = directories.first(where: { $0.name == name })?.session { return begun }
        guard let directory = try available(name, true).directory else { throw notAttached(name) }
        let session = try asAttached(name) { try AttachedDirectory.Session(directory) }
        directories.append((name, session))
        return session
    }

    /// A store that steps may use now.
    private func available(_ name: String, _ isDeclared: Bool) throws -> AttachedStore {
        guard stores[name] != nil || isDeclared else { throw notAttached(name) }
        let store = try store(name)
        if let reason = try deferred[name] ?? asAttached(name, { try store.unavailability(in: role) }) {
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
        return store
    }

    private func notAttached(_ name: String) -> MoltError {
        MoltError(
            .notAttached,
            "The step works on \(name), which is not attached. Pass it in the step's `attaching`, or attach it where "
                + "the store is opened.",
            attachedStore: name
        )
    }

    /// Throws errors of a step on some stores that could not be thrown at once.
    func check(_ names: Set<String>) throws {
        for (name, editor) in editors where names.contains(name) {
            do {
                try editor.check()
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

    /// The changes of earlier steps to some suites.
    func edits(of names: Set<String>) -> [String: SuiteEditor.Edits] {
        Dictionary(uniqueKeysWithValues: editors.filter { names.contains($0.name) }.map { ($0.name, $0.editor.edits) })
    }

    /// Takes back the changes of a step to some suites.
    func restore(_ edits: [String: SuiteEditor.Edits], of names: Set<String>) {
        for (name, editor) in editors where names.contains(name) {
            editor.edits = edits[name] ?? SuiteEditor.Edits()
        }
    }

    /// The number of entries in each of some stores, including the changes of its session.
    func counts(of names: Set<String>) -> [String: Int] {
        let counts = editors.map { ($0.name, $0.editor.count) } + directories.map { ($0.name, $0.session.count) }
        return Dictionary(uniqueKeysWithValues: counts.filter { names.contains($0.0) })
    }

    /// The settings of some suites that a step has changed.
    func samples(of names: Set<String>, limit: Int) -> [RecordSample] {
        editors.filter { names.contains($0.name) }.flatMap { $0.editor.samples(limit: limit) }
    }

    /// Ends the work, and returns the changes to apply after the commit.
    ///
    /// - Parameter rows: The rows for the ledgers of suites, by suite.
    func finish(adding rows: [String: [SuiteLedger.Row]]) throws -> [JournalEntry] {
        for name in rows.keys.sorted() where !editors.contains(where: { $0.name == name }) {
            guard let suite = try store(name).suite else { continue }
            editors.append((name, try asAttached(name) { try SuiteEditor(suite) }))
        }
        var journal: [JournalEntry] = []
        // An editor may ask another one where data that was moved between them is.
        let begun = editors
        defer { withExtendedLifetime(begun) {} }
        while !editors.isEmpty {
            let (name, editor) = editors.removeFirst()
            let changes = try asAttached(name) { try editor.finish(adding: rows[name] ?? []) }
            if let changes { journal.append(JournalEntry(store: name, changes: changes)) }
        }
        for (name, session) in directories {
            let changes = try asAttached(name) { try session.finish() }
            if let changes { journal.append(JournalEntry(store: name, changes: changes)) }
        }
        directories = []
        return journal
    }

    /// Ends the remaining work of an upgrade that is rolled back.
    func abandon() {
        for (_, editor) in editors { editor.end() }
        editors = []
        directories = []
    }

    // MARK: Applying

    func apply(_ journal: [JournalEntry], _ options: MigrationOptions) throws {
        for entry in journal { try afterCommit(entry.store, checkAvailable) }
        let changes = try journal.map { entry in
            try afterCommit(entry.store) { store in
                (entry, store, store.suite == nil ? nil : try SuitePatch(entry.changes))
            }
        }
        if changes.count == 1 {
            // No data moves between stores, so all changes can be made at once.
            try apply(changes[0], nil, options)
        } else {
            for change in changes { try apply(change, .add, options) }
            // A suite gets its rows last: they say that the others have their changes, too.
            let isMarked = { (change: Change) in change.patch?.rows.isEmpty == false }
            for change in changes where !isMarked(change) { try apply(change, .finish, options) }
            for change in changes where isMarked(change) { try apply(change, .finish, options) }
        }
        try options.reach(.afterApplies)
    }

    /// A journal's entry; the patch is nil for a directory.
    private typealias Change = (entry: JournalEntry, store: AttachedStore, patch: SuitePatch?)

    /// - Parameter phase: Nil for all changes.
    private func apply(_ change: Change, _ phase: SuitePatch.Phase?, _ options: MigrationOptions) throws {
        // The next opening starts again from the beginning.
        try options.checkDeadline(isCommitted: true)
        let name = phase.map { "\($0)" } ?? "all"
        try afterCommit(change.entry.store) { _ in
            try options.reach(.beforeApply, "\(change.entry.store) (\(name))")
            switch change.store {
            case .suite(let suite): try change.patch.map { try suite.apply($0, phase) }
            case .directory(let directory): if phase != .add { directory.remove(change.entry.changes) }
            }
            try options.reach(.afterApply, "\(change.entry.store) (\(name))")
        }
    }

    /// Refuses to apply changes in the wrong process: an extension has its own standard settings.
    private func checkAvailable(_ store: AttachedStore) throws {
        guard let reason = try store.unavailability(in: role) else { return }
        throw MoltError(
            .journalPending,
            "Committed changes to \(store.name) cannot be applied yet: "
                + reason,
            attachedStore: store.name
        )
    }

    private func afterCommit<Value>(_ name: String, _ body: (AttachedStore) throws -> Value) throws -> Value {
        do {
            return try body(store(name))
        } catch {
            let failure = attachedFailure(error, name, "The changes to \(name) could not be made.")
            throw failure.with(.committed)
        }
    }

    private func store(_ name: String) throws -> AttachedStore {
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
            throw attachedFailure(error, name, "\(name) cannot be read or changed.")
        }
    }

    private func attachedFailure(
        _ error: any Error,
        _ name: String,
        _ message: String,
        code: MoltError.Code = .attachedStoreFailed
    ) -> MoltError {
        if var error = error as? MoltError {
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
