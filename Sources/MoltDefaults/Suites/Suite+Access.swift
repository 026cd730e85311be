extension Suite: SettingsAccess {
    /// Tells ``DefaultsKeys/onFailure``, and of which suite.
    public func subscriptFailed(_ error: any Error) {
        DefaultsKeys.onFailure((error as? DefaultsError)?.of(suite: self) ?? error)
    }

    /// The value under a key of the suite's own domain, never one of the registration, argument or global domain.
    ///
    /// - Returns: nil when there is none.
    /// - Throws: ``DefaultsError`` with the code `invalidSuite`, `unreadable` or `noPermission`.
    public func value(forKey key: String) throws -> PropertyListValue? {
        try validate()
        return try SuiteStorage(self).liveValue(forKey: key)
    }

    /// Sets a value, durably: it survives a kill of the app right afterwards.
    ///
    /// On Linux each call writes the suite's file, which is never half written; set many values at once with
    /// ``update(set:remove:)``.
    ///
    /// - Throws: ``DefaultsError`` as ``update(set:remove:)``.
    public func set(_ value: PropertyListValue, forKey key: String) throws {
        try update(set: [key: value])
    }

    /// Removes a value, durably; does nothing when there is none.
    ///
    /// - Throws: ``DefaultsError`` as ``update(set:remove:)``.
    public func removeValue(forKey key: String) throws {
        try update(remove: [key])
    }

    /// Sets and removes values, durably.
    ///
    /// On Linux it is all or none of them, even when the app is killed meanwhile. The keys that Molt keeps for itself
    /// are refused: ``removeAll()`` removes them.
    ///
    /// A key that is named in both is set.
    ///
    /// - Throws: ``DefaultsError`` with the code `invalidSuite`; `cannotStore` before anything is changed; `unreadable`
    ///   for a file that is damaged, which stays as it is; `noPermission`, `notWritable` or `readBackFailed`.
    public func update(set values: [String: PropertyListValue] = [:], remove keys: Set<String> = []) throws {
        if let key = keys.union(values.keys).intersection(Self.ownKeys).min() {
            throw DefaultsError.ownKey(key, in: self)
        }
        try SuiteDomain(self).write(set: values, remove: keys)
    }

    /// Removes all values, what Molt keeps in the suite for itself included: as if it had never been written.
    ///
    /// - Important: A suite that is a store of its own loses its version and its ledger with that.
    /// - Throws: ``DefaultsError`` as ``update(set:remove:)``.
    public func removeAll() throws {
        let domain = SuiteDomain(self)
        try domain.write(set: [:], remove: Set(domain.read().keys))
    }

    /// All values of the suite's own domain.
    ///
    /// - Throws: ``DefaultsError`` with the code `invalidSuite`, `unreadable` or `noPermission`.
    public func values() throws -> [String: PropertyListValue] {
        try SuiteDomain(self).read()
    }

    /// Saves what the app has set through `UserDefaults` itself, which keeps it in memory only on Linux.
    ///
    /// Unlike `UserDefaults.synchronize()` it never overwrites a file that cannot be read.
    ///
    /// - Throws: ``DefaultsError`` with the code `invalidSuite`, `unreadable`, `noPermission` or `notWritable`.
    public func synchronize() throws {
        try validate()
        try SuiteStorage(self).flush()
    }
}
