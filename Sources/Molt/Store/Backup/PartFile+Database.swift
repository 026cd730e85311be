internal import Foundation

extension PartFile {
    /// Runs a closure with a connection to the file, whose journal stays in memory: on failure the file is discarded,
    /// and on success it is synced as a whole.
    func withDatabase<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let connection = try Connection(path, mode: .readWrite)
        defer { connection.close() }
        try connection.set(.journalMode, to: "MEMORY")
        try connection.set(.synchronous, to: "OFF")
        return try body(connection)
    }

    /// Marks the database as one with a rollback journal; a copy of a live file is marked as WAL.
    ///
    /// The two bytes are the format's write and read version: 2 for WAL, 1 for a rollback journal
    /// (sqlite.org/fileformat2.html, section 1.3.3).
    func markAsRollbackJournaled() throws(DurableFile.Failure) {
        var marks: [UInt8] = [0, 0]
        guard pread(descriptor, &marks, 2, 18) == 2 else { throw DurableFile.Failure(number: errno) }
        guard marks.contains(2) else { return }
        marks = [1, 1]
        guard pwrite(descriptor, marks, 2, 18) == 2 else { throw DurableFile.Failure(number: errno) }
    }
}
