internal import Foundation

/// Upgrades the records of an open cache that still have to go through migrations on read.
///
/// Records in the right form are not written, so only a sweep over all records can tell that none is left.
final class Backfill: Sendable {
    /// The migrations, also once no record has to go through them any more: a read may still have an older snapshot.
    let upgrader: RecordUpgrader
    private let core: CacheCore
    private let hub: ChangeHub
    private let configuration: MoltConfiguration
    /// One sweep at a time.
    private let queue = DispatchQueue(label: "molt.backfill", qos: .utility)
    /// Reads and changes the next batch while the current one is written.
    private let readQueue = DispatchQueue(label: "molt.backfill.read", qos: .utility)
    /// Calls the monitor, so that closing the cache does not wait for the app's code.
    private let eventQueue = DispatchQueue(label: "molt.backfill.events", qos: .utility)
    /// Marks the queues, so that a call from the sweep itself is recognized.
    private let mark = DispatchSpecificKey<Bool>()
    /// Marks the queue of the monitor, which waits for the sweep, but not the sweep for it.
    private let eventMark = DispatchSpecificKey<Bool>()
    private let state = Locked(State())
    /// Signaled when a pause must end early.
    private let wake = DispatchSemaphore(value: 0)

    private struct State {
        /// The work of an interrupted sweep, which the next one continues.
        var interrupted: BackfillSweep?
        /// The records that could not be converted; nil until the sweep has ended.
        var failedRecords: [MigrationReport.FailedRecord]?
        /// Whether the sweep runs in the background.
        var isStarted = false
        /// Whether a run in the background is to begin.
        var isScheduled = false
        /// The state of the device for which the sweep pauses, and which the monitor is told once.
        var pausedFor: MoltConfiguration.BackfillPace.DeviceState?
        /// The number of callers that wait for the end.
        var waiting = 0
    }

    init(_ upgrader: RecordUpgrader, _ core: CacheCore, _ hub: ChangeHub, _ configuration: MoltConfiguration) {
        self.upgrader = upgrader
        self.core = core
        self.hub = hub
        self.configuration = configuration
        eventQueue.setSpecific(key: eventMark, value: true)
        for queue in [queue, readQueue] { queue.setSpecific(key: mark, value: true) }
    }

    // MARK: Beginning and ending

    /// Begins the backfill on another thread, until the cache is closed.
    func start() {
        state.withLock { $0.isStarted = true }
        schedule(after: 0)
    }

