package import Foundation
import MoltPlatform

/// The locks that any process holds on the files of a directory, by the system's own table.
package enum FileLocks {
    /// Whether the system has such a table.
    package static let areListed = FileManager.default.fileExists(atPath: "/proc/locks")

    /// The locks on a directory and on what is in it, one line each; empty if the system has no table.
    package static func held(in directory: URL) throws -> [String] {
        guard areListed else { return [] }
        // Taken first: a file that is removed meanwhile is still in the list.
        let names = ["."] + (FileManager.default.subpaths(atPath: directory.path) ?? [])
        let numbers = Dictionary(
            names.compactMap { name in inode(directory.path + "/" + name).map { ($0, name) } },
            uniquingKeysWith: { first, _ in first }
        )
        return try table().split(separator: "\n").compactMap { line -> String? in
            // For example "1: POSIX  ADVISORY  WRITE 9973 fe:00:16220244 0 EOF".
            let fields = line.split(separator: " ")
            guard fields.count > 5, let number = fields[5].split(separator: ":").last.flatMap({ UInt64($0) }),
                let name = numbers[number]
            else { return nil }
            return "\(name): \(line)"
        }
    }

    /// The table of all processes, which the system gives in pieces: Foundation reads only the first of them.
    private static func table() throws -> String {
        let descriptor = open("/proc/locks", O_RDONLY)
        guard descriptor >= 0 else { throw POSIXError(.ENOENT) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(descriptor, &piece, piece.count), count > 0 { bytes += piece[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func inode(_ path: String) -> UInt64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
    }
}
