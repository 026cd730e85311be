import Dispatch

extension RecordPass {
    /// A reader for the other thread; nil where the store has none, or the type has no more records than a batch.
    func makeReader(ofType type: String, through last: Int64) throws -> (any RecordReader)? {
        guard let transaction = transaction as? any ParallelTransaction,
            try transaction.count(ofType: type) > scope.options.batchSize
        else { return nil }
        return try transaction.makeReader(ofType: type, through: last)
    }

    /// Reads each batch and sends it through the steps on the other thread, while this one writes the batch before.
    ///
    /// The store is read through a connection of its own there: both threads have about as much to do.
    func change(
        _ type: String,
        reading reader: any RecordReader,
        _ current: inout PassBatch,
        _ other: inout PassBatch
    ) throws {
        defer { reader.end() }
        let chain = changer.chain(typeName: type)
        var seen = 0
        other.batch.removeAll()
        repeat {
            try scope.options.checkCancellation()
            // `work` and the reader belong to the other thread until `wait` returns; this one touches only `other` and the
            // transaction meanwhile. The closure is waited for also when something is thrown.
            nonisolated(unsafe) let work = current
            nonisolated(unsafe) let reader = reader
            let changing = DispatchWorkItem { [changer] in
                do {
                    work.readFailure = nil
                    try reader.read(into: work.batch)
                    changer.change(work, chain)
                } catch {
                    work.batch.removeAll()
                    work.readFailure = error
                }
            }
            queue.async(execute: changing)
            do {
                var isDone = false
                defer {
                    if !isDone { stopCheck.giveUp() }
                    changing.wait()
                }
                try write(other)
                isDone = true
            }
            if let failure = current.readFailure { throw failure }
            seen += current.batch.count
            swap(&current, &other)
        } while other.batch.count > 0
        try check(seen, of: type)
    }
}
