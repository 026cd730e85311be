import Dispatch
import Foundation

/// Runs records through the steps of a pass; it does not use the store, so it can run on any thread.
struct RecordChanger: Sendable {
    private let stepsByType: StepsByType
    private let steps: [ScheduledStep]
    private let storeName: String?

    private let atPoint: UpgradeHook?
    /// Stops the change of a batch; by default when the upgrade is cancelled.
    var stopSignal: StopSignal
    /// The notes of a dry run, if it is one.
    var notes: DryRunNotes?
    /// For each step, the policy for a record that it cannot convert.
    private let policies: [FailurePolicy]
    private let isBackfill: Bool
    private let isReading: Bool
    private let isParallel: Bool
    /// The maximum number of parts of a batch that are processed in parallel.
    ///
    /// There are many more parts than cores: a core that has finished a part takes the next one, so the core that also
    /// writes does not delay the batch. The limit is 64 because the store gets the contents of all parts at once,
    /// through nested calls.
    let workerCount: Int

    /// What records are changed for, with the policy for steps without their own.
    enum Purpose {
        /// An upgrade, which a record that fails may end.
        case upgrade(FailurePolicy)
        /// A backfill, whose batches go on after such a record.
        case backfill(FailurePolicy)
        /// A cache that is only read, so that a closure may change only the content of records.
        case reading

        var policy: FailurePolicy {
            switch self {
            case .upgrade(let policy), .backfill(let policy): policy
            case .reading: .stop
            }
        }
    }

    init(_ steps: [ScheduledStep], storeName: String?, configuration: MoltConfiguration, for purpose: Purpose) {
        stepsByType = StepsByType(steps)
        self.steps = steps
        self.storeName = storeName
        isBackfill = if case .backfill = purpose { true } else { false }
        isReading = if case .reading = purpose { true } else { false }
        // A backfill is no upgrade, and has no points.
        atPoint = isBackfill ? nil : configuration.hooks.atPoint
        stopSignal = StopSignal { try configuration.checkCancellation() }
        policies = steps.map { $0.onFailure ?? purpose.policy }
        isParallel = steps.contains { step in
            if case .edit(let edit, _) = step.recordWork { edit.isParallel } else { false }
        }
        // On Linux, the number of cores is read from a file.
        let cores = isParallel ? ProcessInfo.processInfo.activeProcessorCount : 1
        workerCount = cores > 1 ? min(16 * cores, 64) : 1
    }

    /// The steps from a position in the pass on, for records that have a type name there.
    func chain(from start: Int = 0, typeName: String) -> StepsByType.Chain {
        stepsByType.chain(from: start, typeName: typeName)
    }

    func allChains() -> [StepsByType.Chain] { stepsByType.all() }

    func firstStepIndex(of stepIndex: Int) -> Int { stepsByType.firstStepIndices[stepIndex] }

    var noCounts: PassCounts { PassCounts(stepCount: steps.count) }

    // MARK: Batches

