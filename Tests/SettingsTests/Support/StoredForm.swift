import Foundation
import Molt
import Testing

/// The stored form of a value that is set.
func stored<Value: DefaultsSerializable & Sendable>(_ value: Value) throws -> PropertyListValue? {
    let settings = DictionarySettings()
    try settings.set(value, for: DefaultsKey("key", default: value))
    return settings.value(forKey: "key")
}

/// The value that is read from a stored form.
func read<Value: DefaultsSerializable>(_ type: Value.Type, from stored: PropertyListValue) throws -> Value {
    let key = DefaultsKey<Value?>("key")
    return try #require(try DictionarySettings(["key": stored]).value(for: key))
}

/// Expects that a value is stored in the given form and read back unchanged.
func expect<Value: DefaultsSerializable & Equatable & Sendable>(
    _ value: Value,
    storedAs expected: PropertyListValue,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try stored(value) == expected, sourceLocation: sourceLocation)
    #expect(try read(Value.self, from: expected) == value, sourceLocation: sourceLocation)
}

/// Expects that a value cannot be read, with the place of the error.
func expectUnreadable<Value: DefaultsSerializable>(
    _ stored: PropertyListValue,
    as type: Value.Type,
    at place: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect("\(stored) as \(type)", sourceLocation: sourceLocation) {
        _ = try read(type, from: stored)
    } throws: { error in
        guard let error = error as? MoltError else { return false }
        return error.code == .typeMismatch && error.key == "key" && error.valuePath?.fullDescription == place
    }
}

/// Expects that none of the values can be read as its type.
func expectUnreadable(
    _ rows: [(stored: PropertyListValue, type: any DefaultsSerializable.Type)],
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
