extension SettingsAccess {
    /// The value of a setting; its default if nothing is set.
    ///
    /// If the stored value cannot be read as the key's type, the subscript returns the default, reports the error to
    /// ``SettingKeys/onFailure``, and keeps the stored value. Assigning a value replaces it, and puts it into
    /// quarantine first; see ``SettingKeys/unreadableValues``. Changing it in place, such as by `append`, leaves it
    /// unchanged and reports the error, because the result would be based on the default. If a value cannot be set, the
    /// error is reported in the same way, and the old value stays. During an upgrade, any reported error fails the
    /// upgrade.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        get { reporting { try value(for: key) } ?? key.defaultValue }
        nonmutating set { reporting { try set(newValue, for: key) } }
        // Called only for changes in place, so that `append` does not store a result based on the default.
        nonmutating _modify {
            let current = reporting { try value(for: key) }
            var changed = current ?? key.defaultValue
            yield &changed
            if current != nil { reporting { try set(changed, for: key) } }
        }
    }

    /// Reports an error instead of throwing it; returns nil then.
    @discardableResult
    private func reporting<Result>(_ access: () throws -> Result) -> Result? {
        do {
            return try access()
        } catch {
            switch self {
            case let settings as SuiteEditor: settings.subscriptFailed(error)
            default: SettingKeys.onFailure(error)
            }
            return nil
        }
    }

    /// Adds the suite to an error; an upgrade adds it to those of its own settings.
    private func addingSuite<Value>(_ access: () throws -> Value) throws -> Value {
        do {
            return try access()
        } catch let error as MoltError {
            throw (self as? Suite).map(error.of(suite:)) ?? error
        }
    }

    /// The value of a setting; its default if nothing is set.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch` if the stored value cannot be read as the key's type.
    ///   It names the suite, the key, the place inside the value, and the expected kind.
    public func value<Value>(for key: SettingKey<Value>) throws -> Value {
        try addingSuite { try key.value(of: value(forKey: key.name)) }
    }

    /// Sets a setting, whatever its stored value; nil removes it.
    ///
    /// A value in a suite that the key cannot read is put into quarantine first; see ``SettingKeys/unreadableValues``.
    ///
    /// - Throws: ``MoltError`` if the value cannot be stored or the suite cannot be changed.
    public func set<Value>(_ value: Value, for key: SettingKey<Value>) throws {
        try addingSuite {
            guard let stored = try key.stored(value) else { return try removeValue(forKey: key.name) }
            // A migration knows what it replaces.
            guard let suite = self as? Suite else { return try set(stored, forKey: key.name) }
            try suite.set(stored, for: key)
        }
    }

    /// Removes a setting, which then has its default value.
    ///
    /// - Throws: ``MoltError`` if the suite cannot be changed.
    public func remove(_ key: SettingKeys) throws { try removeValue(forKey: key.name) }

    /// Whether a value is stored, even if it cannot be read as the key's type.
    ///
    /// - Throws: ``MoltError`` if the suite cannot be read.
    public func contains(_ key: SettingKeys) throws -> Bool { try value(forKey: key.name) != nil }
}