    /// Runs the records of a batch through their steps, in order; on all cores if a step is expensive enough.
    ///
    /// - Throws: The error with which the pass must stop.
    func changeBatch(_ work: PassBatch) throws {
        let count = work.records.count
        let workerCount = isParallel ? min(work.workers.count, count) : 1
        work.usedWorkers = workerCount
        let distance = work.workers[0].chains.contains(where: \.runsClosure) ? 1 : StopSignal.distance
        work.records.withRecords { records in
            work.results.withUnsafeMutableBufferPointer { results in
                work.workers.withUnsafeMutableBufferPointer { workers in
                    // Each iteration accesses only the records and outcomes in its own range, and its own worker;
                    // `concurrentPerform` returns when all have ended. No memory is shared.
                    nonisolated(unsafe) let records = records
                    nonisolated(unsafe) let results = results
                    nonisolated(unsafe) let workers = workers
                    let run = { @Sendable (number: Int) in
                        // Each thread counts in its own memory, because cores that write to the same cache line slow
                        // each other down.
                        var worker = PassBatch.Worker(chains: workers[number].chains, counts: noCounts)
                        swap(&worker.contents, &workers[number].contents)
                        swap(&worker.rows, &workers[number].rows)
                        worker.start()
                        defer {
                            swap(&worker.contents, &workers[number].contents)
                            swap(&worker.rows, &workers[number].rows)
                            workers[number].counts += worker.counts
                            workers[number].isPlain = worker.isPlain
                            workers[number].stopReason = worker.stopReason
                        }
                        let chains = worker.chains
                        // Most records have the type of the one before.
                        var last = chains[0]
                        for index in (count * number / workerCount)..<(count * (number + 1) / workerCount) {
                            if index % distance == 0, let reason = stopSignal.reason() {
                                worker.stopReason = reason
                                return
                            }
                            if chains.count > 1, !records[index].hasType(last.typeName) {
                                last = chains.first { records[index].hasType($0.typeName) } ?? last
                            }
                            if changeAndEncode(&records[index], last, &worker, number, &results[index]) {
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
        for worker in work.workers[..<workerCount] {
            if let reason = worker.stopReason { throw reason }
        }
    }

    /// - Returns: Whether the outcome ends the upgrade.
    private func changeAndEncode(
        _ record: inout Record,
        _ chain: StepsByType.Chain,
        _ worker: inout PassBatch.Worker,
        _ number: Int,
        _ result: inout RecordResult
    ) -> Bool {
        runChain(&record, chain, &worker.counts, &result, .inPass)
        if isBackfill { result.changedBy = worker.counts.changedLast }
        if result.failure != nil || !result.postponed.isEmpty { worker.isPlain = false }
        guard result.failure == nil else { return result.failedStepIndex == nil && !isBackfill }
        guard let version = result.changedAt, !result.isDropped else { return false }
        if record.hasNewExpiration {
            result.expiration = .set(record.expirationSeconds)
            worker.isPlain = false
        }
        worker.add(record, version: version, buffer: number)
        return false
    }

    /// Notes a record's changes; after a failure only those of the migrations before the failed one, as the others are
    /// undone.
    private func note(
        _ changes: [(before: Record, after: Record, step: StepsByType.ChainStep)],
        _ result: RecordResult
    ) {
        let end = result.failedStepIndex.map(firstStepIndex) ?? .max
        for (before, after, step) in changes where step.index < end {
            notes?.add(before, after, by: step.scheduled.id)
            if step.edit.runsClosure { notes?.noteLost(before, after, by: step.scheduled.id) }
        }
    }

    private static func changedByReader(_ part: String) -> MoltError {
        MoltError(
            .needsMigration,
            "A closure has changed the record's \(part), which only an upgrade of the store can do.",
            advice: "Open the store in a process that may upgrade it."
        )
    }

    private static func changedOnRead(_ part: String) -> MoltError {
        MoltError(
            .stepFailed,
            "The migration runs on read, and a closure has changed the record's \(part). It may only change the content.",
            advice: "Remove `onRead()`, or do this in another migration."
        )
    }

    // MARK: Single records

    /// Runs a record through its steps by itself: the test hook is not called and nothing is noted.
    ///
    /// Afterwards it has the type name that it gets by all steps.
    func change(_ record: inout Record, _ chain: StepsByType.Chain, _ counts: inout PassCounts) -> RecordResult {
        var result = RecordResult()
        runChain(&record, chain, &counts, &result, .alone(before: .max))
        return result
    }

    /// The record as it was before the migration of a step that failed for it.
    ///
    /// - Parameters:
    ///   - stored: The record before all steps.
    ///   - failed: The outcome of those steps.
    ///   - chain: The steps.
    /// - Throws: The failure if the upgrade must stop at it, or an error if a closure's result varies.
    func recordBeforeFailure(
        _ failed: RecordResult,
        of stored: Record,
        _ chain: StepsByType.Chain
    ) throws -> UnconvertedRecord {
        guard let error = failed.error else { preconditionFailure("The record did not fail.") }
        guard let stepIndex = failed.failedStepIndex else { throw error }
        let step = steps[stepIndex]
        let first = firstStepIndex(of: stepIndex)
        var record = stored
        var counts = noCounts
        var result = RecordResult()
        runChain(&record, chain, &counts, &result, .alone(before: first))
        guard result.failure == nil else { throw Self.inconsistentClosure(error) }
        result.changedBy = counts.changedLast
        return UnconvertedRecord(record, result, error, in: step, at: stepIndex, first: steps[first], at: first)
    }

    /// The error for a closure that failed, and gave a different result for the same record when it ran again.
    static func inconsistentClosure(_ error: MoltError) -> MoltError {
        var changing = error
        changing.code = .stepFailed
        changing.problem =
            "A closure of the migration failed for the record, and produced a different result when it ran again. "
            + "A closure must produce the same result every time; otherwise Molt cannot determine what to store."
        changing.advice = nil
        changing.underlying = error
        return changing
    }

    // MARK: The chain

    /// How a record goes through its steps.
    private enum Run {
        case inPass
        /// By itself, see ``change(_:_:_:)``, through the steps before a position in the pass.
        case alone(before: Int)
    }

    /// Runs a record through its steps.
    ///
    /// - Parameter result: Becomes that of the steps; not returned, because copying one takes as long as a short step.
    private func runChain(
        _ record: inout Record,
        _ chain: StepsByType.Chain,
        _ counts: inout PassCounts,
        _ result: inout RecordResult,
        _ run: Run
    ) {
        let (isAlone, end) =
            switch run {
            case .inPass: (false, Int.max)
            case .alone(let end): (true, end)
            }
        result = RecordResult(id: record.id)
        counts.beginRecord()
        var chain = chain
        // The position of the step from which the record's current type name applies.
        var named = 0
        var isAtPoint = false
        var next = 0
        /// The changes for the notes of a dry run; empty in an upgrade.
        var changes: [(before: Record, after: Record, step: StepsByType.ChainStep)] = []
        defer { if !changes.isEmpty { note(changes, result) } }
        var key = record.changedKey
        /// That of the current migration.
        var firstStepIndex = -1
        var isMigrationCounted = false
        while next < chain.steps.count {
            let step = chain.steps[next]
            if step.index >= end { break }
            next += 1
            if record.storedVersion >= step.doneFrom { continue }
            if record.storedVersion < step.firstVersion, result.changedAt == nil, !step.isRenamed { continue }
            if step.firstIndex != firstStepIndex {
                firstStepIndex = step.firstIndex
                isMigrationCounted = false
                counts.migrations[firstStepIndex].read += 1
            }
            counts.steps[step.index].read += 1
            if step.isRenamed, !ExactName.isSame(record.typeName, step.typeName) {
                record.typeName = step.typeName
            }
            named = step.index
            let (revision, headRevision) = (record.revision, record.headRevision)
            let expiration = record.expirationSeconds
            // The record before the step for the notes; an array, because an empty one is smaller than no record.
            var before: [Record] = []
            do {
                if record.coding !== step.coding { record.coding = step.coding }
                try record.read()
                if let atPoint, !isAlone {
                    isAtPoint = true
                    try atPoint(UpgradePoint(.record, "\(record.key) of type \(step.typeName)"))
                    isAtPoint = false
                }
                if notes != nil, !isAlone { before = [record] }
                if !isAlone, !step.notedProperties.isEmpty {
                    counts.note(step.notedProperties, at: step.index, in: record)
                }
                try step.apply(&record)
                if let failure = record.failure { throw failure }
                if record.headRevision != headRevision, step.isOnRead || isReading,
                    let part = record.isDropped
                        ? "existence" : record.changedPart(key: key, typeName: step.typeName, expiration: expiration)
                {
                    throw step.isOnRead ? Self.changedOnRead(part) : Self.changedByReader(part)
                }
            } catch {
                let (key, type) = (record.key, record.typeName)
                let failure = MoltError(error, in: step.scheduled, key: key, type: type, store: storeName)
                let isTolerated = !isAtPoint && policies[step.index].tolerates(failure)
                result.fail(failure, at: isTolerated ? step.index : nil)
                return
            }
            if !before.isEmpty, record.revision != revision { changes.append((before[0], record, step)) }
            if record.isDropped {
                counts.steps[step.index].dropped += 1
                counts.migrations[firstStepIndex].dropped += 1
                result.postponed.append(PostponedChange(round: step.index, id: record.id, kind: .drop))
                result.fate = .dropped
                return
            }
            guard record.revision != revision else { continue }
            counts.steps[step.index].changed += 1
            if !isMigrationCounted {
                isMigrationCounted = true
                counts.noteChange(by: firstStepIndex)
            }
            result.changedAt = step.recordVersion
            if record.headRevision == headRevision { continue }
            // Compare keys and type names by bytes, as stores do; Swift's `==` treats canonically equivalent strings as
            // equal.
            if let newKey = record.changedKey, key.map({ !ExactName.isSame(newKey, $0) }) ?? true {
                result.postponed.append(PostponedChange(round: step.index, id: record.id, kind: .key(newKey)))
            }
            key = record.changedKey
            if record.hasNewTypeName, !ExactName.isSame(record.typeName, step.typeName) {
                let newName = record.typeName
                result.postponed.append(PostponedChange(round: step.index, id: record.id, kind: .type(newName)))
                chain = stepsByType.chain(from: step.index + 1, typeName: newName)
                next = 0
                named = step.index + 1
            }
        }
        if end == .max {
            if let index = chain.handedOverBy {
                result.fate = .handedOver(by: index)
                if isAlone, let name = steps[index].typeName { record.typeName = name }
            } else if chain.lastName == nil {
                result.fate = .dropped
            }
            if isAlone, let name = chain.lastName { record.typeName = name }
        } else {
            record.typeName = stepsByType.name(of: record.typeName, from: named, before: end)
        }
    }
}

extension Record {
    fileprivate func hasType(_ name: String) -> Bool {
        ExactName.isSame(typeName, name)
    }
}

extension Record {
    /// The part of a record besides its content that a closure has changed; nil for none.
    ///
    /// - Parameters:
    ///   - key: The key before; nil if each new key counts as a change.
    ///   - typeName: The type name before.
    ///   - expiration: The expiry before.
    func changedPart(key: String?, typeName: String, expiration: Double?) -> String? {
        if let changedKey, key.map({ !ExactName.isSame(changedKey, $0) }) ?? true { return "key" }
        if hasNewTypeName, !ExactName.isSame(self.typeName, typeName) { return "type" }
        return hasNewExpiration && expirationSeconds != expiration ? "expiry" : nil
    }
}
