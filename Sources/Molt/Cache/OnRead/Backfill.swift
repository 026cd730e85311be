internal import Foundation

/// Upgrades the records of an open cache that still have to go through migrations on read.
///
/// Records are read and changed outside of transactions, and written in short ones. A record that was written since has
/// a later version, and is left alone. Records in the right form are not written, so only a sweep over all records can
/// tell that none is left.
final class Backfill: Sendable {
    /// The migrations, also once no record has to go through them any more: a read may still have an older snapshot.
    let upgrader: RecordUpgrader
    private let core: CacheCore
    private let hub: ChangeHub
    private let configuration: CodableCache.Configuration
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
        var interrupted: Sweep?
        var isDone = false
        /// Whether the sweep runs in the background.
        var isStarted = false
        /// The number of callers that wait for the end.
        var waiting = 0
    }

    init(
        _ upgrader: RecordUpgrader,
        _ core: CacheCore,
        _ hub: ChangeHub,
        _ configuration: CodableCache.Configuration
    ) {
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
        var counts: PassCounts
        var progress: BackfillProgress
        /// The records that a policy sets aside.
        let tally: FailureTally
        /// The positions before the first of them, by the migration that cannot convert them.
        var unconverted: [Int: Int64] = [:]
        /// The migration whose unconverted records are set aside; nil while all records are upgraded.
        var settled: Int?
        /// The first error of any other record.
        var failure: MoltError?
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
        repeat {
            do {
                try upgradeRecords(&sweep, check)
            } catch {
                state.withLock { $0.interrupted = sweep }
                throw error
            }
        } while try beginSettingAside(&sweep)
        try end(sweep)
        send(.backfillFinished(sweep.tally.listed))
    }

    private func begin() throws -> Sweep {
        // Nobody can read expired records, so none of them has to be converted.
        if !configuration.hooks.keepsExpired {
            try change { session throws(SQLiteError) in _ = try session.removeExpired() }
        }
        let (types, extent) = try read { session throws(SQLiteError) in
            let types = try session.outdatedTypes { !upgrader.chain(typeName: $0, from: 0).links.isEmpty }
            return (types, try session.extent(of: types))
        }
        let progress = BackfillProgress(of: extent, in: upgrader.migrations.map(\.id))
        if extent.count > 0 { send(.backfillProgressed(progress.progress)) }
        return Sweep(
            types: types,
            counts: upgrader.noCounts,
            progress: progress,
            tally: FailureTally(configuration.migrationOptions)
        )
    }

    /// Begins to set aside the records that a migration could not convert, if their number is allowed.
    ///
    /// It is known only when all records have been read. Migration by migration, so that the quarantine has the order of
    /// an eager upgrade.
    ///
    /// - Returns: Whether there are any.
    private func beginSettingAside(_ sweep: inout Sweep) throws -> Bool {
        if let failure = sweep.failure { throw failure }
        if sweep.settled == nil {
            for (migration, counts) in sweep.counts.migrations.enumerated() {
                try sweep.tally.check(migration, counts, steps: upgrader.stepCounts(of: migration, in: sweep.counts))
            }
        }
        guard let next = sweep.unconverted.min(by: { $0.key < $1.key }) else { return false }
        sweep.unconverted[next.key] = nil
        sweep.settled = next.key
        sweep.position = next.value
        return true
    }

    /// Upgrades the records after the sweep's position, or sets aside those that a migration cannot convert.
    private func upgradeRecords(_ sweep: inout Sweep, _ check: @escaping @Sendable () throws -> Void) throws {
        let (types, settled) = (sweep.types, sweep.settled)
        guard !types.isEmpty else { return }
        let stopCheck = StopCheck(check)
        let changer = upgrader.makeBatchChanger(stoppedBy: stopCheck)
        let parts = (Part(changer, capacity: batchSize), Part(changer, capacity: batchSize))
        var position = sweep.position
        let pipeline = RecordPipeline(parts, on: readQueue, stoppedBy: stopCheck) { [self] part in
            part.start = .now
            try readRows(into: part, of: types, after: position)
            position = part.records.lastID ?? position
        } change: { [self] part in
            if let settled {
                try change(part, settingAsideBy: settled, stopCheck)
            } else {
                try changer.changeBatch(part.work)
            }
            part.prepareDuration = part.start.duration(to: .now)
        }
        defer { pipeline.end() }
        while let part = try pipeline.nextBatch() {
            try write(part)
            note(part, &sweep)
            if settled == nil, sweep.progress.advance(to: sweep.position) {
                send(.backfillProgressed(sweep.progress.progress))
            }
            pause(after: part)
        }
    }

    // MARK: Batches

    /// Larger than that of a pass, because each batch is committed; the commit takes milliseconds.
    private var batchSize: Int { max(1, 4 * configuration.hooks.batchSize) }

    /// A batch on its way through the sweep; used by one thread at a time.
    private final class Part: PipelineBatch {
        let work: PassBatch
        var records: RecordBatch { work.records }
        var isEmpty: Bool { work.isEmpty }
        /// The states of all records when they were read.
        var states: [ContentSource.ReadState] = []
        /// The records to set aside, with their positions in the batch; once it is written, those that were set aside.
        var unconverted: [(index: Int, record: UnconvertedRecord)] = []
        /// When its records were read.
        var start = ContinuousClock.now
        /// The time that reading and changing the records took.
        var prepareDuration = Duration.zero
        /// The time that writing them took, without the wait for the lock.
        var writeDuration = Duration.zero

        init(_ changer: RecordChanger, capacity: Int) {
            work = PassBatch(capacity: capacity, changer.allChains(), workers: 1, counts: changer.noCounts)
        }
    }

    private func readRows(into part: Part, of types: WantedTypes, after position: Int64) throws {
        try read { session throws(SQLiteError) in
            var types = types
            let batch = part.records
            batch.removeAll()
            part.states.removeAll(keepingCapacity: true)
            let row = try session.statements[.outdated]
            defer { row.reset() }
            try row.bind(position, at: 1)
            try row.bind(Int64(upgrader.version), at: 2)
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

    /// Upgrades the records of a batch one by one, to set those aside that a migration cannot convert.
    private func change(_ part: Part, settingAsideBy migration: Int, _ stopCheck: StopCheck) throws {
        part.unconverted.removeAll()
        part.work.workers[0].start()
        for index in 0..<part.records.count {
            if let reason = stopCheck.reason() { throw reason }
            var record = part.records[index]
            var outcome: RecordOutcome
            switch try upgrader.upgradeUnderPolicy(&record) {
            case .upgraded(let upgraded):
                outcome = upgraded
            case .unconverted(let failed) where failed.step.migration == migration:
                part.unconverted.append((index, failed))
                (record, outcome) = (failed.record, failed.outcome)
            case .unconverted(let failed):
                // It is the turn of a later migration.
                guard failed.step.migration > migration else { throw RecordChanger.inconsistentClosure(failed.error) }
                outcome = RecordOutcome(id: record.id, failure: failed.error, failedStage: failed.stage)
            }
            part.work.outcomes[index] = outcome
            if let version = outcome.changedAt { part.work.workers[0].add(record, version: version, buffer: 0) }
        }
    }

    private func write(_ part: Part) throws {
        part.writeDuration = .zero
        let worker = part.work.workers[0]
        let unconverted = part.unconverted
        guard !worker.rows.isEmpty || !unconverted.isEmpty else { return }
        let outcomes = part.work.outcomes
        // The rows are in the order of the records.
        var places: [Int] = []
        for index in 0..<part.records.count where places.count < worker.rows.count {
            if outcomes[index].id == worker.rows[places.count].id { places.append(index) }
        }
        let contents = RecordContents(rows: worker.rows, buffers: [worker.contents])
        try change { session throws(SQLiteError) in
            let start = ContinuousClock.now
            var counts = upgrader.migrations.map { _ in RecordCounts() }
            try session.upgrade(contents, readAs: places.map { part.states[$0] }) { row in
                for migration in outcomes[places[row]].changedBy { counts[migration].changed += 1 }
            }
            part.unconverted.removeAll()
            for (index, failed) in unconverted {
                let isDropped = upgrader.outcome(of: failed) == .dropped
                let isSetAside = try session.setAside(
                    failed.record.id,
                    // Earlier migrations have just changed it.
                    version: failed.outcome.changedAt ?? part.states[index].version,
                    updated: part.states[index].updated,
                    isDropped ? nil : failed.failure
                )
                guard isSetAside else { continue }
                part.unconverted.append((index, failed))
                if isDropped {
                    counts[failed.step.migration].dropped += 1
                } else {
                    counts[failed.step.migration].quarantined += 1
                }
            }
            for (migration, counts) in zip(upgrader.migrations, counts) where !counts.isZero {
                try LedgerTable.add(counts, toRowOf: migration.name, session.connection)
            }
            part.writeDuration = start.duration(to: .now)
        }
    }

    private func note(_ part: Part, _ sweep: inout Sweep) {
        sweep.position = part.records.lastID ?? sweep.position
        if sweep.settled == nil { sweep.counts += part.work.workers[0].counts }
        part.work.workers[0].counts.reset()
        for (_, failed) in part.unconverted { sweep.tally.list(failed.record, failed.failure, at: failed.step) }
        for index in 0..<part.records.count {
            guard let error = part.work.outcomes[index].failure.map(upgrader.named) else { continue }
            guard let stage = part.work.outcomes[index].failedStage else {
                sweep.failure = sweep.failure ?? error
                continue
            }
            let step = upgrader.steps[stage]
            if sweep.settled == nil { sweep.tally.count(error, at: step) }
            let position = part.work.outcomes[index].id - 1
            sweep.unconverted[step.migration] = min(sweep.unconverted[step.migration] ?? position, position)
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

    private func end(_ sweep: Sweep) throws {
        try read { session throws(SQLiteError) in try session.checkScan() }
        let duration = sweep.start.duration(to: .now) / .seconds(1)
        try change { session throws(SQLiteError) in
            for (migration, counts) in zip(upgrader.migrations, sweep.counts.migrations) {
                try LedgerTable.endOnRead(read: counts.read, duration: duration, migration.name, session.connection)
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
