internal import Foundation

/// Upgrades the records of an open cache that still have to go through migrations on read.
///
/// Records are read and changed outside of transactions, and written in short ones. A record that was written since has
/// a later version, and is left alone. Records in the right form are not written, so only a sweep over all records can
/// tell that none is left.
final class Backfill: Sendable {
    /// The migrations, also once no record has to go through them any more: a read may still have an older snapshot.
    let rest: OnReadUpgrade
    private let core: CacheCore
    private let hub: ChangeHub
    private let registry: MigrationRegistry
    private let configuration: CodableCache.Configuration
    /// One sweep at a time.
    private let queue = DispatchQueue(label: "molt.rest", qos: .utility)
    /// Reads and changes the next batch while the current one is written.
    private let readQueue = DispatchQueue(label: "molt.rest.read", qos: .utility)
    /// Calls the monitor, so that closing the cache does not wait for the app's code.
    private let eventQueue = DispatchQueue(label: "molt.rest.events", qos: .utility)
    /// Marks the queues, so that a call from the sweep itself is recognized.
    private let mark = DispatchSpecificKey<Bool>()
    /// Marks the queue of the monitor, which waits for the sweep, but not the sweep for it.
    private let eventMark = DispatchSpecificKey<Bool>()
    private let state = Locked(State())
    /// Signaled when a pause must end early.
    private let wake = DispatchSemaphore(value: 0)

    private struct State {
        /// The work of an interrupted sweep, which the next one continues.
        var interrupted: Sweep?
        var isDone = false
        /// Whether the sweep runs in the background.
        var isStarted = false
        /// The number of callers that wait for the end.
        var waiting = 0
    }

    init(
        _ rest: OnReadUpgrade,
        _ core: CacheCore,
        _ hub: ChangeHub,
        _ registry: MigrationRegistry,
        _ configuration: CodableCache.Configuration
    ) {
        self.rest = rest
        self.core = core
        self.hub = hub
        self.registry = registry
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
        queue.asyncAfter(deadline: .now() + seconds) { [self] in
            do {
                // A caller that waits continues the work on its own thread, and can cancel it.
                try run { self.isAwaited ? Interruption.takenOver : nil }
            } catch is Interruption {
                return
            } catch let error where Self.isTemporary(error) {
                schedule(after: 0.1)
            } catch {
                // Later openings try again, and reads of a record that cannot be converted throw its error.
                send(.backfillFailed(error))
            }
        }
    }

    /// Upgrades the remaining records, and returns when they are written.
    func finish(isCancelled: @escaping @Sendable () -> Bool = { false }) throws {
        guard DispatchQueue.getSpecific(key: mark) == nil, DispatchQueue.getSpecific(key: eventMark) == nil else {
            throw MoltError(
                .busy,
                "backfill() was called by the monitor or a closure of a migration that the upgrade itself has called. "
                    + "Call it on another thread."
            )
        }
        state.withLock { $0.waiting += 1 }
        wake.signal()
        defer { state.withLock { $0.waiting -= 1 } }
        do {
            try queue.sync { try run { isCancelled() ? CancellationError() : nil } }
            // The monitor has received all events when this returns.
            eventQueue.sync {}
        } catch {
            if state.withLock({ $0.isStarted && !$0.isDone }), Self.isTemporary(error) { schedule(after: 0.1) }
            throw error
        }
    }

    /// Waits until the sweep has noticed that the cache is closed, so that it uses the file no more.
    func stop() {
        wake.signal()
        if DispatchQueue.getSpecific(key: mark) == nil { queue.sync {} }
    }

    private enum Interruption: Error {
        case takenOver
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

    /// The state of a sweep between two batches.
    private struct Sweep {
        let types: WantedTypes
        /// The id of the last record that was written.
        var position = Int64.min
        let start = ContinuousClock.now
        /// The number of records of each migration that were read.
        var counts: [Int]
        /// The first error of a record that a policy sets aside, and of any other.
        var toleratedFailure: MoltError?
        var failure: MoltError?
        var progress: BackfillProgress

        mutating func note(_ batch: OnReadUpgrade.Batch, through last: Int64) {
            position = last
            failure = failure ?? batch.failure
            toleratedFailure = toleratedFailure ?? batch.toleratedFailure
            for index in counts.indices { counts[index] += batch.readCounts[index] }
        }
    }

