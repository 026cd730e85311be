/// How often each page was read as one that a row goes on.
///
/// In a sound file each is read once. Rows that were damaged, or made up, may all name one long chain; without a limit
/// the time would grow with the square of the file.
struct OverflowVisits {
    private var counts: [UInt8]
    /// A sound row is read even when a few damaged ones name its pages.
    private static let limit: UInt8 = 8

    /// Begins a scan.
    ///
    /// - Parameter pageCount: How many pages there are.
    init(pageCount: Int) {
        counts = [UInt8](repeating: 0, count: pageCount)
    }

    /// Notes a visit; whether it is one of the first.
    mutating func mayVisit(_ page: Int) -> Bool {
        guard page >= 1, page <= counts.count, counts[page - 1] < Self.limit else { return false }
        counts[page - 1] += 1
        return true
    }
}
