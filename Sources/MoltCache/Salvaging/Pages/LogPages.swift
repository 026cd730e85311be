/// The pages in a write-ahead log that count: those of the transactions that were committed, up to the first damage.
struct LogPages {
    /// In bytes.
    let pageSize: Int
    /// Where the newest image of each page is in the log.
    let offsets: [Int: Int]
    /// Whether the log is there to its end, as far as one can tell.
    let isWhole: Bool

    /// Reads a log; nil for what is none.
    init?(_ source: ByteSource) {
        guard let log = WriteAheadLog(source) else { return nil }
        var committed: [Int: Int] = [:]
        var uncommitted: [Int: Int] = [:]
        let end = log.forEachFrame { frame, _ in
            uncommitted[frame.pageNumber] = frame.offset
            guard frame.pageCount > 0 else { return }
            committed.merge(uncommitted) { $1 }
            uncommitted.removeAll()
        }
        pageSize = log.pageSize
        offsets = committed
        isWhole = !log.hasFrames(behind: end)
    }
}
