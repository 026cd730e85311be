import Dispatch
import Synchronization

extension RecordPass {
    /// Runs each batch through the steps on the other thread, while this thread writes the previous batch.
    ///
    /// The store is read through its own connection by whichever thread has time: usually the other one, unless this
    /// one finishes writing first.
    func passOver(_ type: String, reading reader: any RecordReader, _ batches: [PassBatch]) throws {
        defer { reader.end() }
        let chain = changer.chain(typeName: type)
        let reading = SharedReader(reader)
        var seen = 0
        // The current batch, the previous one, which is to be written, and the next one.
        var (work, done, next) = (batches[0], batches[1], batches[2])
        done.batch.removeAll()
        var isRead = false
        repeat {
            try scope.options.checkCancellation()
            let turn = Turn()
            // `batch` belongs to the other thread until `wait` returns; meanwhile, this thread uses only the other two
            // and the transaction. It also waits when an error is thrown.
            nonisolated(unsafe) let batch = work
            let changing = DispatchWorkItem { [changer, isRead] in
                defer { turn.isOver.store(true, ordering: .relaxed) }
                batch.readFailure = nil
                do {
                    if !isRead { try reading.read(into: batch.batch) }
                    turn.hasRead.store(true, ordering: .releasing)
                    changer.changeBatch(batch, chain)
                } catch {
                    batch.batch.removeAll()
                    batch.readFailure = error
                }
            }
            queue.async(execute: changing)
            isRead = false
            do {
                var isDone = false
                defer {
                    if !isDone { stopCheck.giveUp() }
                    changing.wait()
                }
                try write(done)
                // Read only after the other thread has read a batch, so that records stay in order.
                let hasRead = turn.hasRead.load(ordering: .acquiring)
                if hasRead, work.batch.count > 0, !turn.isOver.load(ordering: .relaxed) {
                    try reading.read(into: next.batch)
                    isRead = true
                }
                isDone = true
            }
            if let failure = work.readFailure { throw failure }
            seen += work.batch.count
            (work, done, next) = isRead ? (next, work, done) : (done, work, next)
        } while done.batch.count > 0
        try check(seen, of: type)
    }
}

/// The other thread's progress with its batch.
private final class Turn: Sendable {
    let hasRead = Atomic(false)
    let isOver = Atomic(false)
}

/// A reader that two threads use, one at a time.
private final class SharedReader: Sendable {
    // Accessed only while the lock is held.
    nonisolated(unsafe) private let reader: any RecordReader
    private let lock = Mutex(())

    init(_ reader: any RecordReader) {
        self.reader = reader
    }

    func read(into batch: RecordBatch) throws {
        let outcome = lock.withLock { _ in Result { try reader.read(into: batch) } }
        try outcome.get()
    }
}
