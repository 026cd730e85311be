/// The work of an upgrade on suites and directories.
///
/// An app opens its cache while `.defaultsV4ToV5(to: 3, suite: .standard, keys: …)` is pending:
///
/// 1. The step is a block: `SettingsConversion` asks the `MigrationContext` for the suite.
/// 2. `SuiteEditor` works on a `SuiteSnapshot`. `DefaultsV4Conversion` converts each value, and `SuiteEditor` collects
///    the changes. For a step on the content of a setting, `SettingContent` reads and writes the forms, and the step's
///    `RecordEdit` changes the content like that of a record.
/// 3. `SuiteEditor.finish` makes a `SuitePatch`, with the rows for the suite's own ledger (`SuiteLedger`).
///    `AttachedWork.finish` puts it into the store's journal, which is committed with the file's ledger.
/// 4. After the commit, `SuitePatch.apply` has `Suite.change` set the changes through `UserDefaults`, the ledger last,
///    and read them back.
/// 5. The journal is cleared. If the process is killed before that, the next opening repeats step 4.
///
/// Several stores may share a suite, so the upgrade holds a lock on it until the journal is cleared. A suite without a
/// cache has a `StoreFile` without records, which is removed at the end.
final class AttachedWork {
    private let stores: AttachedStores
    /// The work on suites and directories, in the order in which it began.
    private var editors: [SuiteEditor] = []
    private var directories: [AttachedDirectory.Session] = []
    /// The stores of deferred migrations, with the reasons.
    private var deferred: [String: String] = [:]
    /// The stores with unapplied changes of an earlier upgrade.
    private var journaled: Set<String> = []

    init(_ stores: AttachedStores) {
        self.stores = stores
    }

    /// Takes the deferrals and the journal from a plan.
    func prepare(_ plan: MigrationPlan) {
        journaled = Set(plan.journal)
        // A migration that runs uses only stores that can be used; a later one on them may wait for a cache.
        let used = Set(plan.entries.filter(\.willRun).flatMap(\.declaration.attached).map(\.name))
        for entry in plan.entries {
            guard let reason = entry.deferral else { continue }
            for store in entry.declaration.attached where !used.contains(store.name) { deferred[store.name] = reason }
        }
    }

    // MARK: Working

    /// Returns the editor of a suite; the first call begins the work.
    func editor(of suite: Suite, for caller: Caller) throws -> SuiteEditor {
        let name = suite.attachedName
        if let begun = editors.first(where: { $0.name == name }) { return begun }
        guard let suite = try available(name, caller).suite else { throw suiteNotNamed(name, caller) }
        return try begin(suite)
    }

    /// What uses a store.
    enum Caller {
        /// A step that names the store.
        case declaringStep
        /// A block that does not name it.
        case block
        /// A closure that reads a view, which cannot name it.
        case snapshot

        fileprivate var subject: String { self == .snapshot ? "The closure" : "The step" }
    }

    private func begin(_ suite: Suite) throws -> SuiteEditor {
        // Read anew: the app may have changed settings since the plan, or a block that uses them directly.
        let editor = try stores.reporting(suite.attachedName) {
            SuiteEditor(suite, try stores.currentSnapshot(of: suite))
        }
        editors.append(editor)
        return editor
    }

    /// Returns the work on a directory; the first call begins it.
    func session(_ directory: AttachedDirectory) throws -> AttachedDirectory.Session {
        let name = directory.name
        if let begun = directories.first(where: { $0.name == name }) { return begun }
        guard let directory = try available(name, .declaringStep).directory else {
            throw suiteNotNamed(name, .declaringStep)
        }
        let session = try stores.reporting(name) { try AttachedDirectory.Session(directory) }
        directories.append(session)
        return session
    }

    /// A store that steps may use now.
    private func available(_ name: String, _ caller: Caller) throws -> AttachedStore {
        guard stores.contains(name) || caller == .declaringStep else { throw suiteNotNamed(name, caller) }
        let store = try stores.store(name)
        if let reason = try deferred[name]
            ?? stores.reporting(name, { try store.unavailability(from: stores.viewpoint) })
        {
            throw MoltError(
                .deferred,
                "\(caller.subject) needs \(name), which is unavailable: \(reason)",
                advice: caller == .block
                    ? "Name it in the step's `suites`, so that the migration can be deferred."
                    : "Open the store again later.",
                suite: name
            )
        }
        guard !journaled.contains(name) else {
            throw MoltError(
                .journalPending,
                "Changes to \(name) from an earlier upgrade have not been applied yet.",
                advice: "Open the store, which applies them, and try again. If the file is a backup, restore it first.",
                suite: name
            )
        }
        return store
    }

    private func suiteNotNamed(_ name: String, _ caller: Caller) -> MoltError {
        MoltError(
            .suiteNotNamed,
            "\(caller.subject) works on \(name), which neither a step nor the configuration names.",
            advice:
                "\(caller == .snapshot ? "Name it in a step of the registry" : "Pass it in the step's `suites`"), or "
                + "add it to `MoltConfiguration.suites`.",
            suite: name
        )
    }

    /// Throws errors of a step on some stores that could not be thrown at once.
    func check(_ names: Set<String>) throws {
        for editor in editors where names.contains(editor.name) {
            do {
                try editor.check()
            } catch {
                let problem = "The step's changes to \(editor.name) failed."
                throw stores.failure(error, editor.name, problem, code: .stepFailed)
            }
        }
    }

