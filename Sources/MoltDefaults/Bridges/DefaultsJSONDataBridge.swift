/// JSON of a Codable value as `Data`, as SwiftyUserDefaults writes it.
///
/// ```swift
/// struct Toad: Codable, DefaultsSerializable {
///     static var bridge: DefaultsJSONDataBridge<Toad> { DefaultsJSONDataBridge() }
///     static var arrayBridge: DefaultsJSONDataBridge<[Toad]> { DefaultsJSONDataBridge() }
///
///     var age: Int
/// }
/// ```
/// The array bridge puts all of an array into one `Data`.
public struct DefaultsJSONDataBridge<Value: Codable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The JSON.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try .data(DefaultsJSON.encode(value))
    }

    /// The value of the JSON.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        guard case .data(let json) = stored else { throw DefaultsError.mismatch("data of JSON of \(Value.self)") }
        return try DefaultsJSON.decode(Value.self, from: json)
    }
}
