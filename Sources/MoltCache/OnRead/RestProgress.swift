internal import MoltCore

/// An estimate of how far the sweep is, by the ids that it has passed.
struct RestProgress {
    private(set) var progress: MigrationEvent.Progress
    /// The number of records of the types that are done.
    private var ended = 0
    private var sentAt = ContinuousClock.now

    init(of types: [RestType], in migrations: [MigrationID]) {
        progress = MigrationEvent.Progress(
            completed: 0,
            total: types.reduce(0) { $0 + $1.count },
            migrations: migrations
        )
    }

    /// - Returns: Whether to send the progress, which is at most ten times a second.
    mutating func advance(to id: Int64, in type: RestType) -> Bool {
        let first = Double(type.ids.lowerBound)
        let passed = (Double(id) - first + 1) / (Double(type.ids.upperBound) - first + 1)
        progress.completed = max(progress.completed, ended + Int(min(1, passed) * Double(type.count)))
        guard sentAt.duration(to: .now) >= .milliseconds(100) else { return false }
        sentAt = .now
        return true
    }

    mutating func end(_ type: RestType) {
        ended += type.count
        progress.completed = max(progress.completed, ended)
    }
}
