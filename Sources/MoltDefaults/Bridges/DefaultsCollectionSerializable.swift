/// A collection of your own that stands in a suite as an array of its elements' forms.
///
/// ```swift
/// struct Bag<Element: DefaultsSerializable>: Collection { … }
///
/// extension Bag: DefaultsCollectionSerializable {
///     init(_ elements: [Element]) { items = elements }
/// }
/// ```
///
/// A `Codable` one may have been JSON text of any shape before; a conversion decodes it as a whole.
public protocol DefaultsCollectionSerializable: Collection, DefaultsSerializable where Element: DefaultsSerializable {
    /// Makes the collection from its elements, in order.
    init(_ elements: [Element])
}

extension DefaultsCollectionSerializable {
    /// An array of the elements' forms.
    public static var bridge: DefaultsCollectionBridge<Self> {
        DefaultsCollectionBridge()
    }
}

extension DefaultsCollectionSerializable where Self: Codable {
    /// An array of the elements' forms.
    public static var bridge: DefaultsCollectionBridge<Self> {
        DefaultsCollectionBridge()
    }
}

/// An array of the elements' forms, for a collection of the app.
public struct DefaultsCollectionBridge<Value: DefaultsCollectionSerializable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The array.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try Value.Element.encodeElements(of: value)
    }

    /// The collection of the array's elements.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        try Value(Value.Element.decodeElements(of: stored))
    }

    /// An array; nil for a Codable collection, whose JSON text may have had any shape.
    public var form: DefaultsForm? {
        Value.self is any Decodable.Type ? nil : .array(of: Value.Element.defaultsForm)
    }
}
