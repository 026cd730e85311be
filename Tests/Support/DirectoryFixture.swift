package import Foundation
internal import Molt
internal import MoltTesting

/// The files of a directory, with their modification times to the nanosecond.
///
/// The library Cache stores the expiry of an entry in its file's modification time. A tar archive keeps these times
/// when it is made with `tar --format=pax`.
package struct DirectoryFixture: Hashable, Sendable {
    package struct File: Hashable, Sendable {
        /// The path relative to the directory.
        package var name: String
        package var content: Data
        /// The modification time, in nanoseconds since 1970.
        package var modified: Int64

        package init(_ name: String, _ content: Data, modified: Int64) {
            self.name = name
            self.content = content
            self.modified = modified
        }
    }

    /// The files, sorted by the bytes of their names.
    package private(set) var files: [File]

    package init(_ files: [File]) {
        self.files = files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Reads a directory and its subdirectories.
    package init(contentsOf directory: URL) throws {
        var files: [File] = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            let url = directory.appending(path: name, directoryHint: .notDirectory)
            guard let status = FileStatus.unfollowed(url.path) else { throw CocoaError(.fileReadUnknown) }
            if status.isDirectory { continue }
            files.append(File(name, try Data(contentsOf: url), modified: status.modified))
        }
        self.init(files)
    }

    /// Reads a directory from an archive.
    package init(tar url: URL, directory: String) throws {
        let prefix = directory + "/"
        let files = try Self.archived(Data(contentsOf: url)).filter { $0.name.hasPrefix(prefix) }
        self.init(files.map { File(String($0.name.dropFirst(prefix.count)), $0.content, modified: $0.modified) })
    }

    /// Reads the files of an archive, which has blocks of 512 bytes: headers and contents (POSIX.1-2017, "pax").
    private static func archived(_ archive: Data) throws -> [File] {
        var files: [File] = []
        var time: Int64?
        var offset = 0
        func field(_ start: Int, _ length: Int) -> String {
            String(decoding: archive[offset + start..<offset + start + length].prefix { $0 != 0 }, as: UTF8.self)
        }
        // Blocks of zeros end the archive.
        while offset + 512 <= archive.count, archive[offset] != 0 {
            guard let size = Int(field(124, 12), radix: 8), let seconds = Int64(field(136, 12), radix: 8),
                offset + 512 + size <= archive.count
            else { throw CocoaError(.fileReadCorruptFile) }
            let content = archive[offset + 512..<offset + 512 + size]
            switch archive[offset + 156] {
            case UInt8(ascii: "x"):
                time = nanoseconds(inHeader: String(decoding: content, as: UTF8.self))
            case UInt8(ascii: "0"):
                files.append(File(field(0, 100), Data(content), modified: time ?? seconds * 1_000_000_000))
                time = nil
            default:
                time = nil
            }
            offset += 512 + (size + 511) / 512 * 512
        }
        return files
    }

    /// Finds a time that is not in whole seconds, such as "30 mtime=1795250694.579523\n", in an extended header.
    private static func nanoseconds(inHeader header: String) -> Int64? {
        guard let match = header.firstMatch(of: #/ mtime=([0-9]+)\.([0-9]{1,9})\n/#) else { return nil }
        return Int64(match.1 + match.2 + String(repeating: "0", count: 9 - match.2.count))
    }

    /// Writes the files with their times into a directory, which is created if needed.
    ///
    /// - Throws: `TestingError` with the code `fileExists` for an existing file, or `unwritable`.
    package func write(to directory: URL) throws {
        for file in files {
            let url = directory.appending(path: file.name, directoryHint: .notDirectory)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try FileTime.write(file.content, to: url, modified: file.modified)
        }
    }
}
