/// An array of the form that one element has.
public struct DefaultsArrayBridge<Element: DefaultsSerializable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The array.
    public func encode(_ value: [Element]) throws -> PropertyListValue? {
        try Element.encodeElements(of: value)
    }

    /// The elements, in order.
    public func decode(_ stored: PropertyListValue) throws -> [Element] {
        try Element.decodeElements(of: stored)
    }

    /// An array.
    public var form: DefaultsForm? {
        .array(of: Element.defaultsForm)
    }
}

extension Array: DefaultsSerializable where Element: DefaultsSerializable {
    /// The array bridge of the elements' type.
    public static var bridge: Element.ArrayBridge {
        Element.arrayBridge
    }
}

extension DefaultsSerializable {
    /// The array that has the elements of a sequence, each in its own form.
    static func encodeElements(of elements: some Sequence<Self>) throws -> PropertyListValue {
        try .array(
            elements.enumerated().map { index, element in
                try DefaultsError.within(.index(index), .cannotStore) { try encodeInside(element) }
            }
        )
    }

    /// The elements of an array.
    static func decodeElements(of stored: PropertyListValue) throws -> [Self] {
        guard case .array(let elements) = stored else { throw DefaultsError.mismatch("an array") }
        return try elements.enumerated().map { index, element in
            try DefaultsError.within(.index(index), .typeMismatch) { try decoded(from: element) }
        }
    }
}
