import Dispatch

/// One pass over the records: each is read once, goes through all its steps, and is written at most once.
///
/// Changes of keys, types and the existence of records are deferred until all records have been read, and are then made
/// step by step. So a pass gives byte for byte the same result as its steps one after the other.
///
/// While one batch goes through its steps on another thread, the previous one is written, so steps cost no time if a core
/// is free. Only one thread uses the transaction; the other one also reads the batch if the store supports a second
/// connection.
final class RecordPass {
    private let steps: [UpgradeSchedule.Step]
    private let pending: [PendingMigration]
    private let scope: UpgradeScope
    private let changer: RecordChanger
    private let stopCheck: StopCheck
    private let queue = DispatchQueue(label: "molt.pass", qos: .userInitiated)
    private var deferredStages: Set<Int> = []
    private var readCount = 0
    private(set) var counts: PassCounts

    init(_ steps: [UpgradeSchedule.Step], _ pending: [PendingMigration], _ scope: UpgradeScope) {
        self.steps = steps
        self.pending = pending
        self.scope = scope
        stopCheck = StopCheck(scope.configuration)
        changer = RecordChanger(
            steps,
            pending,
            storeName: scope.storeName,
            configuration: scope.configuration,
            onFailure: scope.registry.failurePolicy,
            stopCheck: stopCheck,
            notes: scope.notes
        )
        counts = PassCounts(migrations: pending.count, stages: steps.count)
    }

    private var records: CacheTransaction { scope.records }

    func run() throws {
        try process()
        try finish()
    }

    private func process() throws {
        // The names come from the steps, because the store may find its types by an index.
        let chains = StepChains(steps).all()
        guard !chains.isEmpty else { return }
        let types = chains.map(\.typeName)
        let last = try records.lastRecordID()
        var work = makeWork(chains)
        var other = makeWork(chains)
        defer { for worker in work.workers + other.workers { counts += worker.counts } }
        defer { records.endReading() }
        let isLarge = last > Int64(scope.configuration.hooks.batchSize)
        let reader = isLarge ? try records.makeReader(ofTypes: types, through: last) : nil
        try process(types, through: last, reader, &work, &other)
        try records.checkRead(readCount, ofTypes: types)
    }

    private func finish() throws {
        for stage in steps.indices {
            if deferredStages.contains(stage) {
                try inStep(stage) {
                    try scope.configuration.reach(.applyDeferredChanges)
                    try records.applyDeferredChanges(stage: stage)
                }
            }
            try changeType(at: stage)
        }
    }

    private func makeWork(_ chains: [StepChains.TypeChain]) -> PassBatch {
        PassBatch(
            RecordBatch(capacity: max(1, scope.configuration.hooks.batchSize)),
            chains,
            workers: changer.workerCount,
            counts: PassCounts(migrations: pending.count, stages: steps.count)
        )
    }

    private func changeType(at stage: Int) throws {
        switch steps[stage].action {
        case .renameType(let name, let newName):
            try inStep(stage) {
                try scope.configuration.reach(.renameType, "\(name) to \(newName)")
                try records.renameType(name, to: newName)
            }
        case .deleteType(let name):
            try noteSamples(ofType: name, deletedBy: steps[stage])
            let count = try inStep(stage) {
                try scope.configuration.reach(.deleteType, name)
                return try records.deleteType(name)
            }
            counts.stages[stage].dropped += count
            counts.migrations[steps[stage].migration].dropped += count
        case .edit, .run:
            break
        }
    }

    private func noteSamples(ofType type: String, deletedBy step: UpgradeSchedule.Step) throws {
        guard let notes = scope.notes, notes.sampleCount > 0 else { return }
        let batch = RecordBatch(capacity: notes.sampleCount)
        try records.read(into: batch, types: [type], after: 0, through: .max)
        for index in 0..<batch.count { notes.add(batch[index], nil, migration: step.migration, step: step.number) }
    }

