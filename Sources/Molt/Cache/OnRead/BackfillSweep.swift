internal import Foundation

/// A run over the records of an open cache that still have to go through migrations on read.
///
/// Records are read and changed outside of transactions, and written in short ones. A record that was written since has
/// a later version, and is left alone.
///
/// Whether records that cannot be converted may be quarantined or dropped is known only when all records have been
/// read. So they are counted first, and then read again for each migration that could not convert some of them, so that
/// the quarantine has the same order as after an eager upgrade.
///
/// Sendable because one thread at a time has it: that of the ``Backfill``, which hands it over under a lock.
final class BackfillSweep: @unchecked Sendable {
    private let upgrader: RecordUpgrader
    private let core: CacheCore
    private let hub: ChangeHub
    /// Larger than that of a pass, because each batch is committed; the commit takes milliseconds.
    private let batchSize: Int
    /// Changes the next batch while the current one is written.
    private let queue: DispatchQueue
    private let start = Instant.now
    private let types: WantedTypes
    private var progress: BackfillProgress
    /// The id of the last record that was written.
    private var position = Int64.min
    /// The number of records of all types that were passed.
    private var passed = 0
    /// Whether only the sweep has written since its last write but one.
    ///
    /// A batch is read after the last write but one, so its records are then as they were read.
    private var wasAlone = true
    /// Whether only the sweep has written since it began.
    private var isAlone = true
    /// When the last write ended.
    private var written = Instant.now
    private var counts: PassCounts
    /// The first error of a record at which the policy stops.
    private var failure: MoltError?
    /// The records that the policy quarantines or drops.
    private let tally: FailureTally
    /// The positions before the first of them, by the first step of the migration that cannot convert them.
    private var unconverted: [Int: Int64] = [:]
    private var phase = Phase.counting

    private enum Phase: Equatable {
        /// Records are upgraded, and those that cannot be converted are counted.
        case counting
        /// The records that one migration cannot convert are quarantined or dropped; it has its first step.
        case removingFailures(firstStep: Int)
    }

    init(
        _ upgrader: RecordUpgrader,
        _ core: CacheCore,
        _ hub: ChangeHub,
        _ queue: DispatchQueue,
        batchSize: Int?,
        _ send: (MigrationEvent.Progress) -> Void
    ) throws {
        self.upgrader = upgrader
        self.core = core
        self.hub = hub
        self.queue = queue
        self.batchSize = max(1, min(batchSize ?? 4 * upgrader.batchSize, 10_000))
        counts = upgrader.noCounts
        tally = FailureTally(upgrader.policy)
        // Nobody can read expired records, so none of them has to be converted.
        _ = try Self.write(core, hub) { session in _ = try session.removeExpired() }
        let extent: BackfillExtent
        (types, extent) = try Self.read(core) { session in
            let types = try session.outdatedTypes(by: upgrader)
            return (types, try session.extent(of: types))
        }
        progress = BackfillProgress(of: extent, in: upgrader.migrations.map(\.id))
        if extent.count > 0 { send(progress.progress) }
    }

    /// Upgrades the records after the current position, or removes those that a migration cannot convert.
    ///
    /// - Parameters:
    ///   - check: Throws the error with which to stop, between records.
    ///   - send: Receives the progress.
    ///   - pause: Called after each batch with the time that it took, without the wait for the lock. An error that it
    ///     throws interrupts the sweep.
    func upgradeRecords(
        _ check: @escaping @Sendable () throws -> Void,
        _ send: (MigrationEvent.Progress) -> Void,
        pause: (Duration) throws -> Void
    ) throws {
        guard !types.isEmpty else { return }
        let stopSignal = StopSignal(check)
        let changer = upgrader.makeBatchChanger(stoppedBy: stopSignal)
        var last = position
        /// The number of records after the last batch.
        var remaining = 0
        let pipeline = RecordPipeline(
            (Part(changer, capacity: batchSize), Part(changer, capacity: batchSize)),
            on: queue,
            stoppedBy: stopSignal
        ) { [self] part in
            let start = Instant.now
            try readRows(into: part, after: last)
            last = part.records.lastID ?? last
            if part.isEmpty { remaining = part.passed }
            part.duration = start.duration(to: .now)
        } change: { [self] part in
            let start = Instant.now
            switch phase {
            case .counting: try changer.changeBatch(part.work)
            case .removingFailures(let step): try change(part, removingFailuresOf: step, stopSignal)
            }
            part.duration += start.duration(to: .now)
        }
        defer { pipeline.end() }
        try core.withLongLog {
            while let part = try pipeline.nextBatch() {
                try write(part)
                note(part)
                if phase == .counting, progress.advance(to: position) { send(progress.progress) }
                try pause(part.duration)
                // The next batch may be ready, and what ends a pause may also end the sweep.
                try check()
            }
        }
        if phase == .counting { passed += remaining }
    }

