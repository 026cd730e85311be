/// The frames of the log beside a database file, where the newest pages are, read without touching the database.
///
/// Layout: sqlite.org/fileformat2.html, section 4. A header of 32 bytes with the page size at 8, two salts at 16 and a
/// checksum at 24; then frames, each a header of 24 bytes and a page: the page's number at 0, how many pages the
/// database has at 4 in the last frame of a transaction, the salts at 8, and at 16 a checksum of all that comes before it
/// in the log and of the page. A loss of power may leave any part of what was written last, so a frame that does not add
/// up is the end of the log.
struct WriteAheadLog {
    /// A page, as a transaction wrote it.
    struct Frame {
        /// The page's number; the first is 1.
        let pageNumber: Int
        /// How many pages the database has with the transaction that ends here; 0 when it does not end here.
        let pageCount: Int
        /// Where the page is in the log.
        let offset: Int
    }

    /// In bytes.
    let pageSize: Int
    private let log: ByteSource
    private let header: [UInt8]

    /// Looks at a log; nil when SQLite would read nothing of it.
    init?(_ log: ByteSource) {
        guard let header = log.read(at: 0, 32), header.number32(at: 0) & 0xFFFF_FFFE == 0x377F_0682 else { return nil }
        var checksum = Checksum(isBigEndian: header.number32(at: 0) & 1 == 1)
        checksum.add(header[..<24])
        let size = Int(header.number32(at: 8))
        guard DatabasePages.isPageSize(size), checksum.isWritten(in: header, at: 24) else { return nil }
        pageSize = size
        self.log = log
        self.header = header
    }

    /// Goes through the frames that SQLite would read.
    ///
    /// - Returns: Where in the log they end.
    func forEachFrame(_ body: (Frame, [UInt8]) -> Void) -> Int {
        var checksum = Checksum(isBigEndian: header.number32(at: 0) & 1 == 1)
        checksum.add(header[..<24])
        var position = 32
        while let frame = log.read(at: position, 24), hasSalts(frame), let page = log.read(at: position + 24, pageSize)
        {
            checksum.add(frame[..<8])
            checksum.add(page[...])
            guard checksum.isWritten(in: frame, at: 16) else { break }
            let number = Int(frame.number32(at: 0))
            body(Frame(pageNumber: number, pageCount: Int(frame.number32(at: 4)), offset: position + 24), page)
            position += 24 + pageSize
        }
        return position
    }

    /// Whether frames of this log come behind the place where it ends: then a part of it is damaged.
    ///
    /// What was in the file before the log began anew has other salts.
    func hasFrames(behind end: Int) -> Bool {
        var position = end
        while let frame = log.read(at: position, 24) {
            if hasSalts(frame) { return true }
            position += 24 + pageSize
        }
        return false
    }

    private func hasSalts(_ frame: [UInt8]) -> Bool {
        frame[8..<16] == header[16..<24]
    }

    /// Whose file each first page in a log says the database is; of frames that SQLite would read only.
    static func applicationIDs(_ path: String) -> Set<Int64> {
        // No process locks the log itself, so reading and closing it here drops nobody's lock.
        guard let log = ByteSource(path: path).flatMap({ WriteAheadLog($0) }) else { return [] }
        var applicationIDs: Set<Int64> = []
        _ = log.forEachFrame { frame, page in
            if frame.pageNumber == 1 { applicationIDs.insert(Int64(page.number32(at: 68))) }
        }
        return applicationIDs
    }

    /// The sum over all that a log has, two numbers of 32 bits at a time.
    private struct Checksum {
        let isBigEndian: Bool
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init(isBigEndian: Bool) {
            self.isBigEndian = isBigEndian
        }

        /// Adds bytes, whose count is a multiple of 8.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                    first = first &+ word(bytes, offset) &+ second
                    second = second &+ word(bytes, offset + 4) &+ first
                }
            }
        }

        private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }

        /// The checksum itself is big-endian always.
        func isWritten(in bytes: [UInt8], at offset: Int) -> Bool {
            bytes.number32(at: offset) == first && bytes.number32(at: offset + 4) == second
        }
    }
}
