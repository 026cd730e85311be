/// The frames of the log beside a database file, where the newest pages are, read without touching the database.
///
/// Layout: sqlite.org/fileformat2.html, section 4. A header of 32 bytes with the page size at 8, two salts at 16 and a
/// checksum at 24; then frames, each a header of 24 bytes and a page: the page's number at 0, how many pages the
/// database has at 4 in the last frame of a transaction, the salts at 8, and at 16 a checksum of the page and of the
/// first 8 bytes, which continues from the checksum in the frame before. A loss of power may leave any part of what was
/// written last, so for SQLite the first frame that does not add up is the end of the log.
package struct WriteAheadLog {
    /// In bytes.
    package let pageSize: Int
    /// Whether the header adds up; SQLite reads nothing of a log whose header does not.
    package let isHeaderSound: Bool
    private let log: ByteSource
    private let header: [UInt8]
    private let isBigEndian: Bool
    private let salts: ArraySlice<UInt8>

    /// Looks at a log; nil when SQLite would read nothing of it.
    package init?(_ log: ByteSource) {
        guard let header = log.read(at: 0, Self.headerSize), header.number32(at: 0) & 0xFFFF_FFFE == 0x377F_0682 else {
            return nil
        }
        let isBigEndian = header.number32(at: 0) & 1 == 1
        let size = Int(header.number32(at: 8))
        let sum = Checksum().adding(header[..<24], isBigEndian: isBigEndian)
        guard Self.isPageSize(size), sum == Checksum(in: header, at: 24) else { return nil }
        self.init(log, header, pageSize: size, isBigEndian: isBigEndian, salts: header[16..<24], isHeaderSound: true)
    }

    /// Looks at a log whose header is damaged; nil when none of its frames adds up.
    ///
    /// - Parameter pageSize: That of the database.
    package init?(withoutHeader log: ByteSource, pageSize: Int) {
        guard let header = log.read(at: 0, Self.headerSize) else { return nil }
        for isBigEndian in [false, true] {
            let candidate = WriteAheadLog(
                log,
                header,
                pageSize: pageSize,
                isBigEndian: isBigEndian,
                salts: header[16..<24],
                isHeaderSound: false
            )
            var checksums = candidate.firstChecksums
            for index in 0..<candidate.frameCount {
                guard let frame = candidate.frame(index) else { break }
                let sums = checksums.map { candidate.checksum(of: frame, after: $0) }
                checksums = [frame.checksum]
                guard frame.pageNumber > 0, sums.contains(frame.checksum) else { continue }
                // A log that begins anew has other salts and leaves old frames at its end: those of the first frame count.
                self.init(
                    log,
                    header,
                    pageSize: pageSize,
                    isBigEndian: isBigEndian,
                    salts: frame.salts,
                    isHeaderSound: false
                )
                return
            }
        }
        return nil
    }

    private init(
        _ log: ByteSource,
        _ header: [UInt8],
        pageSize: Int,
        isBigEndian: Bool,
        salts: ArraySlice<UInt8>,
        isHeaderSound: Bool
    ) {
        self.pageSize = pageSize
        self.isHeaderSound = isHeaderSound
        self.log = log
        self.header = header
        self.isBigEndian = isBigEndian
        self.salts = salts
    }

    /// Whether SQLite can have pages of a size.
    package static func isPageSize(_ size: Int) -> Bool {
        size >= 512 && size <= 65536 && size & (size - 1) == 0
    }

    // MARK: Frames

    /// A page, as a transaction wrote it, before it is known whether it adds up.
    package struct Frame {
        /// The page's number; the first is 1.
        package let pageNumber: Int
        /// How many pages the database has with the transaction that ends here; 0 when it does not end here.
        package let pageCount: Int
        /// Tells the frames of this log from those that an earlier one has left.
        package let salts: ArraySlice<UInt8>
        /// The checksum that is written in it.
        package let checksum: Checksum
        /// The page; cut off at the end of a log that is.
        package let page: [UInt8]
        /// The bytes that the checksum covers beside the page.
        fileprivate let head: ArraySlice<UInt8>
    }

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// How many frames there is room for; the last one may be cut off.
    package var frameCount: Int {
        let rest = log.count - pageOffset(0)
        return rest < 0 ? 0 : rest / (Self.frameHeaderSize + pageSize) + 1
    }

    /// Where in the log the page of a frame is.
    func pageOffset(_ index: Int) -> Int {
        Self.headerSize + index * (Self.frameHeaderSize + pageSize) + Self.frameHeaderSize
    }

    /// A frame by its place; the first is 0.
    package func frame(_ index: Int) -> Frame? {
        let offset = pageOffset(index)
        guard let header = log.read(at: offset - Self.frameHeaderSize, Self.frameHeaderSize),
            let page = log.read(at: offset, min(pageSize, log.count - offset))
        else { return nil }
        return Frame(
            pageNumber: Int(header.number32(at: 0)),
            pageCount: Int(header.number32(at: 4)),
            salts: header[8..<16],
            checksum: Checksum(in: header, at: 16),
            page: page,
            head: header[..<8]
        )
    }

    /// Whether a frame says that it is of this log, and not of an earlier one.
    package func isOwn(_ frame: Frame) -> Bool {
        frame.salts.elementsEqual(salts)
    }

    /// What the first frame's checksum continues from: what the header says, and what it should say.
    package var firstChecksums: [Checksum] {
        [Checksum(in: header, at: 24), Checksum().adding(header[..<24], isBigEndian: isBigEndian)]
    }

    /// What the checksum of a frame should be.
    ///
    /// - Parameters:
    ///   - checksum: That of the frame before.
    ///   - page: The page, where it is not taken from the frame.
    package func checksum(of frame: Frame, after checksum: Checksum, page: [UInt8]? = nil) -> Checksum {
        checksum.adding(frame.head, isBigEndian: isBigEndian)
            .adding((page ?? frame.page)[...], isBigEndian: isBigEndian)
    }

    /// Whose file each first page in a log says the database is; of frames that SQLite would read only.
    static func applicationIDs(_ path: String) -> Set<Int64> {
        // No process locks the log itself, so reading and closing it here drops nobody's lock.
        guard let log = ByteSource(path: path).flatMap({ WriteAheadLog($0) }) else { return [] }
        var applicationIDs: Set<Int64> = []
        var checksum = log.firstChecksums[0]
        for index in 0..<log.frameCount {
            guard let frame = log.frame(index), log.isOwn(frame), frame.page.count == log.pageSize else { break }
            checksum = log.checksum(of: frame, after: checksum)
            guard checksum == frame.checksum else { break }
            if frame.pageNumber == 1 { applicationIDs.insert(Int64(frame.page.number32(at: 68))) }
        }
        return applicationIDs
    }

    /// A sum over bytes, two numbers of 32 bits at a time.
    package struct Checksum: Equatable {
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        /// The sum of nothing.
        init() {}

        /// Reads one, which is big-endian always.
        init(in bytes: [UInt8], at offset: Int) {
            first = bytes.number32(at: offset)
            second = bytes.number32(at: offset + 4)
        }

        /// The sum with more bytes, whose count is a multiple of 8.
        func adding(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> Checksum {
            var (first, second) = (first, second)
            bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                    let words = (
                        bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
                        bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    )
                    first &+= (isBigEndian ? UInt32(bigEndian: words.0) : UInt32(littleEndian: words.0)) &+ second
                    second &+= (isBigEndian ? UInt32(bigEndian: words.1) : UInt32(littleEndian: words.1)) &+ first
                }
            }
            var sum = Checksum()
            (sum.first, sum.second) = (first, second)
            return sum
        }
    }
}
