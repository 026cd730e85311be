package import Foundation
internal import MoltCache
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
    ///
    /// - Throws: `TestingError` with the code `unreadable`, or `malformedFixture` for an item that is neither a file
    ///   nor a directory.
    package init(contentsOf directory: URL) throws {
        var files: [File] = []
        do {
            for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
                let url = directory.appending(path: name, directoryHint: .notDirectory)
                guard let status = FileStatus.unfollowed(url.path) else { throw CocoaError(.fileReadUnknown) }
                if status.isDirectory { continue }
                guard status.isFile else {
                    throw TestingError(.malformedFixture, "It is neither a file nor a directory.", file: url)
                }
                files.append(File(name, try Data(contentsOf: url), modified: status.modified))
            }
        } catch let error as TestingError {
            throw error
        } catch {
            throw TestingError(.unreadable, "The directory cannot be read.", file: directory, underlying: error)
        }
        self.init(files)
    }

    /// Reads a directory from a tar archive.
    ///
    /// - Parameters:
    ///   - url: The uncompressed archive, in ustar, pax or GNU format.
    ///   - directory: The path of the directory in the archive; nil for the only one with files.
    /// - Throws: `TestingError` with the code `malformedFixture`, which names the place in the archive, or
    ///   `unreadable`.
    package init(tar url: URL, directory: String? = nil) throws {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw TestingError(.unreadable, "The archive cannot be read.", file: url, underlying: error)
        }
        var reader = TarReader(Array(data), file: url)
        let archived = try reader.files()
        let found = Set(archived.map { Self.parent(of: $0.name) }).sorted()
        let names = found.map { $0.isEmpty ? "\"\"" : $0 }.joined(separator: ", ")
        guard let wanted = directory ?? (found.count == 1 ? found[0] : nil) else {
            let message =
                found.isEmpty
                ? "There is no file in the archive."
                : "The archive has files in \(names). Say which directory it is."
            throw TestingError(.malformedFixture, message, file: url)
        }
        let prefix = wanted.isEmpty || wanted.hasSuffix("/") ? wanted : wanted + "/"
        let files = archived.filter { $0.name.utf8.starts(with: prefix.utf8) }.map { file in
            let name = String(decoding: file.name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
            return File(name, file.content, modified: file.modified)
        }
        guard !files.isEmpty else {
            let message = "The archive has no files in \(wanted), only in \(names)."
            throw TestingError(.malformedFixture, message, file: url)
        }
        self.init(files)
    }

    private static func parent(of name: String) -> String {
        name.lastIndex(of: "/").map { String(name[..<$0]) } ?? ""
    }

    /// Writes the files with their times into a directory, which is created if needed.
    ///
    /// - Throws: `TestingError` with the code `fileExists` for an existing file, or `unwritable`.
    package func write(to directory: URL) throws {
        for file in files where Self.leaves(file.name) {
            throw TestingError(.unwritable, "\"\(file.name)\" is not the name of a file in a directory.")
        }
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            for file in files {
                let url = directory.appending(path: file.name, directoryHint: .notDirectory)
                let parent = url.deletingLastPathComponent()
                if file.name.contains("/") {
                    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
                }
                try FileTime.write(file.content, to: url, modified: file.modified)
            }
        } catch let error as TestingError {
            throw error
        } catch {
            throw TestingError(.unwritable, "The files cannot be written.", file: directory, underlying: error)
        }
    }

    /// Whether a name is invalid or refers to a place outside the directory.
    static func leaves(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return name.utf8.contains(0) || parts.contains { $0.isEmpty || $0 == "." || $0 == ".." }
    }
}
