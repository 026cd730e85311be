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

/// A dictionary whose keys are texts and whose values have their own forms.
public struct DefaultsDictionaryBridge<Key: DefaultsDictionaryKey, Element: DefaultsSerializable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The dictionary.
    public func encode(_ value: [Key: Element]) throws -> PropertyListValue? {
        var stored: [String: PropertyListValue] = [:]
        for (key, element) in value {
            let text = key.defaultsKey
            let element = try DefaultsBridgeError.within("[\"\(text)\"]") { try Element.encodeInside(element) }
            guard stored.updateValue(element, forKey: text) == nil else {
                throw DefaultsBridgeError("has several keys of type \(Key.self) with one text")
            }
        }
        return .dictionary(stored)
    }

    /// The dictionary of the values.
    public func decode(_ stored: PropertyListValue) throws -> [Key: Element] {
        guard case .dictionary(let stored) = stored else { throw DefaultsBridgeError("is not a dictionary") }
        var value: [Key: Element] = [:]
        for (text, element) in stored {
            guard let key = Key(defaultsKey: text) else {
                throw DefaultsBridgeError(place: "[\"\(text)\"]", reason: "has a key that is no \(Key.self)")
            }
            let element = try DefaultsBridgeError.within("[\"\(text)\"]") { try Element.decoded(from: element) }
            guard value.updateValue(element, forKey: key) == nil else {
                throw DefaultsBridgeError(place: "[\"\(text)\"]", reason: "has a key that is there twice")
            }
        }
        return value
    }

    /// A dictionary.
    public var form: DefaultsForm? {
        .dictionary(key: .of(Key.self), of: Element.defaultsForm)
    }
}

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

extension Array: DefaultsSerializable where Element: DefaultsSerializable {
    /// The array bridge of the elements' type.
    public static var bridge: Element.ArrayBridge {
        Element.arrayBridge
    }
}

extension Set: DefaultsSerializable where Element: DefaultsSerializable {
    /// An array of the elements' forms.
    public static var bridge: DefaultsSetBridge<Element> {
        DefaultsSetBridge()
    }
}

extension Dictionary: DefaultsSerializable where Key: DefaultsDictionaryKey, Value: DefaultsSerializable {
    /// A dictionary of the values' forms.
    public static var bridge: DefaultsDictionaryBridge<Key, Value> {
        DefaultsDictionaryBridge()
    }
}

extension Optional: DefaultsSerializable where Wrapped: DefaultsSerializable {
    /// The form of the value; nothing for nil.
    public static var bridge: DefaultsOptionalBridge<Wrapped> {
        DefaultsOptionalBridge()
    }
}

extension DefaultsSerializable {
    /// The array that has the elements of a sequence, each in its own form.
    static func encodeElements(of elements: some Sequence<Self>) throws -> PropertyListValue {
        try .array(
            elements.enumerated().map { index, element in
                try DefaultsBridgeError.within("[\(index)]") { try encodeInside(element) }
            }
        )
    }

    /// The elements of an array.
    static func decodeElements(of stored: PropertyListValue) throws -> [Self] {
        guard case .array(let elements) = stored else { throw DefaultsBridgeError("is not an array") }
        return try elements.enumerated().map { index, element in
            try DefaultsBridgeError.within("[\(index)]") { try decoded(from: element) }
        }
    }
}
