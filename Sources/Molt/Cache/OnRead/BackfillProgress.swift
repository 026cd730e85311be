/// The number of records that may have to go through migrations on read, and the range of their ids.
struct BackfillExtent: Sendable {
    var count = 0
    var first = Int64.max
    var last = Int64.min
}

/// An estimate of how far the sweep is, by the ids that it has passed.
struct BackfillProgress {
    private(set) var progress: MigrationEvent.Progress
    private let extent: BackfillExtent
    private var sentAt = ContinuousClock.now

    init(of extent: BackfillExtent, in migrations: [MigrationID]) {
        self.extent = extent
        progress = MigrationEvent.Progress(completed: 0, total: extent.count, migrations: migrations)
    }

    /// - Returns: Whether to send the progress, which is at most ten times a second.
    mutating func advance(to id: Int64) -> Bool {
        let first = Double(extent.first)
        let passed = (Double(id) - first + 1) / (Double(extent.last) - first + 1)
        progress.completed = max(progress.completed, Int(min(1, passed) * Double(extent.count)))
        guard sentAt.duration(to: .now) >= .milliseconds(100) else { return false }
        sentAt = .now
        return true
    }
}
