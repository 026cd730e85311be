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
    public func isSameDomain(as other: Suite) -> Bool {
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
    public func validate() throws(MoltError) {
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

// The persistent domain with the values under reserved keys, read and changed through `UserDefaults`.

extension Suite {
    /// All values in the domain; on Linux, the app's unsaved ones are saved first.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite`, `unreadable`, `noPermission` or `notWritable`.
    func allValues() throws -> [String: PropertyListValue] {
        try validate()
        return try storedValues()
    }

    /// Makes changes that are the same for every content; a key in both arguments is set.
    ///
    /// - Throws: The same errors as ``change(restoring:_:)``.
    func write(set values: [String: PropertyListValue], remove keys: Set<String> = []) throws {
        try change { domain in
            var changes: [String: PropertyListValue?] = values.mapValues { $0.asStored() }
            for key in values.keys { try checkForm(of: key, among: domain) }
            for key in keys where values[key] == nil { changes.updateValue(nil, forKey: key) }
            return changes
        }
    }

    /// Makes the changes computed from the current values, where nil removes a value, and reads them back.
    ///
    /// All values are in the form that the platform stores.
    ///
    /// Nothing is set if a value cannot be stored. One thread at a time changes suites, so that none reads back what
    /// another has set.
    ///
    /// - Parameters:
    ///   - snapshot: The values to restore first if a kill has destroyed the suite's file; none by default.
    ///   - makeChanges: Receives the values and returns the changes; it must not use the suite.
    /// - Throws: ``MoltError`` as ``allValues()``, `cannotStore`, or `readBackFailed` with the keys that differ.
    func change(
        restoring snapshot: [String: PropertyListValue]? = nil,
        _ makeChanges: ([String: PropertyListValue]) throws -> [String: PropertyListValue?]
    ) throws {
        try validate()
        try Self.lock.withLock {
            let values = try storedValues(restoring: snapshot).mapValues { $0.asStored() }
            let changes = try makeChanges(values)
            guard !changes.isEmpty else { return }
            try check(values, with: changes)
            let defaults = try makeDefaults()
            for (key, value) in Self.inOrder(changes) {
                let old = values[key]
                guard let value else {
                    if old != nil { defaults.removeObject(forKey: key) }
                    continue
                }
                // Setting an equal value would only have the platform write it again.
                guard old != value else { continue }
                set(value, replacing: old, forKey: key, in: defaults)
            }
            try save()
            let found = try savedValues()
            let different = changes.filter { found[$0.key]?.asStored() != $0.value }.keys.sorted()
            guard different.isEmpty else { throw readBackFailure(of: different) }
        }
    }

    private static let lock = NSLock()

    /// The changes in an order of which any part may be made before a kill.
    ///
    /// A renamed value is never under neither key, which would look as if the app had removed it. The ledger is last: a
    /// suite with a row has the changes that the row stands for.
    static func inOrder(
        _ changes: [String: PropertyListValue?]
    ) -> [(key: String, value: PropertyListValue?)] {
        func rank(_ key: String, _ value: PropertyListValue?) -> Int { key == ledgerKey ? 2 : value == nil ? 1 : 0 }
        return changes.sorted { rank($0.key, $0.value) < rank($1.key, $1.value) }
    }

    private func readBackFailure(of keys: [String]) -> MoltError {
        let shown = 10
        let list = keys.prefix(shown).joined(separator: ", ")
        return MoltError(
            .readBackFailed,
            "The suite did not return what was written to it. Another process may be writing it.",
            advice: "Try again.",
            store: domainName,
            key: keys.count > shown ? "\(list) and \(keys.count - shown) more" : list
        )
    }

    // MARK: Checking values

    /// Checks that the suite can hold the values that it has after some changes.
    ///
    /// On Linux the library writes all of them again: one value that it cannot read back would lose the whole file.
    ///
    /// - Throws: ``MoltError`` with the code `cannotStore`.
    func check(
        _ values: [String: PropertyListValue],
        with changes: [String: PropertyListValue?]
    ) throws(MoltError) {
        var values = values
        for (key, value) in changes { values[key] = value }
        for (key, value) in values { try check(value, forKey: key) }
        if let fault = SuiteFormat.fault(ofDictionary: values) {
            throw MoltError(.cannotStore, fault, store: domainName)
        }
    }

    func check(_ value: PropertyListValue, forKey key: String) throws(MoltError) {
        do throws(MoltError) {
            if let fault = SuiteFormat.fault(ofText: key) { throw MoltError(.cannotStore, fault) }
            try value.checkStorable()
        } catch {
            throw error.at(key: key).of(suite: self)
        }
    }

    /// Refuses a key that the domain has in another Unicode form: on Linux, one of the two could not be read.
    func checkForm(of key: String, among values: [String: PropertyListValue]) throws(MoltError) {
        guard let index = values.index(forKey: key), !values[index].key.utf8.elementsEqual(key.utf8) else { return }
        throw MoltError(
            .cannotStore,
            "The suite has a key that differs from this one in its Unicode form alone.",
            advice: "Use the same form.",
            store: domainName,
            key: key
        )
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
                error.code = .unreadable
                throw error
            }
        }
        return values
    }
}
