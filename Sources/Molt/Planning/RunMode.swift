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
    /// A store that is not upgraded is read, and its records are upgraded in memory.
    case reading
    /// A single document is upgraded.
    case document
    /// A record in quarantine is sent through the migrations that it missed.
    case retry

    var isDryRun: Bool {
        switch self {
        case .dryRun: true
        case .opening, .atOnce, .importing, .reading, .document, .retry: false
        }
    }

    /// Whether the store is a temporary copy, so that suites are only read, and nothing outside it changes.
    var isOnCopy: Bool {
        switch self {
        case .dryRun, .importing: true
        case .opening, .atOnce, .reading, .document, .retry: false
        }
    }

    /// Whether the work of migrations after the commit is done or reported.
    var concernsWork: Bool {
        switch self {
        // It was, or will be, done for the store that the records come into.
        case .importing: false
        case .opening, .atOnce, .dryRun, .reading, .document, .retry: true
        }
    }

    /// Whether a store gets the files that the app ships; see ``MigrationRegistry/seed(_:from:removingOthers:)``.
    func appliesSeeds(to store: StoreFile, _ configuration: MoltConfiguration) -> Bool {
        switch self {
        case .opening, .atOnce, .dryRun:
            store.primary == nil && configuration.process.upgrades && configuration.hooks.doesWork
        case .importing, .reading, .document, .retry: false
        }
    }

    /// Whether migrations on read are only recorded; otherwise they run like others.
    var leavesOnRead: Bool {
        switch self {
        case .opening: true
        case .atOnce, .dryRun, .importing, .reading, .document, .retry: false
        }
    }

    /// Whether a store that a newer release has upgraded is left as it is, if its migrations allow that.
    var mayLeaveNewer: Bool {
        switch self {
        case .opening, .atOnce, .dryRun: true
        case .importing, .reading, .document, .retry: false
        }
    }

    /// Whether migrations that were edited after they had shipped are noticed.
    var checksEdits: Bool {
        switch self {
        case .importing: false
        case .opening, .atOnce, .dryRun, .reading, .document, .retry: true
        }
    }

    /// The number of samples for each step in the notes that the run takes of its changes; nil if it takes none.
    var sampleCount: Int? {
        switch self {
        case .dryRun(let samples): min(max(0, samples), 1_000)
        case .importing: 0
        case .opening, .atOnce, .reading, .document, .retry: nil
        }
    }

    /// Whether the report names what matches nothing in the store, which may read records.
    func findsUnmatchedNames(_ configuration: MoltConfiguration) -> Bool {
        switch self {
        case .dryRun: true
        // An export may hold a part of the records.
        case .importing: false
        case .opening, .atOnce, .reading, .document, .retry: configuration.hooks.findsUnmatchedNames
        }
    }
}

extension RunMode {
    /// What a run does with a step of a migration that it works on.
    enum StepUse {
        case runs
        /// It concerns nothing that the run works on, or is done elsewhere.
        case skipped
        /// The run cannot do what the step does, nor leave it out.
        case impossible
    }

    /// Which run takes which step.
    @inline(never)
    func use(of step: MigrationStep) -> StepUse {
        switch self {
        case .opening, .atOnce, .dryRun: .runs
        case .importing(let includesSettings): useInImport(of: step, includesSettings: includesSettings)
        // The app decodes each value when it reads it.
        case .reading where step.isCheck, .document where step.isCheck: .skipped
        case .reading:
            switch step.work {
            // A record that is gone would still be listed and counted.
            case .records(.edit(let edit, _)): edit.mayDrop ? .impossible : .runs
            case .records(.renameType), .records(.deleteType), .records(.handOver): .runs
            // It adds records, or changes their keys, by which they are found.
            case .store, .bring, .settings(.moveToRecords): .impossible
            case .block: .impossible
            // A record is read before any check.
            case .settings, .check: .skipped
            }
        case .document:
            switch step.work {
            case .records: .runs
            // It may need a whole store.
            case .store(let work): work.mergesRecords ? .impossible : .runs
            case .bring, .block: .impossible
            case .settings, .check: .skipped
            }
        case .retry:
            switch step.work {
            // If another record has the new key, the record stays in quarantine.
            case .records, .store(.renameKeys): .runs
            // It needs the whole store.
            case .store(.extract): .impossible
            case .block(let block, _): block.onFreshStore ? .skipped : .impossible
            // What imports data, and checks, ran with the upgrade.
            case .settings, .bring, .check: .skipped
            }
        }
    }

    /// What an import does with a step: the store that the records come into has the data of directories and files.
    ///
    /// A block stays, whatever it has attached: it may work on records. One that brings data in from elsewhere does
    /// not, unless it may convert settings that are imported.
    private func useInImport(of step: MigrationStep, includesSettings: Bool) -> StepUse {
        switch step.work {
        case .records, .store: .runs
        case .settings: includesSettings && step.attached.allSatisfy { $0.suite != nil } ? .runs : .skipped
        case .block(let block, _):
            !block.onFreshStore || includesSettings && !block.suites.isEmpty ? .runs : .skipped
        case .bring, .check: .skipped
        }
    }
}
