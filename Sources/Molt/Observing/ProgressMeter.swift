/// Counts the work done in an upgrade, and reports it to the monitor.
///
/// The reported progress never goes back, even if there is more work than expected. In a large store it is not sent for
/// each batch, but 200 times in all, or ten times a second if that is more often.
final class ProgressMeter {
    private static let stepCount = 200
    private static let pause = Duration.milliseconds(100)

    private let monitor: MigrationMonitor?
    private var weights: [Int] = []
    private var total = 0
    private var ended = 0
    private var group = 0
    private var completed = 0
    private var migrations: [MigrationID] = []
    private var lastReported = MigrationEvent.Progress(completed: 0, total: 0)
    private var lastReportedAt = Instant.now

    init(monitor: MigrationMonitor?) {
        self.monitor = monitor
    }

    func expect(_ weights: [Int]) {
        self.weights = weights
        total = weights.reduce(0, +)
        if !weights.isEmpty { send() }
    }

    /// Begins a group, and replaces its expected work with a new estimate.
    func begin(group: Int, weight: Int, migrations: [MigrationID]) {
        total += weight - weights[group]
        weights[group] = weight
        self.group = group
        self.migrations = migrations
        completed = 0
    }

    /// Removes a group's work from the total.
    func skip(group: Int) {
        begin(group: group, weight: 0, migrations: [])
    }

    /// Adds work that the current group finds as it goes.
    func expect(_ count: Int) {
        guard count > 0, weights.indices.contains(group) else { return }
        total += count
        weights[group] += count
    }

    func advance(by count: Int) {
        completed = min(completed + count, weights[group])
        guard monitor != nil else { return }
        let isFar = (ended + completed - lastReported.completed) * Self.stepCount >= total
        if isFar || total != lastReported.total || migrations != lastReported.migrations
            || lastReportedAt.duration(to: .now) >= Self.pause
        {
            send()
        }
    }

    /// Ends a group; all its work counts as done, even if a block read fewer records.
    func end() {
        ended += weights[group]
        completed = 0
        send()
    }

    private func send() {
        guard let monitor else { return }
        var progress = MigrationEvent.Progress(completed: ended + completed, total: total, migrations: migrations)
        if lastReported.total == total {
            progress.completed = max(progress.completed, lastReported.completed)
        } else if lastReported.total > 0 {
            let least = Double(lastReported.completed) / Double(lastReported.total) * Double(total)
            progress.completed = min(total, max(progress.completed, Int(least.rounded(.up))))
        }
        lastReported = progress
        lastReportedAt = .now
        monitor.send(.progressed(progress))
    }
}
