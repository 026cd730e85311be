package import Foundation

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
        let lines = try String(contentsOf: URL(fileURLWithPath: "/proc/locks"), encoding: .utf8)
            .split(separator: "\n")
        return lines.compactMap { line in
            // For example "1: POSIX  ADVISORY  WRITE 9973 fe:00:16220244 0 EOF".
            let fields = line.split(separator: " ")
            guard fields.count > 5, let number = fields[5].split(separator: ":").last.flatMap({ UInt64($0) }),
                let name = numbers[number]
            else { return nil }
            return "\(name): \(line)"
        }
    }

    private static func inode(_ path: String) -> UInt64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
    }
}
