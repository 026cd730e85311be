internal import Foundation

extension PartFile {
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
