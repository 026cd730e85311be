import Dispatch
import Foundation

/// Sends records through the steps of a pass; knows no store, so that it can do so on any thread.
struct RecordChanger: Sendable {
    private let chains: StepChains
    private let pending: [PendingMigration]
    private let storeName: String
    private let coreCount = ProcessInfo.processInfo.activeProcessorCount

    init(_ steps: [UpgradeSchedule.Step], _ pending: [PendingMigration], storeName: String) {
        chains = StepChains(steps)
        self.pending = pending
        self.storeName = storeName
    }

    /// The steps that look at a record of a type.
    func chain(typeName: String) -> StepChains.Chain {
        chains.chain(from: 0, typeName: typeName)
    }

    /// Sends the records of a batch through their steps, in order; on all cores when a step is worth it.
    func change(_ work: PassBatch, _ chain: StepChains.Chain) {
        let count = work.batch.count
        let isParallel = chain.links.contains { $0.edit.isParallel }
        let workers = isParallel ? min(max(1, coreCount), count) : 1
        var slices = Array(repeating: work.counts.zeroed, count: workers)
        work.batch.records.withUnsafeMutableBufferPointer { records in
            work.outcomes.withUnsafeMutableBufferPointer { outcomes in
                slices.withUnsafeMutableBufferPointer { slices in
                    // Each iteration has the records and outcomes from its own lower to its own upper bound, and its
                    // own counts; `concurrentPerform` returns when all have ended. No memory is shared.
                    nonisolated(unsafe) let records = records
                    nonisolated(unsafe) let outcomes = outcomes
                    nonisolated(unsafe) let slices = slices
                    let run = { @Sendable (worker: Int) in
                        for index in (count * worker / workers)..<(count * (worker + 1) / workers) {
                            outcomes[index] = change(&records[index], chain, &slices[worker])
                            if outcomes[index].failure != nil { return }
                        }
                    }
                    if workers == 1 {
                        run(0)
                    } else {
                        DispatchQueue.concurrentPerform(iterations: workers, execute: run)
                    }
                }
            }
        }
        for slice in slices { work.counts += slice }
    }

    /// Sends a record through its steps.
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
                let migration = pending[link.migration].migration
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
            outcome.changedAt = pending[migration].recordVersion
            // Keys are compared by their bytes, as stores do: Swift's `==` takes two spellings of a letter for one.
            if let newKey = record.changedKey, key.map({ !RecordObject.isSame(newKey, $0) }) ?? true {
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
