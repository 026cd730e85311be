import Dispatch

/// One pass over the records: each is read once, goes through all its steps, and is written at most once.
///
/// Changes of keys, types and the existence of records are postponed until all records have been read, and are then
/// made step by step. So a pass gives byte for byte the same result as its steps one after the other.
///
/// A ``RecordPipeline`` reads and changes the batches. Only this thread uses the transaction; batches are read on a
/// second connection if the store supports one.
final class RecordPass {
    private let steps: [ScheduledStep]
    private let runner: StepRunner
    private let changer: RecordChanger
    private let queue = DispatchQueue(label: "molt.pass", qos: .userInitiated)
    private var postponedRounds: Set<Int> = []
    private var readCount = 0
    private(set) var counts: PassCounts

    init(_ steps: [ScheduledStep], _ runner: StepRunner) {
        self.steps = steps
        self.runner = runner
        var changer = RecordChanger(
            steps,
            storeName: runner.storeName,
            configuration: runner.configuration,
            for: .upgrade(runner.registry.failurePolicy)
        )
        changer.notes = runner.notes
        self.changer = changer
        counts = changer.noCounts
    }

    private var records: StoreTransaction { runner.records }

    func run() throws {
        try process()
        try finish()
    }

    private func process() throws {
        // The names come from the steps, because the store may find its types by an index.
        let chains = changer.allChains()
        guard !chains.isEmpty else { return }
        let types = chains.map(\.typeName)
        let last = try records.lastRecordID()
        let batches = (makeBatch(chains), makeBatch(chains))
        defer { for worker in batches.0.workers + batches.1.workers { counts += worker.counts } }
        defer { records.endReading() }
        let isLarge = last > Int64(runner.configuration.hooks.batchSize)
        let reader = isLarge ? try records.makeReader(ofTypes: types, through: last) : nil
        try runner.configuration.checkCancellation()
        let subject = "of \(types.joined(separator: ", "))"
        var position = Int64.min
        let pipeline = RecordPipeline(
            batches,
            on: queue,
            stoppedBy: changer.stopSignal
        ) { [records, configuration = runner.configuration] batch in
            try configuration.reach(.read, subject)
            if let reader { return try reader.read(into: batch.records) }
            try records.read(into: batch.records, types: types, after: position, through: last)
            position = batch.records.lastID ?? last
        } change: { [changer] batch in
            try changer.changeBatch(batch)
        }
        pipeline.readsOnlyOnUsersThread = reader == nil
        pipeline.atEnd = { reader?.end() }
        defer { pipeline.end() }
        while let batch = try pipeline.nextBatch() {
            try runner.configuration.checkCancellation()
            try write(batch)
        }
        try records.checkRead(readCount, ofTypes: types)
    }

    private func finish() throws {
        for stepIndex in steps.indices {
            records.stepVersion = steps[stepIndex].pending.recordVersion
            if postponedRounds.contains(stepIndex) {
                try inStep(stepIndex) {
                    try runner.configuration.reach(.applyPostponedChanges)
                    try records.applyPostponedChanges(round: stepIndex)
                }
            }
            try changeType(at: stepIndex)
        }
    }

    private func makeBatch(_ chains: [StepsByType.Chain]) -> PassBatch {
        PassBatch(
            capacity: max(1, runner.configuration.hooks.batchSize),
            chains,
            workers: changer.workerCount,
            counts: changer.noCounts
        )
    }

    private func changeType(at stepIndex: Int) throws {
        switch steps[stepIndex].recordWork {
        case .renameType(let name, let newName):
            try inStep(stepIndex) {
                try runner.configuration.reach(.renameType, "\(name) to \(newName)")
                try records.renameType(name, to: newName)
            }
        case .deleteType(let name, let isErasing):
            try noteSamples(ofType: name, removedBy: steps[stepIndex])
            let step = steps[stepIndex]
            let count = try inStep(stepIndex) {
                try runner.configuration.reach(.deleteType, name)
                let count = try isErasing ? records.eraseType(name) : records.deleteType(name)
                guard isErasing else { return count }
                // A retry would only delete them.
                return try count
                    + records.deleteQuarantined { [registry = runner.registry] type, failed, first in
                        registry.name(ofType: type, since: failed, first, before: step)
                            .map { ExactName.isSame($0, name) } ?? false
                    }
            }
            counts.steps[stepIndex].dropped += count
            counts.migrations[changer.firstStepIndex(of: stepIndex)].dropped += count
        case .handOver(let name, _):
            let step = steps[stepIndex]
            try noteSamples(ofType: name, removedBy: step)
            let count = try inStep(stepIndex) {
                try runner.configuration.reach(.takeOut, name)
                return try records.takeOut(name, for: HandoverSource(step))
            }
            counts.steps[stepIndex].handedOver += count
            counts.migrations[changer.firstStepIndex(of: stepIndex)].handedOver += count
        case .edit, nil:
            break
        }
    }

