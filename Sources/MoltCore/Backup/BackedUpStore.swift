internal import Foundation

/// A store of which Molt can keep copies, and put one back in its place.
package protocol BackedUpStore: MigrationStore {
    /// Copies the store as it is without what an open transaction has written.
    ///
    /// - Throws: ``MigrationError`` with the code `noSpaceForBackup` or `backupFailed`, or what the request's `step`
    ///   throws; no file is left then.
    func makeBackup(_ request: BackupRequest) throws -> StoreBackup

    /// The store's backups, the newest first.
    func backups() throws -> [StoreBackup]

    /// What a backup says of the store.
    ///
    /// - Throws: When it cannot be read.
    func storeState(in backup: StoreBackup) throws -> StoreState

    /// Looks at all of a backup.
    ///
    /// - Throws: ``MigrationError`` with the code `backupUnusable`.
    func verify(_ backup: StoreBackup) throws

    /// Puts a backup in the place of what the store has, whole or not at all, also for others that have it open.
    ///
    /// What the backup has of attached stores comes with it, as a journal: it is to be applied afterwards.
    ///
    /// - Parameters:
    ///   - request: What else is put back, and what is kept.
    ///   - waiting: Called again and again while another process holds the lock; throws to give up.
    func restore(
        _ backup: StoreBackup,
        _ request: RestoreRequest,
        waiting: () throws -> Void
    ) throws

    /// Removes a backup.
    func remove(_ backup: StoreBackup) throws

    /// Whether what the store is kept in is damaged: looks at all of it.
    func isDamaged() -> Bool
}

extension BackedUpStore {
    /// The store itself.
    package var backedUp: (any BackedUpStore)? { self }
}

/// How a backup is put back.
package struct RestoreRequest {
    /// Whether the backup may be of another store, or stand elsewhere.
    package var isFromAnotherStore = false
    /// The attached stores that are at hand; nil where that was looked at before.
    package var attached: Set<String>?
    /// The copy of what is replaced that is kept where it is whole; nil to keep none.
    package var keeping: BackupRequest?
    /// What that copy is to have of attached stores: what brings them back to what they are now.
    ///
    /// Called with the lock held.
    package var attachedNow: () throws -> [JournalEntry] = { [] }

    /// Describes one that keeps nothing.
    package init() {}
}

extension RestoreRequest {
    /// Refuses a backup that has attached stores which are not at hand: the store could not be opened after that.
    ///
    /// - Parameter names: The attached stores that the backup has.
    /// - Throws: ``MigrationError`` with the code `notAttached`.
    package func checkAttached(_ names: [String], of backup: StoreBackup) throws(MigrationError) {
        guard let attached, let first = names.first(where: { !attached.contains($0) }) else { return }
        let missing = names.filter { !attached.contains($0) }.joined(separator: " and ")
        var error = MigrationError(
            .notAttached,
            "The backup at \(backup.url.path) has \(missing) as well. Name \(missing) in `attaching`, and attach the same "
                + "where the store is opened after that. Nothing was changed."
        )
        error.attachedStore = first
        throw error
    }

    /// Has the copy of what is replaced keep attached stores as they are then, too.
    package mutating func keep(_ attached: [any AttachedStore]) {
        attachedNow = { try attached.changesBackToNow() }
    }
}

extension [any AttachedStore] {
    /// What brings each of them back to what it is now.
    package func changesBackToNow() throws -> [JournalEntry] {
        try compactMap { attached in
            try attached.changesBackToNow().map { JournalEntry(store: attached.attachedName, changes: $0) }
        }
    }
}

/// What a copy of a store is to be.
package struct BackupRequest {
    /// How it is named, and who may remove it.
    package var kind: BackupName.Kind
    /// The store's version.
    package var version: Int
    /// What brings attached stores back to what they are now; nil leaves the store's own journal in the copy.
    package var attached: [JournalEntry]?
    /// Where space and time are asked for.
    package var policy: BackupPolicy
    /// Called before each part of the work; throws to stop it.
    package var step: () throws -> Void

    /// Describes a copy.
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

    /// Refuses to begin when there is not as much space as a copy needs.
    ///
    /// - Throws: ``MigrationError`` with the code `noSpaceForBackup`.
    package func checkSpace(for bytes: Int64, in directory: String, store: String) throws(MigrationError) {
        guard let free = policy.freeSpace(directory), free < bytes else { return }
        throw .noSpace(for: bytes, free: free, in: directory, store: store, kind: kind)
    }
}
