internal import Molt

/// A leaf page of a table, decoded from its bytes.
struct TableLeaf {
    struct Cell {
        let id: Int64
        /// The row's columns; nil when they, or their overflow pages, are damaged.
        let values: [ColumnValue]?
        /// Whether the row continues on overflow pages.
        var hasOverflow = false
        /// Whether the newest state of an overflow page may be lost.
        var hasStaleOverflow = false
    }

    private(set) var cells: [Cell] = []
    /// The number of rows with an unreadable id.
    private(set) var unknownCount = 0

    /// Reads a page; nil when it is not a leaf of a table.
    ///
    /// - Parameter visits: Counts the reads of each overflow page.
    init?(_ page: [UInt8], in pages: DatabasePages, _ visits: inout OverflowVisits) {
        guard page.count == pages.pageSize, page[0] == 0x0D else { return nil }
        let usable = pages.usableSize
        let count = page.number16(at: 3)
        let start = 8 + 2 * count
        guard count > 0, start <= usable else { return nil }
        cells.reserveCapacity(count)
        for index in 0..<count {
            let offset = page.number16(at: 8 + 2 * index)
            guard offset >= start, offset < usable, let cell = Self.cell(page, at: offset, in: pages, &visits) else {
                unknownCount += 1
                continue
            }
            cells.append(cell)
        }
    }

    private static func cell(
        _ page: [UInt8],
        at offset: Int,
        in pages: DatabasePages,
        _ visits: inout OverflowVisits
    ) -> Cell? {
        let usable = pages.usableSize
        var position = offset
        guard let size = number(page, at: &position, end: usable), let id = number(page, at: &position, end: usable)
        else { return nil }
        // The maximum row size that SQLite can be built for.
        guard size > 0, size <= 2_147_483_647 else { return Cell(id: id, values: nil) }
        visits.hasFoundStale = false
        let bytes = payload(page, at: position, Int(size), in: pages, &visits)
        return Cell(
            id: id,
            values: bytes.flatMap { ColumnValue.row($0) },
            hasOverflow: size > usable - 35,
            hasStaleOverflow: visits.hasFoundStale
        )
    }

    /// The bytes of a row: those on the page, then those on its overflow pages.
    private static func payload(
        _ page: [UInt8],
        at position: Int,
        _ size: Int,
        in pages: DatabasePages,
        _ visits: inout OverflowVisits
    ) -> [UInt8]? {
        let usable = pages.usableSize
        let most = usable - 35
        guard size > most else {
            return size <= usable - position ? Array(page[position..<position + size]) : nil
        }
        let least = (usable - 12) * 32 / 255 - 23
        let fitting = least + (size - least) % (usable - 4)
        let local = fitting <= most ? fitting : least
        guard local + 4 <= usable - position else { return nil }
        // A size that the file cannot hold is damage; no memory is reserved for it.
        guard (size - local) / (usable - 4) <= pages.count else { return nil }
        var bytes = Array(page[position..<position + local])
        var next = Int(page.number32(at: position + local))
        while bytes.count < size {
            guard visits.mayVisit(next), let overflow = pages.page(next) else { return nil }
            bytes += overflow[4..<4 + min(usable - 4, size - bytes.count)]
            next = Int(overflow.number32(at: 0))
        }
        // The last overflow page has no successor.
        return next == 0 ? bytes : nil
    }

    /// SQLite's variable-length integer: 1 to 9 bytes with 7 bits in each but the ninth.
    static func number(_ bytes: [UInt8], at position: inout Int, end: Int) -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard position < end else { return nil }
            let byte = bytes[position]
            position += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { break }
        }
        return Int64(bitPattern: value)
    }
}

/// Counts the reads of each overflow page.
///
/// In a sound file each is read once. Damaged or forged rows may all refer to one long chain; without a limit, the time
/// would grow with the square of the file size.
struct OverflowVisits {
    /// Whether the newest state of a visited page may be lost; reset by the caller.
    var hasFoundStale = false
    private var counts: [UInt8]
    private let log: LogPages?
    /// More than 1, so that a sound row is read even when a few damaged rows refer to its pages.
    private static let limit: UInt8 = 8

    /// Begins a scan.
    ///
    /// - Parameters:
    ///   - pageCount: The number of pages.
    ///   - log: Tells which pages may be stale.
    init(pageCount: Int, log: LogPages? = nil) {
        counts = [UInt8](repeating: 0, count: pageCount)
        self.log = log
    }

    /// Counts a visit.
    ///
    /// - Returns: Whether the page may be read.
    mutating func mayVisit(_ page: Int) -> Bool {
        guard page >= 1, page <= counts.count, counts[page - 1] < Self.limit else { return false }
        counts[page - 1] += 1
        if log?.mayBeStale(page) == true { hasFoundStale = true }
        return true
    }
}
