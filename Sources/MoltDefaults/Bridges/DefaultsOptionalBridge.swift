/// A value that may be absent: nil has nothing stored.
public struct DefaultsOptionalBridge<Wrapped: DefaultsSerializable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// What is stored for the value; nil for nil.
    public func encode(_ value: Wrapped?) throws -> PropertyListValue? {
        try value.flatMap { try Wrapped.encode($0) }
    }

    /// The value.
    public func decode(_ stored: PropertyListValue) throws -> Wrapped? {
        try Wrapped.decoded(from: stored)
    }

    /// The form of the value.
    public var form: DefaultsForm? {
        Wrapped.defaultsForm
    }
}

extension Optional: DefaultsSerializable where Wrapped: DefaultsSerializable {
    /// The form of the value; nothing for nil.
    public static var bridge: DefaultsOptionalBridge<Wrapped> {
        DefaultsOptionalBridge()
    }
}