    private func inStep<R>(_ stage: Int, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            let step = steps[stage]
            throw StepErrors.error(error, pending[step.migration].migration, step.number, store: scope.storeName)
        }
    }

    // MARK: Batches

    /// - Parameter reader: Reads the records on the other thread; nil to read them through the transaction.
    private func process(
        _ types: [String],
        through last: Int64,
        _ reader: SnapshotReader?,
        _ current: inout PassBatch,
        _ other: inout PassBatch
    ) throws {
        defer { reader?.end() }
        try scope.configuration.checkCancellation()
        let place = "of \(types.joined(separator: ", "))"
        func read(_ batch: RecordBatch, after position: Int64) throws {
            try scope.configuration.reach(.read, place)
            try records.read(into: batch, types: types, after: position, through: last)
        }
        if reader == nil { try read(current.batch, after: .min) }
        repeat {
            try scope.configuration.checkCancellation()
            let position = current.batch.count > 0 ? current.batch[current.batch.count - 1].id : last
            // `work` and the reader belong to the other thread until `wait` returns; meanwhile, this thread uses only
            // `other` and the transaction. It also waits when an error is thrown.
            nonisolated(unsafe) let work = current
            nonisolated(unsafe) let source = reader
            let changing = DispatchWorkItem { [changer, configuration = scope.configuration] in
                do {
                    if let source {
                        try configuration.reach(.read, place)
                        try source.read(into: work.batch)
                    }
                    changer.changeBatch(work)
                } catch {
                    work.readFailure = error
                }
            }
            queue.async(execute: changing)
            do {
                var isDone = false
                defer {
                    if !isDone { stopCheck.stop() }
                    changing.wait()
                }
                try write(other)
                if reader == nil { try read(other.batch, after: position) }
                isDone = true
            }
            if let failure = current.readFailure { throw failure }
            swap(&current, &other)
        } while other.batch.count > 0
    }

    private func write(_ work: PassBatch) throws {
        let count = work.batch.count
        guard count > 0 else { return }
        readCount += count
        let workers = work.workers[..<work.usedWorkers]
        var contents = RecordContents(rows: [], buffers: workers.map(\.contents))
        if workers.allSatisfy(\.isPlain) {
            // Each worker had a contiguous part of the batch, in order.
            contents.rows = workers.count == 1 ? workers[0].rows : workers.flatMap(\.rows)
        } else {
            try collect(work, &contents)
        }
        if !contents.rows.isEmpty {
            try scope.configuration.reach(.writeBatch)
            try records.write(contents)
        }
        scope.meter.advance(by: count)
    }

    /// Collects the content changes of a batch, and makes or defers its other changes.
    private func collect(_ work: PassBatch, _ contents: inout RecordContents) throws {
        let count = work.batch.count
        contents.rows.reserveCapacity(count)
        for index in 0..<count {
            if let failure = work.outcomes[index].failure {
                // The record's closures run again.
                try scope.configuration.checkCancellation()
                work.outcomes[index] = try setAside(work.outcomes[index], failure, &contents, work.usedWorkers)
            }
            let outcome = work.outcomes[index]
            for change in outcome.deferred {
                deferredStages.insert(change.stage)
                try scope.configuration.reach(.deferChange)
                try records.deferChange(change)
            }
            guard let version = outcome.changedAt, !outcome.isGone else { continue }
            contents.rows.append(
                RecordContents.Row(
                    id: outcome.id,
                    version: version,
                    isData: outcome.isData,
                    buffer: outcome.worker,
                    range: outcome.content
                )
            )
            if let expiration = outcome.newExpiration {
                try scope.configuration.reach(.writeExpiry)
                try records.write(expiration: expiration, id: outcome.id)
            }
        }
    }

    // MARK: Failed records

    /// Quarantines or drops a failed record, or throws.
    ///
    /// The store still has the record as it was read. It is replayed through the migrations before the failed one, so
    /// that its state after those is quarantined, as if each migration ran by itself.
    ///
    /// - Parameter buffer: The index of the buffer for such records, after those of the workers.
    /// - Returns: The outcome of those migrations.
    private func setAside(
        _ failed: RecordOutcome,
        _ error: any Error,
        _ contents: inout RecordContents,
        _ buffer: Int
    ) throws -> RecordOutcome {
        guard let stage = failed.failedStage, let error = error as? MoltError,
            let stored = try records.record(id: failed.id)
        else { throw error }
        let step = steps[stage]
        let first = steps.firstIndex { $0.migration == step.migration } ?? stage
        var record = stored
        let again = changer.replay(&record, before: .max)
        // The closure's result varies, so the record's intended state is unknown.
        guard again.outcome.failedStage == stage else { throw inconsistentClosure(error) }
        record = stored
        var outcome = changer.replay(&record, before: first).outcome
        guard outcome.failure == nil else { throw inconsistentClosure(error) }

        let migration = pending[step.migration].migration
        let failure = RecordFailure(error, in: migration, step: step.number, firstStep: steps[first].number)
        let fate = try scope.failures.add(record, failure, error, at: step, of: recordCount(by: step))
        subtract(again.counts, from: step.migration)
        if fate == .dropped {
            outcome.deferred.append(DeferredChange(stage: first, id: outcome.id, kind: .drop))
            outcome.isGone = true
            counts.stages[stage].dropped += 1
            counts.migrations[step.migration].dropped += 1
        } else {
            outcome.deferred.append(DeferredChange(stage: first, id: outcome.id, kind: .quarantine(failure)))
            counts.stages[stage].quarantined += 1
            counts.migrations[step.migration].quarantined += 1
            if outcome.changedAt != nil { keep(record, in: &outcome, &contents, buffer) }
        }
        return outcome
    }

    /// The number of records that a limit applies to: those of its migration, or of its step if that has its own limit.
    private func recordCount(by step: UpgradeSchedule.Step) throws -> Int {
        try records.typeNames().reduce(0) { count, type in
            let processesRecords = changer.chain(typeName: type).links.contains { link in
                link.migration == step.migration && (step.onFailure == nil || link.number == step.number)
            }
            return try processesRecords ? count + records.count(ofType: type) : count
        }
    }

    /// The error for a closure that failed, and gave a different result for the same record when it ran again.
    private func inconsistentClosure(_ error: MoltError) -> MoltError {
        var changing = error
        changing.code = .stepFailed
        changing.problem =
            "A closure of the migration failed for the record, and produced a different result when it ran again. "
            + "A closure must produce the same result every time; otherwise Molt cannot determine what to store."
        changing.advice = nil
        changing.underlying = error
        return changing
    }

    /// Subtracts a migration's changes to a record that then failed.
    private func subtract(_ failed: PassCounts, from migration: Int) {
        counts.migrations[migration].changed -= failed.migrations[migration].changed
        for stage in steps.indices where steps[stage].migration == migration {
            counts.stages[stage].changed -= failed.stages[stage].changed
        }
    }

    /// Adds a record's content to the buffer after those of the workers.
    private func keep(
        _ record: Record,
        in outcome: inout RecordOutcome,
        _ contents: inout RecordContents,
        _ buffer: Int
    ) {
        outcome.worker = buffer
        if contents.buffers.count == outcome.worker { contents.buffers.append([]) }
        let start = contents.buffers[outcome.worker].count
        record.writeContent(to: &contents.buffers[outcome.worker])
        outcome.content = start..<contents.buffers[outcome.worker].count
        outcome.isData = record.isData
        if record.hasNewExpiration { outcome.newExpiration = .some(record.expirationSeconds) }
    }
}
