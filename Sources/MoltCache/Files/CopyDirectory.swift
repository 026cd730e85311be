package import Foundation
package import MoltCore
internal import MoltPlatform

/// A private directory for a temporary copy of a store; it is removed with this object.
///
/// A copy of users' data must not outlive a kill for long. The directory is locked while it is in use, so the next one
/// with the same prefix recognizes and removes what a killed process left.
package final class CopyDirectory {
    package let url: URL
    private let descriptor: Int32

    /// Creates a directory, and removes those left by killed processes.
    ///
    /// - Parameter prefix: The beginning of the name, for the purpose of the copy.
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
            // Some network file systems support no locks; there, a killed process's directory stays.
            let isLost = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            if !isLost, Self.isAt(url.path, descriptor) {
                self.url = url
                self.descriptor = descriptor
                return
            }
            // Another process took the directory for a leftover between the calls.
            close(descriptor)
            rmdir(url.path)
        }
        throw DurableFile.Failure(number: EAGAIN)
    }

    deinit {
        // On failure, the next directory with the prefix removes it.
        try? FileManager.default.removeItem(at: url)
        close(descriptor)
    }

    private static func removeLeftovers(in directory: URL, prefix: String) {
        // Nothing can be removed from a directory that cannot be listed.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil
        {
            let url = directory.appending(path: name)
            let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            // Directories of other users are left alone.
            guard isOurs(descriptor), flock(descriptor, LOCK_EX | LOCK_NB) == 0, isAt(url.path, descriptor) else {
                continue
            }
            try? FileManager.default.removeItem(at: url)
        }
    }

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
