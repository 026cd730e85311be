/// The rows of a cache that are found page by page, without the trees that lead to them.
struct PageScan {
    /// The pages, laid out as the file says or, where it does not, as most rows can be read.
    let pages: DatabasePages
    /// The pages that are not in use; nil when the list of them cannot be read.
    let freePages: Set<Int>?

    /// Lays a file out.
    init(_ file: ByteSource, log: ByteSource?) {
        let likely = DatabasePages.likelyPageSizes.map { DatabasePages(file, log: log, pageSize: $0) }
        let first = likely[0]
        if first.hasHeader {
            pages = first
        } else {
            pages = likely.max { Self.likelihood($0) < Self.likelihood($1) } ?? first
        }
        freePages = pages.freePages()
    }

    /// What a row can be, by its columns.
    enum Kind {
        case record
        case type
        case ledger
        case journal
        case adopted
        case quarantine
    }

    /// Goes through all rows that a cache can have written.
    ///
    /// - Parameters:
    ///   - body: Gets what the row can be, its id, and its columns with NULL in the place of the id.
    ///   - unread: Gets the number of a page, the ids of rows on it that cannot be read, and how many more there are.
    func rows(
        _ body: (Kind, Int64, [ColumnValue]) throws -> Void,
        unread: (Int, [Int64], Int) throws -> Void
    ) throws {
        // The first page has the schema.
        guard pages.count >= 2 else { return }
        var visits = OverflowVisits(pageCount: pages.count)
        for number in 2...pages.count where freePages?.contains(number) != true {
            guard let page = pages.page(number), let leaf = TableLeaf(page, in: pages, &visits) else { continue }
            var damaged: [Int64] = []
            for cell in leaf.cells {
                guard let values = cell.values else {
                    damaged.append(cell.id)
                    continue
                }
                if let kind = Self.kind(values) { try body(kind, cell.id, values) }
            }
            if !damaged.isEmpty || leaf.unknownCount > 0 { try unread(number, damaged, leaf.unknownCount) }
        }
    }

    private static func likelihood(_ pages: DatabasePages) -> Int {
        var count = 0
        var visits = OverflowVisits(pageCount: pages.count)
        // A few hundred pages tell.
        for number in 1...max(1, min(pages.count, 400)) {
            guard let page = pages.page(number), let leaf = TableLeaf(page, in: pages, &visits) else { continue }
            count += leaf.cells.count { $0.values.flatMap { kind($0) } != nil }
        }
        return count
    }

    /// What a row can be; nil for one of none of our tables.
    static func kind(_ values: [ColumnValue]) -> Kind? {
        guard values.first == .null else { return nil }
        if SalvagedRow.isLikely(values) { return .record }
        if isQuarantined(values) { return .quarantine }
        guard values.count > 1, let text = values[1].string else { return nil }
        switch values.count {
        case 2:
            // A type of such a name would be a strange one.
            let isDigest = text.utf8.count == 32 && text.utf8.allSatisfy { Self.hexDigits.contains($0) }
            return isDigest ? .adopted : .type
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
        values.count >= 19 && values[1].integer != nil && values[2].string != nil && values[3].string != nil
            && values[9].string != nil && values[17].number != nil
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

/// The rows of a file of whatever bytes, for a search for inputs that the reader of pages does not stand.
package enum PageRows {
    /// How many rows are found.
    package static func count(in file: [UInt8], log: [UInt8]) -> Int {
        var count = 0
        // The closures throw nothing.
        try? PageScan(ByteSource(file), log: ByteSource(log)).rows { _, _, _ in
            count += 1
        } unread: { _, ids, more in
            count += ids.count + more
        }
        return count
    }
}
