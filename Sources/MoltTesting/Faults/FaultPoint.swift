internal import Foundation
internal import MoltCore

/// A place in an upgrade where a ``FaultSweep`` lets it fail, or has the process killed.
///
/// The same upgrade of the same store comes to the same places, in whatever order its threads do.
package struct FaultPoint: Hashable, Sendable, Codable {
    /// What is done at a place.
    package enum Area: String, Hashable, Sendable, Codable, CaseIterable {
        /// Copying the store before anything is written, where the configuration asks for a backup.
        case backups
        /// The moment before and the one after each group of steps that run together.
        case steps
        /// Reading a batch of records.
        case batches
        /// Handing a record to a closure, or to another step that looks at one record at a time.
        case records
        /// Writing into the store: records, types, the ledger, the journal.
        case writes
        /// Before and after each commit.
        case commits
        /// Making changes to suites and other attached stores.
        case attached
        /// How many pages the file may have before the disk is full.
        case fullDisks

        /// So many of them, in words.
        func counted(_ count: Int) -> String {
            let isOne = count == 1
            let words =
                switch self {
                case .backups: isOne ? "moment of a backup" : "moments of a backup"
                case .steps: isOne ? "step" : "steps"
                case .batches: isOne ? "batch" : "batches"
                case .records: isOne ? "record" : "records"
                case .writes: isOne ? "write" : "writes"
                case .commits: isOne ? "commit" : "commits"
                case .attached: isOne ? "change to an attached store" : "changes to attached stores"
                case .fullDisks: isOne ? "full disk" : "full disks"
                }
            return "\(count) \(words)"
        }
    }

    /// What is done there.
    package let area: Area
    /// The place in words, with the type, the record or the attached store that it is about.
    package let name: String
    /// The steps that are running; empty outside of them.
    package let steps: String
    /// Which time it is that the upgrade comes to the place, counted from 1.
    package let occurrence: Int
    /// Whether something is written there, so that a disk could refuse it.
    let isWrite: Bool
    /// What there are several of, on different types and records.
    let kind: String
    /// How many pages the file may have; 0 for no limit.
    let pages: Int

    /// Whether something was committed just before.
    var isCommitted: Bool { kind == UpgradePoint.Kind.afterCommit.rawValue }

    init(_ point: UpgradePoint, steps: String, occurrence: Int) {
        area = point.kind.area
        name = point.description
        self.steps = steps
        self.occurrence = occurrence
        isWrite = area == .writes || point.kind == .beforeApply
        kind = point.kind.rawValue
        pages = 0
    }

    /// The moment at which a file that has so many pages can grow no more.
    init(fullAt pages: Int) {
        area = .fullDisks
        name = "a disk that is full when the file has \(pages) pages"
        steps = ""
        occurrence = 1
        isWrite = true
        kind = name
        self.pages = pages
    }
}

extension FaultPoint: CustomStringConvertible {
    /// The place in words, which time it is, and the steps that are running.
    package var description: String {
        var text = name
        if occurrence > 1 { text += ", time \(occurrence)" }
        if !steps.isEmpty { text += ", in the steps \(steps)" }
        return text
    }
}

extension UpgradePoint.Kind {
    /// What is done there.
    fileprivate var area: FaultPoint.Area {
        switch self {
        case .beforeBackup, .copyForBackup, .afterBackup: .backups
        case .beforeSteps, .afterSteps: .steps
        case .read: .batches
        case .record: .records
        case .writeBatch, .writeContent, .writeExpiry, .insert, .delete, .renameType, .deleteType, .deferChange,
            .deferQuarantine, .applyDeferredChanges, .writeLedger, .writeJournal, .clearJournal:
            .writes
        case .beforeCommit, .afterCommit: .commits
        case .beforeApply, .afterApply, .afterApplies: .attached
        }
    }
}

/// The error that a ``FaultSweep`` lets an upgrade fail with.
///
/// Where a store writes, it is the underlying error of a `MigrationError` with the code `storeFailed`, as the store's own
/// failures are.
package struct InjectedFault: Error, Hashable, CustomStringConvertible, LocalizedError {
    /// The point at which it was thrown.
    package let point: FaultPoint

    /// The point at which it was thrown.
    package var description: String {
        "This fault was injected by a FaultSweep: \(point)."
    }

    /// As ``description``.
    package var errorDescription: String? { description }

    /// The error as a store or a step would throw it at the point.
    var asThrown: any Error {
        guard point.area == .writes else { return self }
        return MigrationError(.storeFailed, "The store could not be written.", underlying: self)
    }
}
