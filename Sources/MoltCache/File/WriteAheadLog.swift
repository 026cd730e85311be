internal import Foundation

/// Looks into the log beside a database file, where the newest pages are, without touching the database.
enum WriteAheadLog {
    /// Whose file each first page in a log says the database is.
    ///
    /// Layout: a header of 32 bytes with the page size at 8 and two salts at 16; then frames, each with the page
    /// number at 0 and the salts at 8 of its own header of 24 bytes (sqlite.org/fileformat2.html, section 4).
    static func applicationIDs(_ path: String) -> Set<Int64> {
        // No process locks the log itself, so reading and closing it here drops nobody's lock.
        guard let file = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? file.close() }
        guard let header = bytes(of: file, 32), number(header, at: 0) & 0xFFFF_FFFE == 0x377F_0682 else {
            return []
        }
        let pageSize = UInt64(number(header, at: 8))
        let salts = header[16..<24]
        guard pageSize >= 512 else { return [] }
        var applicationIDs: Set<Int64> = []
        var offset: UInt64 = 32
        while let frame = bytes(of: file, 24), frame[8..<16] == salts {
            if number(frame, at: 0) == 1, let page = bytes(of: file, 100) {
                applicationIDs.insert(Int64(number(page, at: 68)))
            }
            offset += 24 + pageSize
            guard (try? file.seek(toOffset: offset)) != nil else { break }
        }
        return applicationIDs
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
