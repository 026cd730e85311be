package import Foundation

/// A new, empty directory for files that are not kept.
package struct ScratchDirectory: Sendable {
    /// The directory.
    package let url: URL

    /// Makes the directory among the system's temporary ones.
    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "contacts-\(UUID().uuidString)",
            directoryHint: .isDirectory
        )
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
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
