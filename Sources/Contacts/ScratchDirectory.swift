internal import Foundation

enum ScratchDirectory {
    /// Creates the directory of this process; on Linux it also holds the files of `UserDefaults`.
    ///
    /// Foundation on Linux reads `XDG_CONFIG_HOME` when it is loaded. The process therefore sets it and executes itself
    /// again, with the same process id.
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
        // A killed process with the same id may have left a directory.
        try? FileManager.default.removeItem(at: url)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        return url
    }
}
