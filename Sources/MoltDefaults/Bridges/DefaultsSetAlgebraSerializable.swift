/// A set of your own that stands in a suite as an array of its elements' forms.
public protocol DefaultsSetAlgebraSerializable: SetAlgebra, DefaultsSerializable where Element: DefaultsSerializable {
    /// The elements, in any order.
    func toArray() -> [Element]
}

extension DefaultsSetAlgebraSerializable {
    /// An array of the elements' forms.
    public static var bridge: DefaultsSetAlgebraBridge<Self> {
        DefaultsSetAlgebraBridge()
    }
}

extension DefaultsSetAlgebraSerializable where Self: Codable {
    /// An array of the elements' forms.
    public static var bridge: DefaultsSetAlgebraBridge<Self> {
        DefaultsSetAlgebraBridge()
    }
}

/// An array of the elements' forms, for a set of the app.
public struct DefaultsSetAlgebraBridge<Value: DefaultsSetAlgebraSerializable>: DefaultsValueBridge
where Value.Element: DefaultsSerializable {
    /// Creates the bridge.
    public init() {}

    /// The array.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try Value.Element.encodeElements(of: value.toArray())
    }

    /// The set of the array's elements.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        try Value(Value.Element.decodeElements(of: stored))
    }

    /// An array; nil for a Codable set, whose JSON text may have had any shape.
    public var form: DefaultsForm? {
        Value.self is any Decodable.Type ? nil : .set(of: Value.Element.defaultsForm)
    }
}
