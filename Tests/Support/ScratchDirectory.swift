package import Foundation

/// A directory for one test; removed when the test lets go of it.
package final class ScratchDirectory: Sendable {
    /// The directory.
    package let url: URL

    /// Makes a directory that no other test has.
    ///
    /// - Parameter parent: Where it is made; nil for among the system's temporary directories.
    package init(in parent: URL? = nil) throws {
        url = (parent ?? FileManager.default.temporaryDirectory)
            .appending(path: "molt-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Makes a directory that is there for a closure.
    package static func with<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let scratch = try ScratchDirectory()
        return try withExtendedLifetime(scratch) { try body(scratch.url) }
    }

    /// A file in the directory; by default the one that a test is about.
    package func file(_ name: String = "cache.molt") -> URL {
        url.appending(path: name, directoryHint: .notDirectory)
    }

    /// The names of the files in the directory, sorted.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }
}
