internal import Foundation

/// Looks into the log beside a database file, where the newest pages are, without touching the database.
enum WriteAheadLog {
    /// Whose file each first page in a log says the database is; of frames that SQLite would read only.
    ///
    /// Layout: a header of 32 bytes with the page size at 8, two salts at 16 and a checksum at 24; then frames, each
    /// with a header of 24 bytes: the page number at 0, the salts at 8, a checksum at 16 of all that comes before it in
    /// the log and of the page (sqlite.org/fileformat2.html, section 4). A loss of power may leave any part of what was
    /// written last, so a frame that does not add up is the end of the log.
    static func applicationIDs(_ path: String) -> Set<Int64> {
        // No process locks the log itself, so reading and closing it here drops nobody's lock.
        guard let file = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? file.close() }
        guard let header = bytes(of: file, 32), number(header, at: 0) & 0xFFFF_FFFE == 0x377F_0682 else {
            return []
        }
        let pageSize = Int(number(header, at: 8))
        let salts = header[16..<24]
        var checksum = Checksum(isBigEndian: number(header, at: 0) & 1 == 1)
        checksum.add(header[..<24])
        guard (512...65_536).contains(pageSize), pageSize % 8 == 0, checksum.isWritten(in: header, at: 24) else {
            return []
        }
        var applicationIDs: Set<Int64> = []
        while let frame = bytes(of: file, 24), frame[8..<16] == salts, let page = bytes(of: file, pageSize) {
            checksum.add(frame[..<8])
            checksum.add(page[...])
            guard checksum.isWritten(in: frame, at: 16) else { break }
            if number(frame, at: 0) == 1 { applicationIDs.insert(Int64(number(page, at: 68))) }
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
            number(bytes, at: offset) == first && number(bytes, at: offset + 4) == second
        }
    }

    private static func bytes(of file: FileHandle, _ count: Int) -> [UInt8]? {
        guard let data = try? file.read(upToCount: count), data.count == count else { return nil }
        return [UInt8](data)
    }

    /// A big-endian number of 4 bytes.
    private static func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
