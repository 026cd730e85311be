import Foundation
import Molt
import Testing

/// The stored form of a value that is set.
func stored<Value: SettingValue & Sendable>(_ value: Value) throws -> PropertyListValue? {
    try stored(value, with: SettingKey("key", default: value))
}

/// The stored form of a value that is set with a key.
private func stored<Value>(_ value: Value, with key: SettingKey<Value>) throws -> PropertyListValue? {
    let settings = DictionarySettings()
    try settings.set(value, for: key)
    return settings.value(forKey: key.name)
}

/// The value that is read from a stored form.
func read<Value: SettingValue>(_ type: Value.Type, from stored: PropertyListValue) throws -> Value {
    try read(SettingKey<Value?>("key"), from: stored)
}

private func read<Value>(_ key: SettingKey<Value?>, from stored: PropertyListValue) throws -> Value {
    try #require(try DictionarySettings([key.name: stored]).value(for: key))
}

/// Expects that a value is stored in the given form and read back unchanged.
func expect<Value: SettingValue & Equatable & Sendable>(
    _ value: Value,
    storedAs expected: PropertyListValue,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try stored(value) == expected, sourceLocation: sourceLocation)
    #expect(try read(Value.self, from: expected) == value, sourceLocation: sourceLocation)
}

extension SettingCoding where Value: Sendable {
    /// The stored form of a value that is set with a key that has this coding.
    func stored(_ value: Value) throws -> PropertyListValue? {
        try SettingsTests.stored(value, with: SettingKey("key", coding: self, default: value))
    }

    /// The value that a key with this coding reads from a stored form.
    func read(_ stored: PropertyListValue) throws -> Value {
        try SettingsTests.read(SettingKey<Value?>("key", coding: self), from: stored)
    }
}

extension SettingCoding where Value: Equatable & Sendable {
    /// Expects that a value is stored in the given form and read back unchanged by keys that have this coding.
    func expect(
        _ value: Value,
        storedAs expected: PropertyListValue,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try stored(value) == expected, sourceLocation: sourceLocation)
        #expect(try read(expected) == value, sourceLocation: sourceLocation)
    }
}

/// Expects that a value cannot be read, with the place of the error.
func expectUnreadable<Value: SettingValue>(
    _ stored: PropertyListValue,
    as type: Value.Type,
    at place: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    expectUnreadable(stored, with: SettingKey<Value?>("key"), at: place, sourceLocation: sourceLocation)
}

/// Expects that a value cannot be read with a key.
func expectUnreadable<Value>(
    _ stored: PropertyListValue,
    with key: SettingKey<Value?>,
    at place: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect("\(stored) as \(Value.self)", sourceLocation: sourceLocation) {
        _ = try read(key, from: stored)
    } throws: { error in
        guard let error = error as? MoltError else { return false }
        return error.code == .typeMismatch && error.key == "key" && error.valuePath?.fullDescription == place
    }
}

/// Expects that none of the values can be read as its type.
func expectUnreadable(
    _ rows: [(stored: PropertyListValue, type: any SettingValue.Type)],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    for (stored, type) in rows { expectUnreadable(stored, as: type, sourceLocation: sourceLocation) }
}

extension ConversionResult {
    /// Why, and at which path, a value was not converted; nil if it was.
    var failure: (reason: String, path: String)? {
        if case .notConvertible(let reason, let path) = self { (reason, path.fullDescription) } else { nil }
    }
}

/// Settings in memory: typed keys without the details of a real suite.
final class DictionarySettings: SettingsAccess {
    private let values: Locked<[String: PropertyListValue]>

    init(_ values: [String: PropertyListValue] = [:]) {
        self.values = Locked(values)
    }

    func value(forKey key: String) -> PropertyListValue? {
        values.withLock { $0[key] }
    }

    func set(_ value: PropertyListValue, forKey key: String) {
        values.withLock { $0[key] = value }
    }

    func removeValue(forKey key: String) {
        _ = values.withLock { $0.removeValue(forKey: key) }
    }
}
