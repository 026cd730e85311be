/// A sample of the records of a file, from which the disk space of an upgrade is estimated.
///
/// It takes a page's worth of records at some places of the file, so its cost does not grow with the store.
struct SpaceSample {
    /// The numbers of an estimate, which depend on what the upgrade does.
    struct Work {
        /// Whether records of a type are written anew.
        var rewrites: (_ type: String) -> Bool
        /// Whether records of a type are removed.
        var removes: (_ type: String) -> Bool
        /// The number of bytes that are stored a second time of a record with a type and a size.
        var copies: (_ type: String, _ size: Int64) -> Int64
        /// The number of bytes that come from elsewhere.
        var added: Int64 = 0
        /// Whether the file is copied before.
        var hasBackup = false
    }

    private struct Row {
        var type: String
        /// Its size in the table, in bytes.
        var size: Int64
        /// Its size in the indexes, in bytes.
        var indexed: Int64
    }

    private let pageSize: Int64
    private let pageCount: Int64
    private let freePageCount: Int64
    /// Records that lie beside each other, about as many as a page has.
    private var groups: [[Row]] = []

    private static let groupCount: UInt64 = 64
    /// The number of bytes of content after which the sample is large enough.
    private static let largestSize: Int64 = 4 << 20

    init(of connection: Connection) throws(SQLiteError) {
        pageSize = try connection.integer(.pageSize)
        pageCount = try connection.integer(.pageCount)
        freePageCount = try connection.integer(.freePageCount)
        guard pageCount > 0, try connection.hasTable("molt_record") else { return }
        let range = try connection.prepare(.rangeOfIDs).first { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
        let rows = try connection.prepare(.sample)
        var names = TypeNamesInRows()
        var total: Int64 = 0
        // The ids of a tampered file may be as far from each other as any numbers.
        let distance = UInt64(bitPattern: range.1 &- range.0) / Self.groupCount
        var last: Int64?
        for number in 0..<Self.groupCount where total < Self.largestSize {
            let id = range.0 &+ Int64(bitPattern: distance * number)
            // Where ids are missing, several places would have the same records.
            if let last, id <= last { continue }
            try rows.bind(id, at: 1)
            defer { rows.reset() }
            var (group, size): ([Row], Int64) = ([], 0)
            while size < pageSize, try rows.step() {
                last = rows.integer(3)
                let (content, key) = (rows.integer(1), rows.integer(2))
                // With the header, the numbers and the dates of a record.
                group.append(Row(type: try names.name(rows, 0), size: content + key + 48, indexed: key + 20))
                size += content + key + 48
            }
            total += size
            if !group.isEmpty { groups.append(group) }
        }
    }

    /// Estimates the disk space of an upgrade; closures are assumed not to change the sizes of records.
    func estimate(for work: Work) -> DiskSpace {
        var (pages, changedPages, size, indexed, copied) = (0.0, 0.0, 0.0, 0.0, 0.0)
        var rowCount = 0
        for group in groups {
            let bytes = Double(group.reduce(0) { $0 + $1.size })
            let written = group.contains { work.rewrites($0.type) }
            let removed = Double(group.reduce(0) { $0 + (work.removes($1.type) ? $1.size : 0) })
            let rewritten = Double(group.reduce(0) { $0 + (work.rewrites($1.type) ? $1.size : 0) })
            let groupPages = max(1, bytes / Double(pageSize))
            pages += groupPages
            // A page is written as a whole if one of its records is. One that becomes free is not written.
            if groupPages > 2 {
                changedPages += groupPages * rewritten / bytes
            } else if written || removed > 0, removed < bytes {
                changedPages += groupPages
            }
            size += bytes
            indexed += Double(group.reduce(0) { $0 + $1.indexed })
            copied += Double(group.reduce(0) { $0 + work.copies($1.type, $1.size) })
            rowCount += group.count
        }
        let used = Double(max(0, pageCount - freePageCount))
        let tablePages = size > 0 ? used * size / (size + indexed) : 0
        let changed = pages > 0 ? tablePages * changedPages / pages : 0
        // Records that grow a little split pages, which then have room.
        let splits = rowCount > 0 && size / Double(rowCount) < Double(pageSize) / 8 ? changed / 20 : 0
        let copies = size > 0 ? tablePages * copied / size : 0
        let new = splits + copies + Double(work.added) / Double(pageSize)
        let growth = max(0, new - Double(freePageCount)) * Double(pageSize)
        let log = (changed + new) * Double(pageSize + 24)
        let backup = work.hasBackup ? used * Double(pageSize) : 0
        return DiskSpace(
            peak: Int64(exactly: (log + growth + backup).rounded()) ?? .max,
            after: Int64(exactly: (Double(pageCount) * Double(pageSize) + growth).rounded()) ?? .max
        )
    }
}
