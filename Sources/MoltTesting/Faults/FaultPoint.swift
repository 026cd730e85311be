internal import Foundation
internal import MoltCore

/// A point in an upgrade at which a ``FaultSweep`` injects a failure or kills the process.
///
/// Repeated upgrades of the same store reach the same points, in any order of their threads.
package struct FaultPoint: Hashable, Sendable, Codable {
    /// The kind of work at a point.
    package enum Area: String, Hashable, Sendable, Codable, CaseIterable {
        /// Copying the store for a backup, if the configuration requests one.
        case backups = "moments of a backup"
        /// Before and after each group of steps that run together.
        case steps
        case batches
        /// Passing a record to a closure or to another step that handles single records.
        case records
        /// Writing records, types, the ledger or the journal into the store.
        case writes
        case commits
        case attached = "changes to attached stores"
        /// Limiting the number of pages of the file, as on a full disk.
        case fullDisks = "full disks"
    }

    package let area: Area
    /// A description of the point, with the type, the record or the attached store concerned.
    package let name: String
    /// The running steps; empty outside of steps.
    package let steps: String
    /// The number of times that the upgrade has reached the place, from 1.
    package let occurrence: Int
    /// Whether the point is a write that a disk could refuse.
    let isWrite: Bool
    /// The kind of point, shared by points on different types and records.
    let kind: String
    /// The maximum number of pages of the file; 0 for no limit.
    let pages: Int

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

    /// Creates the point at which a file with this number of pages cannot grow.
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
    package var description: String {
        var text = name
        if occurrence > 1 { text += ", time \(occurrence)" }
        if !steps.isEmpty { text += ", in the steps \(steps)" }
        return text
    }
}

extension UpgradePoint.Kind {
    fileprivate var area: FaultPoint.Area {
        switch self {
        case .beforeBackup, .copyForBackup, .afterBackup: .backups
        case .beforeSteps, .afterSteps: .steps
        case .read: .batches
        case .record: .records
        case .writeBatch, .writeExpiry, .insert, .delete, .renameType, .deleteType, .deferChange,
            .applyDeferredChanges, .writeLedger, .writeJournal, .clearJournal:
            .writes
        case .beforeCommit, .afterCommit: .commits
        case .beforeApply, .afterApply, .afterApplies: .attached
        }
    }
}

/// The error that a ``FaultSweep`` injects.
///
/// For writes it is the underlying error of a `MigrationError` with the code `storeFailed`, like a store's own
/// failures.
package struct InjectedFault: Error, Hashable, CustomStringConvertible, LocalizedError {
    package let point: FaultPoint

    package var description: String {
        "This fault was injected by a FaultSweep: \(point)."
    }

    package var errorDescription: String? { description }

    /// The error in the form that a store or a step would throw.
    var asThrown: any Error {
        guard point.area == .writes else { return self }
        return MigrationError(.storeFailed, "The store could not be written.", underlying: self)
    }
}