    /// - Parameter stop: Returns the error with which to stop, between records.
    private func run(stop: @escaping @Sendable () -> (any Error)?) throws {
        guard !state.withLock({ $0.isDone }) else { return }
        let check = { @Sendable [core, configuration] () throws in
            if let error = stop() { throw error }
            if let deadline = configuration.deadline, ContinuousClock.now >= deadline {
                throw MoltError.deadlinePassed
            }
            try core.checkOpen()
        }
        try check()
        var sweep = try state.withLock { $0.interrupted.take() } ?? begin()
        do {
            try upgradeRecords(&sweep, check)
        } catch {
            state.withLock { $0.interrupted = sweep }
            throw error
        }
        if let failure = sweep.failure { throw failure }
        let failed = try sweep.toleratedFailure.map { try setAside($0) } ?? []
        try end(sweep)
        send(.backfillFinished(failed))
    }

    private func begin() throws -> Sweep {
        // Nobody can read expired records, so none of them has to be converted.
        if !configuration.hooks.keepsExpired {
            try change { session throws(SQLiteError) in _ = try session.removeExpired() }
        }
        let (types, extent) = try read { session throws(SQLiteError) in
            let types = try session.outdatedTypes(where: rest.changes)
            return (types, try session.extent(of: types))
        }
        let progress = BackfillProgress(of: extent, in: rest.migrations.map(\.id))
        if extent.count > 0 { send(.backfillProgressed(progress.progress)) }
        return Sweep(types: types, counts: rest.migrations.map { _ in 0 }, progress: progress)
    }

    private func upgradeRecords(_ sweep: inout Sweep, _ check: @escaping @Sendable () throws -> Void) throws {
        let types = sweep.types
        guard !types.isEmpty else { return }
        var current = Part(rest.makeBatch(capacity: batchSize))
        var next = Part(rest.makeBatch(capacity: batchSize))
        prepare(current, of: types, after: sweep.position, check)
        while let last = try current.lastID.get() {
            // Only the other thread uses `work` until `wait` returns, which also happens if an error is thrown.
            nonisolated(unsafe) let work = next
            let preparing = DispatchWorkItem { [self] in prepare(work, of: types, after: last, check) }
            readQueue.async(execute: preparing)
            do {
                defer { preparing.wait() }
                try write(current)
            }
            sweep.note(current.batch, through: last)
            if sweep.progress.advance(to: last) { send(.backfillProgressed(sweep.progress.progress)) }
            pause(after: current)
            swap(&current, &next)
        }
    }

    // MARK: Batches

    /// Larger than that of a pass, because each batch is committed; the commit takes milliseconds.
    private var batchSize: Int { max(1, 4 * configuration.hooks.batchSize) }

    /// A batch on its way through the sweep; used by one thread at a time.
    private final class Part {
        var batch: OnReadUpgrade.Batch
        /// The states of all records when they were read.
        var states: [ContentSource.ReadState] = []
        /// The id of the last record, nil if there was none; or the error of reading or changing the records.
        var lastID: Result<Int64?, any Error> = .success(nil)
        /// The time that reading and changing the records took.
        var prepareDuration = Duration.zero
        /// The time that writing them took, without the wait for the lock.
        var writeDuration = Duration.zero

        init(_ batch: OnReadUpgrade.Batch) {
            self.batch = batch
        }
    }

    /// Reads and changes the records of some types after a position.
    private func prepare(
        _ part: Part,
        of types: WantedTypes,
        after position: Int64,
        _ check: @escaping @Sendable () throws -> Void
    ) {
        let start = ContinuousClock.now
        part.lastID = Result {
            try withAutoreleasePool {
                try readRows(into: part, of: types, after: position)
                try rest.upgrade(&part.batch, checking: check)
                let records = part.batch.records
                return records.count > 0 ? records[records.count - 1].id : nil
            }
        }
        part.prepareDuration = start.duration(to: .now)
    }

