internal import Foundation

/// The suites and directories that the migrations of a registry work on, as a plan and an upgrade see them.
///
/// Each suite is read once for the plan; what changes it later reads it anew.
final class AttachedStores {
    let registry: MigrationRegistry
    private(set) var viewpoint: Viewpoint
    /// Whether the plan names large settings also if nothing is to run.
    let readsUnchangedSettings: Bool
    /// See ``MoltConfiguration/largeSettingSize``.
    let largeSettingSize: Int?
    private let stores: [String: AttachedStore]
    /// The suite that is upgraded without a cache; nil for a cache.
    private let primary: Suite?
    /// See `StoreFile.Options`.
    private let keepsHandovers: Bool
    private var contents: [String: SuiteContent] = [:]
    /// The rows of the store's file, once its state is known.
    private var rows: [LedgerEntry] = []
    /// The suites that had a ledger after an upgrade of the store.
    private var suitesWithLedger: Set<String> = []

    /// Collects the stores that were attached when the file was opened, and those that steps name.
    ///
    /// - Parameter store: Its attached stores take precedence over the registry's stores of the same name.
    init(
        _ store: StoreFile,
        _ registry: MigrationRegistry,
        _ configuration: MoltConfiguration,
        readsUnchangedSettings: Bool = true
    ) {
        let declared = registry.migrations.flatMap(\.attached)
        stores = Dictionary(firstOf: (store.attached + declared).map { ($0.name, $0) })
        self.registry = registry
        viewpoint = Viewpoint(
            isExtension: configuration.process != .app,
            formerDomains: configuration.formerDomains
        )
        largeSettingSize = configuration.largeSettingSize
        self.readsUnchangedSettings = readsUnchangedSettings
        primary = store.primary
        keepsHandovers = store.options.keepsHandovers
    }

    /// Whether there are none.
    var isEmpty: Bool { stores.isEmpty && primary == nil }

    func contains(_ name: String) -> Bool { stores[name] != nil }

    /// Whether the upgrade is one of a cache, with records.
    var hasRecords: Bool { primary == nil }

    /// The content of a suite at the first call.
    private func content(of suite: Suite) throws -> SuiteContent {
        if let content = contents[suite.attachedName] { return content }
        let content = try SuiteContent(suite, fileRows(of: suite.attachedName), unknown: unknownNames)
        contents[suite.attachedName] = content
        return content
    }

    /// The content of a suite now.
    func currentSnapshot(of suite: Suite) throws -> SuiteSnapshot {
        try SuiteSnapshot(suite, fileRows(of: suite.attachedName), unknown: unknownNames)
    }

    /// The names of migrations in a ledger that only a newer release has.
    private func unknownNames(_ ledger: SuiteLedger) -> Set<String> {
        Set(registry.unknown(in: History(of: [ledger], in: registry).rows).map(\.name))
    }

    /// The rows of the store's file that are about a suite, as its ledger would have them.
    private func fileRows(of name: String) -> [SuiteLedger.Row] {
        guard suitesWithLedger.contains(name) else { return [] }
        // If another store had brought the suite through a migration before, the row has no numbers of the suite.
        let working = registry.migrations.filter { $0.attached.contains { $0.name == name } }
        let names = Set(working.map(\.name))
        let applied = rows.filter { row in
            row.outcome.isApplied && (row.attachedCounts[name] != nil || names.contains(row.name))
        }
        guard !applied.isEmpty else { return [] }
        let origin = SuiteLedger.Origin(registry)
        return applied.map { row in
            var row = row
            row.counts = MigrationReport.Counts()
            row.isWorkPending = false
            return SuiteLedger.Row(row, of: origin)
        }
    }

    // MARK: Ledgers of suites

    /// A suite as a plan sees it.
    struct SuiteState {
        /// Its content; nil if it cannot be used.
        var content: SuiteContent?
        /// Why it cannot be used; nil if it can.
        var fault: MoltError?

