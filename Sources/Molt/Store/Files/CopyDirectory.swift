package import Foundation

/// A private directory for a temporary copy of a store; it is removed with this object.
///
/// A copy of users' data must not outlive a kill for long. The directory is locked while it is in use, so the next one
/// with the same prefix recognizes and removes what a killed process left.
package final class CopyDirectory {
    package let url: URL
    private let lock: FileLock

    /// Creates a directory, and removes those left by killed processes.
    ///
    /// - Parameter prefix: The beginning of the name, for the purpose of the copy.
    /// - Throws: ``DurableFile/Failure``; ``MoltError`` with the code `suspended`.
    package init(prefix: String, in directory: URL) throws {
        Self.removeLeftovers(in: directory, prefix: prefix)
        let name = prefix + UUID().uuidString
        url = directory.appending(path: name, directoryHint: .isDirectory)
        // It gets its name once it is locked: before that, another process would take it for a leftover.
        let unnamed = directory.appending(path: name + ".new", directoryHint: .isDirectory).path
        guard mkdir(unnamed, S_IRWXU) == 0 else { throw DurableFile.Failure(number: errno) }
        do {
            lock = try FileLock(directory: unnamed) {}
            guard rename(unnamed, url.path) == 0 else { throw DurableFile.Failure(number: errno) }
        } catch {
            rmdir(unnamed)
            throw error
        }
    }

    deinit {
        // On failure, the next directory with the prefix removes it.
        try? FileManager.default.removeItem(at: url)
    }

    private static func removeLeftovers(in directory: URL, prefix: String) {
        // Nothing can be removed from a directory that cannot be listed.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil
        {
            let path = directory.appending(path: name).path
            // A directory in use is locked.
            guard let lock = try? FileLock(directory: path, waiting: { throw DurableFile.Failure(number: EAGAIN) })
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
            _ = consume lock
        }
    }
}
