internal import Foundation
internal import MoltDefaults
internal import MoltPlatform

/// Names for the directories and suites of copies, which contain the process identifier.
///
/// A process that crashes leaves its copies behind; the next process that makes a copy removes them.
enum TemporaryName {
    static func make() -> String {
        removeLeftovers
        return "\(prefix)\(getpid()).\(UUID().uuidString)"
    }

    private static let prefix = "molt-testing."

    /// Removes the leftovers of earlier processes, once per process.
    private static let removeLeftovers: Void = {
        let directory = FileManager.default.temporaryDirectory
        // Files that cannot be listed or removed are left to the next process.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [] {
            let url = directory.appending(path: name, directoryHint: .isDirectory)
            if isLeftover(name, suffix: nil), isOld(url) { try? FileManager.default.removeItem(at: url) }
        }
        Suite.removeFiles { isLeftover($0.lastPathComponent, suffix: ".") && isOld($0) }
    }()

    /// Whether a name is a temporary one whose process no longer exists.
    ///
    /// - Parameter suffix: The character that follows the name and begins a suffix; nil for no suffix.
    private static func isLeftover(_ name: String, suffix: Character?) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let parts = name.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
        guard suffix == nil ? parts.count == 2 : parts.count > 2 else { return false }
        guard let process = pid_t(parts[0]), process > 0, String(process) == parts[0] else { return false }
        guard let uuid = UUID(uuidString: String(parts[1])), uuid.uuidString == parts[1] else { return false }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    /// Whether a directory or file was not modified for an hour.
    ///
    /// Another container may share the directory, and its processes are not visible here.
    private static func isOld(_ url: URL) -> Bool {
        guard let status = FileTime(of: url) else { return false }
        let now = Int64(Date().timeIntervalSince1970)
        return status.modified / 1_000_000_000 < now - 3600
    }
}
