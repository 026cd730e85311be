internal import Foundation

extension Suite {
    /// The name of the domain that holds the settings.
    ///
    /// For ``standard`` this is the process name on Linux. On Apple platforms it is the bundle identifier, or the
    /// process name if there is none.
    public var domainName: String {
        name ?? Self.standardDomainName
    }

    /// Whether both suites keep their settings in the same domain.
    @inline(never)
    package func isSameDomain(as other: Suite) -> Bool {
        domainName == other.domainName
    }

    /// Whether the file of one suite is also that of the other, as through a link.
    func isSameFile(as other: Suite) -> Bool {
        DurableFile.isSame(preferencesPath, other.preferencesPath)
    }

    /// Checks that the suite's name is valid and that this app may use the suite.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite` for an empty name, the name of the global domain, the
    ///   app's own name as a suite name (Apple platforms), an app group that the app is not entitled to (if the
    ///   platform reports it), and a name that is not a valid file name.
    package func validate() throws(MoltError) {
        if let fault = nameFault {
            throw MoltError(.invalidSuite, "Invalid suite name \"\(self)\": \(fault)", store: domainName)
        }
    }

    private var nameFault: String? {
        let domainName = domainName
        if domainName.isEmpty { return "the name is empty." }
        if domainName.utf8.contains(0) { return "the name has a NUL in it." }
        if Self.reservedNames.contains(domainName) { return "these are the settings of all apps. Choose another name." }
        // The name becomes a file name, and UserDefaults would follow a path out of the directory.
        if domainName.contains("/") || domainName == "." || domainName == ".." {
            return "it must be a file's name, without directories."
        }
        if domainName.utf8.count > Self.longestName { return "it is longer than \(Self.longestName) bytes." }
        return accessFault
    }

    private static let reservedNames: Set<String> = [
        UserDefaults.globalDomain, "Apple Global Domain", ".GlobalPreferences", UserDefaults.argumentDomain,
        UserDefaults.registrationDomain, "kCFPreferencesAnyApplication", "kCFPreferencesCurrentApplication",
    ]

    /// In bytes; file systems allow 255, of which the names of temporary files need some.
    private static let longestName = 220
}

// The persistent domain with the values under reserved keys, read through `UserDefaults`.

extension Suite {
    /// All values in the domain; on Linux, the app's unsaved ones are saved first.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite`, `unreadable`, `noPermission` or `suiteNotWritable`.
    package func allValues() throws -> [String: PropertyListValue] {
        if let content { return content }
        try validate()
        return try storedValues()
    }

    /// The values of objects in the domain.
    ///
    /// - Throws: ``MoltError`` with the code `unreadable`.
    func normalized(_ objects: [String: Any]) throws(MoltError) -> [String: PropertyListValue] {
        var values: [String: PropertyListValue] = [:]
        values.reserveCapacity(objects.count)
        for (key, object) in objects {
            do throws(MoltError) {
                values[key] = try PropertyListValue(normalizing: object)
            } catch {
                var error = error.at(key: key).of(suite: self)
                error.code = .settingUnreadable
                throw error
            }
        }
        return values
    }
}
