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
        position: Position
    ) {
        self.migration = migration.id
        fingerprint = migration.fingerprint
        self.startedAt = startedAt
        self.total = total
        self.counts = counts
        self.stepCounts = stepCounts
        self.duration = duration
        self.position = position
    }
}
