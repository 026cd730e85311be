internal import Foundation

/// The write transaction of a suite that is a store: a ledger and a journal, but no records.
final class DefaultsTransaction: MigrationTransaction {
    let records: (any RecordTransaction)? = nil
    private let suite: Suite
    /// The suite when the steps began; nil until an earlier journal is applied.
    private var domain: [String: PropertyListValue]?
    private let before: StoreState
    private var pending: DefaultsJournal?
    /// The changes to the suite itself, if any; encoded into the journal at the commit.
    private var ownIntent: SuiteIntent?
    private var isChanged = false
    private var isOver = false

    init(suite: Suite, domain: [String: PropertyListValue]?, state: StoreState, journal: DefaultsJournal?) {
        self.suite = suite
        self.domain = domain
        before = state
        pending = journal
    }

    /// Writes the journal, which is the commit, or removes it if all its changes are applied.
    func commit(to files: DefaultsStoreFiles) throws {
        guard isChanged else { return }
        do {
            if let pending {
                try files.write(pending)
            } else {
                try files.removeJournal()
            }
        } catch {
            guard try pending == nil || files.hasJournal(pending) else { throw error }
            throw failureAfterCommit(error)
        }
    }

    /// The error for a failure after the rename or removal of the journal, when the upgrade is already committed.
    private func failureAfterCommit(_ error: any Error) -> MoltError {
        let problem = pending == nil ? "cannot be removed" : "was written, but the disk did not confirm it"
        var failure = MoltError(
            .attachedStoreFailed,
            "The journal of an upgrade of \(suite) \(problem).",
            outcome: .committed,
            underlying: error
        )
        failure.attachedStore = suite.attachedName
        return failure
    }

    /// Whether the commit removes the journal without replacing it.
    var hasClearedJournal: Bool { isChanged && pending == nil }

    func invalidate() {
        isOver = true
    }

    private func check() throws {
        guard isOver else { return }
        throw MoltError(
            .contextExpired,
            "The transaction was used after it had ended. Use it only inside the closure that it was given to."
        )
    }

    func state() throws -> StoreState {
        try check()
        guard let pending else {
            return StoreState(version: before.version, isFresh: before.isFresh, ledger: before.ledger)
        }
        return StoreState(
            version: pending.ledger.version,
            isFresh: false,
            ledger: pending.ledger.entries,
            journal: pending.entries.map(\.store)
        )
    }

    // MARK: The ledger and the journal

    func record(_ entries: [LedgerEntry], version: Int) throws {
        try check()
        let names = Set(entries.map(\.name))
        let kept = (pending?.ledger.entries ?? before.ledger).filter {
            ![.deferred, .onRead].contains($0.outcome) || !names.contains($0.name)
        }
        let replaced = pending?.ledger.entries ?? before.ledger
        let added = entries.map { entry in
            var entry = entry
            entry.extra = entry.extra ?? replaced.first { $0.name == entry.name }?.extra
            return entry
        }
        let ledger = DefaultsLedger(version: version, entries: kept + added)
        pending = DefaultsJournal(ledger: ledger, entries: pending?.entries ?? [])
        try setOwnIntent { $0.ledger = try ledger.stored() }
        isChanged = true
    }

    func journal() throws -> [JournalEntry] {
        try check()
        try encodeOwnIntent()
        return (pending?.entries ?? []).map { JournalEntry(store: $0.store, changes: Array($0.changes)) }
    }

    func addToJournal(_ entries: [JournalEntry]) throws {
        try check()
        guard !entries.isEmpty else { return }
        var journal =
            pending
            ?? DefaultsJournal(
                ledger: DefaultsLedger(version: before.version, entries: before.ledger),
                entries: []
            )
        journal.entries += entries.filter { $0.store != suite.attachedName }
            .map { DefaultsJournal.Entry(store: $0.store, changes: Data($0.changes)) }
        pending = journal
        for entry in entries where entry.store == suite.attachedName {
            let intent = try SuiteIntent(entry.changes)
            try setOwnIntent { own in
                own.snapshot = intent.snapshot
                own.snapshot[Suite.ledgerKey] = try domainBefore()[Suite.ledgerKey]
                own.set = intent.set
                own.remove = intent.remove
                own.renamed = intent.renamed
                own.arrived = intent.arrived
                own.moved = intent.moved
            }
        }
        isChanged = true
    }

    func clearJournal() throws {
        try check()
        pending = nil
        ownIntent = nil
        isChanged = true
    }

    /// The suite before the steps began, but after the changes of an earlier upgrade.
    private func domainBefore() throws -> [String: PropertyListValue] {
        if let domain { return domain }
        let domain = try SuiteDomain(suite).read()
        self.domain = domain
        return domain
    }

    private func setOwnIntent(_ change: (inout SuiteIntent) throws -> Void) throws {
        let name = suite.attachedName
        let entry = pending?.entries.first { $0.store == name }
        var intent =
            try ownIntent ?? entry.map { try SuiteIntent(Array($0.changes)) }
            ?? SuiteIntent(snapshot: domainBefore())
        try change(&intent)
        ownIntent = intent
        // Reserves the entry's position; the commit fills in its content.
        if entry == nil { pending?.entries.append(DefaultsJournal.Entry(store: name, changes: Data())) }
    }

    /// Encodes the changes to the suite itself, once they are complete.
    ///
    /// - Throws: ``MoltError`` with the code `cannotStore` if the suite could not hold its values after them.
    func encodeOwnIntent() throws {
        guard let intent = ownIntent,
            let index = pending?.entries.firstIndex(where: { $0.store == suite.attachedName })
        else { return }
        try intent.check(for: suite)
        pending?.entries[index].changes = Data(try intent.encoded())
        ownIntent = nil
    }
}
