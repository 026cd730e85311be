/// A place in an upgrade where a test may let it fail, or kill the process.
package struct UpgradePoint: Hashable, Sendable, CustomStringConvertible {
    /// Which place it is; the texts are shown, and tell another process which one is meant.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case beforeBackup = "before the backup"
        case copyForBackup = "copying for the backup"
        case afterBackup = "after the backup"
        case beforeSteps = "before the steps"
        case afterSteps = "after the steps"
        case read = "reading a batch"
        case record = "the closure for the record"
        case writeBatch = "writing a batch"
        case writeContent = "writing a record"
        case writeExpiry = "writing an expiry"
        case insert = "adding a record"
        case delete = "deleting a record"
        case renameType = "renaming the type"
        case deleteType = "deleting the type"
        case deferChange = "keeping a change for later"
        case deferQuarantine = "keeping a record for the quarantine"
        case applyDeferredChanges = "making the changes that were kept"
        case writeLedger = "writing the ledger"
        case writeJournal = "writing the journal"
        case clearJournal = "clearing the journal"
        case beforeCommit = "before the commit"
        case afterCommit = "after the commit"
        case beforeApply = "before changing"
        case afterApply = "after changing"
        case afterApplies = "after all changes to attached stores"
    }

    /// Which place it is.
    package var kind: Kind
    /// What is worked on there: migrations, a type, a record, an attached store; empty where there is nothing to say.
    package var subject: String

    /// Creates a point.
    package init(_ kind: Kind, _ subject: String = "") {
        self.kind = kind
        self.subject = subject
    }

    /// The place in words.
    package var description: String {
        subject.isEmpty ? kind.rawValue : "\(kind.rawValue) \(subject)"
    }
}

/// Is told each point of an upgrade before it is passed; the upgrade fails there with what it throws.
///
/// Records go through their steps on other threads than the one that reads and writes the store.
package typealias UpgradeHook = @Sendable (UpgradePoint) throws -> Void

extension MigrationOptions {
    /// Tells that a point is reached, where someone wants to know.
    func reach(_ kind: UpgradePoint.Kind, _ subject: @autoclosure () -> String = "") throws {
        guard let atPoint else { return }
        try atPoint(UpgradePoint(kind, subject()))
    }
}
