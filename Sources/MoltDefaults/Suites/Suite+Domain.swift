internal import Foundation

#if canImport(Darwin)
    internal import Synchronization
#endif

extension Suite {
    /// The name of the domain that holds the settings.
    ///
    /// For ``standard`` this is the process name on Linux. On Apple platforms it is the bundle identifier, or the
    /// process name if there is none.
    public var domainName: String {
        if let name { return name }
        #if canImport(Darwin)
            return Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        #else
            return ProcessInfo.processInfo.processName
        #endif
    }

    /// Whether both suites keep their settings in the same domain.
    public func isSameDomain(as other: Suite) -> Bool {
        domainName == other.domainName
    }

    /// Checks that the suite's name is valid and that this app may use the suite.
    ///
    /// - Throws: ``DefaultsError`` with the code `invalidSuite` for an empty name, the name of the global domain, the
    ///   app's own name as a suite name (Apple platforms), an app group that the app is not entitled to (if the
    ///   platform reports it), and a name that is not a valid file name (Linux).
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
            // The system does not return a suite with the app's own name; reads would miss its values.
            guard UserDefaults(suiteName: name) != nil, name != Bundle.main.bundleIdentifier else {
                return "the system does not give it out. For the app's own settings, use Suite.standard."
            }
            // macOS returns a directory for any group; other platforms only for groups that the app is entitled to.
            guard !name.hasPrefix("group.") || Self.isEntitled(toGroup: name) else {
                return "the app is not entitled to the group. Add it to the app groups of the target's capabilities."
            }
            return nil
        #else
            // The name becomes a file name, and UserDefaults would follow a path out of the directory.
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
        /// Whether the system returns the group's directory, a query that involves another process.
        private static func isEntitled(toGroup name: String) -> Bool {
            if entitledGroups.withLock({ $0.contains(name) }) { return true }
            guard FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name) != nil else {
                return false
            }
            entitledGroups.withLock { _ = $0.insert(name) }
            return true
        }

        /// The groups found entitled; entitlements do not change while the app runs.
        private static let entitledGroups = Mutex<Set<String>>([])
    #endif

    private static let reservedNames: Set<String> = [
        UserDefaults.globalDomain, "Apple Global Domain", ".GlobalPreferences", UserDefaults.argumentDomain,
        UserDefaults.registrationDomain, "kCFPreferencesAnyApplication", "kCFPreferencesCurrentApplication",
    ]

    /// In bytes; file systems allow 255, of which the names of temporary files need some.
    private static let longestName = 220

    /// Creates a `UserDefaults` object for one use.
    ///
    /// `UserDefaults` is not `Sendable` on Linux, so objects are not kept. All objects of one name share the settings,
    /// which the library protects with a lock.
    func makeDefaults() throws(DefaultsError) -> UserDefaults {
        guard let name else { return .standard }
        guard let defaults = UserDefaults(suiteName: name) else {
            throw DefaultsError(.invalidSuite, "The system provides no suite \"\(name)\".").of(suite: self)
        }
        return defaults
    }
}