    private func noteSamples(ofType type: String, removedBy step: ScheduledStep) throws {
        guard let notes = runner.notes, notes.sampleCount > 0 else { return }
        let batch = RecordBatch(capacity: notes.sampleCount)
        try records.read(into: batch, types: [type], after: .min, through: .max)
        for index in 0..<batch.count { notes.add(batch[index], nil, by: step.id) }
    }

    private func inStep<R>(_ stepIndex: Int, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            throw MoltError(error, in: steps[stepIndex], store: runner.storeName)
        }
    }

    // MARK: Batches

    private func write(_ work: PassBatch) throws {
        let count = work.records.count
        readCount += count
        let workers = work.workers[..<work.usedWorkers]
        // Each worker had a contiguous part of the batch, in order.
        var contents = RecordContents(
            rows: workers.count == 1 ? workers[0].rows : workers.flatMap(\.rows),
            buffers: workers.map(\.contents)
        )
        if !workers.allSatisfy(\.isPlain) { try makeOtherChanges(of: work, &contents) }
        if !contents.rows.isEmpty {
            try runner.configuration.reach(.writeBatch)
            try records.write(contents)
        }
        runner.meter.advance(by: count)
    }

    /// Makes or postpones the changes of a batch beside those of contents, and removes its failed records.
    private func makeOtherChanges(of work: PassBatch, _ contents: inout RecordContents) throws {
        var unconverted = PassBatch.Worker(chains: [], counts: changer.noCounts)
        for index in 0..<work.records.count {
            var result = work.results[index]
            if let failure = result.error {
                // The record's closures run again.
                try runner.configuration.checkCancellation()
                let record = try removeFailed(&result, failure)
                if let version = result.changedAt, !result.isDropped {
                    if record.hasNewExpiration { result.expiration = .set(record.expirationSeconds) }
                    unconverted.add(record, version: version, buffer: contents.buffers.count)
                }
            }
            for change in result.postponed {
                postponedRounds.insert(change.round)
                try runner.configuration.reach(.postponeChange)
                try records.postpone(change)
            }
            if case .set(let expiration) = result.expiration, !result.isDropped {
                try runner.configuration.reach(.writeExpiry)
                try records.write(expiration: expiration, id: result.id)
            }
        }
        guard !unconverted.rows.isEmpty else { return }
        contents.buffers.append(unconverted.contents)
        contents.rows = (contents.rows + unconverted.rows).sorted { $0.id < $1.id }
    }

    // MARK: Failed records

    /// Quarantines or drops a failed record, or throws.
    ///
    /// The store still has the record as it was read. It runs again through the migrations before the failed one, so
    /// that its state after those is quarantined, as if each migration ran by itself.
    ///
    /// - Parameter result: Becomes that of those migrations.
    /// - Returns: The record after those migrations.
    private func removeFailed(_ result: inout RecordResult, _ error: MoltError) throws -> Record {
        guard result.failedStepIndex != nil, let stored = try records.record(id: result.id) else { throw error }
        let chain = changer.chain(typeName: stored.typeName)
        var record = stored
        var again = changer.noCounts
        // If the closure's result varies, the record's intended state is unknown.
        guard changer.change(&record, chain, &again).failedStepIndex == result.failedStepIndex else {
            throw RecordChanger.inconsistentClosure(error)
        }
        let unconverted = try changer.recordBeforeFailure(result, of: stored, chain)
        let (stepIndex, first) = (unconverted.stepIndex, unconverted.firstStepIndex)
        let fate = try runner.failures.add(
            unconverted.record,
            unconverted.failure,
            error,
            at: unconverted.step,
            of: recordCount(at: stepIndex)
        )
        subtract(again, from: first)
        result = unconverted.result
        var change = PostponedChange(round: first, id: result.id, kind: .quarantine(unconverted.failure))
        if fate == .dropped {
            change.kind = .drop
            result.fate = .dropped
            counts.steps[stepIndex].dropped += 1
            counts.migrations[first].dropped += 1
        } else {
            counts.steps[stepIndex].quarantined += 1
            counts.migrations[first].quarantined += 1
        }
        result.postponed.append(change)
        return unconverted.record
    }

    /// The number of records that a limit applies to: those of its migration, or of its step if that has its own limit.
    private func recordCount(at stepIndex: Int) throws -> Int {
        let first = changer.firstStepIndex(of: stepIndex)
        return try records.typeNames().reduce(0) { count, type in
            let processesRecords = changer.chain(typeName: type).steps.contains { step in
                steps[stepIndex].onFailure == nil ? step.firstIndex == first : step.index == stepIndex
            }
            return try processesRecords ? count + records.count(ofType: type) : count
        }
    }

    /// Subtracts a migration's changes to a record that then failed.
    ///
    /// - Parameter first: The migration's first step.
    private func subtract(_ failed: PassCounts, from first: Int) {
        counts.migrations[first].changed -= failed.migrations[first].changed
        for stepIndex in steps.indices where changer.firstStepIndex(of: stepIndex) == first {
            counts.steps[stepIndex].changed -= failed.steps[stepIndex].changed
            if failed.steps[stepIndex].changed > 0 { counts.takenBack.insert(stepIndex) }
        }
    }
}
