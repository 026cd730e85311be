import Dispatch
import Foundation

/// Runs records through the steps of a pass; it does not use the store, so it can run on any thread.
struct RecordChanger: Sendable {
    private let chains: StepChains
    private let steps: [UpgradeSchedule.Step]
    private let pending: [PendingMigration]
    private let storeName: String
    private let atPoint: UpgradeHook?
    private let stopCheck: StopCheck
    private let notes: StepNotes?
    /// For each step, whether a record that it cannot convert stops the upgrade.
    private let stops: [Bool]
    /// For each migration, the version from which records need no change by it; nil if there is no such version.
    private let doneFrom: [Int]?
    private let stageCount: Int
    let isParallel: Bool
    /// The maximum number of parts of a batch that are processed in parallel.
    ///
    /// There are many more parts than cores: a core that has finished a part takes the next one, so the core that also
    /// writes does not delay the batch. The limit is 64 because the store gets the contents of all parts at once,
    /// through nested calls.
    let workerCount: Int

    init(
        _ steps: [UpgradeSchedule.Step],
        _ pending: [PendingMigration],
        storeName: String,
        configuration: MoltConfiguration,
        onFailure policy: RecordFailurePolicy = .stop,
        stopCheck: StopCheck? = nil,
        notes: StepNotes? = nil
    ) {
        chains = StepChains(steps)
        self.steps = steps
        self.pending = pending
        self.storeName = storeName
        atPoint = configuration.hooks.atPoint
        self.stopCheck = stopCheck ?? StopCheck(configuration)
        self.notes = notes
        stops = steps.map { ($0.onFailure ?? policy) == .stop }
        stageCount = steps.count
        doneFrom = pending.contains { $0.doneFrom < .max } ? pending.map(\.doneFrom) : nil
        isParallel = steps.contains { step in
            if case .edit(let edit) = step.action { edit.isParallel } else { false }
        }
        // On Linux, the number of cores is read from a file.
        let cores = isParallel ? ProcessInfo.processInfo.activeProcessorCount : 1
        workerCount = cores > 1 ? min(16 * cores, 64) : 1
    }

    /// The steps for records of a type.
    func chain(typeName: String) -> StepChains.Chain {
        chains.chain(from: 0, typeName: typeName)
    }

    /// Runs the records of a batch through their steps, in order; on all cores if a step is expensive enough.
    func changeBatch(_ work: PassBatch) {
        let count = work.batch.count
        let workerCount = isParallel ? min(work.workers.count, count) : 1
        work.usedWorkers = workerCount
        let distance = work.workers[0].chains.contains(where: \.chain.runsClosure) ? 1 : StopCheck.distance
        work.batch.withRecords { records in
            work.outcomes.withUnsafeMutableBufferPointer { outcomes in
                work.workers.withUnsafeMutableBufferPointer { workers in
                    // Each iteration accesses only the records and outcomes in its own range, and its own worker;
                    // `concurrentPerform` returns when all have ended. No memory is shared.
                    nonisolated(unsafe) let records = records
                    nonisolated(unsafe) let outcomes = outcomes
                    nonisolated(unsafe) let workers = workers
                    let run = { @Sendable (number: Int) in
                        // Each thread counts in its own memory, because cores that write to the same cache line slow
                        // each other down.
                        var worker = PassBatch.Worker(
                            chains: workers[number].chains,
                            counts: PassCounts(migrations: pending.count, stages: stageCount)
                        )
                        swap(&worker.contents, &workers[number].contents)
                        swap(&worker.rows, &workers[number].rows)
                        worker.start()
                        defer {
                            swap(&worker.contents, &workers[number].contents)
                            swap(&worker.rows, &workers[number].rows)
                            workers[number].counts += worker.counts
                            workers[number].isPlain = worker.isPlain
                        }
                        let chains = worker.chains
                        // Most records have the type of the one before.
                        var last = chains[0]
                        for index in (count * number / workerCount)..<(count * (number + 1) / workerCount) {
                            if index % distance == 0, let reason = stopCheck.reason() {
                                outcomes[index] = RecordOutcome(id: records[index].id, failure: reason)
                                worker.isPlain = false
                                return
                            }
                            if chains.count > 1, !records[index].hasType(last.typeName) {
                                last = chains.first { records[index].hasType($0.typeName) } ?? last
                            }
                            if changeAndEncode(&records[index], last.chain, &worker, number, &outcomes[index]) {
                                return
                            }
                        }
                    }
                    if workerCount == 1 {
                        withAutoreleasePool { run(0) }
                    } else {
                        DispatchQueue.concurrentPerform(iterations: workerCount) { number in
                            withAutoreleasePool { run(number) }
                        }
                    }
                }
            }
        }
    }

