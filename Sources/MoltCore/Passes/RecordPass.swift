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
    func run(types: [String]) throws {
        _ = try change(types: types)
        try finish(stages: deferredStages)
    }

    /// Sends records through the steps.
    ///
    /// - Parameters:
    ///   - types: The types, in the order in which they are read.
    ///   - position: Where to go on; nil at the beginning.
    ///   - limit: How many records to read; nil for all.
    /// - Returns: Where it stopped; nil when all records were read.
    func change(
        types: [String],
        after position: UnfinishedMigration.Position? = nil,
        limit: Int? = nil
    ) throws -> UnfinishedMigration.Position? {
        guard !types.isEmpty else { return nil }
        let last = try records.lastRecordID()
        var rest = limit ?? .max
        var work = makeWork(of: rest)
        var other = makeWork(of: rest)
        // A batch of a migration that commits in batches is too small for a reader of its own.
        let third = limit == nil && position == nil ? makeWork(of: rest) : nil
        defer { for worker in work.workers + other.workers + (third?.workers ?? []) { counts += worker.counts } }
        defer { if third != nil { records.endReading() } }
        var isReading: Bool?
        for type in types {
            if let third, isReading ?? true, try records.count(ofType: type) > scope.options.batchSize {
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
            // By their bytes: two spellings of a letter are two types.
            let first = position.map { RecordObject.isSame($0.type, type) ? $0.id : 0 } ?? 0
            if let stop = try change(type, after: first, through: last, &rest, &work, &other) {
                return UnfinishedMigration.Position(type: type, id: stop)
            }
        }
        return nil
    }

    /// Makes the changes that waited until all records were read.
    func finish(stages: Set<Int>) throws {
        for stage in steps.indices {
            if stages.contains(stage) {
                try inStep(stage) { try records.applyDeferredChanges(stage: stage) }
            }
            try changeType(at: stage)
        }
    }

    private func makeWork(of count: Int) -> PassBatch {
        let batch = RecordBatch(capacity: max(1, min(scope.options.batchSize, count)), coding: scope.coding)
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

    /// - Parameter rest: How many records may still be read.
    /// - Returns: The last record that was read, when there may be more; nil at the end of the type.
    private func change(
        _ type: String,
        after first: Int64,
        through last: Int64,
        _ rest: inout Int,
        _ current: inout PassBatch,
        _ other: inout PassBatch
    ) throws -> Int64? {
        let chain = changer.chain(typeName: type)
        var position = first
        let start = rest
        guard rest > 0 else { return position }
        try scope.options.checkCancellation()
        current.batch.limit(to: rest)
        try records.read(into: current.batch, type: type, after: position, through: last)
        other.batch.removeAll()
        while current.batch.count > 0 {
            try scope.options.checkCancellation()
            position = current.batch[current.batch.count - 1].id
            rest -= current.batch.count
            let (next, isEnough) = (position, rest <= 0)
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
                if isEnough {
                    other.batch.removeAll()
                } else {
                    other.batch.limit(to: rest)
                    try records.read(into: other.batch, type: type, after: next, through: last)
                }
                isDone = true
            }
            swap(&current, &other)
        }
        try write(other)
        guard rest > 0 else { return position }
        if first == 0 { try check(start - rest, of: type) }
        return nil
    }

    /// Compares how many records of a type were read with how many there are.
    ///
    /// A damaged store may end its records early, and the rest would be left as they were at a newer version.
    func check(_ seen: Int, of type: String) throws {
        try check(seen, of: records.count(ofType: type), "of the type \"\(type)\"", type)
    }

    /// Compares how many records all batches of a migration have read with how many there were when it began.
    ///
    /// Nobody else writes between them, and what steps do to the existence of records waits for the last one.
    func checkAll(readBefore: Int, of total: Int) throws {
        try check(readBefore + counts.migrations[0].read, of: total, "that the migration looks at")
    }

    private func check(_ seen: Int, of count: Int, _ which: String, _ type: String? = nil) throws {
        guard seen != count else { return }
        var error = MigrationError(
            .storeFailed,
            "The store gave \(seen) of \(count) records \(which). It is damaged: put a backup in its place, or save what can "
                + "be read.",
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