        /// Its ledger; nil if no migration has changed it.
        var ledger: SuiteLedger? { content?.ledger }
        /// Why the ledger is not the one in its settings; nil if it is.
        var finding: SuiteFinding? { content?.finding }
        /// Whether no migration is in its ledger.
        var hasNoLedger: Bool { ledger?.rows.isEmpty ?? true }
        /// Whether it has settings or a ledger; an empty one, as a suite that was put back from a copy, needs no
        /// migration.
        var isFilled: Bool { content?.isFilled ?? false }
        /// Whether it has no settings.
        var isEmpty: Bool { (try? content?.isEmpty()) ?? true }
    }

    /// The states of the registry's suites by name, without those that cannot be read now.
    ///
    /// A damaged suite does not keep a cache from being opened if no migration needs it.
    ///
    /// - Throws: The error of the suite that is upgraded without a cache, or of a ledger in a newer format.
    func suiteStates() throws -> [String: SuiteState] {
        var states: [String: SuiteState] = [:]
        // In the order of the steps: a suite that is a link to another one exists once that one is saved.
        let declared = registry.migrations.flatMap(\.attached).compactMap { $0.suite?.attachedName }
        for name in [primary?.attachedName].compactMap(\.self) + declared where states[name] == nil {
            guard let suite = stores[name]?.suite else { continue }
            do {
                states[name] = try reporting(name) {
                    guard try suite.unavailability(from: viewpoint) == nil else { return nil }
                    return try SuiteState(content: content(of: suite))
                }
            } catch let error as MoltError where error.code != .newerFormat && name != primary?.attachedName {
                states[name] = SuiteState(fault: error)
            }
        }
        return states
    }

    /// Notes on suites whose own files have settings that wait: only an upgrade of the suite hands those over.
    ///
    /// A release without a cache has taken them out, and this one has a cache.
    func handoverNotes() -> [String] {
        guard primary == nil else { return [] }
        return stores.values.compactMap(\.suite).filter { $0.content == nil }.compactMap { suite in
            guard let path = try? SuiteFiles(suite).store.path, FileStatus.hasContent(path),
                let waiting = try? FileProbe.state(path).handovers, !waiting.isEmpty
            else { return nil }
            let count = waiting.reduce(0) { $0 + $1.count }
            return "settings of \(suite) wait to be handed over (\(count)): call `upgrade(with:)` of the suite"
        }
        .sorted()
    }

    func haveSettings() throws -> Bool { try suiteStates().values.contains { !$0.isEmpty } }

    /// Takes over what a file says of suites.
    func learn(from file: StoreState) {
        rows = file.ledger
        suitesWithLedger = file.suitesWithLedger
        viewpoint.standardDomain = file.standardDomain
    }

    /// What the store has been through: for a suite that is upgraded without a cache, as the registry's suites tell.
    ///
    /// A journal comes first: what suites hold is known only once the changes in it are made.
    ///
    /// - Parameter file: The state of the store's file.
    func histories(_ file: StoreState) throws -> Histories {
        learn(from: file)
        guard let primary else { return Histories(file) }
        guard file.journal.isEmpty else { return Histories(file, of: .suite) }
        if let reason = try primary.unavailability(from: viewpoint) {
            throw MoltError(.deferred, reason, advice: "Try again later.", store: primary.attachedName)
        }
        let states = try suiteStates()
        guard let own = states[primary.attachedName] else { return Histories(file, of: .suite) }
        return Histories(
            ofSuites: ([own] + states.sortedByKey.map(\.value)).compactMap(\.ledger),
            isEmpty: !own.isFilled,
            in: registry,
            file
        )
    }

    // MARK: Checking

    /// Returns the reason why some stores cannot be used now, or nil.
    ///
    /// - Parameter ledger: The rows of the file and of the suites.
    func deferral(of names: [String], _ ledger: [LedgerEntry]) throws -> String? {
        for name in names {
            let last = Self.lastRow(of: name, in: ledger)
            let store = try store(name)
            let reason = try reporting(name) {
                try store.unavailability(from: viewpoint)
                    ?? lossReason(store, lastCount: last?.attachedCounts[name] ?? 0)
            }
            if let reason { return reason }
        }
        return nil
    }

