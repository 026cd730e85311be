internal import Foundation

extension Suite {
    /// The values that migrations have set aside while salvaging their good parts, by key.
    ///
    /// The suite keeps them under the key `molt.set-aside` until ``removeSetAsideValue(forKey:)``.
    ///
    /// - Throws: ``DefaultsError`` with the code `invalidSuite`, `unreadable` or `noPermission`.
    public func setAsideValues() throws -> [String: SetAsideValue] {
        try Self.setAsideValues(in: SuiteDomain(self).read()[Self.setAsideKey], of: self)
    }

    /// Removes a value that was set aside; does nothing if there is none.
    ///
    /// - Throws: ``DefaultsError`` as ``setAsideValues()``, or if the suite cannot be written.
    public func removeSetAsideValue(forKey key: String) throws {
        var values = try setAsideValues()
        guard values.removeValue(forKey: key) != nil else { return }
        if values.isEmpty {
            try SuiteDomain(self).write(set: [:], remove: [Self.setAsideKey])
        } else {
            try SuiteDomain(self).write(set: [Self.setAsideKey: Self.stored(values)])
        }
    }

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

    /// Encodes the values as JSON data; unlike a string, data can hold any character.
    static func stored(_ values: [String: SetAsideValue]) throws -> PropertyListValue {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return .data(try encoder.encode(values))
    }

    static let setAsideKey = "molt.set-aside"

    /// The keys reserved for Molt, which steps do not see.
    static let ownKeys: Set<String> = [ledgerKey, setAsideKey]
}

extension DefaultsError {
    static func ownKey(_ key: String, in suite: Suite) -> DefaultsError {
        let message = "The key \"\(key)\" is kept for Molt itself. Choose another one."
        return DefaultsError(.cannotStore, message).at(key: key).of(suite: suite)
    }
}

extension SuiteChanges {
    /// Keeps a value as it was before the change, unless the key already has one from an earlier change.
    func setAside(_ value: SetAsideValue, forKey key: String) throws {
        var values = try Suite.setAsideValues(in: ownValue(forKey: Suite.setAsideKey), of: suite)
        guard values[key] == nil else { return }
        values[key] = value
        setOwn(try Suite.stored(values), forKey: Suite.setAsideKey)
    }
}

/// A setting before a migration salvaged its good parts, as returned by ``Suite/setAsideValues()``.
public struct SetAsideValue: Hashable, Sendable, Codable {
    /// A part that could not be converted.
    public struct Part: Hashable, Sendable, Codable {
        /// The place inside the value, such as `["Ada"][2]`.
        public var place: String
        /// The value of the part; for a part of a JSON string, its text as it was written.
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
    /// The whole stored value.
    public var value: PropertyListValue
    /// The parts that the new value lacks.
    public var parts: [Part]

    /// Creates a value that was set aside.
    public init(migration: String, value: PropertyListValue, parts: [Part]) {
        self.migration = migration
        self.value = value
        self.parts = parts
    }
}

extension SetAsideValue: CustomStringConvertible {
    /// The migration and the reasons, without values and without places, which may contain keys of a dictionary.
    public var description: String {
        "set aside by migration \"\(migration)\": \(parts.map(\.reason).joined(separator: ", "))"
    }
}
