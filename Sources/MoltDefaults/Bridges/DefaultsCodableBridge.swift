/// JSON text of a Codable value, as Defaults writes it.
///
/// Of a type with raw values, a raw value that stands as such is read too: `@AppStorage` and most apps write it so.
public struct DefaultsCodableBridge<Value: Codable & SendableMetatype>: DefaultsValueBridge {
    /// Reads a raw value; nil for types that have none.
    private let decodeRawValue: (@Sendable (PropertyListValue) throws -> Value)?

    /// Creates the bridge.
    public init() {
        decodeRawValue = nil
    }

    /// Creates the bridge of a type with raw values.
    public init() where Value: RawRepresentable, Value.RawValue: DefaultsSerializable {
        decodeRawValue = { try DefaultsRawRepresentableBridge<Value>().decode($0) }
    }

    /// The JSON text.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try DefaultsJSON.text(of: value)
    }

    /// The value of the JSON text, or of the raw value.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        do {
            return try DefaultsJSON.value(of: stored)
        } catch {
            // What is neither is refused as no JSON text.
            guard let value = try? decodeRawValue?(stored) else { throw error }
            return value
        }
    }

    /// JSON text that the type can be decoded from.
    public var form: DefaultsForm? {
        guard let decodeRawValue else { return .codable(as: Value.self) }
        return DefaultsForm(
            .codable(
                check: { json in _ = try DefaultsJSON.decode(Value.self, from: json) },
                // Whether it throws is the answer.
                isRawValue: { stored in (try? decodeRawValue(stored)) != nil }
            )
        )
    }
}
