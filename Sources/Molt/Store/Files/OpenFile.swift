internal import Foundation

/// The identity of an open file, and the paths that led to it.
final class OpenFile: Sendable {
    private let paths: [String]
    private let device: dev_t
    private let number: ino_t

    /// The age of the watch when the path was found to lead to the file; another number while it is not watched.
    private let watchedSince = AtomicNumber(unwatched)
    private static let unwatched: CInt = -1
    private static let unwatchable: CInt = -2
    private let watching = Locked(Watching())

    private struct Watching {
        /// Checks before the path is watched; a file that is soon closed needs no watches.
        var checksLeft = 16
        var watches: [CInt] = []
    }

    /// Records which file is at a path; nil when there is none, or when the paths lead to two.
    ///
    /// - Parameter filePath: The path with links followed, after which SQLite names the log.
    init?(at path: String, openedAs filePath: String) {
        guard let (device, number) = Self.identity(of: path) else { return nil }
        paths = filePath == path ? [path] : [path, filePath]
        self.device = device
        self.number = number
        guard paths.count == 1 || isAtPath else { return nil }
    }

    deinit {
        let watches = watching.withLock { $0.watches }
        if !watches.isEmpty { PathWatch.shared?.remove(watches) }
    }

    /// Whether the paths still lead to that file; costs one system call each.
    var isAtPath: Bool {
        paths.allSatisfy { path in
            guard let (device, number) = Self.identity(of: path) else { return false }
            return device == self.device && number == self.number
        }
    }

    /// The same, faster for a file that is read often; see ``PathWatch`` for what it may miss.
    var isUndisturbed: Bool {
        let age = watchedSince.value
        if age >= 0, PathWatch.shared?.isUnchanged(since: age) == true { return true }
        if age == Self.unwatchable || paths.count > 1 { return isAtPath }
        return watching.withLock { isAtPath(&$0) }
    }

    private func isAtPath(_ state: inout Watching) -> Bool {
        guard state.checksLeft == 0 else {
            state.checksLeft -= 1
            return isAtPath
        }
        guard let watch = PathWatch.shared else {
            watchedSince.value = Self.unwatchable
            return isAtPath
        }
        let age = watch.currentAge()
        if age == watchedSince.value { return true }
        // Watched before it is checked, so that no change between the two is missed. The directories may be others now.
        let watches = watch.add(paths[0])
        watch.remove(state.watches)
        state.watches = watches ?? []
        guard isAtPath else {
            watchedSince.value = Self.unwatched
            return false
        }
        watchedSince.value = watches == nil ? Self.unwatchable : age
        return true
    }

    private static func identity(of path: String) -> (dev_t, ino_t)? {
        var status = stat()
        return stat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
    }
}
