/// The raw value.
public struct DefaultsRawRepresentableBridge<Value: RawRepresentable & SendableMetatype>: DefaultsValueBridge
where Value.RawValue: DefaultsSerializable {
    /// Creates the bridge.
    public init() {}

    /// The raw value.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try Value.RawValue.encode(value.rawValue)
    }

    /// The value with the raw value.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        guard let value = try Value(rawValue: Value.RawValue.decoded(from: stored)) else {
            throw DefaultsError.mismatch("a raw value of \(Value.self)")
        }
        return value
    }

    /// A raw value of the type.
    public var form: DefaultsForm? {
        .rawValue(Value.self)
    }
}
