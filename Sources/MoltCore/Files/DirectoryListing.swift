internal import Foundation

/// What is in a directory.
package enum DirectoryListing {
    /// The names of all that is in a directory; none when there is no such directory.
    ///
    /// - Throws: The system's error when it cannot be listed, as where only its files may be used.
    package static func names(in directory: String) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return []
        }
    }
}
