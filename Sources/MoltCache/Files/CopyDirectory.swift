package import Foundation
package import MoltCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A directory, for its owner only, that holds a copy of a store for a while and is removed with this object.
///
/// A copy of users' data must not outlive a kill. The directory is locked while it is in use, so that the next one with
/// the same prefix can tell what a killed process has left from what is in use, and remove it.
package final class CopyDirectory {
    package let url: URL
    private let descriptor: Int32

    /// Makes a directory, and removes those that killed processes have left.
    ///
    /// - Parameter prefix: The beginning of the name, which says what the copy is for.
    package init(prefix: String, in directory: URL) throws(DurableFile.Failure) {
        Self.removeLeftovers(in: directory, prefix: prefix)
        for _ in 0..<100 {
            let url = directory.appending(path: prefix + UUID().uuidString, directoryHint: .isDirectory)
            guard mkdir(url.path, S_IRWXU) == 0 else { throw DurableFile.Failure(number: errno) }
            let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else {
                guard errno == ENOENT else { throw DurableFile.Failure(number: errno) }
                continue
            }
            // Some network file systems lock nothing; there a kill leaves what it leaves.
            let isLost = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            if !isLost, Self.isAt(url.path, descriptor) {
                self.url = url
                self.descriptor = descriptor
                return
            }
            // Between the calls another one took it for what a kill has left.
            close(descriptor)
            rmdir(url.path)
        }
        throw DurableFile.Failure(number: EAGAIN)
    }

    deinit {
        // What cannot be removed now, the next one removes.
        try? FileManager.default.removeItem(at: url)
        close(descriptor)
    }

    private static func removeLeftovers(in directory: URL, prefix: String) {
        // A directory that cannot be listed has nothing that could be removed.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil
        {
            let url = directory.appending(path: name)
            let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            // What is another user's is left to that user's next one.
            guard isOurs(descriptor), flock(descriptor, LOCK_EX | LOCK_NB) == 0, isAt(url.path, descriptor) else {
                continue
            }
            try? FileManager.default.removeItem(at: url)
        }
    }

    /// Whether a path still leads to a directory that is open.
    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var open = stat()
        var found = stat()
        guard fstat(descriptor, &open) == 0, lstat(path, &found) == 0 else { return false }
        return open.st_dev == found.st_dev && open.st_ino == found.st_ino
    }

    private static func isOurs(_ descriptor: Int32) -> Bool {
        var open = stat()
        return fstat(descriptor, &open) == 0 && open.st_uid == geteuid()
    }
}