    /// The changes of earlier steps to some suites.
    func edits(of names: Set<String>) -> [String: SuiteEditor.Edits] {
        Dictionary(uniqueKeysWithValues: editors.filter { names.contains($0.name) }.map { ($0.name, $0.edits) })
    }

    /// Takes back the changes of a step to some suites.
    func restore(_ edits: [String: SuiteEditor.Edits], of names: Set<String>) {
        for editor in editors where names.contains(editor.name) {
            editor.edits = edits[editor.name] ?? SuiteEditor.Edits()
        }
    }

    /// The number of entries in each of some stores, including the changes of its session.
    func counts(of names: Set<String>) -> [String: Int] {
        let counts = editors.map { ($0.name, $0.count) } + directories.map { ($0.name, $0.count) }
        return Dictionary(uniqueKeysWithValues: counts.filter { names.contains($0.0) })
    }

    /// The settings of some suites that a step has changed.
    func samples(of names: Set<String>, limit: Int) -> [MigrationReport.Sample] {
        editors.filter { names.contains($0.name) }.flatMap { $0.samples(limit: limit) }
    }

    /// Ends the work, and returns the changes to apply after the commit.
    ///
    /// - Parameters:
    ///   - rows: The rows for the ledgers of suites, by suite.
    ///   - names: The suites whose ledgers have to be restored.
    func finish(
        adding rows: [String: [SuiteLedger.Row]],
        restoringLedgersOf names: [String]
    ) throws -> [JournalEntry] {
        for name in Set(rows.keys).union(names).sorted() where !editors.contains(where: { $0.name == name }) {
            guard let suite = try stores.store(name).suite else { continue }
            _ = try begin(suite)
        }
        let patches = try editors.map { editor in
            try entry(of: editor.name) { try editor.finish(adding: rows[editor.name] ?? []) }
        }
        let removals = try directories.map { session in try entry(of: session.name, session.finish) }
        return (patches + removals).compactMap(\.self)
    }

    private func entry(of name: String, _ finish: () throws -> [UInt8]?) throws -> JournalEntry? {
        try stores.reporting(name, finish).map { JournalEntry(store: name, changes: $0) }
    }

    /// Ends the work, also that of an upgrade that is rolled back.
    func end() {
        for editor in editors { editor.end() }
    }

    // MARK: Applying

    func apply(_ journal: [JournalEntry], _ configuration: MoltConfiguration) throws {
        let changes = try journal.map { entry in
            try afterCommit(entry.store) { store in
                try checkAvailable(store)
                return (entry, store, store.suite == nil ? nil : try SuitePatch(entry.changes))
            }
        }
        let ordered = Self.destinationsFirst(changes)
        // No data moves between stores if there is one alone, so all its changes can be made at once.
        let phases: [SuitePatch.Phase?] = changes.count == 1 ? [nil] : SuitePatch.Phase.allCases
        for phase in phases {
            for change in ordered { try apply(change, phase, configuration) }
        }
        try configuration.reach(.afterApplies)
    }

    /// The changes in an order in which a suite gets values before the one that loses them is marked.
    ///
    /// After a kill in between, another store may be upgraded first: the old suite must not be through a migration
    /// whose result only the journal has.
    private static func destinationsFirst(_ changes: [Change]) -> [Change] {
        var (ordered, remaining): ([Change], _) = ([], changes)
        while !remaining.isEmpty {
            let domains = Set(remaining.compactMap { $0.store.suite?.domainName })
            let next = remaining.firstIndex { $0.patch?.destinations.isDisjoint(with: domains) ?? true }
            // Suites may exchange values.
            ordered.append(remaining.remove(at: next ?? 0))
        }
        return ordered
    }

    /// A journal's entry; the patch is nil for a directory.
    private typealias Change = (entry: JournalEntry, store: AttachedStore, patch: SuitePatch?)

    /// - Parameter phase: Nil for all changes.
    private func apply(_ change: Change, _ phase: SuitePatch.Phase?, _ configuration: MoltConfiguration) throws {
        // The next opening starts again from the beginning.
        try configuration.checkDeadline()
        let name = phase.map { "\($0)" } ?? "all"
        try afterCommit(change.entry.store) { _ in
            try configuration.reach(.beforeApply, "\(change.entry.store) (\(name))")
            switch change.store {
            case .suite(let suite): try change.patch?.apply(phase, to: suite)
            case .directory(let directory): if phase != .add { directory.remove(change.entry.changes) }
            case .file: break
            }
            try configuration.reach(.afterApply, "\(change.entry.store) (\(name))")
        }
    }

    /// Refuses to apply changes in the wrong process: an extension has its own standard settings.
    private func checkAvailable(_ store: AttachedStore) throws {
        guard let reason = try store.unavailability(from: stores.viewpoint) else { return }
        throw MoltError(
            .journalPending,
            "Committed changes to \(store.name) cannot be applied yet: \(reason)",
            advice: "Open the store again later.",
            suite: store.name
        )
    }

    private func afterCommit<Value>(_ name: String, _ body: (AttachedStore) throws -> Value) throws -> Value {
        do {
            return try body(stores.store(name))
        } catch {
            let failure = stores.failure(error, name, "The changes to \(name) cannot be applied.")
            throw failure.with(.committed)
        }
    }
}
