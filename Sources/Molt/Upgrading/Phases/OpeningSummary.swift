/// Collects what the summary of an opening says, and tells the monitor that the opening has ended.
package final class OpeningSummary {
    var plan: MigrationPlan?
    /// See ``MigrationSummary/interruptions``.
    var interruptions = 0
    /// How far the upgrade is.
    var stage = Stage.untouched
    /// Whether it made the changes outside the store that an earlier upgrade had committed.
    var hasFinishedEarlier = false
    /// See ``MigrationSummary/storeSize``.
    var storeSize: Int64?

    /// How far an upgrade is, from which follows what a stop claims.
    enum Stage {
        /// Nothing was changed.
        case untouched
        /// Something was changed, but not by the upgrade: an earlier one was finished, or the file was moved.
        case changedBefore
        /// The upgrade has begun to write.
        case inTransaction
        /// The upgrade is on disk, or there was nothing to do.
        case committed

        /// What a stop at this point has done to the store; nil if that cannot be said in a word.
        var outcomeOfStop: MoltError.Outcome? {
            switch self {
            case .untouched: .unchanged
            case .changedBefore: nil
            case .inTransaction: .rolledBack
            case .committed: .committed
            }
        }
    }

    private let configuration: MoltConfiguration
    private let mode: RunMode
    private var start = Instant.now

    init(of store: StoreFile, _ configuration: MoltConfiguration, _ mode: RunMode) {
        storeSize = configuration.monitor == nil ? nil : store.byteCount
        self.configuration = configuration
        self.mode = mode
    }

    /// Leaves out what was done so far, such as copying the store, from the duration.
    func restart() {
        start = .now
    }

    func end(with report: MigrationReport) {
        guard let monitor = configuration.monitor else { return }
        monitor.send(.finished(report), summary.ended(with: report))
    }

    func end(with error: any Error) {
        guard let monitor = configuration.monitor else { return }
        monitor.send(.failed(error), summary.failed(with: error))
    }

    private var summary: MigrationSummary {
        var summary = MigrationSummary(plan, configuration, mode, duration: start.duration(to: .now).seconds)
        summary.storeSize = storeSize
        summary.interruptions = interruptions
        if hasFinishedEarlier { summary.outcome = .finished }
        return summary
    }
}
