import Dispatch

/// A batch that goes through a ``RecordPipeline``.
protocol PipelineBatch: AnyObject {
    /// Whether no records were left to read.
    var isEmpty: Bool { get }
}

extension RecordBatch: PipelineBatch {}

/// The thread that reads the batches of a ``RecordPipeline``; the other thread always changes them.
enum BatchReader {
    case otherThread
    /// The user's thread: for a store that has one connection only, or because changing takes longer than writing.
    case user
}

/// Changes a batch of records on another thread, while its user writes the batch before; one of them reads batches.
///
/// So changing records costs no time if a core is free. There are two batches, so memory stays flat.
final class RecordPipeline<Batch: PipelineBatch> {
    private let queue: DispatchQueue
    private let stopCheck: StopCheck
    private let reader: BatchReader
    private var read: (Batch) throws -> Void
    private var change: (Batch) throws -> Void
    private let atEnd: () -> Void
    /// The batch that the user has, or has had.
    private var current: Batch
    /// The batch that the other thread has while ``work`` is in progress.
    private var next: Batch
    private var work: DispatchWorkItem?
    private var hasBegun = false
    private var failure: (any Error)?
    /// The error with which the user's thread failed to read the next batch, after a batch that is still good.
    private var readFailure: (any Error)?
    /// Whether the user's thread has found no more records.
    private var isAtEnd = false

    /// - Parameters:
    ///   - batches: Memory for two batches.
    ///   - stopCheck: Stops the change of a batch when the work has failed.
    ///   - read: Reads the next records into a batch; it stays empty at the end.
    ///   - change: Changes the records of a batch.
    ///   - atEnd: Called when the other thread uses nothing any more.
    init(
        _ batches: (Batch, Batch),
        on queue: DispatchQueue,
        stoppedBy stopCheck: StopCheck,
        reader: BatchReader = .otherThread,
        read: @escaping (Batch) throws -> Void,
        change: @escaping (Batch) throws -> Void,
        atEnd: @escaping () -> Void = {}
    ) {
        (current, next) = batches
        self.queue = queue
        self.stopCheck = stopCheck
        self.reader = reader
        self.read = read
        self.change = change
        self.atEnd = atEnd
    }

    /// The next batch, whose records are changed; nil at the end.
    ///
    /// The batch before must not be used any more.
    func nextBatch() throws -> Batch? {
        if !hasBegun {
            hasBegun = true
            if reader == .user { try readHere(into: next) }
            prepare()
        }
        if let readFailure { throw readFailure }
        if reader == .user, !isAtEnd {
            do { try readHere(into: current) } catch { readFailure = error }
        }
        wait()
        if let failure { throw failure }
        guard !next.isEmpty else { return nil }
        swap(&current, &next)
        if readFailure == nil { prepare() }
        return current
    }

    /// Waits until the other thread uses nothing any more; the last call.
    func end() {
        stopCheck.stop()
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

    private func prepare() {
        // Until `wait` returns, the other thread has the next batch and the failure, and this thread does not use them.
        nonisolated(unsafe) let pipeline = self
        let item = DispatchWorkItem {
            withAutoreleasePool {
                do {
                    if pipeline.reader == .otherThread { try pipeline.read(pipeline.next) }
                    if !pipeline.next.isEmpty { try pipeline.change(pipeline.next) }
                } catch {
                    pipeline.failure = error
                }
            }
        }
        work = item
        queue.async(execute: item)
    }
}
