internal import Foundation

/// A directory of Cache as an attached store: a step reads it, and its files are removed after the commit.
struct CacheDirectoryStore: DirectoryAttachedStore {
    let attachedName: String
    /// The path of the directory; it changes between launches where the system moves the app's container.
    private(set) var path: String

    /// - Parameter migration: The name of the migration that adopts the directory. It must never change.
    init(migration: String, path: String) {
        attachedName = "the Cache directory of \"\(migration)\""
        self.path = path
    }

    func standIn(at path: String) -> CacheDirectoryStore {
        var store = self
        store.path = path
        return store
    }

    func unavailability(_ circumstances: AttachedCircumstances) -> String? {
        guard circumstances.role == .appExtension, FileStatus.unfollowed(path) == nil else { return nil }
        return "There is no directory at \(path); an app extension cannot access the app's directories. Open the store "
            + "in the app first."
    }

    func begin() throws -> CacheDirectorySession {
        try CacheDirectorySession(self)
    }

    func apply(_ changes: [UInt8], _ phase: AttachedPhase) {
        guard phase == .remove else { return }
        // Changes that cannot be decoded are of another release; the files then stay.
        for file in (try? JSONDecoder().decode([CacheDirectoryFile].self, fromStored: Data(changes))) ?? [] {
            let place = path + "/" + file.name
            // The file was modified since, so its content was not adopted.
            guard CacheDirectoryFile(name: file.name, at: place) == file else { continue }
            // A failure must not keep the store from being opened, and loses nothing: the content was adopted.
            _ = unlink(place)
        }
        // Fails by design when the directory is not empty.
        _ = rmdir(path)
    }

    fileprivate func failure(_ message: String, underlying: (any Error)? = nil) -> MoltError {
        var error = MoltError(.attachedStoreFailed, message, underlying: underlying)
        error.attachedStore = attachedName
        return error
    }
}

/// One upgrade's work on a directory of Cache: its files, and which of them to remove.
final class CacheDirectorySession: AttachedSession {
    /// The sorted names of the files, without those that begin with a dot; nil when there is no directory.
    let names: [String]?
    /// The path of the directory; a test may use a copy elsewhere.
    let path: String
    private var removed: [CacheDirectoryFile] = []

    init(_ store: CacheDirectoryStore) throws {
        path = store.path
        guard path.hasPrefix("/") else {
            throw store.failure("\(path) is not the URL of a directory. Make it with URL(filePath:).")
        }
        do {
            // The names of Cache's own temporary files begin with a dot.
            names =
                try FileStatus.of(path) == nil
                ? nil : FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasPrefix(".") }.sorted()
        } catch {
            throw store.failure(
                "\(path) cannot be read. Check its permissions, and that it is a directory.",
                underlying: error
            )
        }
    }

    var count: Int { (names?.count ?? 0) - removed.count }

    /// Marks a file for removal after the commit.
    func remove(_ file: CacheDirectoryFile) {
        removed.append(file)
    }

    func finish() throws -> [UInt8]? {
        removed.isEmpty ? nil : Array(try JSONEncoder().encode(removed))
    }
}

/// A file of a directory, with the size and time that show whether it was modified.
struct CacheDirectoryFile: Hashable, Codable {
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
