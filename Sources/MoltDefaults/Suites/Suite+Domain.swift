internal import Foundation

#if canImport(Darwin)
    internal import Synchronization
#endif

extension Suite {
    /// The name of the domain that holds the settings.
    ///
    /// For ``standard`` that is the bundle identifier on Apple platforms, or the process name where there is none, and
    /// always the process name on Linux.
    public var domainName: String {
        if let name { return name }
        #if canImport(Darwin)
            return Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        #else
            return ProcessInfo.processInfo.processName
        #endif
    }

    /// Whether both keep their settings in the same domain, by its name.
    public func isSameDomain(as other: Suite) -> Bool {
        domainName == other.domainName
    }

    /// Checks that there can be such a suite, and that this app may use it.
    ///
    /// - Throws: ``DefaultsError`` with the code `invalidSuite`: an empty name, that of the settings of all apps, the
    ///   app's own name given as that of a suite on Apple platforms, a group that the app is not entitled to where the
    ///   platform says so, and on Linux what is no file's name.
    public func validate() throws(DefaultsError) {
        if let fault = nameFault {
            throw DefaultsError(.invalidSuite, "There can be no suite of the name \"\(self)\": \(fault)").of(
                suite: self
            )
        }
    }

    private var nameFault: String? {
        let domainName = domainName
        if domainName.isEmpty { return "the name is empty." }
        if domainName.utf8.contains(0) { return "the name has a NUL in it." }
        if Self.reservedNames.contains(domainName) { return "these are the settings of all apps. Choose another name." }
        #if canImport(Darwin)
            guard let name else { return nil }
            // A suite of the app's own name is not given out: reads would miss it.
            guard UserDefaults(suiteName: name) != nil, name != Bundle.main.bundleIdentifier else {
                return "the system does not give it out. For the app's own settings, use Suite.standard."
            }
            // macOS names a directory for any group; the others only for one that the app is entitled to.
            guard !name.hasPrefix("group.") || Self.isEntitled(toGroup: name) else {
                return "the app is not entitled to the group. Add it to the app groups of the target's capabilities."
            }
            return nil
        #else
            // The name is a file's, and UserDefaults would follow it out of the directory.
            if domainName.contains("/") || domainName == "." || domainName == ".." {
                return "it must be a file's name, without directories."
            }
            if domainName.utf8.count > Self.longestName {
                return "it is longer than \(Self.longestName) bytes."
            }
            return nil
        #endif
    }

    #if canImport(Darwin)
        /// Whether the system gives out the group's directory, which it asks another process for.
        private static func isEntitled(toGroup name: String) -> Bool {
            if entitledGroups.withLock({ $0.contains(name) }) { return true }
            guard FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name) != nil else {
                return false
            }
            entitledGroups.withLock { _ = $0.insert(name) }
            return true
        }

        /// The groups that it was asked for; what an app is entitled to does not change while it runs.
        private static let entitledGroups = Mutex<Set<String>>([])
    #endif

    private static let reservedNames: Set<String> = [
        UserDefaults.globalDomain, "Apple Global Domain", ".GlobalPreferences", UserDefaults.argumentDomain,
        UserDefaults.registrationDomain, "kCFPreferencesAnyApplication", "kCFPreferencesCurrentApplication",
    ]

    /// In bytes; a file system takes 255, of which temporary files' names need some.
    private static let longestName = 220

    /// Access through the library.
    ///
    /// `UserDefaults` is not `Sendable` on Linux, so that one is made for each use and none is kept. All of one name
    /// share the settings, which the library guards by a lock.
    func makeDefaults() throws(DefaultsError) -> UserDefaults {
        guard let name else { return .standard }
        guard let defaults = UserDefaults(suiteName: name) else {
            throw DefaultsError(.invalidSuite, "The system does not give out the suite \"\(name)\".").of(suite: self)
        }
        return defaults
    }
}
