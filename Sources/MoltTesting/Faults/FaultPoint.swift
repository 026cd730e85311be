internal import MoltCore

/// A place in an upgrade where a ``FaultSweep`` lets it fail, or has the process killed.
///
/// The same upgrade of the same store comes to the same places, in whatever order its threads do.
public struct FaultPoint: Hashable, Sendable, Codable {
    /// What is done at a place.
    public enum Area: String, Hashable, Sendable, Codable, CaseIterable {
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
    public let area: Area
    /// The place in words, with the type, the record or the attached store that it is about.
    public let name: String
    /// The steps that are running; empty outside of them.
    public let steps: String
    /// Which time it is that the upgrade comes to the place, counted from 1.
    public let occurrence: Int
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
    public var description: String {
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
