internal import Foundation

/// Creates directories that survive a power loss.
package enum DurableDirectory {
    /// Creates a directory and its missing parents, accessible to their owner only.
    ///
    /// Files synced in a new directory are lost with it until its own name is on disk.
    package static func make(at path: String) throws(DurableFile.Failure) {
        var missing: [String] = []
        var current = path as NSString
        while current.length > 1, access(current as String, F_OK) != 0, errno == ENOENT {
            missing.append(current as String)
            current = current.deletingLastPathComponent as NSString
        }
        for directory in missing.reversed() {
            // Another process may create it at the same time.
            guard mkdir(directory, S_IRWXU) == 0 || errno == EEXIST else { throw DurableFile.Failure(number: errno) }
        }
        for directory in missing { DiskSync.directory((directory as NSString).deletingLastPathComponent) }
    }
}

package enum DirectoryListing {
    /// The names of a directory's entries; empty when there is no such directory.
    ///
    /// - Throws: The system's error when the directory cannot be listed, for example because only its files are
    ///   accessible.
    package static func names(in directory: String) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return []
        }
    }
}
