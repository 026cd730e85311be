/// How often each page was read as one that a row goes on.
///
/// In a sound file each is read once. Rows that were damaged, or made up, may all name one long chain; without a limit
/// the time would grow with the square of the file.
struct OverflowVisits {
    /// Whether a page was visited whose newest state may be lost; reset by the caller.
    var hasFoundStale = false
    private var counts: [UInt8]
    private let log: LogPages?
    /// A sound row is read even when a few damaged ones name its pages.
    private static let limit: UInt8 = 8

    /// Begins a scan.
    ///
    /// - Parameters:
    ///   - pageCount: How many pages there are.
    ///   - log: Says which pages may be stale.
    init(pageCount: Int, log: LogPages? = nil) {
        counts = [UInt8](repeating: 0, count: pageCount)
        self.log = log
    }

    /// Notes a visit; whether it is one of the first.
    mutating func mayVisit(_ page: Int) -> Bool {
        guard page >= 1, page <= counts.count, counts[page - 1] < Self.limit else { return false }
        counts[page - 1] += 1
        if log?.mayBeStale(page) == true { hasFoundStale = true }
        return true
    }
}
