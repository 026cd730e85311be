internal import Foundation

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
