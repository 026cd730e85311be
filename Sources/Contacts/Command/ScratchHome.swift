internal import Foundation

/// The place of the command's scratch directory, where Linux also keeps the suites that the command makes.
enum ScratchHome {
    /// Where the scratch directory of this process is to be made; nothing is there yet.
    static var place: URL {
        home ?? ScratchDirectory.newPlace(UUID().uuidString)
    }

    /// On Linux, starts the process again, under the same id, with its home for settings at ``place``.
    ///
    /// Foundation reads `XDG_CONFIG_HOME` when it is loaded, before any code of the command. On Apple platforms the
    /// system keeps settings where it likes, and ``SettingsSuites/remove()`` removes them.
    ///
    /// - Throws: ``ContactsError`` when the process cannot be started again.
    static func enter() throws {
        #if os(Linux)
            guard home == nil else { return }
            setenv(variable, ScratchDirectory.newPlace(prefix + UUID().uuidString).readablePath, 1)
            execv("/proc/self/exe", CommandLine.unsafeArgv)
            throw ContactsError.noHomeForSettings(errno)
        #endif
    }

    private static let variable = "XDG_CONFIG_HOME"
    /// What the name begins with; the id tells the place of this process from what it inherited.
    private static let prefix = "\(ProcessInfo.processInfo.processIdentifier)-"

    /// The home for settings that the process was given by itself; nil when it was not.
    private static var home: URL? {
        guard let path = ProcessInfo.processInfo.environment[variable] else { return nil }
        let url = URL(filePath: path, directoryHint: .isDirectory)
        return url.lastPathComponent.hasPrefix("contacts-\(prefix)") ? url : nil
    }
}
