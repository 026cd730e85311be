internal import Foundation

/// Looks into the journal beside a database file, which SQLite keeps while it switches the file to WAL mode.
enum RollbackJournal {
    /// Whether a journal says that the file had no page before: whatever is in the file now, SQLite makes it empty.
    ///
    /// A loss of power may then have left any part of the first page. Layout of a journal: 8 bytes that mark it as one,
    /// and the size of the database in pages at 16 (sqlite.org/fileformat2.html, section 3).
    static func undoesAll(ofFileAt path: String) -> Bool {
        // No process locks the journal itself, so reading and closing it here drops nobody's lock.
        guard let file = FileHandle(forReadingAtPath: path + "-journal") else { return false }
        defer { try? file.close() }
        // What cannot be read undoes nothing, and the file is judged by itself.
        guard let header = try? file.read(upToCount: 28), header.count == 28 else { return false }
        return header.starts(with: mark) && header[16..<20].allSatisfy { $0 == 0 }
    }

    private static let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
}
