package import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// What the file system says of a path, symbolic links followed.
package struct FileStatus: Equatable {
    /// Whether it is a file, and not a directory or a device.
    package let isFile: Bool
    /// In bytes.
    package let size: Int
    /// When its bytes were last written, in nanoseconds.
    let modified: Int64
    /// Which file it is on its volume.
    let number: UInt64

    /// Asks the file system.
    ///
    /// - Throws: ``CacheError`` with the code `noPermission`; a path at which nothing is gives nil.
    package static func of(_ path: String) throws(CacheError) -> FileStatus? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw failure(errno, path: path)
        }
        return FileStatus(status)
    }

    /// Asks the file system for what is at a path itself, be it a symbolic link; nil when it gives no answer.
    package static func unfollowed(_ path: String) -> FileStatus? {
        var status = stat()
        return lstat(path, &status) == 0 ? FileStatus(status) : nil
    }

    private init(_ status: stat) {
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        isFile = status.st_mode & S_IFMT == S_IFREG
        size = Int(status.st_size)
        // Before 1677 and after 2262 it is more than 64 bits hold, and the last moment that they do stands for it: Cache
        // sets the time to that at which an entry expires, which may be `Date.distantFuture`.
        let (seconds, isFarOff) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLast) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
        modified = isFarOff || isLast ? (time.tv_sec < 0 ? .min : .max) : sum
        number = UInt64(status.st_ino)
    }

    /// Whether two paths lead to one file, or one directory.
    static func isSame(_ path: String, _ other: String) -> Bool {
        var status = stat()
        var otherStatus = stat()
        guard stat(path, &status) == 0, stat(other, &otherStatus) == 0 else { return false }
        return status.st_dev == otherStatus.st_dev && status.st_ino == otherStatus.st_ino
    }

    /// Whether there is a file of more than 0 bytes at a path.
    package static func hasContent(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    /// Makes an empty file that only its owner may read and write, unless there is a file.
    ///
    /// SQLite gives the files beside it the same permissions.
    static func create(_ path: String) throws(CacheError) {
        // O_EXCL: an existing file must not be opened here. Closing it would drop the locks that SQLite's other
        // connections in this process hold on it.
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw failure(errno, path: path)
        }
    }

    /// Makes an empty file that only its owner may read and write, and that was not there: no link is followed.
    package static func createNew(_ path: String) throws(CacheError) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw failure(errno, path: path) }
        close(descriptor)
    }

    /// The path that a URL names, or the URL's text when it names no file; see ``checkPath(_:)``.
    package static func path(of url: URL) -> String {
        url.isFileURL ? url.absoluteURL.path : url.absoluteString
    }

    /// How many bytes a cache's path may have.
    static let longestPath = 504

    /// Refuses a path that can never be a cache's.
    ///
    /// SQLite adds up to 8 bytes for the files beside it, and takes at most 512 together.
    ///
    /// - Throws: ``CacheError`` with the code `notAFile`.
    package static func checkPath(_ path: String) throws(CacheError) {
        let bytes = path.utf8
        let nameLength = bytes.reversed().prefix { $0 != UInt8(ascii: "/") }.count
        let reason: String
        if bytes.first != UInt8(ascii: "/") {
            reason = "it is not the URL of a file. Make it with URL(fileURLWithPath:)."
        } else if bytes.count > longestPath || nameLength + 8 > 255 {
            reason = "it is too long for SQLite. Choose a path of at most 504 bytes and a name of at most 247."
        } else if isLink(path), try of(path) == nil {
            reason = "it is a symbolic link to nothing. Choose another path."
        } else {
            return
        }
        var error = CacheError(.notAFile, "There can be no cache file at \(path): \(reason)")
        error.path = path
        throw error
    }

    /// Refuses what is in the place of one of SQLite's own files beside the file, and is none.
    ///
    /// A pipe there would be waited for without an end, and a link would have another file written.
    ///
    /// - Throws: ``CacheError`` with the code `notAFile`.
    static func checkCompanions(of path: String) throws(CacheError) {
        for suffix in ["-wal", "-shm", "-journal"] {
            guard let found = unfollowed(path + suffix), !found.isFile else { continue }
            var error = CacheError(
                .notAFile,
                "What is at \(path + suffix) is not a file but a link, a directory or a device. Remove it. It was not used."
            )
            error.path = path
            throw error
        }
    }

    /// The path of the file that a symbolic link leads to; the path itself when there is none, or no file.
    package static func resolved(_ path: String) -> String {
        guard isLink(path), let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Whether this process may read a file.
    static func isReadable(_ path: String) -> Bool {
        access(path, R_OK) == 0
    }

    /// The error for a call of the system that failed.
    package static func failure(_ number: Int32, path: String) -> CacheError {
        let reason = String(cString: strerror(number))
        var error =
            switch number {
            case EROFS:
                CacheError(
                    .readOnly,
                    "The cache at \(path) is on a volume that can only be read. Choose another place."
                )
            case ENOENT:
                CacheError(
                    .notAFile,
                    "There is no directory for the cache at \(path), and none can be made there. Choose another path."
                )
            case ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG:
                CacheError(
                    .notAFile,
                    "There can be no cache file at \(path): \(reason). Choose another path."
                )
            case EACCES, EPERM:
                CacheError(
                    .noPermission,
                    "The cache at \(path) may not be used. Check the permissions of its directory."
                )
            case ENOSPC, EDQUOT:
                CacheError(
                    .storeFailed,
                    "The cache at \(path) could not be made. The disk is full. Free some space, and try again."
                )
            default:
                CacheError(.storeFailed, "The cache at \(path) could not be used: \(reason).")
            }
        error.path = path
        return error
    }
}
