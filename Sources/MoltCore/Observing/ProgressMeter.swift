/// Counts the work that is done in an upgrade, and tells the monitor.
///
/// What is told never goes back, also where there turns out to be more work than was expected. It is not told for each
/// batch of a large store: two hundred times in all, or ten times a second where that is more often.
final class ProgressMeter {
    private static let stepCount = 200
    private static let pause = Duration.milliseconds(100)

    private let monitor: MigrationMonitor?
    private var weights: [Int] = []
    private var total = 0
    /// The work of the groups that have ended.
    private var ended = 0
    private var group = 0
    private var completed = 0
    private var migrations: [MigrationID] = []
    /// What was told last.
    private var told = MigrationProgress(completed: 0, total: 0)
    private var toldAt = ContinuousClock.now

    init(monitor: MigrationMonitor?) {
        self.monitor = monitor
    }

    /// Sets how much work each group is expected to be.
    func expect(_ weights: [Int]) {
        self.weights = weights
        total = weights.reduce(0, +)
        if !weights.isEmpty { send() }
    }

    /// Begins a group; corrects what was expected of it by what is known now.
    func begin(group: Int, weight: Int, migrations: [MigrationID]) {
        total += weight - weights[group]
        weights[group] = weight
        self.group = group
        self.migrations = migrations
        completed = 0
    }

    /// Takes a group out of the work.
    func skip(group: Int) {
        begin(group: group, weight: 0, migrations: [])
    }

    /// Counts records that were looked at.
    func advance(by count: Int) {
        completed = min(completed + count, weights[group])
        guard monitor != nil else { return }
        let isFar = (ended + completed - told.completed) * Self.stepCount >= total
        if isFar || total != told.total || migrations != told.migrations || toldAt.duration(to: .now) >= Self.pause {
            send()
        }
    }

    /// Ends a group: all its work is done, however many records a block has looked at.
    func end() {
        ended += weights[group]
        completed = 0
        send()
    }

    private func send() {
        guard let monitor else { return }
        var progress = MigrationProgress(completed: ended + completed, total: total, migrations: migrations)
        if told.total == total {
            progress.completed = max(progress.completed, told.completed)
        } else if told.total > 0 {
            let least = Double(told.completed) / Double(told.total) * Double(total)
            progress.completed = min(total, max(progress.completed, Int(least.rounded(.up))))
        }
        told = progress
        toldAt = .now
        monitor.send(.progressed(progress))
    }
}
