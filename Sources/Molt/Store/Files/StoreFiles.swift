internal import Foundation

/// A cache file and the files that SQLite and Molt keep beside it.
struct StoreFiles {
    /// The path of the cache file, symbolic links followed: the other files are beside the target.
    let path: String

    /// What SQLite appends to the names of the files beside a database: its log, the log's index, and its journal.
    static let suffixes = ["-wal", "-shm", "-journal"]

    init(_ storeName: String) {
        path = FileStatus.resolved(storeName)
    }

    var directory: String { (path as NSString).deletingLastPathComponent }
    var name: String { (path as NSString).lastPathComponent }
    var log: String { path + "-wal" }
    var journal: String { path + "-journal" }
    /// The list of upgrades that began; see ``AttemptLog``.
    var attempts: String { path + "-attempt" }

    /// The lock of the process that does work after a commit; it exists only meanwhile.
    var work: String { path + "-work" }
    /// The list of work after a commit that began; see ``AttemptLog``.
    var workAttempts: String { path + "-work-attempt" }

    /// Removes both lists, which say nothing about other contents.
    func clearAttempts() {
        AttemptLog(of: path).clear()
        AttemptLog(ofWorkIn: self).clear()
    }

    /// The path of a file in the same directory.
    func path(of name: String) -> String {
        directory == "/" ? "/\(name)" : "\(directory)/\(name)"
    }

    var hasContent: Bool { FileStatus.hasContent(path) }
    var hasLog: Bool { FileStatus.hasContent(log) }
    var hasJournal: Bool { FileStatus.hasContent(journal) }
    /// Whether another process may be changing the file: it writes beside it first.
    var isBeingWritten: Bool { hasLog || hasJournal }

    /// Whether a regular file is there whose log and journal are missing or empty.
    var isCheckpointed: Bool {
        guard let file = FileStatus.unfollowed(path), file.isFile else { return false }
        return Self.suffixes.allSatisfy { suffix in
            guard let found = FileStatus.unfollowed(path + suffix) else { return true }
            return found.isFile && (found.size == 0 || suffix == "-shm")
        }
    }

    /// The size of the file and its log; nil when nothing is there.
    var byteCount: Int? {
        let sizes = [path, log].compactMap { FileStatus.unfollowed($0)?.size }
        return sizes.isEmpty ? nil : sizes.reduce(0, +)
    }

    /// Refuses anything but a regular file in the place of SQLite's own files beside the cache.
    ///
    /// A pipe there would block forever, and a link would redirect writes to another file.
    ///
    /// - Throws: ``MoltError`` with the code `notAFile`.
    func checkCompanions() throws(MoltError) {
        for suffix in Self.suffixes {
            guard let found = FileStatus.unfollowed(path + suffix), !found.isFile else { continue }
            throw MoltError(
                .notAFile,
                "\(path + suffix) is a link, a directory or a device, not a file. It was not used.",
                advice: "Remove it.",
                store: path
            )
        }
    }
}
