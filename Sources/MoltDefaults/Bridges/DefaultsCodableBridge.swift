/// JSON text of a Codable value, as Defaults writes it.
public struct DefaultsCodableBridge<Value: Codable & SendableMetatype>: DefaultsValueBridge {
    private let knownForm: DefaultsForm?

    /// Creates the bridge.
    public init() {
        self.init(form: nil)
    }

    /// - Parameter form: A form of its own, for types that conversions treat differently from other Codable ones.
    init(form: DefaultsForm?) {
        knownForm = form
    }

    /// The JSON text.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try .string(String(decoding: DefaultsJSON.encode(value), as: UTF8.self))
    }

    /// The value of the JSON text.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        guard case .string(let text) = stored else { throw DefaultsError.mismatch("JSON text of \(Value.self)") }
        return try DefaultsJSON.decode(Value.self, from: text.utf8)
    }

    /// JSON text that the type can be decoded from.
    public var form: DefaultsForm? {
        knownForm ?? .codable(as: Value.self)
    }
}
