internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Directories that a loss of power does not take back, and with them all that was synced into them.
package enum DurableDirectory {
    /// Makes a directory, and those above it that are missing, for their owner only.
    ///
    /// What is synced in a new directory is lost with the directory, as long as its own name is not on disk.
    package static func make(at path: String) throws(DurableFile.Failure) {
        var missing: [String] = []
        var current = path as NSString
        while current.length > 1, access(current as String, F_OK) != 0, errno == ENOENT {
            missing.append(current as String)
            current = current.deletingLastPathComponent as NSString
        }
        for directory in missing.reversed() {
            // Another process may make it, too.
            guard mkdir(directory, S_IRWXU) == 0 || errno == EEXIST else { throw DurableFile.Failure(number: errno) }
        }
        for directory in missing { DiskSync.directory((directory as NSString).deletingLastPathComponent) }
    }
}
