/// An array of the form that one element has.
///
/// One element that cannot be read makes the whole array unreadable, so that setting it anew loses none, unless the type
/// says otherwise:
///
/// ```swift
/// struct Frog: Codable, DefaultsSerializable {
///     static var arrayBridge: DefaultsArrayBridge<Frog> { DefaultsArrayBridge(skippingUnreadable: true) }
///
///     var name: String
/// }
/// ```
public struct DefaultsArrayBridge<Element: DefaultsSerializable>: DefaultsValueBridge {
    private let skipsUnreadable: Bool

    /// Creates the bridge.
    ///
    /// - Parameter skipsUnreadable: Whether elements that cannot be read are left out.
    /// - Important: With that, they are lost when the array is next set.
    public init(skippingUnreadable skipsUnreadable: Bool = false) {
        self.skipsUnreadable = skipsUnreadable
    }

    /// The array.
    public func encode(_ value: [Element]) throws -> PropertyListValue? {
        try Element.encodeElements(of: value)
    }

    /// The elements, in order.
    public func decode(_ stored: PropertyListValue) throws -> [Element] {
        guard skipsUnreadable, case .array(let elements) = stored else {
            return try Element.decodeElements(of: stored)
        }
        // Whether one throws is the answer.
        return elements.compactMap { try? Element.decoded(from: $0) }
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
