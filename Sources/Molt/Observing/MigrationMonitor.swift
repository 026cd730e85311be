/// Follows the opening of a store: by a closure, or as an `AsyncSequence`.
///
/// ```swift
/// let monitor = MigrationMonitor()
/// Task {
///     for await event in monitor.events { print(event) }
/// }
/// var configuration = MoltConfiguration()
/// configuration.monitor = monitor
/// let cache = try await CodableCache.open(at: url, migrations: migrations, configuration: configuration)
/// ```
///
/// A monitor follows one opening; when it is used for another one, such as after a dry run, it starts again. To stop
/// the upgrade before the next record and roll it back, cancel the task that opens the store.
public final class MigrationMonitor: Sendable {
    private let onEvent: (@Sendable (MigrationEvent) -> Void)?
    private let state = Locked(State())

    private struct State {
        var summary: MigrationSummary?
        var history: [MigrationEvent] = []
        var latestProgress: MigrationEvent?
        var isOver = false
        var subscribers: [Int: AsyncStream<MigrationEvent>.Continuation] = [:]
        var nextID = 0
    }

    /// Creates a monitor.
    ///
    /// - Parameter onEvent: Called synchronously for each event, on the thread that upgrades the store; for
    ///   ``MigrationEvent/shapeChanged(_:)`` and ``MigrationEvent/quarantined(_:)`` on the thread that wrote the value.
    ///   It must not wait for the upgrade.
    public init(onEvent: (@Sendable (MigrationEvent) -> Void)? = nil) {
        self.onEvent = onEvent
    }

    /// Whether there is a closure; only closures receive events after the store is opened.
    var hasClosure: Bool { onEvent != nil }

    /// The summary of the opening, once it has ended, with or without an error; nil before.
    ///
    /// It is made for statistics over many devices:
    ///
    /// ```swift
    /// let monitor = MigrationMonitor()
    /// configuration.monitor = monitor
    /// defer { if let summary = monitor.summary, summary.outcome != .upToDate { upload(summary) } }
    /// let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
    /// ```
    public var summary: MigrationSummary? {
        state.withLock { $0.summary }
    }

    /// The events of the opening: past ones, with only the latest progress, and those to come until it ends.
    ///
    /// Each access creates a new sequence. It does not include later events, such as
    /// ``MigrationEvent/shapeChanged(_:)``.
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

    /// Sends an event to the closure and to all sequences.
    ///
    /// - Parameter summary: The summary of the opening, with its last event.
    func send(_ event: MigrationEvent, _ summary: MigrationSummary? = nil) {
        state.withLock { state in
            // The previous opening has ended.
            if state.isOver { (state.history, state.summary, state.isOver) = ([], nil, false) }
            if let summary { state.summary = summary }
        }
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

    /// Changes the summary of an opening that failed after the upgrade, whose event was sent.
    func openingFailed(with error: any Error) {
        state.withLock { state in
            guard let summary = state.summary else { return }
            state.summary = summary.failed(with: error)
            // The store was upgraded before, even if the error does not say so.
            if ![.upToDate, .readOnly].contains(summary.outcome) { state.summary?.failure?.isCommitted = true }
        }
    }

    /// Sends an event to the closure only, as the sequences have ended with the opening.
    func sendAfterwards(_ event: MigrationEvent) {
        onEvent?(event)
    }
}
