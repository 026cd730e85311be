internal import Foundation
internal import Molt

/// A private copy of a damaged file and its log, so that SQLite never writes to the original.
final class SalvageCopy {
    /// The file without its log.
    let file: String
    let log: String?
    /// A second copy beside a rollback journal, which SQLite may write to; nil without a journal.
    let journaled: String?
    /// Sentences for the report about the unreadable parts of the files.
    let unread: [String]
    /// The path for a new file that is removed with the copy.
    var scratch: String { directory.url.appending(path: "salvaged").path }
    let status: Status
    private let path: String
    /// Removed with this object, including its contents.
    private let directory: CopyDirectory
    private let second: String

    /// Copies a file without taking a lock, and without dropping locks that caches of this process have on it.
    ///
    /// - Throws: ``MoltError`` with the code `fileMissing`, `notAFile`, `noPermission`, `notADatabase`, `busy` when
    ///   the file keeps being written to, or `storeFailed` when the copy cannot be created.
    init(of path: String) throws {
        try FileStatus.checkPath(path)
        let path = FileStatus.resolved(path)
        self.path = path
        do {
            directory = try CopyDirectory(for: .salvage)
        } catch let error as DurableFile.Failure {
            throw MoltError(
                .storeFailed,
                "The copy to salvage from cannot be made: no directory can be created in \(CopyDirectory.parent.path).",
                underlying: error
            )
        }
        let file = directory.url.appending(path: "file").path
        let second = directory.url.appending(path: "second").path
        self.file = file
        self.second = second
        (unread, status) = try Self.copying { try Self.copyUnchanged(path, to: file) }
        log = FileStatus.hasContent(file + "-wal") ? file + "-wal" : nil
        // A cache with a log has no journal.
        let isUsed = log == nil && FileStatus.hasContent(file + "-journal")
        journaled = isUsed ? second : nil
        guard isUsed else { return }
        try Self.copying {
            for suffix in ["", "-journal"] {
                try FileManager.default.copyItem(atPath: file + suffix, toPath: second + suffix)
            }
        }
    }

    /// Creates a second copy, with the log's pages up to the last intact transaction.
    func secondCopy(with log: LogPages) throws -> String {
        try Self.copying {
            try FileManager.default.copyItem(atPath: file, toPath: second)
            try log.write(to: second, isWhole: false)
        }
        return second
    }

    /// Replaces the second copy with one of the unchanged file and its log, which SQLite may write to.
    ///
    /// - Returns: Its path; nil when the file was written to after the first copy.
    func loggedCopy() throws -> String? {
        let copied = try Self.copying { try Self.copyUnchanged(path, to: second) }
        return copied.1 == status ? second : nil
    }

    /// Writes all readable pages of the log into the copy.
    func write(_ log: LogPages) throws {
        try Self.copying { try log.write(to: file, isWhole: true) }
    }

    private static func copying<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            if error is MoltError { throw error }
            throw MoltError(
                .storeFailed,
                "The copy to salvage from cannot be made in \(FileManager.default.temporaryDirectory.path), which "
                    + "needs free space for two copies of the file.",
                advice: "Free some space there, or set another temporary directory, and try again.",
                outcome: .unchanged,
                underlying: error
            )
        }
    }

    /// Copies until no write happened during the copy.
    ///
    /// - Returns: Sentences about the unreadable parts, and the status of the file.
    private static func copyUnchanged(_ path: String, to copy: String) throws -> ([String], Status) {
        for _ in 0..<3 {
            guard let before = try status(path) else {
                throw MoltError(.fileMissing, "There is no file at \(path).", advice: "Check the path.", store: path)
            }
            guard before.file.isFile else {
                throw MoltError(.notAFile, "The path \(path) is a directory or a device, not a file.", store: path)
            }
            guard before.file.size > 0 || FileStatus.hasContent(path + "-wal") else {
                throw MoltError(.notADatabase, "The file at \(path) is empty, and has no log.", store: path)
            }
            var unread: [String] = []
            try copyDatabase(path, to: copy, &unread)
            for suffix in ["-wal", "-journal"] {
                try remove(copy + suffix)
                guard FileStatus.unfollowed(path + suffix) != nil else { continue }
                // No process locks these files themselves, so closing them drops no lock.
                guard let log = ByteSource(path: path + suffix) else {
                    unread.append(
                        "\(path + suffix) cannot be read, or is not a file. The latest changes may be missing."
                    )
                    continue
                }
                let lost = try write(to: copy + suffix, count: log.count) { log.read(at: $0, $1) }
                if lost > 0 {
                    unread.append(
                        "\(lost) bytes of \(path + suffix) could not be read. The latest changes may be missing."
                    )
                }
            }
            if try status(path) == before { return (unread, before) }
        }
        throw MoltError(
            .busy,
            "The file at \(path) is being written to.",
            advice: "Close every cache that has it open, and try again.",
            store: path
        )
    }

    /// Changes whenever the file or its log is written to.
    struct Status: Equatable {
        var file: FileStatus
        var log: FileStatus?

        var bytes: Int { file.size + (log?.size ?? 0) }
    }

    /// The status of a path, symbolic links followed; nil when nothing is there.
    static func status(_ path: String) throws(MoltError) -> Status? {
        guard let file = try FileStatus.of(path) else { return nil }
        return Status(file: file, log: FileStatus.unfollowed(FileStatus.resolved(path) + "-wal"))
    }

    /// Reads the file through SQLite's own layer: a plain close would drop the locks of this process's connections.
    private static func copyDatabase(_ path: String, to copy: String, _ unread: inout [String]) throws {
        do {
            let connection = try Connection(path, mode: .immutable)
            defer { connection.close() }
            let lost = try write(to: copy, count: connection.fileSize()) { try connection.fileBytes(at: $0, $1) }
            if lost > 0 { unread.append("\(lost) bytes of the file could not be read and count as zeros.") }
        } catch let failure as SQLiteError {
            throw MoltError(failure, store: path)
        }
    }

    /// Writes a new file; unreadable parts, down to 512 bytes, become zeros.
    ///
    /// - Returns: The number of unreadable bytes.
    private static func write(to path: String, count: Int, _ read: (Int, Int) throws -> [UInt8]?) throws -> Int {
        try remove(path)
        try FileStatus.create(path)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        var offset = 0
        var lost = 0
        while offset < count {
            var length = min(65_536, count - offset)
            var bytes = try read(offset, length)
            while bytes == nil, length > 512 {
                length /= 2
                bytes = try read(offset, length)
            }
            if bytes == nil { lost += length }
            try file.write(contentsOf: bytes ?? [UInt8](repeating: 0, count: length))
            offset += length
        }
        // Some volumes report only at the close that they are full.
        try file.close()
        return lost
    }

    private static func remove(_ path: String) throws {
        guard FileStatus.unfollowed(path) != nil else { return }
        try FileManager.default.removeItem(atPath: path)
    }
}
