/// What migrations run for, which decides what the run may do; it is passed beside the configuration.
package enum RunMode: Sendable {
    /// A cache is opened, which leaves migrations on read to its reads.
    case opening
    /// All records are upgraded at once: by a tool or a test, or with a suite that has no cache.
    case atOnce
    /// A temporary copy is upgraded, for a report with a number of samples for each step.
    case dryRun(samples: Int)
    /// The temporary store of an import is upgraded, with or without settings.
    case importing(includesSettings: Bool)
    /// A store that is not upgraded is read.
    case reading

    /// Whether the report is that of a dry run.
    var isDryRun: Bool {
        switch self {
        case .dryRun: true
        case .opening, .atOnce, .importing, .reading: false
        }
    }

    /// Whether the store is a temporary copy, so that suites are only read, and nothing outside it changes.
    var isOnCopy: Bool {
        switch self {
        case .dryRun, .importing: true
        case .opening, .atOnce, .reading: false
        }
    }

    /// Whether the work of migrations after the commit is done or reported.
    var concernsWork: Bool {
        switch self {
        // It was, or will be, done for the store that the records come into.
        case .importing: false
        case .opening, .atOnce, .dryRun, .reading: true
        }
    }

    /// Whether migrations on read are only recorded; otherwise they run like others.
    var leavesOnRead: Bool {
        switch self {
        case .opening: true
        case .atOnce, .dryRun, .importing, .reading: false
        }
    }

    /// Whether migrations that were edited after they had shipped are noticed.
    var checksEdits: Bool {
        switch self {
        case .importing: false
        case .opening, .atOnce, .dryRun, .reading: true
        }
    }

    /// The number of samples for each step in the notes that the run takes of its changes; nil if it takes none.
    var sampleCount: Int? {
        switch self {
        case .dryRun(let samples): min(max(0, samples), 1_000)
        case .importing: 0
        case .opening, .atOnce, .reading: nil
        }
    }

    /// Whether the report names what matches nothing in the store, which may read records.
    ///
    /// - Parameter isWanted: Whether an upgrade looks for it.
    func findsUnmatchedNames(_ isWanted: Bool) -> Bool {
        switch self {
        case .dryRun: true
        // An export may hold a part of the records.
        case .importing: false
        case .opening, .atOnce, .reading: isWanted
        }
    }
}
