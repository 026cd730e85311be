internal import Foundation
internal import MoltDefaults

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The names of directories and suites that this process makes for copies; they say which process has made them.
///
/// A process that crashes leaves its copies behind. The next one that makes a copy removes them.
enum TemporaryName {
    /// A name that nothing has.
    static func make() -> String {
        removeLeftovers
        return "\(prefix)\(getpid()).\(UUID().uuidString)"
    }

    private static let prefix = "molt-testing."

    /// Looks for what earlier processes have left, once in a process.
    private static let removeLeftovers: Void = {
        let directory = FileManager.default.temporaryDirectory
        // What cannot be listed or removed is left to the next process.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [] {
            let url = directory.appending(path: name, directoryHint: .isDirectory)
            if isLeftover(name, suffix: nil), isOld(url) { try? FileManager.default.removeItem(at: url) }
        }
        Suite.removeFiles { isLeftover($0.lastPathComponent, suffix: ".") && isOld($0) }
    }()

    /// Whether a name is one of ours, and its process exists no more.
    ///
    /// - Parameter suffix: What follows the name and begins an ending; nil when nothing does.
    private static func isLeftover(_ name: String, suffix: Character?) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let parts = name.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
        guard suffix == nil ? parts.count == 2 : parts.count > 2 else { return false }
        guard let process = pid_t(parts[0]), process > 0, String(process) == parts[0] else { return false }
        guard let uuid = UUID(uuidString: String(parts[1])), uuid.uuidString == parts[1] else { return false }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    /// Whether nothing was made in a directory, or written into a file, for an hour.
    ///
    /// In another container that has the same directory, processes may live that cannot be seen from here.
    private static func isOld(_ url: URL) -> Bool {
        guard let status = FileTime(of: url) else { return false }
        let now = Int64(Date().timeIntervalSince1970)
        return status.modified / 1_000_000_000 < now - 3600
    }
}
