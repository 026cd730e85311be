internal import Molt

/// The frames of a write-ahead log, which hold the newest pages, read without touching the database.
///
/// Layout: sqlite.org/fileformat2.html, section 4. A header of 32 bytes has the page size at 8, two salts at 16 and a
/// checksum at 24. Each frame is a header of 24 bytes and a page. The frame's header has the page number at 0; at 4, in
/// the last frame of a transaction, the number of pages in the database; the salts at 8; and at 16 a checksum of its
/// first 8 bytes and the page, continued from the frame before. A power loss may leave any part of the last writes, so
/// SQLite ends the log at the first frame with a wrong checksum.
struct WriteAheadLog {
    let pageSize: Int
    /// Whether the header's checksum is right; otherwise SQLite ignores the log.
    let isHeaderSound: Bool
    private let log: ByteSource
    private let header: [UInt8]
    private let isBigEndian: Bool
    private let salts: ArraySlice<UInt8>

    /// Reads a log; nil when SQLite would ignore it.
    init?(_ log: ByteSource) {
        guard let header = log.read(at: 0, Self.headerSize), header.number32(at: 0) & 0xFFFF_FFFE == 0x377F_0682 else {
            return nil
        }
        let isBigEndian = header.number32(at: 0) & 1 == 1
        let size = Int(clamping: header.number32(at: 8))
        let sum = Checksum().adding(header[..<24], isBigEndian: isBigEndian)
        guard Self.isPageSize(size), sum == Checksum(in: header, at: 24) else { return nil }
        self.init(log, header, pageSize: size, isBigEndian: isBigEndian, salts: header[16..<24], isHeaderSound: true)
    }

    /// Reads a log whose header is damaged; nil when no frame has a valid checksum.
    ///
    /// - Parameter pageSize: The page size of the database.
    init?(withoutHeader log: ByteSource, pageSize: Int) {
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
                // A restarted log has new salts and old frames at its end, so the first valid frame's salts count.
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

    static func isPageSize(_ size: Int) -> Bool {
        size >= 512 && size <= 65536 && size & (size - 1) == 0
    }

    // MARK: Frames

    /// One page as a transaction wrote it; its checksum is not verified yet.
    struct Frame {
        let pageNumber: Int
        /// The number of pages in the database after the transaction that ends here; 0 when none does.
        let pageCount: Int
        /// Tell this log's frames from an earlier log's remains.
        let salts: ArraySlice<UInt8>
        let checksum: Checksum
        /// The page; truncated at the end of a truncated log.
        let page: [UInt8]
        /// The part of the frame's header that the checksum covers.
        fileprivate let head: ArraySlice<UInt8>
    }

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// The number of frames; the last one may be truncated.
    var frameCount: Int {
        let rest = log.count - pageOffset(0)
        return rest < 0 ? 0 : rest / (Self.frameHeaderSize + pageSize) + 1
    }

    func pageOffset(_ index: Int) -> Int {
        Self.headerSize + index * (Self.frameHeaderSize + pageSize) + Self.frameHeaderSize
    }

    func frame(_ index: Int) -> Frame? {
        let offset = pageOffset(index)
        guard let header = log.read(at: offset - Self.frameHeaderSize, Self.frameHeaderSize),
            let page = log.read(at: offset, min(pageSize, log.count - offset))
        else { return nil }
        return Frame(
            pageNumber: Int(clamping: header.number32(at: 0)),
            pageCount: Int(clamping: header.number32(at: 4)),
            salts: header[8..<16],
            checksum: Checksum(in: header, at: 16),
            page: page,
            head: header[..<8]
        )
    }

    /// Whether a frame belongs to this log and not to an earlier one.
    func isOwn(_ frame: Frame) -> Bool {
        frame.salts.elementsEqual(salts)
    }

    /// The seeds of the first frame's checksum: the header's stored checksum, and the right one.
    var firstChecksums: [Checksum] {
        [Checksum(in: header, at: 24), Checksum().adding(header[..<24], isBigEndian: isBigEndian)]
    }

    /// The expected checksum of a frame.
    ///
    /// - Parameters:
    ///   - checksum: The checksum of the frame before.
    ///   - page: The page, if it differs from the frame's.
    func checksum(of frame: Frame, after checksum: Checksum, page: [UInt8]? = nil) -> Checksum {
        checksum.adding(frame.head, isBigEndian: isBigEndian)
            .adding((page ?? frame.page)[...], isBigEndian: isBigEndian)
    }

    /// SQLite's checksum, over two 32-bit integers at a time.
    struct Checksum: Equatable {
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init() {}

        /// Reads a stored checksum, which is always big-endian.
        init(in bytes: [UInt8], at offset: Int) {
            first = bytes.number32(at: offset)
            second = bytes.number32(at: offset + 4)
        }

        /// Adds bytes; their count is a multiple of 8.
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