    /// Begins to quarantine or drop the records that a migration could not convert.
    ///
    /// - Returns: Whether there are any.
    /// - Throws: The error of a record at which the policy stops, or ``MoltError`` with the code `tooManyFailures`.
    func beginRemovingFailures() throws -> Bool {
        if let failure { throw failure }
        if phase == .counting {
            for migration in upgrader.migrations {
                let read = upgrader.counts(of: migration, in: counts.migrations)
                try tally.check(migration, read, steps: upgrader.stepCounts(of: migration, in: counts))
            }
        }
        guard let next = unconverted.min(by: { $0.key < $1.key }) else { return false }
        unconverted[next.key] = nil
        phase = .removingFailures(firstStep: next.key)
        position = next.value
        return true
    }

    /// Makes sure that no record was missed, and notes in the ledger that the migrations ran.
    func end() throws {
        // If others have added or removed records, those that were passed are not all, and a scan must tell.
        var isComplete = false
        if isAlone {
            try write { session, _ in
                guard session.onlyBackfillHasWritten, try session.connection.indexesHave(passed) else { return }
                try TypeNameTable(session.connection).checkEveryTypeHasName(session.connection)
                try noteEnd(session)
                isComplete = true
            }
        }
        guard !isComplete else { return }
        try Self.read(core) { try $0.connection.checkScan() }
        try write { session, _ in try noteEnd(session) }
    }

    private func noteEnd(_ session: CacheSession) throws(SQLiteError) {
        let duration = start.duration(to: .now) / .seconds(1)
        for migration in upgrader.migrations {
            let read = upgrader.counts(of: migration, in: counts.migrations).read
            try LedgerTable.endOnRead(read: read, duration: duration, migration.name, session.connection)
        }
        if let lifetime = upgrader.droppedKeyLifetime { try session.removeDroppedKeys(olderThan: lifetime) }
    }

    /// The records that were quarantined or dropped.
    var failedRecords: [MigrationReport.FailedRecord] { upgrader.steps.flatMap(tally.records) }

    // MARK: Batches

    /// A batch on its way through the sweep; used by one thread at a time.
    private final class Part: PipelineBatch {
        let work: PassBatch
        var records: RecordBatch { work.records }
        var isEmpty: Bool { work.isEmpty }
        /// The number of records that were passed to read it, also those that need no upgrade.
        var passed = 0
        /// The states of all records when they were read.
        var states: [ContentSource.ReadState] = []
        /// The records to quarantine or drop, with their positions in the batch; once it is written, those that are
        /// gone.
        var unconverted: [(index: Int, record: UnconvertedRecord)] = []
        /// The time that reading, changing and writing them took, without the wait for the lock.
        var duration = Duration.zero

        init(_ changer: RecordChanger, capacity: Int) {
            work = PassBatch(capacity: capacity, changer.allChains(), workers: 1, counts: changer.noCounts)
        }
    }

    private func readRows(into part: Part, after position: Int64) throws {
        try Self.read(core) { session in
            // The app may have added some.
            var types = try session.outdatedTypes(by: upgrader)
            let batch = part.records
            batch.removeAll()
            var states = part.states
            part.states = []
            states.removeAll(keepingCapacity: true)
            let row = try session.rows.statements[.outdated]
            defer { row.reset() }
            try row.bind(position, at: 1)
            var last = position
            var passed = 0
            while !batch.isFull, try row.step() {
                let id = row.integer(0)
                // A damaged file could give the same records again and again.
                guard id > last else { throw SQLiteError.disorder }
                last = id
                passed += 1
                let version = Int(clamping: row.integer(3))
                guard version < upgrader.version, let typeName = try types.name(of: row.integer(2)) else { continue }
                let updated = row.real(6)
                batch.append(row, typeName)
                part.passed = passed
                states.append(ContentSource.ReadState(size: row.size(4), version: version, updated: updated))
            }
            part.states = states
            // Those after the last record of the batch are passed again to read the next one.
            if batch.isEmpty { part.passed = passed }
        }
    }

    /// Upgrades the records of a batch one by one, to remove those that a migration cannot convert.
    ///
    /// - Parameter stepIndex: The first step of that migration.
    private func change(_ part: Part, removingFailuresOf stepIndex: Int, _ stopSignal: StopSignal) throws {
        part.unconverted.removeAll()
        part.work.workers[0].start()
        for index in 0..<part.records.count {
            if let reason = stopSignal.reason() { throw reason }
            var record = part.records[index]
            var result: RecordResult
            switch try upgrader.upgradeUnderPolicy(&record) {
            case .upgraded(let upgraded):
                result = upgraded
            case .unconverted(let failed) where failed.firstStepIndex == stepIndex:
                part.unconverted.append((index, failed))
                (record, result) = (failed.record, failed.result)
            case .unconverted(let failed):
                // It is the turn of a later migration.
                guard failed.firstStepIndex > stepIndex else { throw RecordChanger.inconsistentClosure(failed.error) }
                result = RecordResult(id: record.id)
                result.fail(failed.error, at: failed.stepIndex)
            }
            part.work.results[index] = result
            if let version = result.changedAt { part.work.workers[0].add(record, version: version, buffer: 0) }
        }
    }

