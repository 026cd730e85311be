/// How far an upgrade has come; the fraction never goes back within one opening.
public struct MigrationProgress: Hashable, Sendable, Codable {
    /// The work done, in records to look at.
    public var completed: Int
    /// All the work, in records to look at: each pass over the records counts them once.
    public var total: Int
    /// The migrations that are at work: all those whose steps look at each record in the same pass.
    public var migrations: [MigrationID]

    /// Creates a progress, as a preview or a test of what shows it needs.
    public init(completed: Int, total: Int, migrations: [MigrationID] = []) {
        self.completed = completed
        self.total = total
        self.migrations = migrations
    }

    /// The part of the work that is done, from 0 to 1.
    public var fraction: Double {
        total > 0 ? min(1, Double(completed) / Double(total)) : 1
    }
}
