import Dispatch

/// One pass over the records: each is read once, goes through all its steps, and is written at most once.
///
/// What steps do to keys, to types and to the existence of records is kept until all records have been seen, and is
/// then done step by step. So a pass gives what running its steps one after the other gives, byte for byte.
///
/// While one batch goes through its steps on another thread, the one before is written and the one after is read:
/// the store is used by one thread only, and the steps cost no time as long as a core is free.
final class RecordPass {
    private let steps: [UpgradeSchedule.Step]
    private let pending: [PendingMigration]
    private let scope: UpgradeScope
    private let changer: RecordChanger
    private let queue = DispatchQueue(label: "molt.pass", qos: .userInitiated)
    private var deferredStages: Set<Int> = []
    private(set) var counts: PassCounts

    init(_ steps: [UpgradeSchedule.Step], _ pending: [PendingMigration], _ scope: UpgradeScope) {
        self.steps = steps
        self.pending = pending
        self.scope = scope
        changer = RecordChanger(steps, pending, storeName: scope.storeName, atPoint: scope.options.atPoint)
        counts = PassCounts(migrations: pending.count, stages: steps.count)
    }

    private var transaction: any MigrationTransaction { scope.transaction }

    /// The types whose records a step looks at.
    func typesToRead() throws -> [String] {
        try transaction.typeNames().filter { !changer.chain(typeName: $0).links.isEmpty }
    }

    /// Runs the pass.
    func run(types: [String]) throws {
        if !types.isEmpty {
            let last = try transaction.lastRecordID()
            var work = makeWork()
            var other = makeWork()
            for type in types {
                try change(type, through: last, &work, &other)
            }
            for worker in work.workers + other.workers { counts += worker.counts }
        }
        for stage in steps.indices {
            if deferredStages.contains(stage) {
                try inStep(stage) { try transaction.applyDeferredChanges(stage: stage) }
            }
            try changeType(at: stage)
        }
    }

    private func makeWork() -> PassBatch {
        PassBatch(
            RecordBatch(capacity: scope.options.batchSize, coding: scope.coding),
            workers: changer.workerCount,
            counts: PassCounts(migrations: pending.count, stages: steps.count)
        )
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
        try scope.options.checkCancellation()
        try transaction.read(into: current.batch, type: type, after: 0, through: last)
        other.batch.removeAll()
        while current.batch.count > 0 {
            try scope.options.checkCancellation()
            let next = current.batch.records[current.batch.count - 1].id
            // `work` belongs to the other thread until `wait` returns; this one touches only `other` meanwhile. The
            // closure is waited for also when something is thrown.
            nonisolated(unsafe) let work = current
            let changing = DispatchWorkItem { [changer] in changer.change(work, chain) }
            queue.async(execute: changing)
            do {
                defer { changing.wait() }
                try write(other)
                try transaction.read(into: other.batch, type: type, after: next, through: last)
            }
            swap(&current, &other)
        }
        try write(other)
    }

    private func write(_ work: PassBatch) throws {
        let count = work.batch.count
        guard count > 0 else { return }
        var contents = RecordContents(rows: [], buffers: work.workers.map(\.contents))
        contents.rows.reserveCapacity(count)
        for outcome in work.outcomes[..<count] {
            if let failure = outcome.failure { throw failure }
            for change in outcome.deferred {
                deferredStages.insert(change.stage)
                try transaction.deferChange(change)
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
                try transaction.write(expiration: expiration, id: outcome.id)
            }
        }
        if !contents.rows.isEmpty { try transaction.write(contents) }
        scope.meter.advance(by: count)
    }
}
