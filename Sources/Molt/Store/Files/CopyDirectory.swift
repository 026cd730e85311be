package import Foundation

/// A private directory for a temporary copy of a store; it is removed with this object.
///
/// A copy of users' data must not outlive a kill for long. The directory is locked while it is in use, so the next one
/// for the same purpose recognizes and removes what a killed process left, and so does the erasing of deleted records.
package final class CopyDirectory: Sendable {
    /// The purpose of a copy; the directory's name begins with it.
    package enum Purpose: String, CaseIterable {
        case dryRun = "dry run"
        case `import`, export, salvage, fixture

        fileprivate var prefix: String { "molt-\(rawValue.split(separator: " ").joined(separator: "-"))-" }
    }

    package let url: URL
    private let lock: FileLock

    /// Creates a directory in the system's temporary directory, and removes those left by killed processes.
    ///
    /// - Parameter removesLeftovers: Whether to look for directories that killed processes have left.
    /// - Throws: ``DurableFile/Failure``; ``MoltError`` with the code `suspended`.
    package init(for purpose: Purpose, removesLeftovers: Bool = true) throws {
        if removesLeftovers { Self.removeLeftovers(of: [purpose]) }
        let directory = Self.parent
        let name = purpose.prefix + UUID().uuidString
        url = directory.appending(path: name, directoryHint: .isDirectory)
        // It gets its name once it is locked: before that, another process would take it for a leftover.
        let unnamed = directory.appending(path: name + ".new", directoryHint: .isDirectory).path
        guard mkdir(unnamed, S_IRWXU) == 0 else { throw DurableFile.Failure(number: errno) }
        do {
            lock = try FileLock(directory: unnamed) {}
            guard rename(unnamed, url.path) == 0 else { throw DurableFile.Failure(number: errno) }
        } catch {
            rmdir(unnamed)
            throw error
        }
    }

    deinit {
        // On failure, the next directory for the purpose removes it.
        try? FileManager.default.removeItem(at: url)
    }

    package static var parent: URL { FileManager.default.temporaryDirectory }

    /// Removes the directories that killed processes have left.
    ///
    /// - Returns: The paths of those that cannot be removed.
    @discardableResult
    package static func removeLeftovers(of purposes: [Purpose]) -> [String] {
        let directory = parent
        var remaining: [String] = []
        // Nothing can be removed from a directory that cannot be listed.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where purposes.contains(where: { isName(name, for: $0) }) {
            let path = directory.appending(path: name).path
            // A directory in use is locked.
            guard let lock = try? FileLock(directory: path, waiting: { throw DurableFile.Failure(number: EAGAIN) })
            else { continue }
            do { try FileManager.default.removeItem(atPath: path) } catch { remaining.append(path) }
            _ = consume lock
        }
        return remaining
    }

    private static func isName(_ name: String, for purpose: Purpose) -> Bool {
        name.hasPrefix(purpose.prefix) && UUID(uuidString: String(name.dropFirst(purpose.prefix.count))) != nil
    }
}
