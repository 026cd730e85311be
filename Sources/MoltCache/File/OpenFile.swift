internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A file that is open, and the path that led to it.
struct OpenFile: Sendable {
    private let path: String
    private let device: dev_t
    private let number: ino_t

    /// Remembers which file is at a path, links followed; nil when none is.
    init?(at path: String) {
        guard let (device, number) = Self.identity(of: path) else { return nil }
        self.path = path
        self.device = device
        self.number = number
    }

    /// Whether the path still leads to that file: it was neither removed, moved nor replaced.
    ///
    /// This is one call to the system.
    var isInPlace: Bool {
        guard let (device, number) = Self.identity(of: path) else { return false }
        return device == self.device && number == self.number
    }

    private static func identity(of path: String) -> (dev_t, ino_t)? {
        var status = stat()
        return stat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
    }
}
