/// JSON text of a Codable value, as Defaults writes it.
public struct DefaultsCodableBridge<Value: Codable & SendableMetatype>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The JSON text.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try DefaultsJSON.text(of: value)
    }

    /// The value of the JSON text.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        try DefaultsJSON.value(of: stored)
    }

    /// JSON text that the type can be decoded from.
    public var form: DefaultsForm? {
        .codable(as: Value.self)
    }
}
