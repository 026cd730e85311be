package import Molt

/// A point at which an upgrade is interrupted.
///
/// Repeated upgrades of the same store reach the same points, in any order of their threads.
package struct FaultPoint: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The point in the code of the upgrade; nil for a full disk.
    package var point: UpgradePoint?
    /// The running steps; empty outside of steps.
    var steps = ""
    /// The number of times that the upgrade has reached the point, from 1.
    package var occurrence = 1
    /// The number of pages that a full disk lets the file have; 0 for no limit.
    var pages = 0

    /// Whether the store could fail here by itself.
    var isWrite: Bool {
        switch point?.kind {
        case .writeBatch, .writeExpiry, .insert, .delete, .renameType, .deleteType, .takeOut, .postponeChange,
            .applyPostponedChanges, .writeLedger, .writeJournal, .clearJournal, .beforeApply, nil:
            true
        default:
            false
        }
    }

    /// The kind of point, which points on different types and records have in common.
    var name: String { point?.kind.rawValue ?? "the file is full" }

    package var description: String {
        var text = point?.description ?? "a file that is full at \(pages) pages"
        if occurrence > 1 { text += ", for the \(DisplayText.ordinal(occurrence)) time" }
        if !steps.isEmpty { text += ", in the steps \(steps)" }
        return text
    }

    /// The point as a part of a sentence, such as "while writing the ledger".
    var moment: String {
        switch point?.kind {
        case .record: "in \(self)"
        case .beforeBackup, .afterBackup, .beforeSteps, .afterSteps, .beforeCommit, .afterCommit, .beforeApply,
            .afterApply, .afterApplies, .beforeWork, .afterWork, .beforeHandover, .afterHandover:
            description
        case .copyForBackup, .read, .writeBatch, .writeExpiry, .insert, .delete, .renameType, .deleteType,
            .takeOut, .postponeChange, .applyPostponedChanges, .writeLedger, .writeJournal, .clearJournal, .erase,
            .moveStore:
            "while \(self)"
        case nil: "with \(self)"
        }
    }
}

/// Observes one upgrade, and makes it fail at points.
package final class FaultInjector: Sendable {
    private struct State {
        var points: [FaultPoint] = []
        var hasFailed = false
        var steps = ""
        var counts: [FaultPoint: Int] = [:]
    }

    private let state = Locked(State())
    private let fails: @Sendable (FaultPoint, _ hasFailed: Bool) -> Bool

    /// - Parameter fails: Whether the upgrade fails at a point.
    package init(_ fails: @escaping @Sendable (FaultPoint, _ hasFailed: Bool) -> Bool) {
        self.fails = fails
    }

    /// The points that were reached.
    var points: [FaultPoint] { state.withLock { $0.points } }
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    package var hook: UpgradeHook {
        { point in
            try self.state.withLock { state in
                if point.kind == .afterSteps { state.steps = "" }
                var reached = FaultPoint(point: point, steps: state.steps)
                state.counts[reached, default: 0] += 1
                reached.occurrence = state.counts[reached, default: 1]
                if point.kind == .beforeSteps { state.steps = point.subject }
                state.points.append(reached)
                guard self.fails(reached, state.hasFailed) else { return }
                state.hasFailed = true
                throw InjectedFault(point: reached).asThrown
            }
        }
    }
}

/// The error that interrupts an upgrade.
package struct InjectedFault: Error, CustomStringConvertible {
    package let point: FaultPoint

    package var description: String { "The test has made the upgrade fail here: \(point)." }

    /// The error as a store or a step would throw it.
    var asThrown: any Error {
        guard point.isWrite, point.point?.kind != .beforeApply else { return self }
        return MoltError(.storeFailed, "The store could not be written.", underlying: self)
    }
}
