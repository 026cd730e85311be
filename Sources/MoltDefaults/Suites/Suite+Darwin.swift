#if canImport(Darwin)
    internal import Foundation
    internal import MoltCore

    /// The places of a suite on Apple's systems, and the app's right to use it.
    extension Suite {
        /// The directory of the app group; nil for other suites, and for a group that the app is not entitled to.
        ///
        /// macOS returns a directory for any name, and asks the user when an app opens one that is not its own. It is
        /// therefore asked only about names of app groups.
        private var groupDirectory: URL? {
            guard hasGroupName, let name else { return nil }
            return FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name)
        }

        /// The directory for Molt's files beside the suite, which all apps that share the suite can write.
        ///
        /// On tvOS, apps can write only directories of caches. The system may empty them while the app is not running.
        var supportDirectory: URL? {
            #if os(tvOS)
                let (path, place) = ("Library/Caches", FileManager.SearchPathDirectory.cachesDirectory)
            #else
                let (path, place) = (
                    "Library/Application Support", FileManager.SearchPathDirectory.applicationSupportDirectory
                )
            #endif
            if let groupDirectory { return groupDirectory.appending(path: path, directoryHint: .isDirectory) }
            return FileManager.default.urls(for: place, in: .userDomainMask).first
        }

        /// The file in which the system keeps the suite; Molt only checks whether it exists and can be opened.
        var preferencesPath: String {
            let home = groupDirectory ?? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
            return home.appending(path: "Library/Preferences/\(domainName).plist").path
        }

        /// Why the app cannot use the suite, in a sentence; nil if it can.
        ///
        /// The answer involves another process, and does not change while the app runs, so it is remembered.
        var accessFault: String? {
            guard let name, !Self.usableNames.withLock({ $0.contains(name) }) else { return nil }
            // The system does not return a suite with the app's own name; reads would miss its values.
            guard name != Bundle.main.bundleIdentifier, UserDefaults(suiteName: name) != nil else {
                return "the system does not give it out. For the app's own settings, use Suite.standard."
            }
            // macOS reports no missing entitlement.
            guard !name.hasPrefix("group.") || groupDirectory != nil else {
                return "the app is not entitled to the group. Add it to the app groups of the target's capabilities."
            }
            Self.usableNames.withLock { _ = $0.insert(name) }
            return nil
        }

        private static let usableNames = Locked<Set<String>>([])

        /// Whether this process has read settings in the domain.
        var hasSeenSettings: Bool { Self.seenDomains.withLock { $0.contains(domainName) } }

        func noteSettings() {
            Self.seenDomains.withLock { _ = $0.insert(domainName) }
        }

        private static let seenDomains = Locked<Set<String>>([])
    }
#endif
