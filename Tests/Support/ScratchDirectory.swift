package import Foundation

/// A directory for one test, removed when the object is deallocated.
package final class ScratchDirectory: Sendable {
    package let url: URL

    /// Creates a directory with a unique name.
    ///
    /// - Parameter parent: The parent directory; nil for the system's temporary directory.
    package init(in parent: URL? = nil) throws {
        url = (parent ?? FileManager.default.temporaryDirectory)
            .appending(path: "molt-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Calls a closure with a directory that exists until the closure returns.
    package static func with<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let scratch = try ScratchDirectory()
        return try withExtendedLifetime(scratch) { try body(scratch.url) }
    }

    /// Returns a file in the directory; the default is the cache file of the test.
    package func file(_ name: String = "cache.molt") -> URL {
        url.appending(path: name, directoryHint: .notDirectory)
    }

    /// Returns the sorted names of the files in the directory.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }
}
