internal import Foundation

/// A directory for the files of one run.
enum ScratchDirectory {
    /// Creates the directory of this process, where `UserDefaults` for Linux has its files, too.
    ///
    /// Foundation for Linux reads `XDG_CONFIG_HOME` when it is loaded, so the process starts itself again, under the
    /// same id, with that variable.
    static func create() throws -> URL {
        let name = "contacts-\(ProcessInfo.processInfo.processIdentifier)"
        let url = FileManager.default.temporaryDirectory.appending(path: name, directoryHint: .isDirectory)
        #if os(Linux)
            if ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"] != url.path {
                setenv("XDG_CONFIG_HOME", url.path, 1)
                execv("/proc/self/exe", CommandLine.unsafeArgv)
                throw ContactsError("The command cannot start itself again: \(String(cString: strerror(errno))).")
            }
        #endif
        // A process of the same id that was killed may have left it.
        try? FileManager.default.removeItem(at: url)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        return url
    }
}
