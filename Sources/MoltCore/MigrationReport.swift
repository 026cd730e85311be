public import Foundation

/// What an upgrade did, migration by migration and step by step.
public struct MigrationReport: Hashable, Sendable, Codable {
    /// A migration that the upgrade ran or recorded.
    public struct Entry: Hashable, Sendable, Codable {
        /// The migration.
        public var migration: MigrationID
        /// Why the store counts it as applied.
        public var outcome: LedgerEntry.Outcome
        /// How long it took, in seconds.
        ///
        /// Steps of several migrations look at a record in one go; the time of that is shared out by how many
        /// records each migration looked at.
        public var duration: Double
        /// How many records it read, changed, dropped, created and put into quarantine.
        public var counts: RecordCounts
        /// Its steps, in their order.
        public var steps: [Step]
        /// How many things each attached store has now that it worked on, by the store's name.
        public var attachedCounts: [String: Int]

        init(_ migration: MigrationID, _ outcome: LedgerEntry.Outcome, steps: [Step] = []) {
            self.migration = migration
            self.outcome = outcome
            self.steps = steps
            duration = 0
            counts = RecordCounts()
            attachedCounts = [:]
        }
    }

    /// A step of a migration.
    public struct Step: Hashable, Sendable, Codable {
        /// The step in words.
        public var words: String
        /// How many records it read, changed, dropped, created and put into quarantine.
        public var counts: RecordCounts
        /// What became of each key, where the step works on keys of a suite or on files.
        public var keys: [KeyOutcome]
        /// The records that it could not convert and that did not stop the upgrade; the first 1 000.
        public var failedRecords: [FailedRecord]
        /// The names in it that no record had: they may be misspelled.
        public var unmatchedNames: [UnmatchedName]

        init(words: String) {
            self.words = words
            counts = RecordCounts()
            keys = []
            failedRecords = []
            unmatchedNames = []
        }

        /// Reads a step; one that an earlier release has written does not have all members.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            words = try container.decode(String.self, forKey: .words)
            counts = try container.decode(RecordCounts.self, forKey: .counts)
            keys = try container.decode([KeyOutcome].self, forKey: .keys)
            failedRecords = try container.decodeIfPresent([FailedRecord].self, forKey: .failedRecords) ?? []
            unmatchedNames = try container.decodeIfPresent([UnmatchedName].self, forKey: .unmatchedNames) ?? []
        }
    }

    /// A migration that must wait.
    public struct Deferral: Hashable, Sendable, Codable {
        /// The migration.
        public var migration: MigrationID
        /// What it waits for, in a sentence.
        public var reason: String
    }

    /// The store, by its file's path or by the name of its suite.
    public var store: String
    /// The version that the store had.
    public var from: Int
    /// The version that it has now.
    public var to: Int
    /// Whether the store was created.
    public var isFresh: Bool
    /// When the upgrade began.
    public var startedAt: Date
    /// How long it took from then to the commit, in seconds.
    public var duration: Double
    /// What ran or was recorded, in order; empty when the store was up to date.
    public var entries: [Entry]
    /// How many records had expired, and were removed before the migrations ran.
    public var expiredCount = 0
    /// The migrations that still wait, whether or not this opening found that out; a later one tries again.
    public var deferred: [Deferral]
    /// Whether it says what would be done, and nothing was.
    public var isDryRun: Bool
    /// Whether the store is a newer app's and open for reading only; nil in a report of an earlier release.
    var isForReading: Bool?

    /// Whether the store is one that a newer app has upgraded, and that is open for reading only.
    ///
    /// See ``DowngradePolicy/openReadOnly``.
    public var isReadOnly: Bool { isForReading ?? false }

    /// Whether the upgrade changed nothing because there was nothing to do.
    public var isEmpty: Bool {
        entries.isEmpty && from == to && !isFresh
    }

    /// What became of each key that a step worked on, in order.
    public var keys: [KeyOutcome] {
        entries.flatMap { $0.steps.flatMap(\.keys) }
    }

    /// The counts of all migrations together.
    public var counts: RecordCounts {
        entries.reduce(into: RecordCounts()) { $0 += $1.counts }
    }
}
