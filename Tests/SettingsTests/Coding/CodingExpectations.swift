import Molt
import TestSupport
import Testing

/// Expects that a value is read from a form other than the one in which it is stored.
func expect<Value: SettingValue & Equatable>(
    _ value: Value,
    readFrom stored: PropertyListValue,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try read(Value.self, from: stored) == value, sourceLocation: sourceLocation)
}

/// Expects that a value cannot be stored.
func expectUnstorable<Value: SettingValue & Sendable>(
    _ value: Value,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    MoltError.thrown(sourceLocation: sourceLocation) { try stored(value) }
}
