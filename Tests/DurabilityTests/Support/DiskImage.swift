import Foundation

/// All files of a test, except for the shared memory of SQLite ("-shm").
struct DiskImage {
    /// The content of each file by its path.
    var files: [String: [UInt8]] = [:]
    var directories: Set<String> = []

    init() {}

    /// Reads the current files.
    init(of place: TestPlace) throws {
        for path in try place.paths() where !path.hasSuffix("-shm") {
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { continue }
            if isDirectory.boolValue {
                directories.insert(path)
            } else {
                files[path] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            }
        }
    }

    /// A hash of all files; an array hashes its bytes one by one, which is slow in a debug build.
    var digest: Int {
        var hasher = Hasher()
        for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
            hasher.combine(path)
            hasher.combine(bytes.count)
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        hasher.combine(directories)
        return hasher.finalize()
    }

    /// Replaces all files of a place with those of the image.
    ///
    /// - Parameter memory: The content of the file that SQLite uses as shared memory; nil for no file.
    func restore(to place: TestPlace, memory: [UInt8]? = nil) throws {
        place.remove()
        for directory in directories.sorted() { mkdir(directory, 0o700) }
        for (path, bytes) in files { try Self.write(bytes, to: path) }
        if let memory, files[place.cache.path] != nil { try Self.write(memory, to: place.cache.path + "-shm") }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        var written = 0
        try bytes.withUnsafeBytes { bytes in
            while written < bytes.count {
                let count = writeBytes(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                guard count > 0 else { throw CocoaError(.fileWriteUnknown) }
                written += count
            }
        }
    }
}

private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
