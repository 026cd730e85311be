public import Foundation

/// The results of an upgrade, by migration and step.
public struct MigrationReport: Equatable, Sendable, Encodable {
    /// A migration that the upgrade ran or recorded.
    public struct Entry: Equatable, Sendable, Encodable {
        /// The migration.
        public package(set) var migration: MigrationID
        /// The reason why the store counts it as applied.
        public package(set) var outcome: LedgerEntry.Outcome
        /// The migration for which it ran at once, although it is one on read; nil for any other.
        public package(set) var neededBy: MigrationID?
        /// Its duration, in seconds.
        ///
        /// Steps of several migrations may process a record together; that time is divided in proportion to the records
        /// that each migration read.
        public package(set) var duration: TimeInterval = 0
        /// The numbers of records read, changed, dropped, handed over, created and quarantined.
        public package(set) var counts = Counts()
        /// Its steps, in order.
        public package(set) var steps: [Step]
        /// The current number of settings or files in each suite or directory that it worked on, by its name.
        package var attachedCounts: [String: Int] = [:]
        /// Whether each record that its imports have read is in the store.
        var isSourceWhole = true

        package init(_ migration: MigrationID, _ outcome: LedgerEntry.Outcome, steps: [Step] = []) {
            self.migration = migration
            self.outcome = outcome
            self.steps = steps
        }
    }

    /// A step of a migration.
    public struct Step: Equatable, Sendable, Encodable {
        /// The step's description.
        public package(set) var summary: String
        /// The numbers of records read, changed, dropped, handed over, created and quarantined.
        public package(set) var counts = Counts()
        /// The outcome for each key of the step, if it works on settings or files.
        public package(set) var keys: [KeyOutcome] = []
        /// The first 1 000 records that it could not convert and that did not stop the upgrade.
        public package(set) var failedRecords: [FailedRecord] = []
        /// The names in the step that no record has, each with the one that was probably meant, in a sentence.
        ///
        /// Only dry runs, debug builds and the tests of `MoltTesting` look for them.
        public var unmatchedNames: [String] { unmatched.map(\.description) }
        /// The data that it removed.
        public package(set) var losses: [MigrationReport.DataLoss] = []
        /// The names that no record has, in their parts.
        package var unmatched: [UnmatchedName] = []
        /// Records before and after the step, if a dry run was asked for them.
        ///
        /// They contain the user's values, and are therefore not encoded.
        public package(set) var samples: [Sample] = []

        package init(summary: String) {
            self.summary = summary
        }
    }

    /// A migration that was deferred.
    public struct Deferral: Equatable, Sendable, Encodable {
        /// The migration.
        public package(set) var migration: MigrationID
        /// The reason for the deferral, in a sentence.
        public package(set) var reason: String
    }

    /// A migration's work after the commit, or what one of its steps hands over; see ``Migration/afterCommit(_:_:)``
    /// and ``MigrationStep/handOverRecords(_:to:_:)``.
    public struct Work: Equatable, Sendable, Encodable {
        /// The migration.
        public package(set) var migration: MigrationID
        /// What the work does.
        public package(set) var summary: String
        /// Why the next opening has to do it, without values; nil if it is done, and the ledger says so.
        public package(set) var problem: String?
    }

    /// The erasing of deleted records; see ``MigrationStep/deleteType(_:erasing:)``.
    public struct Erasure: Equatable, Sendable, Encodable {
        /// Whether neither the file nor its log has the bytes of deleted records any more.
        ///
        /// Otherwise the next opening tries again. What waits to be handed over is still there; see ``reason``.
        public package(set) var isComplete: Bool
        /// Why it is not complete, why the copies are not all known, or what is still there, in a sentence.
        public package(set) var reason: String?
        /// The backups, and the files that were set aside, that may still have the bytes.
        public package(set) var copies: [StoreBackup]
    }

