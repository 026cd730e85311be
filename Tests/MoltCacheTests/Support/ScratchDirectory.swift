import Foundation

/// A directory for one test; removed when the test lets go of it.
final class ScratchDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("molt-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// A file in the directory; by default the one that a test is about.
    func file(_ name: String = "cache.molt") -> URL {
        url.appendingPathComponent(name)
    }

    /// The names of the files in the directory, sorted.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }
}
