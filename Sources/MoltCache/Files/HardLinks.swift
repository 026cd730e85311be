internal import Foundation
internal import MoltPlatform

/// Ensures that a cache file has only one name.
///
/// SQLite names the log after the file. Two processes that open one file by two names have two logs, and each
/// overwrites the other's commits (sqlite.org/howtocorrupt.html, section 2.5).
enum HardLinks {
    /// Refuses a file that has another name.
    ///
    /// - Throws: ``CacheError`` with the code `hardLinked`.
    static func check(_ path: String) throws(CacheError) {
        let path = FileStatus.resolved(path)
        var count = 0
        // A temporary name of Molt's own may have disappeared since it was counted.
        for _ in 0..<3 {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1 else { return }
            count = Int(status.st_nlink)
            let own = BackupFiles(path).temporaryPaths().count { FileStatus.isSame($0, path) }
            guard count - own > 1 else { return }
        }
        throw CacheError(
            .hardLinked,
            "The file at \(path) has \(count) hard links. A process that opens it by another name has another "
                + "log, and the two lose each other's writes. Remove the other names, or put a copy of the file in its "
                + "place. Nothing was changed.",
            path: path
        )
    }
}
