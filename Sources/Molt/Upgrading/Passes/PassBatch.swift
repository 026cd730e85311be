/// A batch of records in a pass, with the results of its steps.
final class PassBatch: PipelineBatch {
    let records: RecordBatch
    var isEmpty: Bool { records.isEmpty }
    /// Indexed by the record's position in the batch.
    var results: [RecordResult]
    /// One for each thread that processes records.
    var workers: [Worker]
    /// The number of threads that processed a part of the current batch.
    var usedWorkers = 0

    /// The private state of one thread.
    struct Worker {
        /// The steps of the types in the batch, at least one; several workers have coders of their own.
        let chains: [StepsByType.Chain]
        /// The counts for all records that this thread has processed in all batches.
        var counts: PassCounts
        /// The new contents of the current batch, concatenated; the buffer is reused.
        var contents: [UInt8] = []
        /// The content changes of the current batch, in the order of its records.
        var rows: [RecordContents.Row] = []
        /// Whether the current batch has content changes only.
        var isPlain = true
        /// Why the thread has left the current batch.
        var stopReason: (any Error)?

        /// Begins the next batch, and reuses the buffers.
        mutating func start() {
            contents.removeAll(keepingCapacity: true)
            rows.removeAll(keepingCapacity: true)
            isPlain = true
        }

        mutating func add(_ record: borrowing Record, version: Int, buffer: Int) {
            rows.append(RecordContents.Row(record, version: version, buffer: buffer, writingTo: &contents))
        }
    }

    /// - Parameters:
    ///   - capacity: The maximum number of records.
    ///   - chains: The steps of the types in the batch, at least one.
    ///   - workers: The maximum number of threads that process it.
    init(capacity: Int, _ chains: [StepsByType.Chain], workers: Int, counts: PassCounts) {
        records = RecordBatch(capacity: capacity)
        self.workers = (0..<workers).map { _ in
            Worker(chains: workers > 1 ? chains.map(\.withOwnCoders) : chains, counts: counts)
        }
        results = Array(repeating: RecordResult(), count: capacity)
    }
}

/// The counts of a pass, by the positions of its steps.
struct PassCounts {
    var steps: [MigrationReport.Counts]
    /// The counts of each migration, at the position of its first step.
    var migrations: [MigrationReport.Counts]
    /// For steps with ``RecordEdit/notedProperties``, the positions of those that a record has had, by the step's
    /// position.
    private(set) var found: [Int: Set<Int>] = [:]
    /// The positions of the steps that have changed a record which their migration could not convert.
    var takenBack: Set<Int> = []
    /// The first steps of the migrations that have changed the last record, then some of those of records before.
    ///
    /// Consecutive records are mostly changed by the same migrations. So the array is seldom changed, and the records
    /// share its memory.
    private var changed: [Int] = []
    /// The number of those that have changed the last record.
    private var changedCount = 0

    init(stepCount: Int) {
        steps = Array(repeating: MigrationReport.Counts(), count: stepCount)
        migrations = steps
    }

    mutating func beginRecord() {
        changedCount = 0
    }

    /// Notes that a migration has changed the current record.
    mutating func noteChange(by firstStepIndex: Int) {
        migrations[firstStepIndex].changed += 1
        if changedCount == changed.count || changed[changedCount] != firstStepIndex {
            changed.removeSubrange(changedCount...)
            changed.append(firstStepIndex)
        }
        changedCount += 1
    }

    /// The first steps of the migrations that have changed the last record.
    var changedLast: [Int] {
        mutating get {
            if changedCount < changed.count { changed.removeSubrange(changedCount...) }
            return changed
        }
    }

    /// Notes which properties of a step a record has, before the step changes it.
    mutating func note(_ properties: [PropertyPath], at stepIndex: Int, in record: borrowing Record) {
        guard found[stepIndex]?.count != properties.count else { return }
        let noted = found[stepIndex] ?? []
        for (index, path) in properties.enumerated() where !noted.contains(index) && record.contains(path) {
            found[stepIndex, default: []].insert(index)
        }
    }

    static func += (counts: inout PassCounts, other: PassCounts) {
        for index in counts.steps.indices {
            counts.steps[index] += other.steps[index]
            counts.migrations[index] += other.migrations[index]
        }
        counts.found.merge(other.found) { $0.union($1) }
    }
}

/// The result of the steps for one record, beside its content.
struct RecordResult {
    /// A step's change of a record's expiry.
    enum Expiration {
        case kept
        /// Seconds since 1970; nil for never.
        case set(Double?)
    }

    /// What becomes of a record.
    enum Fate {
        case kept
        /// There is nothing to write: a step drops it, or deletes its type.
        case dropped
        /// The step at this position of the pass takes the records of its type out of the store.
        case handedOver(by: Int)
    }

    var id: Int64 = 0
    /// The version of the last migration that changed the record; nil when none did.
    var changedAt: Int?
    /// The first steps of the migrations that changed it, if they are asked for.
    var changedBy: [Int] = []
    /// What becomes of the record.
    var fate = Fate.kept
    var expiration = Expiration.kept
    /// The changes to apply at the end of the pass.
    var postponed: [PostponedChange] = []
    /// In a box, because there is an outcome for each record of a batch, and errors are large.
    private(set) var failure: (any Error)?
    /// The position of the failed step in the pass if the upgrade may go on without the record; nil if it must stop.
    private(set) var failedStepIndex: Int?

    var isDropped: Bool { if case .dropped = fate { true } else { false } }

    /// The error of the step that failed.
    var error: MoltError? { failure as? MoltError }

    /// - Parameter stepIndex: The position of the failed step if the upgrade may go on without the record.
    mutating func fail(_ error: MoltError, at stepIndex: Int?) {
        failure = error
        failedStepIndex = stepIndex
    }
}

/// A record that a step could not convert, as it was before the step's migration; a class, because it is large.
final class UnconvertedRecord: Sendable {
    let record: Record
    /// The outcome of the migrations before.
    let result: RecordResult
    let step: ScheduledStep
    /// Its position in the pass.
    let stepIndex: Int
    /// The position of its migration's first step in the pass.
    let firstStepIndex: Int
    let error: MoltError
    let failure: MigrationReport.RecordFailure

    /// - Parameter first: The first step of its migration.
    init(
        _ record: Record,
        _ result: RecordResult,
        _ error: MoltError,
        in step: ScheduledStep,
        at stepIndex: Int,
        first: ScheduledStep,
        at firstStepIndex: Int
    ) {
        self.record = record
        self.result = result
        self.step = step
        self.stepIndex = stepIndex
        self.firstStepIndex = firstStepIndex
        self.error = error
        failure = MigrationReport.RecordFailure(error, in: step, firstStep: first.number)
    }
}
