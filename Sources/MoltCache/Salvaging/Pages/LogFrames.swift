/// The pages in a write-ahead log that count: those of the transactions that were committed, up to the first damage.
///
/// Layout: sqlite.org/fileformat2.html, section 4. A header of 32 bytes, then frames of a header of 24 bytes and a page;
/// each has the header's two salts, and a checksum over all before it.
struct LogFrames {
    /// In bytes.
    let pageSize: Int
    /// Where the newest image of each page is in the log.
    private(set) var offsets: [Int: Int] = [:]
    /// How many pages the database has since the last commit; 0 when there is none.
    private(set) var pageCount = 0

    /// Reads a log; nil for what is none.
    init?(_ log: ByteSource) {
        guard let header = log.read(at: 0, 32), header.number32(at: 0) & 0xFFFF_FFFE == 0x377F_0682 else { return nil }
        let isBigEndian = header.number32(at: 0) & 1 == 1
        let size = Int(header.number32(at: 8))
        guard DatabasePages.isPageSize(size) else { return nil }
        pageSize = size
        var sum = Checksum(isBigEndian: isBigEndian)
        sum.add(header[0..<24])
        guard sum.first == header.number32(at: 24), sum.second == header.number32(at: 28) else { return nil }
        var uncommitted: [Int: Int] = [:]
        var position = 32
        while let frame = log.read(at: position, 24), let page = log.read(at: position + 24, size) {
            guard frame[8..<16] == header[16..<24] else { break }
            sum.add(frame[0..<8])
            sum.add(page[...])
            guard sum.first == frame.number32(at: 16), sum.second == frame.number32(at: 20) else { break }
            uncommitted[Int(frame.number32(at: 0))] = position + 24
            let committedCount = Int(frame.number32(at: 4))
            if committedCount > 0 {
                offsets.merge(uncommitted) { $1 }
                uncommitted.removeAll()
                pageCount = committedCount
            }
            position += 24 + size
        }
    }

    private struct Checksum {
        let isBigEndian: Bool
        var first: UInt32 = 0
        var second: UInt32 = 0

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                    first &+= word(bytes, offset) &+ second
                    second &+= word(bytes, offset + 4) &+ first
                }
            }
        }

        private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }
    }
}
