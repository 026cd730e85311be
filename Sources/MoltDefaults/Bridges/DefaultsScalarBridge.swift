/// A value that a suite holds as it is, or as one text.
public struct DefaultsScalarBridge<Value>: DefaultsValueBridge {
    private let scalarForm: DefaultsForm
    private let name: String
    private let stored: @Sendable (Value) throws -> PropertyListValue
    private let value: @Sendable (PropertyListValue) -> Value?

    /// - Parameter name: What the value is, for messages: "a date".
    init(
        _ form: DefaultsForm,
        _ name: String,
        stored: @escaping @Sendable (Value) throws -> PropertyListValue,
        value: @escaping @Sendable (PropertyListValue) -> Value?
    ) {
        scalarForm = form
        self.name = name
        self.stored = stored
        self.value = value
    }

    /// What is stored for the value.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try stored(value)
    }

    /// The value.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        guard let value = value(stored) else { throw DefaultsError.mismatch(name) }
        return value
    }

    /// The form of the scalar.
    public var form: DefaultsForm? {
        scalarForm
    }
}