    /// The path of the store's file, or the name of its suite.
    public package(set) var store: String
    /// The store's version before the upgrade.
    public package(set) var from: Int
    /// The store's version now.
    public package(set) var to: Int
    /// Whether the store was created.
    public package(set) var isFresh: Bool
    /// When the upgrade began.
    public package(set) var startedAt: Date
    /// The time from the start to the commit, in seconds.
    public package(set) var duration: TimeInterval = 0
    /// The migrations that ran or were recorded, in order; empty when the store was up to date.
    public package(set) var entries: [Entry] = []
    /// The number of expired records that were removed before the migrations ran; 0 if they only rename types.
    public package(set) var expiredCount = 0
    /// All migrations that are still deferred, including those that an earlier opening deferred.
    public package(set) var deferred: [Deferral] = []
    /// The migrations that older records still go through when they are read; see ``Migration/onRead()``.
    public package(set) var onRead: [MigrationID] = []
    /// The disk space that the upgrade has needed; nil if it has only renamed types, or has written no file.
    ///
    /// A dry run counts the backup that an opening would make.
    public package(set) var space: DiskSpace?
    /// The work after the commit that this opening has done, or that still has to be done, in order.
    public package(set) var work: [Work] = []
    /// The seeds that this opening has applied, in order; see ``MigrationRegistry/seed(_:from:removingOthers:)``.
    public package(set) var seeds: [Seed] = []
    /// Whether this is the report of a dry run, which changes nothing.
    public package(set) var isDryRun = false
    /// Whether the store is open for reading only.
    package var isReadOnly = false
    /// What became of deleted records that had to be erased; nil if there were none.
    public package(set) var erasure: Erasure?
    /// The path from which the store's file was moved to its place; nil if it was there.
    ///
    /// Its copies are still at the old place: `CacheFile(at: oldURL).backups()` lists them.
    public package(set) var movedFrom: String?
    /// The backups, and the files that were set aside, at the old place.
    package var copiesLeftBehind: [StoreBackup] = []
    /// The paths of stores at the old places of this one, which was moved from there.
    ///
    /// An older build of the app that ran after the move has created such a store, and shows what that has. Molt
    /// neither reads, changes nor removes it. Import from it what the app needs, and remove it; see
    /// ``MigrationRegistry/storeMove(from:to:protection:)``.
    public package(set) var otherStores: [String] = []
    /// What was found out about suites, and about checks in the registry, a sentence each.
    ///
    /// Settings that a release without a cache has taken out of a suite wait until
    /// ``Suite/upgrade(with:configuration:)`` hands them over.
    ///
    /// A suite whose ledger is gone was emptied or overwritten, as by `defaults delete` or by code that logs a user
    /// out. A suite with the ledger of another device got it from a library that copies all keys. Its settings then
    /// count as written at the version that Molt remembers, and only later migrations run on them.
    ///
    /// A type of ``MigrationRegistry/checkingDecodes(_:as:coding:)`` that no record has, and whose name is similar to
    /// that of one that some have, is probably misspelled. Only dry runs, debug builds and the tests of `MoltTesting`
    /// look for such names.
    public package(set) var notes: [String] = []
    /// Those of the notes that are about checks.
    var notesOnChecks: [String] = []
    /// Whether a newer release, or one with other migrations, has upgraded the store; this one changes no record.
    public package(set) var isNewer = false

    package init(store: String, from: Int, to: Int, isFresh: Bool, startedAt: Date) {
        self.store = store
        self.from = from
        self.to = to
        self.isFresh = isFresh
        self.startedAt = startedAt
    }

    /// Whether there was nothing to do.
    public var isEmpty: Bool {
        isUpToDate && work.isEmpty && erasure == nil && notes.isEmpty && seeds.isEmpty
    }

    /// Whether the store already had the registry's version, with all migrations.
    package var isUpToDate: Bool { entries.isEmpty && from == to && !isFresh && movedFrom == nil }

    /// Whether the store was created, and its migrations found no data of an earlier release.
    ///
    /// A new store may take over settings and files that an earlier release kept elsewhere. A value that a step sets
    /// says nothing: a new store gets it, too.
    package var isNewInstallation: Bool {
        isFresh
            && !entries.contains { entry in
                entry.steps.contains { step in
                    step.keys.contains { $0.outcome != .absent && $0.outcome != .changed }
                }
            }
    }

    /// The work after the commit that still has to be done; the next opening tries again.
    package var pendingWork: [Work] { work.filter { $0.problem != nil } }

    /// The migrations that were applied to data from earlier releases, in order; not those that a new store begins
    /// with, that only replace others, or that wait.
    public var applied: [MigrationID] {
        entries.filter { $0.outcome == .ran || $0.outcome == .onRead }.map(\.migration)
    }

    /// The outcomes of the steps on settings or files, one for each step and key, in order.
    public var keys: [KeyOutcome] {
        entries.flatMap { $0.steps.flatMap(\.keys) }
    }

    /// The data that the steps removed, in order.
    public var losses: [MigrationReport.DataLoss] {
        entries.flatMap { $0.steps.flatMap(\.losses) }
    }

    /// The sum of the counts of all migrations.
    public var counts: Counts {
        entries.reduce(into: Counts()) { $0 += $1.counts }
    }
}

extension MigrationReport {
    /// The sentence about a store at an old place, without the full stop.
    package static func note(onOtherStore path: String) -> String {
        "an older build has created another store at the old place \(path); import what the app needs with `import(from:)`, and then remove it"
    }
}

extension MigrationReport.Entry: CustomStringConvertible {
    /// The migration, its outcome, its duration and its counts, in one line.
    public var description: String {
        "\(migration): \(outcome.text)" + (outcome == .ran ? " in \(DisplayText.seconds(duration))" : "")
            + (counts.isZero ? "" : ", \(counts)")
    }
}

extension MigrationReport.Step: CustomStringConvertible {
    /// The step and its counts, in one line.
    public var description: String {
        summary + (counts.isZero ? "" : ": \(counts)")
    }
}

extension MigrationReport.Work: CustomStringConvertible {
    /// The migration, the work, and why it still has to be done, in one line.
    public var description: String {
        ErrorSummary.oneLine("\(migration): \(summary): \(problem.map { "still to be done: \($0)" } ?? "done")")
    }
}

extension MigrationReport.Erasure: CustomStringConvertible {
    /// The result, and the copies that may still have the bytes, in one line.
    public var description: String {
        let result =
            (isComplete ? "deleted records were erased" : "deleted records are not erased yet")
            + (reason.map { ": \($0)" } ?? "")
        let names = copies.map(\.url.lastPathComponent).joined(separator: ", ")
        return result + (names.isEmpty ? "" : "; copies may still have them: \(names)")
    }
}

extension MigrationReport.Deferral: CustomStringConvertible {
    /// The migration and the reason.
    public var description: String {
        "\(migration) waits: \(reason)"
    }
}
