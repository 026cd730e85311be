internal import Foundation

extension DefaultsStore: BackedUpStore {
    /// Writes a backup of the suite, and of the other suites that the upgrade changes.
    ///
    /// Call it with the lock.
    package func makeBackup(_ request: BackupRequest) throws -> StoreBackup {
        // The upgrade has applied changes left by another process; its commit removes their journal.
        guard try hasClearedJournal || files.journal() == nil else {
            throw MoltError.backupFailed(
                "changes of an upgrade have not been applied to it yet. Upgrade it, and try again.",
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
        try ledger?.checkWritable(in: suite)
        return try files.write(
            SuiteBackupContent(
                ledger: ledger ?? DefaultsLedger(version: 0, entries: []),
                count: domain.keys.count { !Suite.ownKeys.contains($0) },
                entries: entries.map { DefaultsJournal.Entry(store: $0.store, changes: Data($0.changes)) }
            ),
            request
        )
    }

    package func backups() throws -> [StoreBackup] {
        try suite.validate()
        return try files.backups()
    }

    package func storeState(in backup: StoreBackup) throws -> StoreState {
        let content = try files.content(of: backup)
        return StoreState(
            version: content.ledger.version,
            isFresh: false,
            ledger: content.ledger.entries,
            journal: content.entries.map(\.store).filter { $0 != storeName }
        )
    }

    private func verify(_ backup: StoreBackup, _ content: SuiteBackupContent) throws {
        do {
            try content.ledger.checkWritable(in: suite)
        } catch {
            throw MoltError.backupUnusable(
                backup,
                "only a newer release of Molt can write it.",
                underlying: error
            )
        }
        for entry in content.entries where entry.store == storeName {
            do {
                _ = try SuiteIntent(Array(entry.changes))
            } catch {
                let reason = "what it has of the suite cannot be read."
                throw MoltError.backupUnusable(backup, reason, underlying: error)
            }
        }
    }

    /// Replaces the suite's content with a backup.
    ///
    /// Writing the restored content to the journal is the commit; after a kill, the next upgrade finishes the restore.
    /// Content of suites that are not attached stays in the journal, too.
    @discardableResult
    package func restore(
        _ backup: StoreBackup,
        _ request: RestoreRequest,
        waiting: () throws -> Void
    ) throws -> [String] {
        try suite.validate()
        var content = try files.content(of: backup, isOwn: !request.isFromAnotherStore)
        try verify(backup, content)
        let unattached = try request.unattached(content.entries.map(\.store), in: backup)
        content.entries.removeAll { unattached.contains($0.store) }
        let lock = try files.lock(waiting: waiting)
        let state = try stateToReplace()
        let rest = try finishUpgrade(state)
        let kept = try keepReplaced(state, rest, request)
        // Changes pending for unattached suites are committed. The backup's content of a suite takes precedence.
        let restored = Set(content.entries.map(\.store))
        content.entries += (rest ?? []).filter { !restored.contains($0.store) }
        do {
            try files.write(DefaultsJournal(ledger: content.ledger, entries: content.entries))
        } catch {
            // The copy is useless while the original exists. A journal that exists is applied despite the failure.
            if let kept, !mayHaveJournal { try? files.remove(kept) }
            throw error
        }
        // Earlier copies of replaced settings stay: the first may contain settings that exist nowhere else.
        try apply(DefaultsJournal(ledger: content.ledger, entries: content.entries))
        _ = consume lock
        return unattached
    }

    /// Whether the journal exists or may exist.
    private var mayHaveJournal: Bool {
        do {
            return try files.journal() != nil
        } catch {
            return true
        }
    }

    /// Applies the changes of a committed upgrade that a kill interrupted, so that the replaced settings include them.
    ///
    /// - Returns: The changes for unattached suites. nil if the settings are still inconsistent, for example after an
    ///   interrupted restore; then only the journal is valid.
    private func finishUpgrade(_ state: StoreState?) throws -> [DefaultsJournal.Entry]? {
        guard let state, let journal = try files.journal() else { return state == nil ? nil : [] }
        try journal.ledger.checkWritable(in: suite)
        let isOfUpgrade = journal.entries.allSatisfy { (try? SuiteIntent(Array($0.changes)))?.isReplacement != true }
        let isReadable = journal.entries.allSatisfy {
            $0.store != storeName || (try? SuiteIntent(Array($0.changes))) != nil
        }
        guard isOfUpgrade, isReadable, !state.journal.isEmpty else { return nil }
        return try apply(journal)
    }

    /// Keeps a copy of intact settings if requested.
    ///
    /// - Parameter rest: The pending changes for unattached suites.
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

    /// Applies the journal, and keeps its changes for unattached suites.
    ///
    /// - Returns: The changes that were kept.
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

    /// The suite's state; nil if its file or its journal cannot be read.
    private func stateToReplace() throws -> StoreState? {
        do {
            return try state()
        } catch let error as MoltError where error.code == .unreadable || error.code == .newerFormat {
            return nil
        }
    }

    package func remove(_ backup: StoreBackup) throws {
        try files.remove(backup)
    }

    package func isDamaged() -> Bool {
        do {
            _ = try SuiteDomain(suite).read()
            return false
        } catch {
            return (error as? MoltError)?.code == .unreadable
        }
    }
}
