internal import Foundation

/// A store that Molt can back up and restore.
package protocol BackedUpStore: MigrationStore {
    /// Copies the last committed state of the store, without changes of an open transaction.
    ///
    /// - Throws: ``MoltError`` with the code `noSpaceForBackup` or `backupFailed`, or an error of the request's
    ///   `step`; no file is left in that case.
    func makeBackup(_ request: BackupRequest) throws -> StoreBackup

    /// The store's backups, the newest first.
    func backups() throws -> [StoreBackup]

    /// The state of the store in a backup.
    ///
    /// - Throws: An error if the backup cannot be read.
    func storeState(in backup: StoreBackup) throws -> StoreState

    /// Replaces the store's contents with a backup, atomically also for other processes that have the store open.
    ///
    /// The backup's state of attached stores is restored as a journal, which must be applied afterwards.
    ///
    /// - Parameters:
    ///   - request: What else is restored, and what is kept.
    ///   - waiting: Called repeatedly while another process holds the lock; throws to give up.
    /// - Returns: The attached stores in the backup that were left as they are.
    @discardableResult
    func restore(
        _ backup: StoreBackup,
        _ request: RestoreRequest,
        waiting: () throws -> Void
    ) throws -> [String]

    func remove(_ backup: StoreBackup) throws

    /// Moves the contents aside, and leaves an empty store.
    ///
    /// - Returns: The file with the contents; nil if there were none, or if the store cannot be started afresh.
    func startAfresh(waiting: () throws -> Void) throws -> StoreBackup?

    /// Whether the store's file is damaged; checks all of it.
    func isDamaged() -> Bool
}

extension BackedUpStore {
    /// The store itself.
    package var backedUp: (any BackedUpStore)? { self }

    /// Does nothing: without its settings, a suite's app would lose all of them.
    package func startAfresh(waiting: () throws -> Void) throws -> StoreBackup? { nil }
}

/// The options of a restore.
package struct RestoreRequest {
    /// Whether the backup may belong to another store or be in another directory.
    package var isFromAnotherStore = false
    /// The names of the available attached stores; nil if they were already checked.
    package var attached: Set<String>?
    /// Whether attached stores in the backup that are not available stay as they are; otherwise it is refused.
    package var leavesUnattached = false
    /// The request for a copy of the replaced contents, made if they are undamaged; nil to keep no copy.
    package var keeping: BackupRequest?
    /// The changes that restore the attached stores' current state, for that copy; called with the lock held.
    package var attachedNow: () throws -> [JournalEntry] = { [] }

    package init() {}
}

extension RestoreRequest {
    /// Returns the attached stores in a backup that are not available and stay as they are.
    ///
    /// Unless the request says so, such a backup is refused: the store could not be opened afterwards.
    ///
    /// - Parameter names: The attached stores in the backup.
    /// - Throws: ``MoltError`` with the code `notAttached`.
    package func unattached(_ names: [String], in backup: StoreBackup) throws(MoltError) -> [String] {
        let unattached = names.filter { attached?.contains($0) == false }
        guard !leavesUnattached, let first = unattached.first else { return unattached }
        let missing = unattached.joined(separator: " and ")
        var error = MoltError(
            .notAttached,
            "The backup at \(backup.url.path) also contains \(missing). Pass \(missing) in `attaching`, also when you "
                + "next open the store; or pass `leavingUnattached: true`, which restores the store without them. Nothing "
                + "was changed."
        )
        error.attachedStore = first
        throw error
    }

    /// Includes the current state of attached stores in the copy of the replaced contents.
    package mutating func keep(_ attached: [any AttachedStore]) {
        attachedNow = { try attached.changesRestoringCurrentState() }
    }
}

extension [any AttachedStore] {
    /// The changes that restore the current state of each store.
    package func changesRestoringCurrentState() throws -> [JournalEntry] {
        try compactMap { attached in
            try attached.changesRestoringCurrentState().map { JournalEntry(store: attached.attachedName, changes: $0) }
        }
    }
}

/// A request for a copy of a store.
package struct BackupRequest {
    /// The kind of copy, which determines its name and whether it may be removed automatically.
    package var kind: BackupName.Kind
    package var version: Int
    /// The changes that restore attached stores; nil leaves the store's own journal in the copy.
    package var attached: [JournalEntry]?
    /// The source of the free space and the time.
    package var policy: BackupPolicy
    /// Called before each part of the work; throws to stop it.
    package var step: () throws -> Void

    package init(
        _ kind: BackupName.Kind,
        version: Int,
        attached: [JournalEntry]? = nil,
        policy: BackupPolicy = BackupPolicy(),
        step: @escaping () throws -> Void = {}
    ) {
        self.kind = kind
        self.version = version
        self.attached = attached
        self.policy = policy
        self.step = step
    }

    /// Throws if there is not enough space for a copy.
    ///
    /// - Throws: ``MoltError`` with the code `noSpaceForBackup`.
    package func checkSpace(for bytes: Int64, in directory: String, store: String) throws(MoltError) {
        guard let free = policy.freeSpace(directory), free < bytes else { return }
        throw .noSpace(for: bytes, free: free, in: directory, store: store, kind: kind)
    }
}
