internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A file that is open, and the paths that led to it.
struct OpenFile: Sendable {
    private let paths: [String]
    private let device: dev_t
    private let number: ino_t

    /// Remembers which file is at a path; nil when none is.
    ///
    /// - Parameter filePath: The path with links followed, by which SQLite names the log beside the file.
    init?(at path: String, openedAs filePath: String) {
        guard let (device, number) = Self.identity(of: path) else { return nil }
        paths = filePath == path ? [path] : [path, filePath]
        self.device = device
        self.number = number
    }

    /// Whether the paths still lead to that file: it was neither removed, moved nor replaced.
    ///
    /// This is one call to the system for each.
    var isInPlace: Bool {
        paths.allSatisfy { path in
            guard let (device, number) = Self.identity(of: path) else { return false }
            return device == self.device && number == self.number
        }
    }

    private static func identity(of path: String) -> (dev_t, ino_t)? {
        var status = stat()
        return stat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
    }
}
