import Dispatch
import Synchronization

extension RecordPass {
    /// Sends each batch through the steps on the other thread, while this one writes the batch before.
    ///
    /// The store is read through a connection of its own by the thread that has time for it: by the other one, unless
    /// this one is done with writing first.
    func change(_ type: String, reading reader: any RecordReader, _ batches: [PassBatch]) throws {
        defer { reader.end() }
        let chain = changer.chain(typeName: type)
        let reading = SharedReader(reader)
        var seen = 0
        // The batch whose turn it is, the one before it, which is to be written, and the one behind it.
        var (work, done, next) = (batches[0], batches[1], batches[2])
        done.batch.removeAll()
        var isRead = false
        repeat {
            try scope.options.checkCancellation()
            let turn = Turn()
            // `batch` belongs to the other thread until `wait` returns; this one touches only the two others and the
            // transaction meanwhile. The closure is waited for also when something is thrown.
            nonisolated(unsafe) let batch = work
            let changing = DispatchWorkItem { [changer, isRead] in
                defer { turn.isOver.store(true, ordering: .relaxed) }
                batch.readFailure = nil
                do {
                    if !isRead { try reading.read(into: batch.batch) }
                    turn.hasRead.store(true, ordering: .releasing)
                    changer.change(batch, chain)
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
                // Only behind the other thread's own batch, which it leaves as long as it is: records come in their order.
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

/// How far the other thread has come with its batch.
private final class Turn: Sendable {
    /// Whether its batch is read.
    let hasRead = Atomic(false)
    /// Whether it has done all.
    let isOver = Atomic(false)
}

/// A reader that two threads use, one at a time.
private final class SharedReader: Sendable {
    // Used only while the lock is held.
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
