extension SettingsAccess {
    /// The value of a setting; its default when nothing is set.
    ///
    /// What is there but cannot be read as the key's type is not lost by reading, which gives the default and tells
    /// ``DefaultsKeys/onFailure``. To assign a value replaces it. To change it in place, as by `append`, leaves it, and
    /// tells of it: a default must not take its place. A value that cannot be set is told of in the same way, and the
    /// old one stays. During an upgrade all that is told of fails the upgrade.
    public subscript<Value>(key: DefaultsKey<Value>) -> Value {
        get {
            do {
                return try value(for: key)
            } catch {
                subscriptFailed(error)
                return key.defaultValue
            }
        }
        nonmutating set {
            do {
                try set(newValue, for: key)
            } catch {
                subscriptFailed(error)
            }
        }
        // Called for changes in place only, so that `append` does not set what it made of a default.
        nonmutating _modify {
            var changed = key.defaultValue
            do {
                changed = try value(for: key)
            } catch {
                subscriptFailed(error)
                yield &changed
                return
            }
            yield &changed
            do {
                try set(changed, for: key)
            } catch {
                subscriptFailed(error)
            }
        }
    }

    /// The value of a setting; its default when nothing is set.
    ///
    /// - Throws: ``DefaultsError`` with the code `typeMismatch` when something is there that is no value of the key's
    ///   type; it names the key, the place inside, and what should be there.
    public func value<Value>(for key: DefaultsKey<Value>) throws -> Value {
        try key.value(of: value(forKey: key.name))
    }

    /// Sets a setting, whatever is there; nil removes it.
    ///
    /// - Throws: ``DefaultsError`` when the value cannot be stored, or the suite not be changed.
    public func set<Value>(_ value: Value, for key: DefaultsKey<Value>) throws {
        let stored: PropertyListValue?
        do {
            stored = try Value.encode(value)
        } catch {
            throw DefaultsError.wrapping(error, as: .cannotStore).at(key: key.name)
        }
        if let stored {
            try set(stored, forKey: key.name)
        } else {
            try removeValue(forKey: key.name)
        }
    }

    /// Removes a setting; its default is what it has then.
    ///
    /// - Throws: ``DefaultsError`` when the suite cannot be changed.
    public func remove(_ key: DefaultsKeys) throws {
        try removeValue(forKey: key.name)
    }

    /// Whether something is set, readable as the key's type or not.
    ///
    /// - Throws: ``DefaultsError`` when the suite cannot be read.
    public func contains(_ key: DefaultsKeys) throws -> Bool {
        try value(forKey: key.name) != nil
    }
}

extension Suite {
    /// The value of a setting now, and each one after it; its default where nothing is set.
    ///
    /// ```swift
    /// for await period in Suite.standard.updates(for: .period) { apply(period) }
    /// ```
    ///
    /// What is heard of, and when, is as with ``updates(forKey:)``. For what cannot be read as the key's type the
    /// default comes, and ``DefaultsKeys/onFailure`` is told.
    public func updates<Value>(for key: DefaultsKey<Value>) -> some AsyncSequence<Value, Never> {
        updates(forKey: key.name).map { stored in
            do {
                return try key.value(of: stored)
            } catch {
                subscriptFailed(error)
                return key.defaultValue
            }
        }
    }
}
