/// The rollback journal beside a database file, which SQLite keeps while it switches the file to WAL mode.
///
/// Layout: sqlite.org/fileformat2.html, section 3. The header has a magic number of 8 bytes, then the original number
/// of pages at 16, its own size at 20 and the page size at 24. The original pages follow, each after its number and
/// before a checksum of 4 bytes. SQLite restores them whatever the file contains.
package struct RollbackJournal {
    /// The original number of pages.
    let pageCount: Int
    private let pageSize: Int
    private let headerSize: Int
    private let source: ByteSource

    /// Reads the journal beside a file; nil when SQLite would roll nothing back from it.
    package init?(ofFileAt path: String) {
        // No process locks the journal itself, so reading and closing it drops no locks.
        guard let source = ByteSource(path: path + "-journal"), let header = source.read(at: 0, 28),
            header.starts(with: Self.mark)
        else { return nil }
        pageCount = Int(clamping: header.number32(at: 16))
        headerSize = Int(clamping: header.number32(at: 20))
        pageSize = Int(clamping: header.number32(at: 24))
        self.source = source
    }

    private static let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// Whether the journal empties the file, whatever it contains, because it had no page before.
    ///
    /// A power loss may then have left any part of the first page.
    static func undoesAll(ofFileAt path: String) -> Bool {
        RollbackJournal(ofFileAt: path)?.pageCount == 0
    }

    /// Whether the journal may belong to a cache; SQLite itself does not check.
    ///
    /// A cache in WAL mode has a journal only while it is switched to that mode, which changes only its first page.
    ///
    /// - Parameters:
    ///   - header: The first 100 bytes of the cache.
    ///   - size: The size of the cache in bytes.
    package func mayBelong(toFileWith header: [UInt8], size: Int) -> Bool {
        guard header.count >= 100, header.number16(at: 16) == (pageSize == 65_536 ? 1 : pageSize),
            28...65_536 ~= headerSize
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
        // Another tool wrote the journal, in the mode that the file is in.
        guard header[18] == 2 else { return true }
        let isUnchanged =
            pageCount == (size + pageSize - 1) / pageSize || pageCount == Int(clamping: header.number32(at: 28))
        return count <= 1 && (count == 0 || firstPage != nil) && (isUnchanged || pageCount == 0 && size <= pageSize)
    }
}
