import Dispatch

/// A batch that goes through a ``RecordPipeline``.
protocol PipelineBatch: AnyObject {
    /// Whether no records were left to read.
    var isEmpty: Bool { get }
}

extension RecordBatch: PipelineBatch {}

/// Changes a batch of records on another thread, while its user writes the batch before.
///
/// So changing records costs no time if a core is free. There are two batches, so memory stays flat. The thread that
/// would otherwise wait for the other one reads the next batch.
final class RecordPipeline<Batch: PipelineBatch> {
    private let queue: DispatchQueue
    private let stopSignal: StopSignal
    /// Whether only the user's thread may read, as for a store that has one connection; set before the first batch.
    var readsOnlyOnUsersThread = false
    /// Called when the other thread uses nothing any more.
    var atEnd: () -> Void = {}
    private var read: (Batch) throws -> Void
    private var change: (Batch) throws -> Void
    /// The batch that the user has, or has had.
    private var current: Batch
    /// The batch that the other thread has while ``work`` is in progress.
    private var next: Batch
    private var work: DispatchWorkItem?
    /// Whether the other thread reads the next batch before it changes it.
    private var readsNext = false
    /// Signaled when it has read it.
    private let hasRead = DispatchSemaphore(value: 0)
    /// Whether the other thread has nothing to do.
    private let isIdle = Locked(true)
    private var hasBegun = false
    private var failure: (any Error)?
    /// The error with which the user's thread failed to read the next batch, after a batch that is still good.
    private var readFailure: (any Error)?
    /// Whether the user's thread has found no more records.
    private var isAtEnd = false

    /// - Parameters:
    ///   - batches: Memory for two batches.
    ///   - stopSignal: Stops the change of a batch when the work has failed.
    ///   - read: Reads the next records into a batch; it stays empty at the end. It is called on either thread, but not
    ///     on both at a time.
    ///   - change: Changes the records of a batch.
    init(
        _ batches: (Batch, Batch),
        on queue: DispatchQueue,
        stoppedBy stopSignal: StopSignal,
        read: @escaping (Batch) throws -> Void,
        change: @escaping (Batch) throws -> Void
    ) {
        (current, next) = batches
        self.queue = queue
        self.stopSignal = stopSignal
        self.read = read
        self.change = change
    }

    /// The next batch, whose records are changed; nil at the end.
    ///
    /// The batch before must not be used any more.
    func nextBatch() throws -> Batch? {
        if !hasBegun {
            hasBegun = true
            if readsOnlyOnUsersThread { try readHere(into: next) }
            prepare(reading: !readsOnlyOnUsersThread)
        }
        if let readFailure { throw readFailure }
        if readsNext { hasRead.wait() }
        readsNext = false
        let reads = !isAtEnd && (readsOnlyOnUsersThread || !isIdle.withLock { $0 })
        if reads {
            do { try readHere(into: current) } catch { readFailure = error }
        }
        wait()
        if let failure { throw failure }
        guard !next.isEmpty else { return nil }
        swap(&current, &next)
        if readFailure == nil { prepare(reading: !reads) }
        return current
    }

    /// Waits until the other thread uses nothing any more; the last call.
    func end() {
        stopSignal.stop()
        wait()
        atEnd()
        // The queue may keep the pipeline a little longer, and the closures keep connections open.
        read = { _ in }
        change = { _ in }
    }

    /// Reads on the user's thread.
    private func readHere(into batch: Batch) throws {
        try read(batch)
        isAtEnd = batch.isEmpty
    }

    private func wait() {
        // A work item may be waited for once only.
        work?.wait()
        work = nil
    }

    /// Begins to change the next batch on the other thread.
    ///
    /// - Parameter reading: Whether that thread also reads it.
    private func prepare(reading: Bool) {
        readsNext = reading
        isIdle.withLock { $0 = false }
        // Until `wait` returns, the other thread has the next batch and the failure, and this thread does not use them.
        // Until `hasRead` is signaled, it also has what `read` uses.
        nonisolated(unsafe) let pipeline = self
        let item = DispatchWorkItem {
            withAutoreleasePool { pipeline.changeNext(reading: reading) }
        }
        work = item
        queue.async(execute: item)
    }

    /// Changes the next batch, on the other thread.
    private func changeNext(reading: Bool) {
        var signals = reading
        defer {
            isIdle.withLock { $0 = true }
            if signals { hasRead.signal() }
        }
        do {
            if reading { try read(next) }
            // At the end, this thread is idle when it signals, so that nobody reads again.
            guard !next.isEmpty else { return }
            if signals { hasRead.signal() }
            signals = false
            try change(next)
        } catch {
            failure = error
        }
    }
}
