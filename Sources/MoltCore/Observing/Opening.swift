/// Collects what the summary of an opening says, and tells the monitor that the opening has ended.
package struct Opening {
    /// The plan; nil until there is one.
    var plan: MigrationPlan?
    /// How often the upgrade had begun before and was interrupted.
    var interruptions = 0
    private let store: any MigrationStore
    private let options: MigrationOptions
    private let start = ContinuousClock.now

    fileprivate init(of store: any MigrationStore, _ options: MigrationOptions) {
        self.store = store
        self.options = options
    }

    package func end(with report: MigrationReport) {
        guard let monitor = options.monitor else { return }
        monitor.end(.finished(report), summary.ended(with: report))
    }

    package func end(with error: any Error) {
        guard let monitor = options.monitor else { return }
        monitor.end(.failed(error), summary.failed(with: error))
    }

    private var summary: MigrationSummary {
        MigrationSummary(
            plan,
            options,
            duration: start.duration(to: .now).seconds,
            storeSize: store.byteCount,
            interruptions: interruptions
        )
    }
}

extension MigrationOptions {
    /// Begins an opening with these options.
    package func opening(of store: any MigrationStore) -> Opening {
        Opening(of: store, self)
    }
}
