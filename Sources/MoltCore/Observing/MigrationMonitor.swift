public import Foundation
import Synchronization

/// Follows the opening of a store: by a closure, as an `AsyncSequence`, or as a Foundation `Progress`.
///
/// ```swift
/// let monitor = MigrationMonitor()
/// Task {
///     for await event in monitor.events { print(event) }
/// }
/// var configuration = CodableCache.Configuration()
/// configuration.monitor = monitor
/// let cache = try await CodableCache.open(at: url, migrations: migrations, configuration: configuration)
/// ```
///
/// A monitor follows one opening; when it is given to a second one, as after a dry run, it begins anew with that.
/// Cancelling its ``progress`` stops the upgrade before the next record and rolls it back.
public final class MigrationMonitor: Sendable {
    /// The work as a Foundation progress: units are records to look at, as many as were expected at first.
    public let progress: Progress

    private let onEvent: (@Sendable (MigrationEvent) -> Void)?
    private let state = Mutex(State())

    private struct State {
        var history: [MigrationEvent] = []
        var latestProgress: MigrationEvent?
        var isOver = false
        var subscribers: [Int: AsyncStream<MigrationEvent>.Continuation] = [:]
        var nextID = 0
    }

    /// Creates a monitor.
    ///
    /// - Parameter onEvent: Called for each event, on the thread that upgrades the store, which waits for it; for
    ///   ``MigrationEvent/drifted(_:)`` on the thread that writes the value, after it was written.
    public init(onEvent: (@Sendable (MigrationEvent) -> Void)? = nil) {
        self.onEvent = onEvent
        progress = Progress(totalUnitCount: -1)
    }

    /// Whether there is a closure, which is all that gets what happens after the opening.
    package var hasClosure: Bool { onEvent != nil }

    /// The events: those that were before, of progress only the latest, then those to come, to the end of the opening.
    ///
    /// Each access makes a sequence of its own. What happens later, ``MigrationEvent/drifted(_:)``, is not in it.
    public var events: AsyncStream<MigrationEvent> {
        AsyncStream { continuation in
            state.withLock { state in
                for event in state.history { continuation.yield(event) }
                if let latest = state.latestProgress { continuation.yield(latest) }
                if state.isOver {
                    continuation.finish()
                    return
                }
                let id = state.nextID
                state.nextID += 1
                state.subscribers[id] = continuation
                continuation.onTermination = { [weak self] _ in
                    self?.state.withLock { $0.subscribers[id] = nil }
                }
            }
        }
    }

    /// Tells everyone who follows.
    package func send(_ event: MigrationEvent) {
        begin()
        update(progress: event)
        onEvent?(event)
        let finished = state.withLock { state -> [AsyncStream<MigrationEvent>.Continuation] in
            for subscriber in state.subscribers.values { subscriber.yield(event) }
            switch event {
            case .progressed:
                state.latestProgress = event
                return []
            case .finished, .failed:
                state.latestProgress = nil
                state.history.append(event)
                state.isOver = true
                defer { state.subscribers = [:] }
                return Array(state.subscribers.values)
            default:
                state.history.append(event)
                return []
            }
        }
        // Finishing calls onTermination, which takes the lock.
        for subscriber in finished { subscriber.finish() }
    }

    /// Tells the closure alone: the opening is over, and with it the sequences that follow it.
    package func sendAfterwards(_ event: MigrationEvent) {
        onEvent?(event)
    }

    /// Forgets an opening that is over: what follows is another one.
    private func begin() {
        let isAnother = state.withLock { state in
            guard state.isOver else { return false }
            state.history = []
            state.isOver = false
            return true
        }
        guard isAnother else { return }
        progress.completedUnitCount = 0
        progress.totalUnitCount = -1
    }

    private func update(progress event: MigrationEvent) {
        switch event {
        case .progressed(let now):
            // The total stays as it was first told: what is shown would go back when it grew.
            if progress.totalUnitCount <= 0 { progress.totalUnitCount = Int64(now.total) }
            let total = progress.totalUnitCount
            let completed =
                total == now.total ? Int64(now.completed) : Int64((now.fraction * Double(total)).rounded(.down))
            progress.completedUnitCount = max(progress.completedUnitCount, completed)
        case .finished:
            progress.totalUnitCount = max(progress.totalUnitCount, 1)
            progress.completedUnitCount = progress.totalUnitCount
        default:
            break
        }
    }
}
