internal import Foundation

extension Suite {
    /// The values that migrations have set aside to salvage what was good of them, by their keys.
    ///
    /// They are kept in the suite itself, under the key `molt.set-aside`, until ``removeSetAsideValue(forKey:)``.
    ///
    /// - Throws: ``DefaultsError`` with the code `invalidSuite`, `unreadable` or `noPermission`.
    public func setAsideValues() throws -> [String: SetAsideValue] {
        try Self.setAsideValues(in: SuiteDomain(self).read()[Self.setAsideKey], of: self)
    }

    /// Forgets a value that was set aside; does nothing when there is none.
    ///
    /// - Throws: ``DefaultsError`` as ``setAsideValues()``, or when the suite cannot be written.
    public func removeSetAsideValue(forKey key: String) throws {
        var values = try setAsideValues()
        guard values.removeValue(forKey: key) != nil else { return }
        if values.isEmpty {
            try SuiteDomain(self).write(set: [:], remove: [Self.setAsideKey])
        } else {
            try SuiteDomain(self).write(set: [Self.setAsideKey: Self.stored(values)])
        }
    }

    /// The values that stand under our key.
    static func setAsideValues(in stored: PropertyListValue?, of suite: Suite) throws -> [String: SetAsideValue] {
        guard let stored else { return [:] }
        do {
            guard case .data(let bytes) = stored else { throw CocoaError(.coderReadCorrupt) }
            return try JSONDecoder().decode([String: SetAsideValue].self, from: bytes)
        } catch {
            var failure = DefaultsError(
                .unreadable,
                "The key \"\(setAsideKey)\" does not hold values that were set aside. Was it written by something else?",
                underlying: error
            )
            failure.suite = suite.domainName
            failure.key = setAsideKey
            throw failure
        }
    }

    /// What stands under our key: JSON, as data, so that it holds any character.
    static func stored(_ values: [String: SetAsideValue]) throws -> PropertyListValue {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return .data(try encoder.encode(values))
    }

    /// The key for what was set aside.
    static let setAsideKey = "molt.set-aside"

    /// The keys that are ours: steps do not see them.
    static let ownKeys: Set<String> = [ledgerKey, setAsideKey]
}

extension DefaultsError {
    /// The error for a key that is ours.
    static func ownKey(_ key: String, in suite: Suite) -> DefaultsError {
        let message = "The key \"\(key)\" is kept for Molt itself. Choose another one."
        return DefaultsError(.cannotStore, message).at(key: key).of(suite: suite)
    }
}

extension SuiteChanges {
    /// Keeps a value as it was before it is changed; one that was set aside under the key before stays as it is.
    func setAside(_ value: SetAsideValue, forKey key: String) throws {
        var values = try Suite.setAsideValues(in: ownValue(forKey: Suite.setAsideKey), of: suite)
        guard values[key] == nil else { return }
        values[key] = value
        setOwn(try Suite.stored(values), forKey: Suite.setAsideKey)
    }
}

/// A setting as it was before a migration salvaged the good parts of it; ``Suite/setAsideValues()`` gives them.
public struct SetAsideValue: Hashable, Sendable, Codable {
    /// A part that could not be converted.
    public struct Part: Hashable, Sendable, Codable {
        /// The place inside the value, as `["Ada"][2]`.
        public var place: String
        /// What stands there: of a JSON text the part of the text, as it was written.
        public var value: PropertyListValue
        /// Why it could not be converted.
        public var reason: String

        /// Creates a part.
        public init(place: String, value: PropertyListValue, reason: String) {
            self.place = place
            self.value = value
            self.reason = reason
        }
    }

    /// The name of the migration.
    public var migration: String
    /// The whole value, as it was stored.
    public var value: PropertyListValue
    /// What was left out of the new value.
    public var parts: [Part]

    /// Creates a value that was set aside.
    public init(migration: String, value: PropertyListValue, parts: [Part]) {
        self.migration = migration
        self.value = value
        self.parts = parts
    }
}
