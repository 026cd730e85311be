internal import Foundation

/// The identity of an open file, and the paths that led to it.
struct OpenFile: Sendable {
    private let paths: [String]
    private let device: dev_t
    private let number: ino_t

    /// Records which file is at a path; nil when there is none, or when the paths lead to two.
    ///
    /// - Parameter filePath: The path with links followed, after which SQLite names the log.
    init?(at path: String, openedAs filePath: String) {
        guard let (device, number) = Self.identity(of: path) else { return nil }
        paths = filePath == path ? [path] : [path, filePath]
        self.device = device
        self.number = number
        guard paths.count == 1 || isInPlace else { return nil }
    }

    /// Whether the paths still lead to that file; costs one system call each.
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
