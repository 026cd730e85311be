internal import Foundation
package import MoltCore

extension DefaultsStore: BackedUpStore {
    /// Writes what the suite holds, and what others hold that the upgrade is about to change, into a file of ours.
    ///
    /// To be called with the lock.
    package func makeBackup(_ request: BackupRequest) throws -> StoreBackup {
        // What another process has left, the upgrade has applied, and forgets with its commit.
        guard try hasClearedJournal || files.journal() == nil else {
            throw MigrationError.backupFailed(
                "changes of an upgrade are still to be made to it. Upgrade it, and try again.",
                store: storeName
            )
        }
        let domain = try SuiteDomain(suite).read()
        var entries = [JournalEntry(store: storeName, changes: try SuiteIntent(replacingBy: domain).encoded())]
        entries += (request.attached ?? []).filter { $0.store != storeName }
        let ledger = try domain[Suite.ledgerKey].map { try DefaultsLedger($0, in: suite) }
        return try files.write(
            SuiteBackupContent(
                ledger: ledger ?? DefaultsLedger(version: 0, entries: []),
                count: domain.keys.count { !Suite.ownKeys.contains($0) },
                entries: entries.map { DefaultsJournal.Entry(store: $0.store, changes: Data($0.changes)) }
            ),
            request
        )
    }

    /// The backups of the suite, the newest first.
    package func backups() throws -> [StoreBackup] {
        try suite.validate()
        return try files.backups()
    }

    /// What a backup says of the suite.
    package func storeState(in backup: StoreBackup) throws -> StoreState {
        let content = try files.content(of: backup)
        return StoreState(
            version: content.ledger.version,
            isFresh: false,
            ledger: content.ledger.entries,
            journal: content.entries.map(\.store).filter { $0 != storeName }
        )
    }

    /// Looks at all of a backup.
    package func verify(_ backup: StoreBackup) throws {
        for entry in try files.content(of: backup).entries where entry.store == storeName {
            do {
                _ = try SuiteIntent(Array(entry.changes))
            } catch {
                let reason = "what it has of the suite cannot be read."
                throw MigrationError.backupUnusable(backup, reason, underlying: error)
            }
        }
    }

    /// Puts a backup in the place of what the suite holds.
    ///
    /// The journal takes all of it first, which is the commit; what a kill leaves is done by the next upgrade. What the
    /// backup has of suites that are not at hand stays in the journal, too.
    package func restore(
        _ backup: StoreBackup,
        checking isExpected: (StoreState?) throws -> Void,
        waiting: () throws -> Void
    ) throws {
        try suite.validate()
        try verify(backup)
        let content = try files.content(of: backup)
        let lock = try files.lock(waiting: waiting)
        try isExpected(stateToReplace())
        try files.write(DefaultsJournal(ledger: content.ledger, entries: content.entries))
        let known = Dictionary(attachments.map { ($0.attachedName, $0) }) { first, _ in first }
        for phase in AttachedPhase.allCases {
            for entry in content.entries { try known[entry.store]?.apply(Array(entry.changes), phase) }
        }
        let rest = content.entries.filter { known[$0.store] == nil }
        if rest.isEmpty {
            try files.removeJournal()
        } else {
            try files.write(DefaultsJournal(ledger: content.ledger, entries: rest))
        }
        _ = consume lock
    }

    /// What the suite says of itself; nil when its file, or its journal, cannot be read.
    private func stateToReplace() throws -> StoreState? {
        do {
            return try state()
        } catch let error as DefaultsError where error.code == .unreadable || error.code == .newerFormat {
            return nil
        }
    }

    /// Removes a backup of the suite.
    package func remove(_ backup: StoreBackup) throws {
        try files.remove(backup)
    }

    /// How many settings the suite has.
    package func recordCount() throws -> Int {
        try SuiteDomain(suite).read().keys.count { !Suite.ownKeys.contains($0) }
    }

    /// Whether the suite's file is no property list.
    package func isDamaged() -> Bool {
        do {
            _ = try SuiteDomain(suite).read()
            return false
        } catch {
            return error.code == .unreadable
        }
    }

    /// What a suite has is not the app's alone.
    package var canStartAfresh: Bool { false }

    /// Refused: see ``canStartAfresh``.
    package func startAfresh(
        _ request: BackupRequest,
        checking isExpected: (StoreState?) throws -> Void,
        waiting: () throws -> Void
    ) throws -> StoreBackup {
        throw MigrationError(.unsupported, "The settings of \(suite) cannot be started afresh.")
    }
}
