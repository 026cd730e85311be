/// The pages of a database file, read without SQLite; those in its log stand for those in the file.
///
/// Layout: sqlite.org/fileformat2.html. Nothing in the file is believed before it was checked.
struct DatabasePages {
    /// In bytes.
    let pageSize: Int
    /// The part of a page that SQLite uses.
    let usableSize: Int
    /// How many pages there are, the last one maybe cut off.
    let count: Int
    /// Whether the first page says itself what the size of a page is.
    let hasHeader: Bool

    private let file: ByteSource
    private let log: ByteSource?
    private let logged: [Int: Int]

    /// The sizes that are tried where nothing says which one it is; ours first, then SQLite's own.
    static let likelyPageSizes = [8192, 4096, 1024, 2048, 16384, 32768, 512, 65536]

    /// Finds out how a file is laid out.
    ///
    /// - Parameter pageSize: What to take where neither the file nor the log says.
    init(_ file: ByteSource, log: ByteSource?, pageSize assumed: Int) {
        self.file = file
        let frames = log.flatMap { LogPages($0) }
        let first = frames?.offsets[1].flatMap { log?.read(at: $0, 100) } ?? file.read(at: 0, 100)
        let header = first.flatMap { Self.header($0) }
        hasHeader = header != nil
        pageSize = header?.pageSize ?? frames?.pageSize ?? assumed
        usableSize = pageSize - (header?.reserved ?? 0)
        let isLogUsed = frames?.pageSize == pageSize
        self.log = isLogUsed ? log : nil
        logged = isLogUsed ? frames?.offsets ?? [:] : [:]
        let inFile = (file.count + pageSize - 1) / pageSize
        let inLog = logged.keys.max() ?? 0
        // A log may name a page far beyond the file, which then is a sparse one; nobody can go through 2^32 pages.
        count = max(inFile, min(inLog, inFile + logged.count))
    }

    static func isPageSize(_ size: Int) -> Bool {
        size >= 512 && size <= 65536 && size & (size - 1) == 0
    }

    private static func header(_ bytes: [UInt8]) -> (pageSize: Int, reserved: Int)? {
        let size = bytes.number16(at: 16) == 1 ? 65536 : bytes.number16(at: 16)
        guard bytes.starts(with: "SQLite format 3\0".utf8), isPageSize(size), size - Int(bytes[20]) >= 480 else {
            return nil
        }
        return (size, Int(bytes[20]))
    }

    /// A page by its number, which begins with 1; nil when there is none, or only a part of it.
    func page(_ number: Int) -> [UInt8]? {
        guard number >= 1 else { return nil }
        if let offset = logged[number], let page = log?.read(at: offset, pageSize) { return page }
        guard number <= count else { return nil }
        return file.read(at: (number - 1) * pageSize, pageSize)
    }

    /// The pages that are not in use, and still hold what was deleted; nil when the list of them is damaged.
    func freePages() -> Set<Int>? {
        guard hasHeader, let first = page(1) else { return nil }
        var free: Set<Int> = []
        var trunk = Int(first.number32(at: 32))
        let total = Int(first.number32(at: 36))
        while trunk != 0 {
            guard trunk <= count, free.insert(trunk).inserted, let page = page(trunk) else { return nil }
            let leaves = Int(page.number32(at: 4))
            guard leaves <= usableSize / 4 - 2 else { return nil }
            for index in 0..<leaves { free.insert(Int(page.number32(at: 8 + 4 * index))) }
            trunk = Int(page.number32(at: 0))
        }
        return free.count == total ? free : nil
    }
}
