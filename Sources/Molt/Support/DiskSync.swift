internal import Foundation

/// Flushes writes to disk, so that they survive a power loss.
package enum DiskSync {
    /// Syncs an open file.
    ///
    /// On Apple's systems `fsync` writes the bytes to the drive, which may hold them in its cache; `F_FULLFSYNC`
    /// flushes that cache. Volumes that do not support it get `fsync` only.
    ///
    /// - Returns: Whether it succeeded; otherwise `errno` has the reason.
    package static func file(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }

    /// Syncs the names in a directory, if its file system supports that; SQLite ignores such errors too.
    package static func directory(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = file(descriptor)
        close(descriptor)
    }

    /// Flushes the cache of a file's drive on Apple's systems; elsewhere `fsync` does so.
    ///
    /// - Important: Do not use it for a file that this process has locked: closing the file would drop the locks.
    package static func drive(of path: String) {
        #if canImport(Darwin)
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_FULLFSYNC)
            close(descriptor)
        #endif
    }
}
