internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Sees to it that what was written is on disk, and that a loss of power does not take it back.
package enum DiskSync {
    /// Syncs an open file.
    ///
    /// On Apple's systems `fsync` takes the bytes to the drive, which may keep them in a memory of its own;
    /// `F_FULLFSYNC` has it write all of that down. Volumes that do not know it are left with `fsync`.
    ///
    /// - Returns: Whether it worked; `errno` says why not.
    package static func file(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }

    /// Sees to it that the names in a directory are on disk, as far as its volume can be asked for that.
    ///
    /// Some file systems cannot sync a directory, and say so; SQLite takes no notice of that either.
    package static func directory(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = file(descriptor)
        close(descriptor)
    }

    /// On Apple's systems, has the drive that a file is on write down all that it was given; elsewhere `fsync` does.
    ///
    /// - Important: Not for a file that this process has locked: closing it would drop the locks.
    package static func drive(of path: String) {
        #if canImport(Darwin)
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_FULLFSYNC)
            close(descriptor)
        #endif
    }
}
