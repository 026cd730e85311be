internal import Molt

/// The pages of a database file, read without SQLite.
///
/// Layout: sqlite.org/fileformat2.html. Every value of the file is checked before it is used.
struct DatabasePages {
    let pageSize: Int
    /// The number of bytes of a page that SQLite uses.
    let usableSize: Int
    /// The number of pages; the last one may be truncated.
    let count: Int
    /// Whether the first page is sound and has the page size.
    let hasHeader: Bool

    private let file: ByteSource

    /// The page sizes to try without a header: Molt's first, then SQLite's default.
    static let likelyPageSizes = [8192, 4096, 1024, 2048, 16384, 32768, 512, 65536]

    /// Reads the header of a file.
    ///
    /// - Parameter pageSize: The page size if the header is damaged.
    init(_ file: ByteSource, pageSize assumed: Int) {
        self.file = file
        let header = file.read(at: 0, 100).flatMap { Self.header($0) }
        hasHeader = header != nil
        pageSize = header?.pageSize ?? assumed
        usableSize = pageSize - (header?.reserved ?? 0)
        count = (file.count + pageSize - 1) / pageSize
    }

    /// The page size in the header; nil when that is damaged.
    static func pageSize(of file: ByteSource) -> Int? {
        file.read(at: 0, 100).flatMap { header($0) }?.pageSize
    }

    private static func header(_ bytes: [UInt8]) -> (pageSize: Int, reserved: Int)? {
        let size = bytes.number16(at: 16) == 1 ? 65536 : bytes.number16(at: 16)
        guard bytes.starts(with: "SQLite format 3\0".utf8), WriteAheadLog.isPageSize(size), size - Int(bytes[20]) >= 480
        else {
            return nil
        }
        return (size, Int(bytes[20]))
    }

    /// A page by its number, from 1; nil when it is missing or truncated.
    func page(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= count else { return nil }
        return file.read(at: (number - 1) * pageSize, pageSize)
    }

    /// The unused pages, which still contain deleted rows; nil when the list of them is damaged.
    ///
    /// - Parameter log: Tells which pages may be stale; a list that may be stale counts as damaged.
    func freePages(_ log: LogPages? = nil) -> Set<Int>? {
        guard hasHeader, log?.mayBeStale(1) != true, let first = page(1) else { return nil }
        var free: Set<Int> = []
        var trunk = Int(clamping: first.number32(at: 32))
        let total = Int(clamping: first.number32(at: 36))
        while trunk != 0 {
            guard trunk <= count, log?.mayBeStale(trunk) != true, free.insert(trunk).inserted, let page = page(trunk)
            else { return nil }
            let leaves = Int(clamping: page.number32(at: 4))
            guard leaves <= usableSize / 4 - 2 else { return nil }
            for index in 0..<leaves { free.insert(Int(clamping: page.number32(at: 8 + 4 * index))) }
            trunk = Int(clamping: page.number32(at: 0))
        }
        return free.count == total ? free : nil
    }

    /// The pages of a table's or index's tree, without overflow pages; nil when the tree is damaged.
    ///
    /// - Parameter root: The tree's first page.
    func tree(from root: Int) -> Set<Int>? {
        var found: Set<Int> = [root]
        var pending = [root]
        while let number = pending.popLast() {
            guard let page = page(number) else { return nil }
            let start = number == 1 ? 100 : 0
            switch page[start] {
            case 0x0A, 0x0D: continue
            case 0x02, 0x05:
                let cellCount = page.number16(at: start + 3)
                guard start + 12 + 2 * cellCount <= usableSize else { return nil }
                let offsets = (0..<cellCount).map { page.number16(at: start + 12 + 2 * $0) }
                guard offsets.allSatisfy({ $0 + 4 <= usableSize }) else { return nil }
                for offset in [start + 8] + offsets {
                    let child = Int(clamping: page.number32(at: offset))
                    guard found.insert(child).inserted else { return nil }
                    pending.append(child)
                }
            default: return nil
            }
        }
        return found
    }
}
