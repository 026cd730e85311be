package import Foundation

/// A suite that is a store of its own, for an app that has settings but no cache.
///
/// ```swift
/// let report = try Suite.standard.upgrade(with: migrations)
/// ```
///
/// The suite itself holds the schema version and the ledger under the key `molt.ledger`, which steps do not see. A
/// suite has no records, so steps about records find none. A suite without settings is a fresh store.
///
/// An upgrade first writes all its changes, including those to the suite itself, to a journal file. The journal is
/// written atomically: this is the commit. The changes are then applied and read back, and the journal is removed. If
/// the process is killed in between, the next opening applies them.
///
/// - Important: Processes that upgrade a suite wait for each other; a process that only changes a setting does not
///   wait. Let nothing else change the suite during an upgrade.
package final class DefaultsStore: MigrationStore {
    package let suite: Suite
    package let storeName: String
    /// The suite itself, followed by the other attached stores.
    package let attachments: [any AttachedStore]
    let files: DefaultsStoreFiles
    /// Whether the changes of an upgrade are discarded.
    private let isDryRun: Bool
    private var transaction: DefaultsTransaction?

    /// Creates a store for a suite without accessing the suite.
    ///
    /// - Parameters:
    ///   - suite: The suite that carries the version and the ledger.
    ///   - attached: Other stores that blocks use but steps do not name; none by default.
    package convenience init(_ suite: Suite, attaching attached: [any AttachedStore] = []) {
        self.init(suite, attaching: attached, isDryRun: false)
    }

    init(_ suite: Suite, attaching attached: [any AttachedStore], isDryRun: Bool) {
        self.suite = suite
        self.isDryRun = isDryRun
        storeName = suite.attachedName
        attachments = [suite] + attached
        files = DefaultsStoreFiles(suite)
    }

    /// The file beside the journal that records started upgrades.
    package var attemptsURL: URL? {
        isDryRun ? nil : files.attempts
    }

    /// Reads the version and the ledger.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite`, `unreadable`, `newerFormat` or `noPermission`;
    ///   `MoltError` with the code `deferred` for a suite that cannot be read now, for example on a device that
    ///   has not been unlocked since it started.
    package func state() throws -> StoreState {
        try suite.validate()
        if let reason = try suite.closedReason() {
            var error = MoltError(.deferred, "\(reason) Nothing was changed. Try again later.")
            error.store = storeName
            throw error
        }
        if let journal = try files.journal() { return state(of: journal) }
        let stored = try state(of: SuiteDomain(suite).read())
        // Another process may have committed meanwhile: the ledger is in the suite, but other changes are pending.
        return try files.journal().map(state(of:)) ?? stored
    }

    /// The state according to the journal, whose changes are committed whether or not they are applied yet.
    func state(of journal: DefaultsJournal) -> StoreState {
        StoreState(
            version: journal.ledger.version,
            isFresh: false,
            ledger: journal.ledger.entries,
            journal: journal.entries.map(\.store)
        )
    }

    private func state(
        of domain: [String: PropertyListValue],
        forWriting: Bool = false
    ) throws -> StoreState {
        if let stored = domain[Suite.ledgerKey] {
            let ledger = try DefaultsLedger(stored, in: suite)
            if forWriting { try ledger.checkWritable(in: suite) }
            return StoreState(version: ledger.version, isFresh: false, ledger: ledger.entries)
        }
        return StoreState(version: 0, isFresh: domain.keys.allSatisfy(Suite.ownKeys.contains), ledger: [])
    }

    /// Runs a closure while no other process can upgrade the suite.
    package func withWriteTransaction(
        until deadline: ContinuousClock.Instant?,
        isSynced: Bool,
        _ body: (any MigrationTransaction) throws -> Void,
        waiting: () throws -> Void
    ) throws {
        try suite.validate()
        guard !isDryRun else { return try run(body) }
        let lock = try files.lock(waiting: waiting)
        try run(body)
        _ = consume lock
    }

    /// Whether the transaction has applied every change of the journal and will remove it.
    var hasClearedJournal: Bool { transaction?.hasClearedJournal ?? false }

    private func run(_ body: (any MigrationTransaction) throws -> Void) throws {
        let journal = try files.journal()
        try journal?.ledger.checkWritable(in: suite)
        // While a journal exists, the suite's file may be lost until the changes are applied again.
        let domain = try journal == nil ? SuiteDomain(suite).read() : nil
        let transaction = DefaultsTransaction(
            suite: suite,
            domain: domain,
            state: try journal.map { state(of: $0) } ?? state(of: domain ?? [:], forWriting: true),
            journal: journal
        )
        self.transaction = transaction
        defer {
            transaction.invalidate()
            self.transaction = nil
        }
        try body(transaction)
        try transaction.encodeOwnIntent()
        guard !isDryRun else { return }
        try transaction.commit(to: files)
    }
}
