import Dispatch

/// One pass over the records: each is read once, goes through all its steps, and is written at most once.
///
/// What steps do to keys, to types and to the existence of records is kept until all records have been seen, and is
/// then done step by step. So a pass gives what running its steps one after the other gives, byte for byte.
///
/// While one batch goes through its steps on another thread, the one before is written and the one after is read: the
/// steps cost no time as long as a core is free. The transaction is used by one thread only; a store that can be read
/// through a second connection is read by the other thread, too.
final class RecordPass {
    private let steps: [UpgradeSchedule.Step]
    private let pending: [PendingMigration]
    let scope: UpgradeScope
    let changer: RecordChanger
    let stopCheck: StopCheck
    let queue = DispatchQueue(label: "molt.pass", qos: .userInitiated)
    private var deferredStages: Set<Int> = []
    private(set) var counts: PassCounts

    init(_ steps: [UpgradeSchedule.Step], _ pending: [PendingMigration], _ scope: UpgradeScope) {
        self.steps = steps
        self.pending = pending
        self.scope = scope
        stopCheck = StopCheck(scope.options)
        changer = RecordChanger(
            steps,
            pending,
            storeName: scope.storeName,
            options: scope.options,
            stopCheck: stopCheck
        )
        counts = PassCounts(migrations: pending.count, stages: steps.count)
    }

    private var records: any RecordTransaction { scope.records }

    /// The types whose records a step looks at.
    func typesToRead(of names: [String]) -> [String] {
        guard steps.contains(where: \.isEdit) else { return [] }
        return names.filter { !changer.chain(typeName: $0).links.isEmpty }
    }

    /// Runs the pass.
    ///
    /// - Parameter types: The types, in the order in which they are read.
    func run(types: [String]) throws {
        try change(types)
        try finish()
    }

    /// Sends records through the steps.
    private func change(_ types: [String]) throws {
        guard !types.isEmpty else { return }
        let last = try records.lastRecordID()
        var work = makeWork()
        var other = makeWork()
        let third = makeWork()
        defer { for worker in work.workers + other.workers + third.workers { counts += worker.counts } }
        defer { records.endReading() }
        var isReading: Bool?
        for type in types {
            if isReading ?? true, try records.count(ofType: type) > scope.options.batchSize {
                // Once, before the first record is written: what other steps have changed, a snapshot would not show.
                let begins = try isReading ?? records.beginReading()
                isReading = begins
                if begins {
                    try change(type, reading: records.makeReader(ofType: type, through: last), [work, other, third])
                    continue
                }
            } else if isReading == nil {
                isReading = false
            }
            try change(type, through: last, &work, &other)
        }
    }

    /// Makes the changes that waited until all records were read.
    private func finish() throws {
        for stage in steps.indices {
            if deferredStages.contains(stage) {
                try inStep(stage) { try records.applyDeferredChanges(stage: stage) }
            }
            try changeType(at: stage)
        }
    }

    private func makeWork() -> PassBatch {
        let batch = RecordBatch(capacity: max(1, scope.options.batchSize), coding: scope.coding)
        if changer.isParallel { batch.divideCoding(among: changer.workerCount) }
        return PassBatch(
            batch,
            workers: changer.workerCount,
            counts: PassCounts(migrations: pending.count, stages: steps.count)
        )
    }

    private func changeType(at stage: Int) throws {
        switch steps[stage].action {
        case .renameType(let name, let newName):
            try inStep(stage) { try records.renameType(name, to: newName) }
        case .deleteType(let name):
            let count = try inStep(stage) { try records.deleteType(name) }
            counts.stages[stage].dropped += count
            counts.migrations[steps[stage].migration].dropped += count
        case .edit, .run:
            break
        }
    }

