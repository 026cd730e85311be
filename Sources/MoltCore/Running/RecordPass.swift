import Dispatch
import Foundation

/// One pass over the records: each is read once, goes through all its steps, and is written at most once.
///
/// What steps do to keys, to types and to the existence of records is kept until all records have been seen, and is
/// then done step by step. So a pass gives what running its steps one after the other gives, byte for byte.
final class RecordPass {
    private let steps: [UpgradeSchedule.Step]
    private let migrations: [Migration]
    /// For each migration, the version that a record is at when it has changed the record.
    private let recordVersions: [Int]
    private let transaction: any MigrationTransaction
    private let storeName: String
    private let options: MigrationOptions
    private let coding: RecordCoding
    private let meter: ProgressMeter
    private let chains: StepChains
    private var deferredStages: Set<Int> = []
    private(set) var counts: PassCounts

    init(
        _ steps: [UpgradeSchedule.Step],
        migrations: [Migration],
        recordVersions: [Int],
        transaction: any MigrationTransaction,
        storeName: String,
        coding: RecordCoding,
        options: MigrationOptions,
        meter: ProgressMeter
    ) {
        self.steps = steps
        self.migrations = migrations
        self.recordVersions = recordVersions
        self.transaction = transaction
        self.coding = coding
        self.storeName = storeName
        self.options = options
        self.meter = meter
        chains = StepChains(steps)
        counts = PassCounts(migrations: migrations.count, stages: steps.count)
    }

    /// The types whose records a step looks at.
    func typesToRead() throws -> [String] {
        try transaction.typeNames().filter { !chains.chain(typeName: $0).links.isEmpty }
    }

    /// Runs the pass.
    func run(types: [String]) throws {
        if !types.isEmpty {
            let batch = RecordBatch(capacity: options.batchSize, coding: coding)
            let last = try transaction.lastRecordID()
            for type in types {
                try read(type, through: last, batch)
            }
        }
        for stage in steps.indices {
            if deferredStages.contains(stage) {
                try inStep(stage) { try transaction.applyDeferredChanges(stage: stage) }
            }
            try changeType(at: stage)
        }
    }

    private func changeType(at stage: Int) throws {
        switch steps[stage].action {
        case .renameType(let name, let newName):
            try inStep(stage) { try transaction.renameType(name, to: newName) }
        case .deleteType(let name):
            let count = try inStep(stage) { try transaction.deleteType(name) }
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
            throw StepFailure.error(error, migrations[step.migration], step.number, store: storeName)
        }
    }

    // MARK: Batches

    private func read(_ type: String, through last: Int64, _ batch: RecordBatch) throws {
        let chain = chains.chain(typeName: type)
        let isParallel = chain.links.contains { $0.edit.isParallel }
        var outcomes = Array(repeating: RecordOutcome(), count: batch.capacity)
        var after: Int64 = 0
        while true {
            try options.checkCancellation()
            try transaction.read(into: batch, type: type, after: after, through: last)
            guard batch.count > 0 else { return }
            after = batch.records[batch.count - 1].id
            if isParallel {
                changeInParallel(batch, &outcomes, chain)
            } else {
                for index in 0..<batch.count {
                    outcomes[index] = change(&batch.records[index], chain, &counts)
                    if outcomes[index].failure != nil { break }
                }
            }
            try write(batch, outcomes)
            meter.advance(by: batch.count)
        }
    }

    private func write(_ batch: RecordBatch, _ outcomes: [RecordOutcome]) throws {
        for index in 0..<batch.count {
            if let failure = outcomes[index].failure { throw failure }
            for change in outcomes[index].deferred {
                deferredStages.insert(change.stage)
                try transaction.deferChange(change)
            }
            if let version = outcomes[index].changedAt, !outcomes[index].isGone {
                try transaction.write(batch.records[index], version: version)
            }
        }
    }

    /// Gives each core a run of the batch's records; what they do to the store is done afterwards, in order.
    private func changeInParallel(_ batch: RecordBatch, _ outcomes: inout [RecordOutcome], _ chain: StepChains.Chain) {
        let count = batch.count
        let workers = min(max(1, Self.coreCount), count)
        var slices = Array(
            repeating: PassCounts(migrations: migrations.count, stages: steps.count),
            count: workers
        )
        batch.records.withUnsafeMutableBufferPointer { records in
            outcomes.withUnsafeMutableBufferPointer { outcomes in
                slices.withUnsafeMutableBufferPointer { slices in
                    // Each iteration has the records and outcomes from its own lower to its own upper bound, and its
                    // own counts; `concurrentPerform` returns when all have ended. No memory is shared.
                    nonisolated(unsafe) let records = records
                    nonisolated(unsafe) let outcomes = outcomes
                    nonisolated(unsafe) let slices = slices
                    nonisolated(unsafe) let pass = self
                    DispatchQueue.concurrentPerform(iterations: workers) { worker in
                        for index in (count * worker / workers)..<(count * (worker + 1) / workers) {
                            outcomes[index] = pass.change(&records[index], chain, &slices[worker])
                            if outcomes[index].failure != nil { return }
                        }
                    }
                }
            }
        }
        for slice in slices { counts += slice }
    }

    private static let coreCount = ProcessInfo.processInfo.activeProcessorCount

    // MARK: One record

    /// Sends a record through its steps.
    ///
    /// Called from several threads at once: reads only what does not change during a batch.
    private func change(
        _ record: inout Record,
        _ chain: StepChains.Chain,
        _ counts: inout PassCounts
    ) -> RecordOutcome {
        var outcome = RecordOutcome()
        var chain = chain
        var next = 0
        var migration = -1
        var isMigrationCounted = false
        while next < chain.links.count {
            let link = chain.links[next]
            next += 1
            if link.migration != migration {
                migration = link.migration
                isMigrationCounted = false
                counts.migrations[migration].read += 1
            }
            counts.stages[link.stage].read += 1
            if record.typeName != link.typeName { record.typeName = link.typeName }
            let revision = record.revision
            let key = record.changedKey
            do {
                try record.read()
                try link.edit.apply(&record)
                if let failure = record.failure { throw failure }
            } catch {
                let migration = migrations[link.migration]
                outcome.failure = StepFailure.error(error, migration, link.number, record, store: storeName)
                return outcome
            }
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
            outcome.changedAt = recordVersions[migration]
            if let newKey = record.changedKey, key.map({ RecordObject.isSame(newKey, $0) }) != true {
                outcome.deferred.append(DeferredChange(stage: link.stage, id: record.id, kind: .key(newKey)))
            }
            if record.typeName != link.typeName {
                outcome.deferred.append(DeferredChange(stage: link.stage, id: record.id, kind: .type(record.typeName)))
                chain = chains.chain(from: link.stage + 1, typeName: record.typeName)
                next = 0
            }
        }
        outcome.isGone = chain.isDeleted
        return outcome
    }
}
