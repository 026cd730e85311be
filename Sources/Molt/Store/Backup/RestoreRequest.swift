internal import Foundation

package struct RestoreRequest {
    /// Whether the backup may belong to another store or be in another directory.
    var isFromAnotherStore = false
    /// The names of the available attached stores; nil if they were already checked.
    var attached: Set<String>?
    /// Whether attached stores in the backup that are not available stay as they are; otherwise it is refused.
    var leavesOthers = false
    /// The request for a copy of the replaced contents, made if they are undamaged; nil to keep no copy.
    package var keeping: BackupRequest?
    /// The changes that restore the attached stores' current state, for that copy; called with the lock held.
    var attachedNow: () throws -> [JournalEntry] = { [] }

    package init() {}
}

extension RestoreRequest {
    /// Returns the attached stores in a backup that are not available and stay as they are.
    ///
    /// Unless the request says so, such a backup is refused: the store could not be opened afterwards.
    ///
    /// - Parameter names: The attached stores in the backup.
    /// - Throws: ``MoltError`` with the code `suiteNotNamed`.
    func unattached(_ names: [String], in backup: StoreBackup) throws(MoltError) -> [String] {
        let unattached = names.filter { attached?.contains($0) == false }
        guard !leavesOthers, let first = unattached.first else { return unattached }
        let missing = unattached.joined(separator: " and ")
        throw MoltError(
            .suiteNotNamed,
            "The backup at \(backup.url.path) also contains \(missing).",
            advice:
                "Pass \(missing) in `suites`, also when you next open the store; or pass `leavingOthers: true`, which "
                + "restores the store without them.",
            outcome: .unchanged,
            suite: first
        )
    }

    /// Includes the current state of suites in the copy of the replaced contents.
    mutating func keep(_ attached: [Suite]) {
        attachedNow = { try attached.map { try $0.patchRestoringCurrentState() } }
    }
}

/// A request for a copy of a store.
package struct BackupRequest {
    /// The kind of copy, which determines its name and whether it may be removed automatically.
    var kind: BackupName.Kind
    var version: Int
    /// The changes that restore attached stores; nil leaves the store's own journal in the copy.
    var attached: [JournalEntry]?
    /// The source of the free space and the time.
    package var policy = BackupPolicy()
    /// Called before each part of the work; throws to stop it.
    var step: () throws -> Void = {}

    package init(_ kind: BackupName.Kind, version: Int, attached: [JournalEntry]? = nil) {
        self.kind = kind
        self.version = version
        self.attached = attached
    }

    /// Throws if there is not enough space for a copy.
    ///
    /// - Throws: ``MoltError`` with the code `noSpaceForBackup`.
    func checkSpace(for bytes: Int64, in directory: String, store: String) throws(MoltError) {
        guard let free = policy.freeSpace(directory), free < bytes else { return }
        throw .noSpace(for: bytes, free: free, in: directory, store: store, kind: kind)
    }
}