    private func inStep<R>(_ stage: Int, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            let step = steps[stage]
            throw StepFailure.error(error, pending[step.migration].migration, step.number, store: scope.storeName)
        }
    }

    // MARK: Batches

    private func change(
        _ type: String,
        through last: Int64,
        _ current: inout PassBatch,
        _ other: inout PassBatch
    ) throws {
        let chain = changer.chain(typeName: type)
        var seen = 0
        try scope.options.checkCancellation()
        try records.read(into: current.batch, type: type, after: 0, through: last)
        other.batch.removeAll()
        while current.batch.count > 0 {
            try scope.options.checkCancellation()
            let position = current.batch[current.batch.count - 1].id
            seen += current.batch.count
            // `work` belongs to the other thread until `wait` returns; this one touches only `other` meanwhile. The
            // closure is waited for also when something is thrown.
            nonisolated(unsafe) let work = current
            let changing = DispatchWorkItem { [changer] in changer.change(work, chain) }
            queue.async(execute: changing)
            do {
                var isDone = false
                defer {
                    if !isDone { stopCheck.giveUp() }
                    changing.wait()
                }
                try write(other)
                try records.read(into: other.batch, type: type, after: position, through: last)
                isDone = true
            }
            swap(&current, &other)
        }
        try write(other)
        try check(seen, of: type)
    }

    /// Compares how many records of a type were read with how many there are.
    ///
    /// A damaged store may end its records early, and the rest would be left as they were at a newer version.
    func check(_ seen: Int, of type: String) throws {
        let count = try records.count(ofType: type)
        guard seen != count else { return }
        var error = MigrationError(
            .storeFailed,
            "The store gave \(seen) of \(count) records of the type \"\(type)\". It is damaged: put a backup in its place, or "
                + "save what can be read.",
            underlying: MigrationError.Damage()
        )
        error.store = scope.storeName
        error.recordType = type
        throw error
    }

    func write(_ work: PassBatch) throws {
        let count = work.batch.count
        guard count > 0 else { return }
        let workers = work.workers[..<work.usedWorkers]
        var contents = RecordContents(rows: [], buffers: workers.map(\.contents))
        if workers.allSatisfy(\.isPlain) {
            // Each had a part of the batch, in its order.
            contents.rows = workers.count == 1 ? workers[0].rows : workers.flatMap(\.rows)
        } else {
            try collect(work, &contents)
        }
        if !contents.rows.isEmpty { try records.write(contents) }
        scope.meter.advance(by: count)
    }

    /// Collects what is to be written of a batch, and tells the store what else is to be done.
    private func collect(_ work: PassBatch, _ contents: inout RecordContents) throws {
        let count = work.batch.count
        contents.rows.reserveCapacity(count)
        for index in 0..<count {
            if let failure = work.outcomes[index].failure {
                // Its closures run again.
                try scope.options.checkCancellation()
                work.outcomes[index] = try setAside(work.outcomes[index], failure, &contents, work.usedWorkers)
            }
            let outcome = work.outcomes[index]
            for change in outcome.deferred {
                deferredStages.insert(change.stage)
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
                try records.write(expiration: expiration, id: outcome.id)
            }
        }
    }

    // MARK: Records that a step cannot convert

    /// Lets a record that failed be set aside as it is before its migration, or throws.
    ///
    /// The store still has it as it was read. It goes through the migrations before that one once more: what it is to be
    /// when they have run is what is kept, as when each of them runs by itself.
    ///
    /// - Parameter buffer: The place of the buffer for such records, behind those of the workers.
    /// - Returns: What those migrations did to it.
    private func setAside(
        _ failed: RecordOutcome,
        _ error: any Error,
        _ contents: inout RecordContents,
        _ buffer: Int
    ) throws -> RecordOutcome {
        guard let stage = failed.failedStage, let error = error as? MigrationError,
            let stored = try records.record(id: failed.id)
        else { throw error }
        let step = steps[stage]
        let first = steps.firstIndex { $0.migration == step.migration } ?? stage
        var record = stored
        let again = changer.replay(&record, before: .max)
        // A closure that gives another result each time: nothing can be said of what the record is to be.
        guard again.outcome.failedStage == stage else { throw changing(error) }
        record = stored
        var outcome = changer.replay(&record, before: first).outcome
        guard outcome.failure == nil else { throw changing(error) }

        let migration = pending[step.migration].migration
        let failure = RecordFailure(error, in: migration, step: step.number, firstStep: steps[first].number)
        let isDropped = if case .drop = scope.options.policy(of: step) { true } else { false }
        try scope.failures.add(
            MigrationReport.FailedRecord(
                key: record.key,
                type: record.typeName,
                outcome: isDropped ? .dropped : .quarantined,
                failure
            ),
            error,
            at: step,
            of: countLookedAt(by: step)
        )
        take(again.counts, backFrom: step.migration)
        deferredStages.insert(first)
        if isDropped {
            outcome.deferred.append(DeferredChange(stage: first, id: outcome.id, kind: .drop))
            outcome.isGone = true
            counts.stages[stage].dropped += 1
            counts.migrations[step.migration].dropped += 1
        } else {
            try inStep(stage) {
                try records.deferQuarantine(DeferredQuarantine(stage: first, id: outcome.id, failure: failure))
            }
            counts.stages[stage].quarantined += 1
            counts.migrations[step.migration].quarantined += 1
            if outcome.changedAt != nil { keep(record, in: &outcome, &contents, buffer) }
        }
        return outcome
    }

    /// How many records a limit is about: those that its migration looks at, or its step alone when that has its own.
    private func countLookedAt(by step: UpgradeSchedule.Step) throws -> Int {
        try records.typeNames().reduce(0) { count, type in
            let isLookedAt = changer.chain(typeName: type).links.contains { link in
                link.migration == step.migration && (step.onFailure == nil || link.number == step.number)
            }
            return try isLookedAt ? count + records.count(ofType: type) : count
        }
    }

    /// The error for a closure that failed, and did something else with the same record when it ran again.
    private func changing(_ error: MigrationError) -> MigrationError {
        var changing = error
        changing.code = .stepFailed
        changing.problem =
            "A closure of the migration failed for the record, and gave another result when it ran again for it. It must give "
            + "the same result each time: nothing else can say what the record was to be."
        changing.outcome = .rolledBack
        changing.advice = nil
        changing.underlying = error
        return changing
    }

    /// Takes back what a migration counted as changed in a record that then failed.
    private func take(_ failed: PassCounts, backFrom migration: Int) {
        counts.migrations[migration].changed -= failed.migrations[migration].changed
        for stage in steps.indices where steps[stage].migration == migration {
            counts.stages[stage].changed -= failed.stages[stage].changed
        }
    }

    /// Puts the content of a record behind those of the workers.
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
