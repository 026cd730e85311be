/// The progress of an upgrade; the fraction never decreases within one opening.
public struct MigrationProgress: Hashable, Sendable, Codable {
    /// The number of records that were processed.
    public var completed: Int
    /// The number of records to process; each pass over a record counts.
    public var total: Int
    /// The migrations in progress: all those fused into the current pass.
    public var migrations: [MigrationID]

    /// Creates a progress value, for example for a preview or a test.
    public init(completed: Int, total: Int, migrations: [MigrationID] = []) {
        self.completed = completed
        self.total = total
        self.migrations = migrations
    }

    /// The completed fraction of the work, from 0 to 1.
    public var fraction: Double {
        total > 0 ? min(1, Double(completed) / Double(total)) : 1
    }
}
