internal import Foundation

/// A copy of a database that pages are written into without SQLite; nobody else has it open.
final class DatabaseCopy {
    private let file: FileHandle
    private let pageSize: Int

    /// Opens a file.
    init(_ path: String, pageSize: Int) throws {
        file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        self.pageSize = pageSize
    }

    deinit {
        // A failed write has been reported by `write`, or the next reader finds the damage.
        try? file.close()
    }

    /// Writes a page; the first one has the number 1.
    func write(_ bytes: [UInt8], page: Int) throws {
        try file.seek(toOffset: UInt64((page - 1) * pageSize))
        try file.write(contentsOf: bytes)
    }

    /// Sets how many pages the database has, also in its first page.
    ///
    /// - Parameter isCut: Whether pages behind the last one are removed.
    func setPageCount(_ count: Int, isCut: Bool) throws {
        let size = try file.seekToEnd()
        let count = isCut ? count : max(count, Int(size) / pageSize)
        try file.truncate(atOffset: UInt64(count * pageSize))
        // The number of pages counts only where the number of changes stands twice: at 24 and at 92.
        try file.seek(toOffset: 24)
        guard let changes = try file.read(upToCount: 4), changes.count == 4 else { return }
        try file.seek(toOffset: 28)
        try file.write(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) })
        try file.seek(toOffset: 92)
        try file.write(contentsOf: changes)
    }
}