    private func schedule(after seconds: Double) {
        let isNew = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        // One run is enough, however often a caller that waits gives up.
        guard isNew else { return }
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in self?.runInBackground() }
    }

    private func runInBackground() {
        state.withLock { $0.isScheduled = false }
        do {
            // A caller that waits continues the work on its own thread, and can cancel it.
            try run { self.isAwaited ? Interruption.takenOver : nil }
        } catch Interruption.paused {
            schedule(after: secondsUntilDeadline(atMost: configuration.hooks.deviceCheckInterval))
        } catch is Interruption {
            return
        } catch let error where Self.isTemporary(error) {
            schedule(after: 0.1)
        } catch {
            // Later openings try again, and reads of a record that cannot be converted throw its error.
            send(.backfillFailed(error))
        }
    }

    /// Upgrades the remaining records, and returns when they are written.
    ///
    /// - Returns: The records that could not be converted.
    func finish(isCancelled: @escaping @Sendable () -> Bool) throws -> [MigrationReport.FailedRecord] {
        guard DispatchQueue.getSpecific(key: mark) == nil, DispatchQueue.getSpecific(key: eventMark) == nil else {
            throw MoltError(
                .busy,
                "`finishBackfill()` was called inside a closure that the upgrade itself has called: the monitor's or a "
                    + "migration's.",
                advice: "Call it on another thread."
            )
        }
        state.withLock { state in
            state.waiting += 1
            state.pausedFor = nil
        }
        wake.signal()
        defer { state.withLock { $0.waiting -= 1 } }
        do {
            try queue.sync { try run { isCancelled() ? CancellationError() : nil } }
            // The monitor has received all events when this returns.
            eventQueue.sync {}
            return state.withLock { $0.failedRecords } ?? []
        } catch {
            if state.withLock({ $0.isStarted && $0.failedRecords == nil }), Self.isTemporary(error) {
                schedule(after: 0.1)
            }
            throw error
        }
    }

    /// Waits until the sweep has noticed that the cache is closed, so that it uses the file no more.
    func stop() {
        wake.signal()
        if DispatchQueue.getSpecific(key: mark) == nil { queue.sync {} }
    }

    private enum Interruption: Error {
        /// A caller waits, and does the work itself.
        case takenOver
        /// The device is in a state in which the work waits.
        case paused
    }

    /// Whether a sweep that was stopped by an error can be continued.
    private static func isTemporary(_ error: any Error) -> Bool {
        guard let error = error as? MoltError else { return error is CancellationError }
        return [.busy, .suspended].contains(error.code)
    }

    private var isAwaited: Bool { state.withLock { $0.waiting > 0 } }

    private func send(_ event: MigrationEvent) {
        guard let monitor = configuration.monitor else { return }
        eventQueue.async { [core] in
            if !core.hasClosed { monitor.sendAfterwards(event) }
        }
    }

    // MARK: The sweep

    /// - Parameter stop: Returns the error with which to stop, between records.
    private func run(stop: @escaping @Sendable () -> (any Error)?) throws {
        guard state.withLock({ $0.failedRecords == nil }) else { return }
        let check = { @Sendable [core, configuration] () throws in
            if let error = stop() { throw error }
            if let deadline = configuration.lastInstant, Instant.now >= deadline {
                throw MoltError.deadlinePassed
            }
            try core.checkOpen()
        }
        try check()
        try checkDevice()
        let sendProgress = { self.send(.backfillProgressed($0)) }
        let sweep =
            try state.withLock { $0.interrupted.take() }
            ?? BackfillSweep(
                upgrader,
                core,
                hub,
                readQueue,
                batchSize: configuration.backfillPace.batchSize,
                sendProgress
            )
        repeat {
            do {
                try sweep.upgradeRecords(check, sendProgress, pause: pause)
            } catch {
                state.withLock { $0.interrupted = sweep }
                throw error
            }
        } while try sweep.beginRemovingFailures()
        try sweep.end()
        state.withLock { $0.failedRecords = sweep.failedRecords }
        send(.backfillFinished(sweep.failedRecords))
    }

    // MARK: Pauses

    /// The seconds of pause for each second of work while an app uses the cache.
    private static let restPerWork = 19.0
    /// The time after which an app that has not used the cache counts as idle, in seconds.
    private static let idleTime = 0.05

    /// Pauses after a batch as the configuration says, until a caller waits or the cache is closed.
    ///
    /// - Parameter work: The time that the batch took.
    private func pause(after work: Duration) throws {
        try checkDevice()
        if let pause = configuration.backfillPace.pause {
            wait(seconds: pause / .seconds(1))
            return
        }
        var rest = Self.restPerWork * (work / .seconds(1))
        while rest > 0, core.takeUse(), wait(seconds: min(rest, Self.idleTime)) { rest -= Self.idleTime }
    }

    /// Throws if the device is in a state in which the work waits; a caller of ``finish(isCancelled:)`` never waits for
    /// that.
    private func checkDevice() throws {
        guard configuration.backfillPace.pausesToSavePower, !isAwaited else { return }
        let found = configuration.hooks.deviceState()
        let isNew = state.withLock { state in
            defer { state.pausedFor = found }
            return state.pausedFor != found
        }
        guard let found else { return }
        if isNew { send(.backfillPaused(found)) }
        throw Interruption.paused
    }

    /// Waits until the time is over, the deadline has come, a caller waits or the cache is closed.
    ///
    /// - Returns: Whether it waited to the end.
    @discardableResult
    private func wait(seconds: Double) -> Bool {
        // Earlier signals do not count: those who signal have changed the state before.
        while wake.wait(timeout: .now()) == .success {}
        guard !isAwaited, !core.hasClosed else { return false }
        return wake.wait(timeout: .now() + secondsUntilDeadline(atMost: seconds)) == .timedOut
    }

    private func secondsUntilDeadline(atMost seconds: Double) -> Double {
        guard let deadline = configuration.lastInstant else { return seconds }
        return min(seconds, Instant.now.duration(to: deadline) / .seconds(1))
    }
}

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
    private var sentAt = Instant.now

    init(of extent: BackfillExtent, in migrations: [MigrationID]) {
        self.extent = extent
        progress = MigrationEvent.Progress(completed: 0, total: extent.count, migrations: migrations)
    }

    /// - Returns: Whether to send the progress, which is at most ten times a second.
    mutating func advance(to id: Int64) -> Bool {
        let first = Double(extent.first)
        let passed = (Double(id) - first + 1) / (Double(extent.last) - first + 1)
        progress.completed = max(progress.completed, Int(max(0, min(1, passed)) * Double(extent.count)))
        guard sentAt.duration(to: .now) >= .milliseconds(100) else { return false }
        sentAt = .now
        return true
    }
}

extension CacheSession {
    /// The types whose records may have to go through migrations on read.
    func outdatedTypes(by upgrader: RecordUpgrader) throws(SQLiteError) -> WantedTypes {
        WantedTypes(try TypeNameTable(connection)) { !upgrader.chain(typeName: $0, from: 0).steps.isEmpty }
    }

    /// The number of records of some types and the range of their ids, by the index, for an estimate of the progress.
    func extent(of types: WantedTypes) throws(SQLiteError) -> BackfillExtent {
        let rows = StoreRows(connection, ofTransaction: true)
        let range = try connection.prepare(.rangeOfType)
        var extent = BackfillExtent()
        for id in types.ids {
            try range.bind(id, at: 1)
            try range.eachRow { row throws(SQLiteError) in
                guard !row.isNull(0) else { return }
                extent.first = min(extent.first, row.integer(0))
                extent.last = max(extent.last, row.integer(1))
            }
            extent.count += try rows.count(id)
        }
        return extent
    }
}
