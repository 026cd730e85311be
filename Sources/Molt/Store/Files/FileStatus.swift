package import Foundation

/// The file system's status of a path, symbolic links followed.
package struct FileStatus: Equatable {
    package let isFile: Bool
    package let isDirectory: Bool
    package let size: Int
    /// The modification time in nanoseconds since 1970.
    package let modified: Int64
    /// The inode number.
    let number: UInt64

    /// Reads the status of a path; nil when nothing is there.
    ///
    /// - Throws: ``MoltError`` with the code `noPermission`.
    package static func of(_ path: String) throws(MoltError) -> FileStatus? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw failure(errno, path: path)
        }
        return FileStatus(status)
    }

    /// Reads the status of a path without following a symbolic link; nil on any failure.
    package static func unfollowed(_ path: String) -> FileStatus? {
        var status = stat()
        return lstat(path, &status) == 0 ? FileStatus(status) : nil
    }

    /// Whether nothing is at a path; false if that cannot be found out.
    static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }

    private init(_ status: stat) {
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        isFile = status.st_mode & S_IFMT == S_IFREG
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        size = Int(clamping: status.st_size)
        // Clamped: times before 1677 and after 2262 overflow 64 bits. Cache sets the time to the expiry of an entry,
        // which may be `Date.distantFuture`.
        let (seconds, isFarOff) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLast) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
        modified = isFarOff || isLast ? (time.tv_sec < 0 ? .min : .max) : sum
        number = UInt64(status.st_ino)
    }

    package static func hasContent(_ path: String) -> Bool { (try? of(path))?.size ?? 0 > 0 }

    /// Creates an empty file that only its owner may read and write; SQLite gives the files beside it the same rights.
    ///
    /// - Parameter mayExist: Whether an existing file is left as it is; otherwise it is an error. No link is followed.
    package static func create(_ path: String, mayExist: Bool = false) throws(MoltError) {
        // O_EXCL: opening and closing an existing file would drop the locks that SQLite's other connections in this
        // process hold on it.
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST || !mayExist {
            throw failure(errno, path: path)
        }
    }

    /// The path of a file URL, or the string of any other URL; see ``checkPath(_:)``.
    package static func path(of url: URL) -> String {
        url.isFileURL ? url.absoluteURL.path : url.absoluteString
    }

    /// The maximum length of a cache's path, in bytes.
    static let longestPath = 504

    /// Refuses a path that can never be a cache's.
    ///
    /// SQLite appends up to 8 bytes for the files beside it, and accepts at most 512 in total.
    ///
    /// - Throws: ``MoltError`` with the code `notAFile`.
    package static func checkPath(_ path: String) throws(MoltError) {
        let bytes = path.utf8
        let nameLength = bytes.reversed().prefix { $0 != UInt8(ascii: "/") }.count
        let (reason, advice): (String, String)
        if bytes.first != UInt8(ascii: "/") {
            (reason, advice) = ("it is not the URL of a file.", "Make it with `URL(filePath:)`.")
        } else if bytes.count > longestPath || nameLength + 8 > 255 {
            reason = "it is too long for SQLite."
            advice = "Choose a path of at most 504 bytes and a name of at most 247."
        } else if isLink(path), try of(path) == nil {
            (reason, advice) = ("it is a dangling symbolic link.", "Choose another path.")
        } else {
            return
        }
        throw MoltError(
            .notAFile,
            "The path \(path) cannot be used for a cache: \(reason)",
            advice: advice,
            store: path
        )
    }

    /// The target of a symbolic link; the path itself when it is no link, or the target is missing.
    @inline(never)
    package static func resolved(_ path: String) -> String {
        guard isLink(path), let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    package static func failure(_ number: Int32, path: String) -> MoltError {
        let reason = String(cString: strerror(number))
        func error(_ code: MoltError.Code, _ problem: String, _ advice: String? = nil) -> MoltError {
            MoltError(code, problem, advice: advice, store: path)
        }
        func storeFailed(_ problem: String, _ advice: String? = nil) -> MoltError {
            let cause = DurableFile.Failure(number: number)
            return MoltError(.storeFailed, problem, advice: advice, store: path, underlying: cause)
        }
        return switch number {
        case EROFS:
            error(.readOnly, "The cache at \(path) is on a read-only volume.", "Choose another directory.")
        case ENOENT:
            error(
                .notAFile,
                "There is no directory for the cache at \(path), and none can be created there.",
                "Choose another path."
            )
        case ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG:
            error(.notAFile, "The path \(path) cannot be used for a cache: \(reason).", "Choose another path.")
        case EPERM:
            error(
                .noPermission,
                "The cache at \(path) is not accessible. \(SQLiteError.refusal.problem)",
                SQLiteError.refusal.advice
            )
        case EACCES:
            error(.noPermission, "The cache at \(path) is not accessible.", "Check the permissions of its directory.")
        case ENOSPC, EDQUOT:
            storeFailed("The cache at \(path) cannot be created. The disk is full.", "Free some space, and try again.")
        case DurableFile.Failure.suspended.number:
            MoltError(SQLiteError.suspended, store: path)
        default:
            storeFailed("The cache at \(path) cannot be used: \(reason).")
        }
    }
}
