package import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Directories that a loss of power does not take back, and with them all that was synced into them.
package enum DurableDirectory {
    /// Makes a directory, and those above it that are missing.
    ///
    /// What is synced in a new directory is lost with the directory, as long as its own name is not on disk.
    package static func make(at path: String, attributes: [FileAttributeKey: Any]? = nil) throws {
        var missing: [String] = []
        var current = path as NSString
        while current.length > 1, access(current as String, F_OK) != 0, errno == ENOENT {
            missing.append(current as String)
            current = current.deletingLastPathComponent as NSString
        }
        guard !missing.isEmpty else { return }
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: attributes
        )
        for directory in missing { DiskSync.directory((directory as NSString).deletingLastPathComponent) }
    }
}
