/// Looks into the journal beside a database file, which SQLite keeps while it switches the file to WAL mode.
///
/// Layout: sqlite.org/fileformat2.html, section 3. A header with 8 bytes that mark it as one, and at 16 how many pages
/// the database had, at 20 the size of the header, at 24 that of a page; then pages as they were, each with its number
/// before it and a checksum of 4 bytes behind it. Whatever is in the file now, SQLite puts these back.
package struct RollbackJournal {
    /// How many pages the database had before.
    let pageCount: Int
    private let pageSize: Int
    private let headerSize: Int
    private let source: ByteSource

    /// Looks at the journal beside a file; nil when there is none from which SQLite would put anything back.
    package init?(ofFileAt path: String) {
        // No process locks the journal itself, so reading and closing it here drops nobody's lock.
        guard let source = ByteSource(path: path + "-journal"), let header = source.read(at: 0, 28),
            header.starts(with: Self.mark)
        else { return nil }
        pageCount = Int(header.number32(at: 16))
        headerSize = Int(header.number32(at: 20))
        pageSize = Int(header.number32(at: 24))
        self.source = source
    }

    private static let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// Whether a journal says that the file had no page before: whatever is in the file now, SQLite makes it empty.
    ///
    /// A loss of power may then have left any part of the first page.
    static func undoesAll(ofFileAt path: String) -> Bool {
        RollbackJournal(ofFileAt: path)?.pageCount == 0
    }

    /// Whether the journal can be that of a cache: SQLite does not ask whose it is.
    ///
    /// A cache in WAL mode has one only while it is switched to that mode, which changes its first page and nothing else.
    ///
    /// - Parameters:
    ///   - header: The first 100 bytes of the cache.
    ///   - size: How many bytes the cache has.
    package func mayBelong(toFileWith header: [UInt8], size: Int) -> Bool {
        guard header.count >= 100, header.number16(at: 16) == (pageSize == 65_536 ? 1 : pageSize), headerSize >= 28
        else {
            return false
        }
        var firstPage: [UInt8]?
        var count = 0
        while let number = source.read(at: headerSize + count * (pageSize + 8), 4), count < 1 << 24 {
            if number.number32(at: 0) == 1 { firstPage = source.read(at: headerSize + count * (pageSize + 8) + 4, 100) }
            count += 1
        }
        if let firstPage, firstPage.number32(at: 68) != UInt32(FileFormat.applicationID), pageCount > 1 { return false }
        // Written by another tool, in the mode that the file is in.
        guard header[18] == 2 else { return true }
        let isUnchanged = pageCount == (size + pageSize - 1) / pageSize || pageCount == Int(header.number32(at: 28))
        return count <= 1 && (count == 0 || firstPage != nil) && (isUnchanged || pageCount == 0 && size <= pageSize)
    }
}
