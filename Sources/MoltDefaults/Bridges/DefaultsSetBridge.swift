/// An array of the form that one element has, in any order.
public struct DefaultsSetBridge<Element: DefaultsSerializable & Hashable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The array.
    public func encode(_ value: Set<Element>) throws -> PropertyListValue? {
        try Element.encodeElements(of: value)
    }

    /// The set of the elements.
    public func decode(_ stored: PropertyListValue) throws -> Set<Element> {
        try Set(Element.decodeElements(of: stored))
    }

    /// A set.
    public var form: DefaultsForm? {
        .set(of: Element.defaultsForm)
    }
}

extension Set: DefaultsSerializable where Element: DefaultsSerializable {
    /// An array of the elements' forms.
    public static var bridge: DefaultsSetBridge<Element> {
        DefaultsSetBridge()
    }
}