    /// The reason why some steps wait for a cache, or for one with a file, if one takes settings into it.
    ///
    /// - Parameter earlier: The steps that run before them, and may bring the settings.
    func cacheReason(of steps: [MigrationStep], after earlier: [MigrationStep]) throws -> String? {
        if !keepsHandovers, let suite = steps.lazy.compactMap(\.handsOverSettingsOf).first {
            return "It takes settings out of \(suite), which a cache in memory would lose. Open a cache with a file."
        }
        guard primary != nil, steps.contains(where: { $0.usesRecords && $0.settings != nil }) else { return nil }
        var keys = try ExpectedKeys(suiteStates())
        for step in earlier { keys.add(from: step) }
        for step in steps {
            if case .settings(.moveToRecords(let place, _)) = step.work, keys.mayHave(place) {
                return "It moves settings of \(place.suite) into records, which only a cache has. Open the cache."
            }
            keys.add(from: step)
        }
        return nil
    }

    /// The reason to wait for a suite that reads as empty, though it had settings after the last migration.
    private func lossReason(_ store: AttachedStore, lastCount: Int) throws -> String? {
        guard lastCount > 0, let suite = store.suite else { return nil }
        do {
            // A suite with a ledger, or that this device remembers, is there: something has emptied it.
            guard try !content(of: suite).isFilled else { return nil }
        } catch let error as MoltError where error.code == .settingUnreadable {
            // A damaged suite is no reason to wait; the work on it reports the damage or restores it.
            return nil
        }
        return "The settings in \(suite) read as empty, but there were \(lastCount) before. \(Suite.causeOfLoss)"
    }

    /// The ledger row of the last migration that worked on a store.
    private static func lastRow(of name: String, in ledger: [LedgerEntry]) -> LedgerEntry? {
        // Compare times: a deferred migration keeps its position in the ledger. Of rows without a time, as in fixtures,
        // the last one counts.
        ledger.reversed().filter { $0.attachedCounts[name] != nil }.max { $0.appliedAt < $1.appliedAt }
    }

    // MARK: Backing up

    /// Changes that restore the current state of the suites that a plan's migrations may change.
    ///
    /// - Parameter attached: Those that were attached when the file was opened.
    func changesRestoringCurrentState(_ attached: [AttachedStore], _ plan: MigrationPlan) throws -> [JournalEntry] {
        let running = Set(plan.pending)
        let declared = registry.migrations.filter { running.contains($0.id) }.flatMap(\.attached)
        var entries: [JournalEntry] = []
        for name in (attached + declared).map(\.name) where !entries.contains(where: { $0.store == name }) {
            guard let suite = try store(name).suite else { continue }
            let entry = try reporting(name) {
                // A migration cannot change a suite that is unavailable now.
                try suite.unavailability(from: viewpoint) == nil
                    ? suite.patchRestoringCurrentState(try? currentSnapshot(of: suite)) : nil
            }
            if let entry { entries.append(entry) }
        }
        return entries
    }

    // MARK: Available suites

    /// The suites that can be changed now; one that cannot is reported by the migrations that need it.
    var availableSuites: [Suite] {
        stores.values.compactMap(\.suite).filter { suite in
            do {
                return try suite.unavailability(from: viewpoint) == nil
            } catch {
                return false
            }
        }
    }

    // MARK: Errors

    func store(_ name: String) throws -> AttachedStore {
        if let store = stores[name] { return store }
        throw MoltError(
            .suiteNotNamed,
            "The store has changes for \(name), which the configuration does not name.",
            advice: "Add it to `MoltConfiguration.suites`.",
            suite: name
        )
    }

    /// Runs a closure that works on a store, and names the store in its error.
    func reporting<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw failure(error, name, "\(name) cannot be read or changed.")
        }
    }

    @inline(never)
    func failure(
        _ error: any Error,
        _ name: String,
        _ message: String,
        code: MoltError.Code = .suiteFailed
    ) -> MoltError {
        if var error = error as? MoltError {
            error.suite = error.suite ?? name
            return error
        }
        return MoltError(code, message, suite: name, underlying: error)
    }
}
