package import Foundation

/// The locks that this process holds on the files of a directory.
///
/// The table of all processes, `/proc/locks`, is of no use here: the system gives it in pieces, and leaves out a lock
/// if another process releases one meanwhile.
package enum FileLocks {
    private static let descriptors = "/proc/self/fd"

    /// Whether the system lists locks.
    package static let areListed = FileManager.default.fileExists(atPath: "/proc/self/fdinfo")

    /// The locks on a directory and on what is in it, one line each; empty if the system does not list them.
    package static func held(in directory: URL) throws -> [String] {
        guard areListed, let place = realpath(directory.path, nil) else { return [] }
        defer { free(place) }
        let root = String(cString: place)
        return try FileManager.default.contentsOfDirectory(atPath: descriptors).flatMap { number -> [String] in
            // Another thread may close the descriptor meanwhile.
            guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(number)"),
                path == root || path.hasPrefix(root + "/"),
                let info = try? String(contentsOfFile: "/proc/self/fdinfo/\(number)", encoding: .utf8)
            else { return [] }
            // For example "lock: 1: POSIX  ADVISORY  WRITE 9973 fe:00:16220244 0 EOF".
            return info.split(separator: "\n").filter { $0.hasPrefix("lock:") }.map { "\(path): \($0)" }
        }
    }
}
