internal import Foundation
internal import Molt

/// Copies a file or a whole directory with the files' modification times; does nothing if neither exists.
enum DirectoryCopy {
    /// Copies the path to a new path.
    ///
    /// - Throws: ``TestingError`` with the code `unreadable` or `unwritable`.
    static func make(of path: String, at copy: String) throws {
        let (source, target) = (URL(fileURLWithPath: path), URL(fileURLWithPath: copy))
        // Resolved because an app may pass the path of a link.
        let resolved = source.resolvingSymlinksInPath()
        guard let status = FileStatus.unfollowed(resolved.path) else { return }
        guard status.isDirectory else { return try copyFile(resolved, status, to: target) }
        do {
            try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
            for name in try FileManager.default.subpathsOfDirectory(atPath: resolved.path).sorted() {
                let from = resolved.appending(path: name, directoryHint: .notDirectory)
                let to = target.appending(path: name, directoryHint: .notDirectory)
                guard let status = FileStatus.unfollowed(from.path) else { continue }
                if status.isDirectory {
                    try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
                } else {
                    try copyFile(from, status, to: to)
                }
            }
        } catch let error as TestingError {
            throw error
        } catch {
            throw TestingError(.unreadable, "The directory cannot be copied.", file: source, underlying: error)
        }
    }

    private static func copyFile(_ source: URL, _ status: FileStatus, to target: URL) throws {
        guard status.isFile else {
            // The copy of a link has the same destination. Other special files have no bytes to copy.
            guard let destination = try? FileManager.default.destinationOfSymbolicLink(atPath: source.path) else {
                return
            }
            return try FileManager.default.createSymbolicLink(atPath: target.path, withDestinationPath: destination)
        }
        let content: Data
        do {
            content = try Data(contentsOf: source)
        } catch {
            throw TestingError(.unreadable, "The file cannot be copied.", file: source, underlying: error)
        }
        try FileTime.write(content, to: target, modified: status.modified)
    }
}
