internal import Foundation

/// A directory that a step reads, and from which it removes files after the commit.
package struct AttachedDirectory: Sendable {
    /// The unique name in journals, plans and errors; it never changes.
    package let name: String
    /// The path of the directory; it changes between launches where the system moves the app's container.
    package var path: String

    func unavailability(inExtension isExtension: Bool) -> String? {
        guard isExtension, FileStatus.unfollowed(path) == nil else { return nil }
        return "There is no directory at \(path); an app extension cannot access the app's directories. Open the store "
            + "in the app first."
    }

    /// Removes the files, except those that were modified since the step read them.
    func remove(_ files: [UInt8]) {
        // Changes that cannot be decoded are of another release; the files then stay.
        for file in (try? JSONDecoder().decode([File].self, fromStored: Data(files))) ?? [] {
            // A journal that was tampered with must not remove files elsewhere.
            guard !file.name.contains("/") else { continue }
            let filePath = path + "/" + file.name
            guard File(name: file.name, at: filePath) == file else { continue }
            // A failure must not keep the store from being opened, and loses nothing: the content was imported.
            _ = unlink(filePath)
        }
        // Fails by design when the directory is not empty.
        _ = rmdir(path)
    }

    fileprivate func failure(_ problem: String, advice: String, underlying: (any Error)? = nil) -> MoltError {
        MoltError(.suiteFailed, problem, advice: advice, suite: name, underlying: underlying)
    }
}

extension AttachedDirectory {
    /// One upgrade's work on a directory: its files, and which of them to remove.
    final class Session {
        let name: String
        /// The sorted names of the files, without those that begin with a dot; nil when there is no directory.
        let names: [String]?
        /// The path of the directory; a test may use a copy elsewhere.
        let path: String
        private var removed: [File] = []

        init(_ directory: AttachedDirectory) throws {
            name = directory.name
            path = directory.path
            guard path.hasPrefix("/") else {
                throw directory.failure(
                    "\(path) is not the URL of a directory.",
                    advice: "Make it with `URL(filePath:)`."
                )
            }
            do {
                // The names of Cache's own temporary files begin with a dot.
                names =
                    try FileStatus.of(path) == nil
                    ? nil
                    : FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasPrefix(".") }.sorted()
            } catch {
                throw directory.failure(
                    "\(path) cannot be read.",
                    advice: "Check its permissions, and that it is a directory.",
                    underlying: error
                )
            }
        }

        var count: Int { (names?.count ?? 0) - removed.count }

        /// Marks a file for removal after the commit.
        func remove(_ file: File) {
            removed.append(file)
        }

        /// The files to remove, for the journal; nil if there are none.
        func finish() throws -> [UInt8]? {
            removed.isEmpty ? nil : Array(try JSONEncoder().encode(removed))
        }
    }

    /// A file of a directory, with the size and time that show whether it was modified.
    struct File: Equatable, Codable {
        let name: String
        /// The size in bytes.
        let size: Int
        /// The modification time, in nanoseconds since 1970; Cache sets it to the expiration of the entry.
        let modified: Int64

        /// Reads a file's metadata; nil when there is no regular file at the path.
        init?(name: String, at path: String) {
            guard let status = FileStatus.unfollowed(path), status.isFile else { return nil }
            self.name = name
            size = status.size
            modified = status.modified
        }
    }
}
