package import Foundation
package import MoltCore

/// A suite as a store of its own, for an app that has settings and no cache.
///
/// ```swift
/// let report = try Suite.standard.upgrade(with: migrations)
/// ```
///
/// The schema version and the ledger are kept in the suite itself, under the key `molt.ledger`, which steps do not
/// see. A suite has no records: steps about records find none. A suite that has no setting yet is a fresh store.
///
/// The changes of an upgrade, those to the suite itself included, go into a file of ours first, which is written
/// atomically: that is the commit. Then they are made, read back, and the file is removed. When a process is killed in
/// between, the next opening makes them.
///
/// - Important: Processes that upgrade a suite wait for each other; one that only changes a setting does not wait. Let
///   nothing else change the suite meanwhile.
package final class DefaultsStore: MigrationStore {
    /// The suite.
    package let suite: Suite
    /// The suite, as errors and reports name it.
    package let storeName: String
    /// Nothing is coded with them: there are no records.
    package let coding = RecordCoding.standard
    /// The suite itself, and what else was attached.
    package let attachments: [any AttachedStore]
    let files: DefaultsStoreFiles
    /// Whether an upgrade is run and then forgotten.
    private let isDryRun: Bool
    /// What is being done to the suite now.
    private var transaction: DefaultsTransaction?

    /// Creates a store for a suite, which is not touched.
    ///
    /// - Parameters:
    ///   - suite: The suite that carries the version and the ledger.
    ///   - attached: What blocks work on beside it, and steps do not name themselves; none by default.
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

    /// Where upgrades that begin are noted: beside the journal.
    package var attemptsURL: URL? {
        isDryRun ? nil : files.attempts
    }

    /// Reads the version and the ledger.
    ///
    /// - Throws: ``DefaultsError`` with the code `invalidSuite`, `unreadable`, `newerFormat` or `noPermission`;
    ///   `MigrationError` with the code `deferred` for a suite that cannot be read now, as on a device that was not unlocked
    ///   since it was started.
    package func state() throws -> StoreState {
        try suite.validate()
        if let reason = try suite.closedReason() {
            var error = MigrationError(.deferred, "\(reason) Nothing was changed. Try again later.")
            error.store = storeName
            throw error
        }
        if let journal = try files.journal() { return state(of: journal) }
        let stored = try state(of: domain())
        // Another process may have committed meanwhile, and have put the ledger into the suite, but not done all else.
        return try files.journal().map(state(of:)) ?? stored
    }

    /// The suite's domain as far as it says what the suite is as a store: what is not saved counts where nothing else is.
    private func domain() throws -> [String: PropertyListValue] {
        let saved = try SuiteDomain(suite).readSaved()
        return saved.isEmpty ? try SuiteDomain(suite).read() : saved
    }

    /// What is in the journal is committed, whether or not it is in the suite yet.
    func state(of journal: DefaultsJournal) -> StoreState {
        StoreState(
            version: journal.ledger.version,
            isFresh: false,
            ledger: journal.ledger.entries,
            journal: journal.entries.map(\.store)
        )
    }

    /// What the suite itself says.
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

    /// Runs a closure while no other process upgrades the suite.
    package func withWriteTransaction(
        until deadline: ContinuousClock.Instant?,
        _ body: (any MigrationTransaction) throws -> Void,
        waiting: () throws -> Void
    ) throws {
        try suite.validate()
        guard !isDryRun else { return try run(body) }
        let lock = try files.lock(waiting: waiting)
        try run(body)
        _ = consume lock
    }

    /// Whether an upgrade has done all that the journal has, which is to be removed.
    var hasClearedJournal: Bool { transaction?.hasClearedJournal ?? false }

    private func run(_ body: (any MigrationTransaction) throws -> Void) throws {
        let journal = try files.journal()
        try journal?.ledger.checkWritable(in: suite)
        // With a journal the suite's file may be truncated, until the changes are applied again.
        let domain = try journal == nil ? domain() : nil
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
        guard !isDryRun else { return }
        try transaction.commit(to: files)
    }
}