    /// - Returns: Whether the outcome ends the upgrade.
    private func changeAndEncode(
        _ record: inout Record,
        _ chain: StepChains.Chain,
        _ worker: inout PassBatch.Worker,
        _ number: Int,
        _ outcome: inout RecordOutcome
    ) -> Bool {
        outcome = runChain(&record, chain, &worker.counts)
        if outcome.failure != nil || !outcome.deferred.isEmpty { worker.isPlain = false }
        guard outcome.failure == nil else { return outcome.failedStage == nil }
        guard let version = outcome.changedAt, !outcome.isGone else { return false }
        let start = worker.contents.count
        record.writeContent(to: &worker.contents)
        outcome.content = start..<worker.contents.count
        outcome.worker = number
        outcome.isData = record.isData
        if record.hasNewExpiration {
            outcome.newExpiration = .some(record.expirationSeconds)
            worker.isPlain = false
        }
        worker.rows.append(
            RecordContents.Row(
                id: outcome.id,
                version: version,
                isData: outcome.isData,
                buffer: number,
                range: outcome.content
            )
        )
        return false
    }

    /// Notes a record's changes; after a failure only those of the migrations before the failed one, as the others are
    /// undone.
    private func note(
        _ changes: [(before: Record, after: Record, link: StepChains.Link)],
        _ outcome: RecordOutcome
    ) {
        let end = outcome.failedStage.flatMap { steps[$0].migration }
        for (before, after, link) in changes where end == nil || link.migration < end ?? 0 {
            notes?.add(
                before,
                after,
                migration: link.migration,
                step: link.number,
                runsClosure: link.edit.runsClosure
            )
        }
    }

    /// Runs a record through all steps of its chain, without calling the hook.
    func change(_ record: inout Record, _ chain: StepChains.Chain, _ counts: inout PassCounts) -> RecordOutcome {
        runChain(&record, chain, &counts, isReplay: true)
    }

    /// Runs a record through the steps from a stage on, without calling the hook; its type name becomes the one after them.
    func change(_ record: inout Record, from stage: Int) -> RecordOutcome {
        var counts = noCounts
        return runChain(&record, chains.chain(from: stage, typeName: record.typeName), &counts, isReplay: true)
    }

    var noCounts: PassCounts { PassCounts(migrations: pending.count, stages: stageCount) }

    /// Throws if a step of a migration on read has changed more than the content of a record.
    private static func checkOnlyContent(
        of record: borrowing Record,
        key: String?,
        typeName: String,
        expiration: Double?
    ) throws {
        let part: String
        if record.isDropped {
            part = "existence"
        } else if let newKey = record.changedKey, key.map({ !RecordValue.Object.isSame(newKey, $0) }) ?? true {
            part = "key"
        } else if record.hasNewTypeName, !RecordValue.Object.isSame(record.typeName, typeName) {
            part = "type"
        } else if record.hasNewExpiration, record.expirationSeconds != expiration {
            part = "expiry"
        } else {
            return
        }
        throw MoltError(
            .stepFailed,
            "The migration runs on read, and a closure has changed the record's \(part). It may only change the content. "
                + "Remove onRead(), or do this in another migration."
        )
    }

    /// Runs a stored record through the steps before a stage again, without calling the hook.
    func replay(_ record: inout Record, before stage: Int) -> (outcome: RecordOutcome, counts: PassCounts) {
        var counts = PassCounts(migrations: pending.count, stages: stageCount)
        let outcome = runChain(&record, chain(typeName: record.typeName), &counts, before: stage, isReplay: true)
        return (outcome, counts)
    }

