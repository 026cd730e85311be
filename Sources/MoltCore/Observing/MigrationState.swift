public import Observation

/// The opening of a store as a view sees it: what it is doing, how far it is, and what went wrong.
///
/// ```swift
/// struct UpgradeView: View {
///     let state: MigrationState
///
///     var body: some View {
///         ProgressView(state.currentMigration?.name ?? "Preparing", value: state.fraction)
///     }
/// }
/// ```
@MainActor
@Observable
public final class MigrationState {
    /// What an opening is doing.
    public enum Phase: Hashable, Sendable {
        /// Nothing has been heard yet.
        case idle
        /// Another process holds the store.
        case waiting
        /// Migrations run.
        case migrating
        /// The store is open.
        case finished
        /// The opening failed; the store is as it was.
        case failed
    }

    /// What the opening is doing.
    public private(set) var phase = Phase.idle
    /// The migration that is at work; of several that go through the records together, the first.
    public private(set) var currentMigration: MigrationID?
    /// The part of the work that is done, from 0 to 1.
    public private(set) var fraction = 0.0
    /// Why the opening failed.
    public private(set) var error: (any Error)?
    /// What would run, once it is known.
    public private(set) var plan: MigrationPlan?
    /// What was done, once it is done.
    public private(set) var report: MigrationReport?

    /// Whether the migration that is shown has ended, so that another one may be.
    @ObservationIgnored private var isCurrentOver = true

    /// Creates a state that shows nothing yet.
    public init() {}

    /// Shows an opening until it ends; returns then, or when the task is cancelled.
    ///
    /// What an earlier opening left is forgotten first, so that a state can show the next try, too.
    public func follow(_ monitor: MigrationMonitor) async {
        phase = .idle
        currentMigration = nil
        fraction = 0
        error = nil
        plan = nil
        report = nil
        isCurrentOver = true
        for await event in monitor.events {
            show(event)
        }
    }

    private func show(_ event: MigrationEvent) {
        switch event {
        case .planned(let plan):
            self.plan = plan
            if plan.needsUpgrade { phase = .migrating }
        case .edited, .drifted, .backedUp:
            break
        case .waiting:
            phase = .waiting
        case .started(let migration):
            phase = .migrating
            guard isCurrentOver else { break }
            currentMigration = migration
            isCurrentOver = false
        case .progressed(let progress):
            if let first = progress.migrations.first, first != currentMigration {
                currentMigration = first
                isCurrentOver = false
            }
            fraction = max(fraction, progress.fraction)
        case .ended(let entry):
            isCurrentOver = isCurrentOver || entry.migration == currentMigration
        case .finished(let report):
            self.report = report
            currentMigration = nil
            fraction = 1
            phase = .finished
        case .failed(let error):
            self.error = error
            phase = .failed
        }
    }
}
