extension Suite: SettingsAccess {
    /// The value under a key of the suite's own domain, never of the registration, argument or global domain.
    ///
    /// On Linux, a value that another process has changed is seen after ``synchronize()`` or ``values()``.
    ///
    /// - Returns: nil if the key has no value.
    /// - Throws: ``MoltError`` with the code `invalidSuite`, `unreadable` or `noPermission`.
    public func value(forKey key: String) throws -> PropertyListValue? {
        if let content { return content[key] }
        try validate()
        return try liveValue(forKey: key)
    }

    /// Sets a value durably: it survives if the app is killed after the call.
    ///
    /// On Linux each call writes the whole suite. To set many values at once, use ``update(set:remove:)``.
    ///
    /// - Throws: The same errors as ``update(set:remove:)``.
    public func set(_ value: PropertyListValue, forKey key: String) throws {
        try update(set: [key: value])
    }

    /// Removes a value durably; does nothing if the key has no value.
    ///
    /// - Throws: The same errors as ``update(set:remove:)``.
    public func removeValue(forKey key: String) throws {
        try update(remove: [key])
    }

    /// Sets and removes values durably; a key in both arguments is set.
    ///
    /// Keys reserved by Molt are refused.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite`; `cannotStore` before anything is changed; `unreadable`
    ///   for a damaged file, which stays unchanged; `noPermission`, `suiteNotWritable` or `readBackFailed`.
    public func update(set values: [String: PropertyListValue] = [:], remove keys: Set<String> = []) throws {
        if let key = keys.union(values.keys).intersection(Self.reservedKeys).min() {
            throw MoltError.ownKey(key, in: self)
        }
        try write(set: values, remove: keys)
    }

    /// Removes all settings.
    ///
    /// The suite's ledger stays, so that values that the app sets afterwards are not upgraded as if an older release
    /// had written them. `UserDefaults.removePersistentDomain(forName:)` removes it, too.
    ///
    /// - Throws: The same errors as ``update(set:remove:)``.
    public func removeAll() throws {
        try write(set: [:], remove: Set(values().keys))
    }

    /// All settings of the suite's own domain; on Linux, those that the app has set are saved first.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite`, `unreadable` or `noPermission`.
    public func values() throws -> [String: PropertyListValue] {
        try allValues().withoutReservedKeys
    }

    /// Saves values that the app has set through `UserDefaults` itself, which on Linux keeps them only in memory.
    ///
    /// Unlike `UserDefaults.synchronize()`, it never overwrites an unreadable file.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite`, `unreadable`, `noPermission` or `suiteNotWritable`.
    public func synchronize() throws {
        _ = try allValues()
        try save()
    }
}
