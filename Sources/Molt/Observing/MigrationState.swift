public import Observation

/// The state of a store that is being opened, for a view: its phase, its progress, and its error.
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
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@MainActor
@Observable
public final class MigrationState {
    /// A phase of an opening.
    public enum Phase: Equatable, Sendable {
        /// No event has been received yet.
        case idle
        /// Another process holds the store.
        case waiting
        /// Migrations are running.
        case migrating
        /// The store is open.
        case finished
        /// Opening the store failed; if ``MigrationState/error`` is a ``MoltError``, its outcome says what was changed.
        case failed
    }

    /// The current phase.
    public private(set) var phase = Phase.idle
    /// The migration in progress; the first one if several are fused.
    public private(set) var currentMigration: MigrationID?
    /// The completed fraction of the work, from 0 to 1.
    public private(set) var fraction = 0.0
    /// The error, if opening the store failed.
    public private(set) var error: (any Error)?
    /// The plan, once it is computed.
    public private(set) var plan: MigrationPlan?
    /// The report, once the store is open.
    public private(set) var report: MigrationReport?

    /// Whether the displayed migration has ended, so that another one may replace it.
    @ObservationIgnored private var isCurrentOver = true

    /// Creates an idle state.
    public init() {}

    /// Follows an opening until it ends or the task is cancelled.
    ///
    /// It first resets the state, so that it can be used for another attempt.
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
        case .edited, .drifted, .backedUp, .workFailed, .backfillProgressed, .backfillFinished, .backfillFailed:
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