    private func write(_ part: Part) throws {
        let worker = part.work.workers[0]
        let unconverted = part.unconverted
        guard !worker.rows.isEmpty || !unconverted.isEmpty else { return }
        let contents = RecordContents(rows: worker.rows, buffers: [worker.contents])
        leaveGap()
        var start = Instant.now
        try write { session, isAsRead in
            start = .now
            var counts = upgrader.noCounts.migrations
            if isAsRead, phase == .counting, worker.isPlain, !session.isSizeLimited {
                try session.rows.write(contents)
                for index in counts.indices { counts[index].changed = worker.counts.migrations[index].changed }
            } else {
                try upgrade(contents, of: part, session, &counts)
            }
            part.unconverted.removeAll()
            let failedRows = unconverted.map { index, failed in
                CacheSession.FailedRow(
                    id: failed.record.id,
                    // Earlier migrations have just changed it.
                    version: failed.result.changedAt ?? part.states[index].version,
                    updated: part.states[index].updated,
                    failure: upgrader.outcome(of: failed) == .dropped ? nil : failed.failure
                )
            }
            for (failed, isRemoved) in try zip(unconverted, session.remove(failedRows)) where isRemoved {
                part.unconverted.append(failed)
                if upgrader.outcome(of: failed.record) == .dropped {
                    if upgrader.droppedKeyLifetime != nil {
                        let (record, version) = (failed.record.record, failed.record.step.pending.recordVersion)
                        try session.noteDropped(record.key, ofType: record.typeName, version: version)
                    }
                    counts[failed.record.firstStepIndex].dropped += 1
                } else {
                    counts[failed.record.firstStepIndex].quarantined += 1
                }
            }
            let changes = zip(upgrader.steps, counts).filter { !$1.isZero }
            try LedgerTable.add(changes.map { (name: $0.migration.name, counts: $1) }, session.connection)
        }
        part.duration += start.duration(to: .now)
        if !unconverted.isEmpty { isAlone = false }
    }

    /// Writes the records that nobody has written since they were read, and counts the changes to them.
    private func upgrade(
        _ contents: RecordContents,
        of part: Part,
        _ session: CacheSession,
        _ counts: inout [MigrationReport.Counts]
    ) throws(SQLiteError) {
        let results = part.work.results
        // The rows are in the order of the records.
        var indexes: [Int] = []
        for index in 0..<part.records.count where indexes.count < contents.rows.count {
            if results[index].id == contents.rows[indexes.count].id { indexes.append(index) }
        }
        try session.upgrade(contents, readAs: indexes.map { part.states[$0] }) { row in
            for stepIndex in results[indexes[row]].changedBy { counts[stepIndex].changed += 1 }
        }
    }

    /// Leaves other connections a gap between two writes.
    ///
    /// A writer that waits asks for the lock now and then. It gets it in such a gap, or while SQLite copies the log.
    private func leaveGap() {
        let gap = .microseconds(200) - written.duration(to: .now)
        if gap > .zero { Thread.sleep(forTimeInterval: gap / .seconds(1)) }
    }

    /// Notes the results of a batch that was written.
    private func note(_ part: Part) {
        position = part.records.lastID ?? position
        if phase == .counting {
            counts += part.work.workers[0].counts
            passed += part.passed
        }
        part.work.workers[0].counts = upgrader.noCounts
        for (_, failed) in part.unconverted { tally.list(failed.record, failed.failure, at: failed.step) }
        for index in 0..<part.records.count where part.work.results[index].failure != nil {
            guard let error = part.work.results[index].error.map(upgrader.named) else { continue }
            guard let stepIndex = part.work.results[index].failedStepIndex else {
                failure = failure ?? error
                continue
            }
            if phase == .counting { tally.count(error, at: upgrader.steps[stepIndex]) }
            let before = part.work.results[index].id - 1
            let first = upgrader.firstStepIndex(of: stepIndex)
            unconverted[first] = min(unconverted[first] ?? before, before)
        }
    }

    // MARK: Transactions

    /// Reads on a connection of its own, so that the app does not wait, if one can be opened.
    private static func read<Value: Sendable>(
        _ core: CacheCore,
        _ body: (CacheSession) throws -> Value
    ) throws -> Value {
        try core.readAlone(for: .backfill, body) ?? core.read(for: .backfill, body)
    }

    private static func write(
        _ core: CacheCore,
        _ hub: ChangeHub,
        _ body: (CacheSession) throws -> Void
    ) throws -> Bool {
        try core.write(body, for: .backfill) { session, _ in
            session.noteBackfill()
            hub.send(session.changes)
            return !session.changes.isEmpty
        }
    }

    /// - Parameter body: Also receives whether the records of a batch must be as they were read.
    private func write(_ body: (CacheSession, _ isAsRead: Bool) throws -> Void) throws {
        var isAlone = false
        // A size limit may evict values.
        let hasRemoved = try Self.write(core, hub) { session in
            isAlone = session.onlyBackfillHasWritten
            try body(session, isAlone && wasAlone)
        }
        wasAlone = isAlone
        if !isAlone || hasRemoved { self.isAlone = false }
        written = .now
    }
}
