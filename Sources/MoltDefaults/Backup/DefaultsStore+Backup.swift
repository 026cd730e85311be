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
        return try writeBackup(request)
    }

    private func writeBackup(_ request: BackupRequest) throws -> StoreBackup {
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
        try verify(backup, files.content(of: backup))
    }

    private func verify(_ backup: StoreBackup, _ content: SuiteBackupContent) throws {
        for entry in content.entries where entry.store == storeName {
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
        _ request: RestoreRequest,
        waiting: () throws -> Void
    ) throws {
        try suite.validate()
        var content = try files.content(of: backup, isOwn: !request.isFromAnotherStore)
        try verify(backup, content)
        try request.checkAttached(content.entries.map(\.store), of: backup)
        let lock = try files.lock(waiting: waiting)
        let state = try stateToReplace()
        let rest = try finishUpgrade(state)
        let kept = try keepReplaced(state, rest, request)
        // What is still to be done to suites that are not at hand was committed; what the backup has of them comes
        // first.
        let restored = Set(content.entries.map(\.store))
        content.entries += (rest ?? []).filter { !restored.contains($0.store) }
        do {
            try files.write(DefaultsJournal(ledger: content.ledger, entries: content.entries))
        } catch {
            // A copy of what is still there is of no use. A journal that has its name is applied, whatever failed then.
            if let kept, !mayHaveJournal { try? files.remove(kept) }
            throw error
        }
        // Earlier copies of what was replaced stay: the first may have what is nowhere else.
        try apply(DefaultsJournal(ledger: content.ledger, entries: content.entries))
        _ = consume lock
    }

    /// Whether there is a journal, or it cannot be known.
    private var mayHaveJournal: Bool {
        do {
            return try files.journal() != nil
        } catch {
            return true
        }
    }

    /// Makes the changes that an upgrade has committed, and that a kill has left: what is replaced is to have them.
    ///
    /// - Returns: Those for suites that are not at hand; nil when the settings are between two states all the same, as
    ///   after a restore that was cut off: the journal is what counts then.
    private func finishUpgrade(_ state: StoreState?) throws -> [DefaultsJournal.Entry]? {
        guard let state, let journal = try files.journal() else { return state == nil ? nil : [] }
        let isOfUpgrade = journal.entries.allSatisfy { (try? SuiteIntent(Array($0.changes)))?.isReplacement != true }
        let isReadable = journal.entries.allSatisfy {
            $0.store != storeName || (try? SuiteIntent(Array($0.changes))) != nil
        }
        guard isOfUpgrade, isReadable, !state.journal.isEmpty else { return nil }
        return try apply(journal)
    }

    /// Keeps a copy of settings that are whole, where that is wanted.
    ///
    /// - Parameter rest: What is still to be done to suites that are not at hand.
    private func keepReplaced(
        _ state: StoreState?,
        _ rest: [DefaultsJournal.Entry]?,
        _ request: RestoreRequest
    ) throws -> StoreBackup? {
        guard var copy = request.keeping, let state, !state.isFresh, let rest else { return nil }
        copy.version = state.version
        copy.attached =
            try request.attachedNow() + rest.map { JournalEntry(store: $0.store, changes: Array($0.changes)) }
        return try writeBackup(copy)
    }

    /// Makes what the journal says, and keeps there what is about suites that are not at hand.
    ///
    /// - Returns: What is kept there.
    @discardableResult
    private func apply(_ journal: DefaultsJournal) throws -> [DefaultsJournal.Entry] {
        let known = Dictionary(attachments.map { ($0.attachedName, $0) }) { first, _ in first }
        if journal.entries.count == 1 {
            try known[journal.entries[0].store]?.apply(Array(journal.entries[0].changes))
        } else {
            for phase in AttachedPhase.allCases {
                for entry in journal.entries { try known[entry.store]?.apply(Array(entry.changes), phase) }
            }
        }
        let rest = journal.entries.filter { known[$0.store] == nil }
        if rest.isEmpty {
            try files.removeJournal()
        } else {
            try files.write(DefaultsJournal(ledger: journal.ledger, entries: rest))
        }
        return rest
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

    /// Whether the suite's file is no property list.
    package func isDamaged() -> Bool {
        do {
            _ = try SuiteDomain(suite).readSaved()
            return false
        } catch {
            return (error as? DefaultsError)?.code == .unreadable
        }
    }
}