    private func readRows(into part: Part, of types: WantedTypes, after position: Int64) throws {
        try read { session throws(SQLiteError) in
            var types = types
            let batch = part.batch.records
            batch.removeAll()
            part.states.removeAll(keepingCapacity: true)
            let row = try session.statements[.rest]
            defer { row.reset() }
            try row.bind(position, at: 1)
            try row.bind(Int64(rest.version), at: 2)
            try row.bind(types.onlyID, at: 3)
            var last = position
            while !batch.isFull, try row.step() {
                let id = row.integer(0)
                // A damaged file could give the same records again and again.
                guard id > last else { throw .disorder }
                last = id
                guard let typeName = types.name(of: row.integer(6)) else { continue }
                let isData = row.isBlob(1)
                let content = row.bytes(1, isBlob: isData)
                let expiration = row.real(3)
                let version = Int(clamping: row.integer(4))
                part.states.append(
                    ContentSource.ReadState(size: content.count, version: version, updated: row.real(5))
                )
                batch.append(
                    id: id,
                    typeName: typeName,
                    key: row.bytes(2),
                    content: content,
                    isData: isData,
                    expiration: expiration,
                    version: version
                )
            }
        }
    }

    private func write(_ part: Part) throws {
        part.writeDuration = .zero
        let batch = part.batch
        guard !batch.changes.isEmpty else { return }
        let states = batch.changes.map { part.states[$0.index] }
        try change { session throws(SQLiteError) in
            let start = ContinuousClock.now
            var changed = rest.migrations.map { _ in 0 }
            try session.upgrade(batch.contents, readAs: states) { index in
                for migration in batch.changes[index].migrations { changed[migration] += 1 }
            }
            for (migration, count) in zip(rest.migrations, changed) where count > 0 {
                try LedgerTable.add(changed: count, toRowOf: migration.name, session.connection)
            }
            part.writeDuration = start.duration(to: .now)
        }
    }

    /// Reads on a connection of its own, so that the app does not wait, if one can be opened.
    private func read<Value: Sendable>(_ body: (CacheSession) throws(SQLiteError) -> Value) throws -> Value {
        try core.readAlone(isUse: false, body) ?? core.read(isUse: false, body)
    }

    private func change(_ body: (CacheSession) throws(SQLiteError) -> Void) throws {
        // A size limit may evict values.
        try core.write(body, isUse: false) { session, _ in hub.send(session.changes) }
    }

    /// Leaves nine tenths of the time to an app that uses the cache, and always a gap for other connections.
    ///
    /// A writer that waits asks for the lock now and then. It gets it in such a gap, or in the longer one after every
    /// dozenth batch or so: SQLite copies the log into the file without the write lock.
    private func pause(after part: Part) {
        if core.takeUse(), !isAwaited {
            // A caller that waits, or the end of the cache, ends the pause.
            _ = wake.wait(timeout: .now() + 9 * ((part.prepareDuration + part.writeDuration) / .seconds(1)))
        } else {
            Thread.sleep(forTimeInterval: 0.000_2)
        }
    }

    // MARK: The end

    /// Quarantines or drops the records that could not be converted, in one transaction.
    private func setAside(_ failure: MoltError) throws -> [MigrationReport.FailedRecord] {
        guard core.path != ":memory:" else { throw failure }
        // Throws if the cache was closed or the file replaced.
        try core.read(isUse: false) { _ in }
        var configuration = configuration
        configuration.monitor = nil
        configuration.owner = .thisProcess
        configuration.backup = nil
        configuration.isCancelled = { [core] in core.hasClosed }
        #if DEBUG
            configuration.redoesUnshippedMigrations = false
        #endif
        let store = CacheStore(
            at: URL(fileURLWithPath: core.path),
            createsFile: false,
            attachments: configuration.attachments
        )
        defer { store.close() }
        return try Migrator(registry, configuration: configuration).migrate(store).failedRecords
    }

    private func end(_ sweep: Sweep) throws {
        try read { session throws(SQLiteError) in try session.checkScan() }
        let duration = sweep.start.duration(to: .now) / .seconds(1)
        try change { session throws(SQLiteError) in
            for (migration, count) in zip(rest.migrations, sweep.counts) {
                try LedgerTable.endOnRead(read: count, duration: duration, migration.name, session.connection)
            }
        }
        state.withLock { $0.isDone = true }
    }
}

extension Optional {
    /// Returns the value and leaves nil.
    fileprivate mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }
}