    /// Runs a record through its steps, or through those before a stage.
    private func runChain(
        _ record: inout Record,
        _ chain: StepChains.Chain,
        _ counts: inout PassCounts,
        before end: Int = .max,
        isReplay: Bool = false
    ) -> RecordOutcome {
        var outcome = RecordOutcome(id: record.id)
        var chain = chain
        // The stage at which the record's current type name applies.
        var named = 0
        var isAtPoint = false
        var next = 0
        /// The changes for the notes of a dry run; empty in an upgrade.
        var changes: [(before: Record, after: Record, link: StepChains.Link)] = []
        defer { note(changes, outcome) }
        var migration = -1
        var isMigrationCounted = false
        while next < chain.links.count {
            let link = chain.links[next]
            if link.stage >= end { break }
            next += 1
            if let doneFrom, record.storedVersion >= doneFrom[link.migration] { continue }
            if link.migration != migration {
                migration = link.migration
                isMigrationCounted = false
                counts.migrations[migration].read += 1
            }
            counts.stages[link.stage].read += 1
            if link.isRenamed, !RecordValue.Object.isSame(record.typeName, link.typeName) {
                record.typeName = link.typeName
            }
            named = link.stage
            let revision = record.revision
            let key = record.changedKey
            let expiration = record.expirationSeconds
            var before: Record?
            do {
                if record.coding !== link.coding { record.coding = link.coding }
                try record.read()
                if let atPoint, !isReplay {
                    isAtPoint = true
                    try atPoint(UpgradePoint(.record, "\(record.key) of type \(link.typeName)"))
                    isAtPoint = false
                }
                if notes != nil, !isReplay { before = record }
                if !isReplay { counts.noteAlternatives(of: link.edit, at: link.stage, in: record) }
                try link.edit.apply(&record)
                if let failure = record.failure { throw failure }
                if pending[link.migration].migration.isOnRead {
                    try Self.checkOnlyContent(of: record, key: key, typeName: link.typeName, expiration: expiration)
                }
            } catch {
                let migration = pending[link.migration].migration
                let failure = StepErrors.error(error, migration, link.number, record, store: storeName)
                outcome.failure = failure
                if !stops[link.stage], !isAtPoint, failure.isAboutRecord {
                    outcome.failedStage = link.stage
                }
                return outcome
            }
            if let before, record.revision != revision { changes.append((before, record, link)) }
            if record.isDropped {
                counts.stages[link.stage].dropped += 1
                counts.migrations[migration].dropped += 1
                outcome.deferred.append(DeferredChange(stage: link.stage, id: record.id, kind: .drop))
                outcome.isGone = true
                return outcome
            }
            guard record.revision != revision else { continue }
            counts.stages[link.stage].changed += 1
            if !isMigrationCounted {
                isMigrationCounted = true
                counts.migrations[migration].changed += 1
            }
            outcome.changedAt = pending[migration].recordVersion
            // Compare keys and type names by bytes, as stores do; Swift's `==` treats canonically equivalent strings as
            // equal.
            if let newKey = record.changedKey, key.map({ !RecordValue.Object.isSame(newKey, $0) }) ?? true {
                outcome.deferred.append(DeferredChange(stage: link.stage, id: record.id, kind: .key(newKey)))
            }
            if record.hasNewTypeName, !RecordValue.Object.isSame(record.typeName, link.typeName) {
                outcome.deferred.append(DeferredChange(stage: link.stage, id: record.id, kind: .type(record.typeName)))
                chain = chains.chain(from: link.stage + 1, typeName: record.typeName)
                next = 0
                named = link.stage + 1
            }
        }
        if end == .max {
            outcome.isGone = chain.lastName == nil
            if isReplay, let name = chain.lastName { record.typeName = name }
        } else {
            record.typeName = chains.name(of: record.typeName, from: named, before: end)
        }
        return outcome
    }
}

extension Record {
    fileprivate func hasType(_ name: String) -> Bool {
        RecordValue.Object.isSame(typeName, name)
    }
}
