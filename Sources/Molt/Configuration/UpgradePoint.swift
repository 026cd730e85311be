/// A point in an upgrade where a test may inject a failure or kill the process.
package struct UpgradePoint: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The kind of a point; the raw values are shown, and identify points across processes.
    package enum Kind: String, Hashable, Sendable, Codable {
        case beforeBackup = "before the backup"
        case copyForBackup = "copying for the backup"
        case afterBackup = "after the backup"
        case beforeSteps = "before the steps"
        case afterSteps = "after the steps"
        case read = "reading a batch"
        case record = "the closure for the record"
        case writeBatch = "writing a batch"
        case writeExpiry = "writing an expiry"
        case insert = "adding a record"
        case delete = "deleting a record"
        case renameType = "renaming the type"
        case deleteType = "deleting the type"
        case takeOut = "taking what is handed over"
        case postponeChange = "keeping a change for later"
        case applyPostponedChanges = "making the changes that were kept"
        case writeLedger = "writing the ledger"
        case writeJournal = "writing the journal"
        case clearJournal = "clearing the journal"
        case beforeCommit = "before the commit"
        case afterCommit = "after the commit"
        case beforeApply = "before changing"
        case afterApply = "after changing"
        case afterApplies = "after all changes to suites"
        case beforeWork = "before the work"
        case afterWork = "after the work"
        case beforeHandover = "before handing over"
        case afterHandover = "after handing over"
        case erase = "erasing deleted records"
        case moveStore = "moving the store"
    }

    package var kind: Kind
    /// The migrations, type, record or suite at that point; may be empty.
    package var subject: String

    package init(_ kind: Kind, _ subject: String = "") {
        self.kind = kind
        self.subject = subject
    }

    package var description: String {
        subject.isEmpty ? kind.rawValue : "\(kind.rawValue) \(subject)"
    }
}

/// Called at each point of an upgrade; an error that it throws fails the upgrade there.
///
/// It may be called on several threads, as records are processed in parallel.
package typealias UpgradeHook = @Sendable (UpgradePoint) throws -> Void

extension MoltConfiguration {
    func reach(_ kind: UpgradePoint.Kind, _ subject: @autoclosure () -> String = "") throws {
        guard let atPoint = hooks.atPoint else { return }
        try atPoint(UpgradePoint(kind, subject()))
    }
}
