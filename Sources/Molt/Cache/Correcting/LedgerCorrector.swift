internal import Foundation

/// Corrects a row of a store's ledger, and of the ledgers of its suites, completely or not at all.
///
/// The rows of suites go through the store's journal, as the changes of an upgrade do.
final class LedgerCorrector {
    let change: LedgerChange
    let correction: LedgerCorrection
    let store: StoreFile
    let registry: MigrationRegistry
    /// Whether the registry has all of the app's migrations, and not only those in the ledger.
    var isComplete = true
    private let configuration: MoltConfiguration

    init(
        _ change: LedgerChange,
        of store: StoreFile,
        _ registry: MigrationRegistry,
        reason: String,
        _ configuration: MoltConfiguration
    ) {
        self.change = change
        self.store = store
        self.registry = registry
        self.configuration = configuration
        correction = LedgerCorrection(
            change.kind,
            reason: reason,
            date: configuration.now(),
            appVersion: configuration.appVersion
        )
    }

    /// Corrects the ledgers, and returns the new row of the store's own.
    func run() throws -> LedgerEntry {
        guard correction.reason.contains(where: { !$0.isWhitespace }) else {
            throw refusal(.notCorrected, "A correction needs a reason.", "Pass one; the ledger keeps it.")
        }
        store.options.isExclusive = true
        defer { store.close() }
        do {
            // A refusal locks and creates nothing.
            var rows = try rows(in: store.state(), AttachedStores(store, registry, configuration))
            try Migrator(registry, configuration: configuration).changingSuites(of: store) { try commit(&rows) }
            return rows.row
        } catch var error as MoltError {
            error.store = error.store ?? store.storeName
            throw error
        }
    }

    /// - Parameter rows: Becomes what was committed.
    private func commit(_ rows: inout CorrectedLedger) throws {
        let patience = Patience(configuration.accessTimeout)
        try store.withWriteTransaction(until: configuration.lastInstant) { transaction in
            let stores = AttachedStores(store, registry, configuration)
            let file = try transaction.state()
            rows = try self.rows(in: file, stores)
            // A suite that is upgraded without a cache has its ledger in its own settings; the file gets a copy of it.
            if store.primary != nil { try transaction.replaceLedger(by: stores.histories(file).contents) }
            try configuration.reach(.writeLedger)
            if rows.changesStore { try transaction.correctLedger(rows.row, version: rows.version) }
            try configuration.reach(.writeJournal)
            try transaction.addToJournal(journal(rows, stores))
            try configuration.reach(.beforeCommit, "of the correction")
            return true
        } waiting: {
            let problem = "The store is open, in this process or in another one."
            try patience.wait(orThrow: refusal(.busy, problem, "Close it everywhere, and try again."))
        }
        try configuration.reach(.afterCommit, "of the correction")
    }

    /// The changes to suites.
    private func journal(_ rows: CorrectedLedger, _ stores: AttachedStores) throws -> [JournalEntry] {
        let origin = SuiteLedger.Origin(registry)
        return try rows.suites.sortedByKey.compactMap { name, entry in
            guard let suite = try stores.store(name).suite else { return nil }
            return try stores.reporting(name) {
                let snapshot = try stores.currentSnapshot(of: suite)
                try snapshot.ledger?.checkWritable(in: suite)
                var patch = SuitePatch(snapshot: snapshot.values.mapValues { $0.asStored() })
                var row =
                    snapshot.ledger?.rows.first { $0.entry.name == entry.name } ?? SuiteLedger.Row(entry, of: origin)
                row.entry = entry
                patch.corrected = [row]
                if snapshot.finding != nil { patch.ledger = snapshot.ledger }
                return JournalEntry(store: name, changes: try patch.encoded())
            }
        }
    }

    // MARK: The rows

    /// The corrected rows.
    ///
    /// - Throws: ``MoltError`` if the store, a suite or the migration does not allow the correction.
    private func rows(in file: StoreState, _ stores: AttachedStores) throws -> CorrectedLedger {
        if let pending = file.journal.first {
            throw refusal(
                .journalPending,
                "Changes to \(pending) from an earlier upgrade have not been applied yet.",
                "Open the store first, which applies them."
            )
        }
        var histories = try stores.addingBaseline(to: stores.histories(file), configuration, reading: store.read)
        try checkLedger(histories)
        let plan = try registry.plan(
            for: histories,
            of: store.storeName,
            stores,
            mode: .opening,
            hasRecords: store.hasRecords(before:)
        )
        try plan.checkLedger(of: store)
        // A correction may be the remedy for the others.
        let obstacles: [MoltError.Code] = [.superseded, .migrationMissing, .tooOld]
        if let problem = plan.problems.first(where: { obstacles.contains($0.code) }) {
            throw problem.with(.unchanged)
        }
        let suites = try stores.suiteStates()
        histories.suites = suites.compactMapValues { $0.ledger?.history }
        let corrected = try CorrectedLedger(self, histories, plan)
        try check(suites, histories, stores)
        return corrected
    }

    /// Refuses a store without a ledger.
    private func checkLedger(_ histories: Histories) throws {
        if let version = histories.baseline {
            throw refusal(
                .notCorrected,
                "The store has no ledger yet; it gets version \(version) from `baseline`.",
                "Open the store first."
            )
        }
        guard !histories.isFresh else {
            throw refusal(
                .fileMissing,
                "There is nothing to correct at \(store.storeName): the next opening creates the store.",
                "Check the path, or the suite's name."
            )
        }
    }

    /// Refuses a correction of suites that cannot be changed now.
    private func check(
        _ suites: [String: AttachedStores.SuiteState],
        _ histories: Histories,
        _ stores: AttachedStores
    ) throws {
        let names = registry.migrations.filter { $0.name == change.migration }.flatMap(\.attached)
            .filter { $0.suite != nil }.map(\.name)
        let rows = histories.suites.values.flatMap(\.rows)
        if let reason = try stores.deferral(of: names, histories.store.rows + rows) {
            throw refusal(
                .deferred,
                "A suite of migration \"\(change.migration)\" cannot be corrected now: \(reason)",
                "Try again later."
            )
        }
        if let fault = names.lazy.compactMap({ suites[$0]?.fault }).first { throw fault }
    }

    private func refusal(_ code: MoltError.Code, _ problem: String, _ advice: String) -> MoltError {
        MoltError(code, problem, advice: advice, outcome: .unchanged, store: store.storeName)
    }
}
