import Foundation
import MoltDefaults
import Testing

/// What stands in settings after a value was set.
func stored<Value: DefaultsSerializable & Sendable>(_ value: Value) throws -> PropertyListValue? {
    let settings = DictionarySettings()
    try settings.set(value, for: DefaultsKey("key", default: value))
    return settings.value(forKey: "key")
}

/// The value that is read where something stands.
func read<Value: DefaultsSerializable>(
    _ type: Value.Type,
    from stored: PropertyListValue
) throws -> Value {
    let key = DefaultsKey<Value?>("key")
    return try #require(try DictionarySettings(["key": stored]).value(for: key))
}

/// Expects that a value stands in settings as it should, and is read back as it was.
func expect<Value: DefaultsSerializable & Equatable & Sendable>(
    _ value: Value,
    storedAs expected: PropertyListValue,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try stored(value) == expected, sourceLocation: sourceLocation)
    #expect(try read(Value.self, from: expected) == value, sourceLocation: sourceLocation)
}

/// Expects that a value cannot be read, and where inside.
func expectUnreadable<Value: DefaultsSerializable>(
    _ stored: PropertyListValue,
    as type: Value.Type,
    at place: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(sourceLocation: sourceLocation) {
        _ = try read(type, from: stored)
    } throws: { error in
        guard let error = error as? DefaultsError else { return false }
        return error.code == .typeMismatch && error.key == "key" && error.place?.fullDescription == place
    }
}
