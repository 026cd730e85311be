internal import Molt

/// The rows of a cache, found page by page without the trees.
struct PageScan {
    /// The pages; without a valid header, by the page size that yields the most rows.
    let pages: DatabasePages
    let freePages: Set<Int>?

    private let log: LogPages?

    /// Finds the pages of a file.
    ///
    /// - Parameter log: The log whose pages were written into the file; tells which of them may be stale.
    init(_ file: ByteSource, log: LogPages? = nil) {
        self.log = log
        let sizes = log.map { [$0.pageSize] } ?? DatabasePages.likelyPageSizes
        let likely = sizes.map { DatabasePages(file, pageSize: $0) }
        let first = likely[0]
        if first.hasHeader || likely.count == 1 {
            pages = first
        } else {
            pages = likely.max { Self.likelihood($0) < Self.likelihood($1) } ?? first
        }
        freePages = pages.freePages(log)
    }

    /// The table of a row, judged by its columns.
    enum Kind {
        case record
        case type
        case ledger
        case journal
        case quarantine
        case handover
        case seed
    }

    /// The part of a row that is on pages whose newest state may be lost.
    enum Staleness {
        case none
        /// The row is whole, but may be older than the last write.
        case old
        /// Parts of the row may be from different times, or from different rows.
        case mixed
    }

    /// Visits all rows that a cache may have written.
    ///
    /// - Parameters:
    ///   - body: Gets the kind of the row, its id, its columns with NULL in place of the id, and its staleness.
    ///   - unread: Gets a page number, the ids of its unreadable rows, and the number of rows without a readable id.
    func rows(
        _ body: (Kind, Int64, [ColumnValue], Staleness) throws -> Void,
        unread: (Int, [Int64], Int) throws -> Void
    ) throws {
        // The first page has the schema.
        guard pages.count >= 2 else { return }
        var visits = OverflowVisits(pageCount: pages.count, log: log)
        for number in 2...pages.count where freePages?.contains(number) != true {
            guard let page = pages.page(number), let leaf = TableLeaf(page, in: pages, &visits) else { continue }
            let isStale = log?.mayBeStale(number) == true
            var damaged: [Int64] = []
            for cell in leaf.cells {
                guard let values = cell.values else {
                    damaged.append(cell.id)
                    continue
                }
                let isMixed = cell.hasStaleOverflow || isStale && cell.hasOverflow
                let staleness = isMixed ? Staleness.mixed : isStale ? .old : .none
                if let kind = Self.kind(values) { try body(kind, cell.id, values, staleness) }
            }
            if !damaged.isEmpty || leaf.unknownCount > 0 { try unread(number, damaged, leaf.unknownCount) }
        }
    }

    private static func likelihood(_ pages: DatabasePages) -> Int {
        var count = 0
        var visits = OverflowVisits(pageCount: pages.count)
        // A few hundred pages are enough.
        for number in 1...max(1, min(pages.count, 400)) {
            guard let page = pages.page(number), let leaf = TableLeaf(page, in: pages, &visits) else { continue }
            count += leaf.cells.count { $0.values.flatMap { kind($0) } != nil }
        }
        return count
    }

    /// The kind of a row; nil when it belongs to none of our tables.
    static func kind(_ values: [ColumnValue]) -> Kind? {
        guard values.first == .null else { return nil }
        if SalvagedRow.isLikely(values) { return .record }
        if isQuarantined(values) { return .quarantine }
        if isHandover(values) { return .handover }
        if isSeed(values) { return .seed }
        guard values.count > 1, values[1].string != nil else { return nil }
        switch values.count {
        case 2: return .type
        case 3:
            if case .blob = values[2] { return .journal }
            return nil
        case 13...:
            let isEntry = values[2].integer != nil && values[3].string != nil && values[4].number != nil
            return isEntry && values[6...10].allSatisfy { $0.integer != nil } ? .ledger : nil
        default:
            return nil
        }
    }

    private static func isQuarantined(_ values: [ColumnValue]) -> Bool {
        values.count >= 18 && values[1].integer != nil && values[2].string != nil && values[3].string != nil
            && values[8].string != nil && values[16].number != nil
    }

    private static func isSeed(_ values: [ColumnValue]) -> Bool {
        guard values.count == 5, values[1].string != nil, case .blob = values[4] else { return false }
        return values[2].string?.utf8.count == 64 && values[3].integer != nil
    }

    /// Of a record or a setting that waits to be handed over, either the type or the suite is known.
    private static func isHandover(_ values: [ColumnValue]) -> Bool {
        values.count == 10 && [1, 3, 6].allSatisfy { values[$0].string != nil }
            && [2, 7].allSatisfy { values[$0].integer != nil } && (values[4].string != nil) != (values[5].string != nil)
    }
}

/// Reads arbitrary bytes as a file, for the fuzzer.
package enum PageRows {
    package static func count(in file: [UInt8], log: [UInt8]) -> Int {
        var count = LogPages(ByteSource(log), file: ByteSource(file))?.lostPages.count ?? 0
        // The closures throw nothing.
        try? PageScan(ByteSource(file)).rows { _, _, _, _ in
            count += 1
        } unread: { _, ids, more in
            count += ids.count + more
        }
        return count
    }
}
