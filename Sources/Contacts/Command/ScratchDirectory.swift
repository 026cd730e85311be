package import Foundation

/// A new, empty directory for files that are not kept.
package struct ScratchDirectory: Sendable {
    /// The directory.
    package let url: URL

    /// Makes the directory.
    ///
    /// - Parameter url: Where nothing is yet; a new place among the system's temporary directories by default.
    package init(at url: URL = newPlace(UUID().uuidString)) throws {
        self.url = url
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// A place for a scratch directory among the system's temporary ones.
    ///
    /// - Parameter name: What no other scratch directory is named.
    package static func newPlace(_ name: String) -> URL {
        FileManager.default.temporaryDirectory.appending(path: "contacts-\(name)", directoryHint: .isDirectory)
    }

    /// A path in the directory.
    package func file(_ name: String) -> URL {
        url.appending(path: name, directoryHint: .notDirectory)
    }

    /// Deletes the directory with all that is in it.
    package func remove() {
        // What stays behind is the system's to clean up, and no reason to fail.
        try? FileManager.default.removeItem(at: url)
    }
}
