public import Foundation

/// A migration that commits in batches and has not come to its end: part of the store's records went through it.
///
/// See ``Migration/committingInBatches(of:)``.
public struct UnfinishedMigration: Hashable, Sendable, Codable {
    /// The migration.
    public var migration: MigrationID
    /// What it declared when it began, see ``Migration/fingerprint``.
    public var fingerprint: String
    /// When it began.
    public var startedAt: Date
    /// How many records it will have looked at in the end.
    public var total: Int
    /// How many records it has read, changed, dropped and put into quarantine so far.
    public var counts: RecordCounts
    /// How long it has taken so far, in seconds.
    public var duration: Double
    /// The same counts for each of its steps.
    package var stepCounts: [RecordCounts]
    /// Where it stopped: the type, and the last record of it that is done.
    package var position: Position
    /// The records that could not be converted, by the step; nil for none.
    package var failures: [StepFailures]?

    /// The records that a step could not convert.
    package struct StepFailures: Hashable, Sendable, Codable {
        /// The step's place in the migration.
        package var step: Int
        /// How many there are.
        package var count: Int
        /// The first of them.
        package var records: [MigrationReport.FailedRecord]
        /// The first of all that share a limit, when it is one of these.
        package var first: FirstFailure?
    }

    /// What errors say of a record that an earlier batch could not convert.
    package struct FirstFailure: Hashable, Sendable, Codable {
        /// Its key in the step that failed.
        package var key: String?
        /// Its type name there.
        package var type: String?
        /// What kind of failure it was.
        package var code: MigrationError.Code
        /// What was wrong, in words.
        package var reason: String
        /// The property that it was about.
        package var property: String?
    }

    /// A place in a pass over the records, which goes through one type after the other.
    package struct Position: Hashable, Sendable, Codable {
        /// The type, by the name that it had when the migration began.
        package var type: String
        /// The record's id; 0 before the first one.
        package var id: Int64

        package init(type: String, id: Int64) {
            self.type = type
            self.id = id
        }
    }

    package init(
        _ migration: Migration,
        startedAt: Date,
        total: Int,
        counts: RecordCounts,
        stepCounts: [RecordCounts],
        duration: Double,
        position: Position,
        failures: [StepFailures] = []
    ) {
        self.migration = migration.id
        fingerprint = migration.fingerprint
        self.startedAt = startedAt
        self.total = total
        self.counts = counts
        self.stepCounts = stepCounts
        self.duration = duration
        self.position = position
        self.failures = failures.isEmpty ? nil : failures
    }
}
